// What the bench of that name compares.

/** Text of the answer to the question of this number. */
export type Way = (number: number) => Promise<string>;

export interface Twins {
  readonly quick: string;
  readonly plain: string;
  readonly ways: readonly [quick: Way, plain: Way];
  /** Questions of a sample. */
  readonly asks: number;
}
