// Generations of a log, by the rows that follow from them. A log that lost its end, or comes of a backup, goes on in another generation:
// its sequences, and the ordinals of rows, are given again.
//   GE1. Rows from a generation's start on are of it or of a later one, whatever had their ordinals before. A row that a later
//        generation may have replaced is lost to who named it in an earlier one.
//   GE2. Starts ascend, by generation and by ordinal.
import {must} from './invariant.js';

export interface GenerationStart {
  readonly generation: number;
  /** Ordinal of the first row that the generation may have. */
  readonly ordinal: number;
}

export type Generations = readonly GenerationStart[];

/** A power cut makes one. In a manifest they take some kB. */
export const generationsMax = 64;

export const newestOf = (generations: Generations): number =>
  must(generations.at(-1), 'a log has a generation').generation;

/** With another one, at whose begin `ordinal` was the next one. At the bound two old ones become the later one of them. */
export function withGeneration(generations: Generations, {generation, ordinal}: GenerationStart): Generations {
  const before = generations.filter((start) => start.ordinal < ordinal);
  const all = [...before, {generation, ordinal}];
  if (all.length <= generationsMax) return all;
  const [first, second, third] = all as [GenerationStart, GenerationStart, GenerationStart];
  return [first, {generation: third.generation, ordinal: second.ordinal}, ...all.slice(3)];
}

/** The generation that a row is of. */
export const generationOfRow = (generations: Generations, ordinal: number): number =>
  (generations.findLast((start) => start.ordinal <= ordinal) ?? must(generations[0], 'a log has a generation'))
    .generation;

/** From this ordinal on rows may be others than those of `generation`. GE1 */
export const lostFrom = (generations: Generations, generation: number): number =>
  generations.find((start) => start.generation > generation)?.ordinal ?? Number.POSITIVE_INFINITY;
