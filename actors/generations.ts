// Generations of a log, and the ordinals at which their rows begin. A log that lost its end, or was restored from a backup,
// continues in another generation, which gives sequences and ordinals of rows again.
//   GE1. Rows from a generation's start on are of it or of a later one, whatever had their ordinals before. A reader that knows a
//        row by an earlier generation has lost it if a later one may have replaced it.
//   GE2. Starts ascend, by generation and by ordinal.
import {must} from './invariant.js';

interface GenerationStart {
  readonly generation: number;
  /** Ordinal of the first row that the generation may have. */
  readonly ordinal: number;
}

export type Generations = readonly GenerationStart[];

/** Number of generations that a manifest holds: some kB. A power cut makes one. */
export const generationsMax = 64;

export const newestOf = (generations: Generations): number =>
  must(generations.at(-1), 'a log has a generation').generation;

/** Adds a generation that began when `ordinal` was the next one. At the bound two old ones become the later of them. */
export function withGeneration(generations: Generations, {generation, ordinal}: GenerationStart): Generations {
  const before = generations.filter((start) => start.ordinal < ordinal);
  const all = [...before, {generation, ordinal}];
  if (all.length <= generationsMax) return all;
  const [first, second, third] = all as [GenerationStart, GenerationStart, GenerationStart];
  return [first, {generation: third.generation, ordinal: second.ordinal}, ...all.slice(3)];
}

/** Generation of a row. */
export const generationOfRow = (generations: Generations, ordinal: number): number =>
  (generations.findLast((start) => start.ordinal <= ordinal) ?? must(generations[0], 'a log has a generation'))
    .generation;

/** First ordinal whose row may be another one than in `generation`. GE1 */
export const lostFrom = (generations: Generations, generation: number): number =>
  generations.find((start) => start.generation > generation)?.ordinal ?? Number.POSITIVE_INFINITY;
