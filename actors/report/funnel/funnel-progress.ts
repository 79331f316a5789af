// Progress of 4,096 users in a funnel: columns in one memory, and the kernel's steps on them (kernels/funnel-progress.ts).
//   FP1. Progress is scratch: it holds no state between calls of a walk.

/** Users [n, n + blockUsers) are walked together: their progress fits the CPU's first caches. */
export const blockUsers = 4_096;

/** Progress of a block of users: columns of `blockUsers` elements. FP1 */
export interface FunnelProgress {
  /** User indexes, ascending. */
  readonly users: Uint32Array;
  /** Key of the step that each user reached. */
  readonly keys: Float64Array;
  /** Key of each user's next step, which `seek` writes. */
  readonly found: Float64Array;
  /** Ms between the reached step and the one before. */
  readonly gaps: Float64Array;
  /** Writes to `found` the next event in `postings` of the first `count` users; infinite if there is none. */
  seek(count: number, postings: DensePostings): void;
  /** Advances the first `count` users to `found` and drops those without an event below `endKey`. @returns the number left. */
  advance(count: number, endKey: number): number;
  /** Progress by entry, for funnels with a conversion window. */
  entryProgress(): EntryProgress;
}

/**
 * Progress of the first `count` users with a conversion window, from one entry after the other. Methods keep the order of
 * users. Those that return a number drop users and return the number left. ER1 to ER3: entry-rounds.ts.
 */
export interface EntryProgress {
  /** Begins at the first entries of the users, which are their keys. */
  begin(count: number): void;
  /** Advances users whose found step is within the window of their entry, inclusive. */
  keepWithin(count: number, step: number, windowMs: number, endKey: number): number;
  /**
   * Keeps those of the `walked` users who may get further from a later entry; their keys are where its search begins. ER1, ER2
   */
  seekLater(walked: number, stepCount: number, windowMs: number): number;
  /** Moves users to the found entry. */
  takeLater(count: number, endKey: number): number;
  /** Keeps users who passed an entry, at the entry of their deepest walk. ER3 */
  beginDeepest(entered: number): number;
  /** Writes to `gaps` the time that `step` took, which all users reached; advances those who got deeper. */
  takeDeepest(count: number, step: number): number;
}

/**
 * Events of a name that many users have: those of user u are keys[starts[u] .. starts[u + 1]). The first is heads[u], infinite
 * if there is none: a walk often needs no other, and heads are contiguous in memory.
 */
export interface DensePostings {
  readonly kind: 'dense';
  readonly heads: Float64Array;
  /** Start of each user's keys, and the end of the last: one element more than users. */
  readonly starts: Uint32Array;
  readonly keys: Float64Array;
}
