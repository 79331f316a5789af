// How far each of 4,096 users is in a funnel: columns in one memory, and the steps that the kernel takes on them
// (kernels/funnel-progress.ts).
//   FP1. Progress is scratch: it holds no state between calls of a walk.

/** Users [n, n + blockUsers) are walked together: their progress stays in the first caches of a core. */
export const blockUsers = 4_096;

/** Progress of a block of users, in columns of `blockUsers`. FP1 */
export interface FunnelProgress {
  /** Ascending. */
  readonly users: Uint32Array;
  /** Key of the step that each user reached. */
  readonly keys: Float64Array;
  /** Key of the next step, which `seek` writes. */
  readonly found: Float64Array;
  /** Ms between the two steps. */
  readonly gaps: Float64Array;
  /** Writes to `found` the next event of the first `count` users in `postings`, infinite where there is none. */
  seek(count: number, postings: DensePostings): void;
  /** Advances the first `count` users to `found`, and drops those without an event below `endKey`. @returns how many are left. */
  advance(count: number, endKey: number): number;
  /** For funnels with a conversion window. */
  entryProgress(): EntryProgress;
}

/**
 * Progress of the first `count` users from one entry after the other, for a conversion window. Methods keep the order of users;
 * those that return a number drop users, and return how many are left. ER1 to ER3: entry-rounds.ts.
 */
export interface EntryProgress {
  /** The users have entered: their keys are their first entries. */
  begin(count: number): void;
  /** Advances users to the found step where it is within the window of their entry. `windowMs` is inclusive. */
  keepWithin(count: number, step: number, windowMs: number, endKey: number): number;
  /** Keeps those of the `walked` users that may get further from a later entry, one after their new key. ER1, ER2 */
  seekLater(walked: number, stepCount: number, windowMs: number): number;
  /** Moves users to the found entry. */
  takeLater(count: number, endKey: number): number;
  /** Keeps the users that got beyond an entry, at the entry from which they got deepest. ER3 */
  beginDeepest(entered: number): number;
  /** All users reached `step`: writes to `gaps` how long each took, and advances those that got deeper. */
  takeDeepest(count: number, step: number): number;
}

/**
 * Events of a name that many users have: those of user u are keys[starts[u]] to keys[starts[u + 1]] (not included). The first
 * of them is heads[u], infinite when there is none: the walk often needs no more, and heads are neighbours in memory.
 */
export interface DensePostings {
  readonly kind: 'dense';
  readonly heads: Float64Array;
  /** One more than there are users. */
  readonly starts: Uint32Array;
  readonly keys: Float64Array;
}
