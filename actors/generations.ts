// Generations of a log, and the ordinals and numbers of users at which they begin. A log that lost its end, or was restored from a
// backup, continues in another generation, which gives sequences, ordinals of rows and numbers of users again.
//   GE1. Rows from a generation's start on are of it or of a later one, whatever had their ordinals before. A reader that knows a
//        row by an earlier generation has lost it if a later one may have replaced it. The same holds for users.
//   GE2. Starts ascend, by generation and by ordinal; their users do not descend.
import {must} from './invariant.js';

interface GenerationStart {
  readonly generation: number;
  /** Ordinal of the first row that the generation may have. */
  readonly ordinal: number;
  /** Number of the first user that it may have. */
  readonly users: number;
}

export type Generations = readonly GenerationStart[];

/** Number of generations that a manifest holds: some kB. A power cut makes one. */
export const generationsMax = 64;

export const newestOf = (generations: Generations): number =>
  must(generations.at(-1), 'a log has a generation').generation;

/** Adds a generation that began when `ordinal` was the next one. At the bound two old ones become the later of them. */
export function withGeneration(generations: Generations, begun: GenerationStart): Generations {
  const before = generations.filter((start) => start.ordinal < begun.ordinal);
  const all = [...before, begun];
  if (all.length <= generationsMax) return all;
  const [first, second, third] = all as [GenerationStart, GenerationStart, GenerationStart];
  return [first, {...second, generation: third.generation}, ...all.slice(3)];
}

/** Generation of a row. */
export const generationOfRow = (generations: Generations, ordinal: number): number =>
  (generations.findLast((start) => start.ordinal <= ordinal) ?? must(generations[0], 'a log has a generation'))
    .generation;

/** First ordinal whose row may be another one than in `generation`. GE1 */
export const lostFrom = (generations: Generations, generation: number): number =>
  after(generations, generation)?.ordinal ?? Number.POSITIVE_INFINITY;

/** First number of a user who may be another one than in `generation`. GE1 */
export const usersLostFrom = (generations: Generations, generation: number): number =>
  after(generations, generation)?.users ?? Number.POSITIVE_INFINITY;

const after = (generations: Generations, generation: number): GenerationStart | undefined =>
  generations.find((start) => start.generation > generation);
