// What a piece of the bench of that name is.

/** What it answers says all of it as text, so that both ways can be compared; that is not timed. */
export type Work = () => Told | Promise<Told>;

interface Told {
  toString(): string;
}

/** Something that is there for speed alone, and the plain way that it stands for: both give the same. */
export interface Piece {
  readonly quick: string;
  readonly plain: string;
  readonly work: {readonly quick: Work; readonly plain: Work};
  /** Of what the work does as often: CPU is told for each. */
  readonly count: number;
}

/** An answer whose text is made when it is compared. */
export const told = (text: () => unknown): {toString(): string} => ({toString: () => String(text())});

/** Ends of things of these lengths, one behind the other. */
export function runningSum(lengths: readonly number[]): Uint32Array {
  const ends = new Uint32Array(lengths.length);
  for (let i = 0, end = 0; i < lengths.length; i++) ends[i] = end += lengths[i]!;
  return ends;
}

/** Sensitive to their order. */
export function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum = (Math.imul(sum, 31) + number) | 0;
  return sum;
}
