// A block of users on their way through a funnel: how far each of them is, and the steps that the kernel takes (kernels/funnel-steps.ts).
//   FB1. The block is scratch: it holds no state between calls of a walk.

/** Users [n, n + blockUsers) are walked together: their state stays in the first caches of a core. */
export const blockUsers = 4_096;

/** State of a block of users, columns of `blockUsers`, and the steps on it. FB1 */
export interface FunnelSteps {
  /** Ascending. */
  readonly users: Uint32Array;
  /** Key of the step that each user reached. */
  readonly keys: Float64Array;
  /** Key of the step that is searched. */
  readonly found: Float64Array;
  /** Ms from the step before. */
  readonly gaps: Float64Array;
  /** Writes to `found` the next event of the first `count` users in `postings`, infinite where there is none. */
  find(count: number, postings: DensePostings): void;
  /** Moves the first `count` users on to `found`, and drops those without an event below `endKey`. Returns how many are left. */
  keep(count: number, endKey: number): number;
  /** For funnels with a conversion window. FB1 */
  entrySteps(): EntrySteps;
}

/**
 * Steps with a conversion window, on the first `count` users of the block. They keep the order of users; those that return a
 * number drop users, and return how many are left. ER1 to ER3: entry-rounds.ts.
 */
export interface EntrySteps {
  /** The users have entered: their keys are their first entries. */
  begin(count: number): void;
  /** Moves users on to the found step where it lies within the window of their entry. `windowMs` is inclusive. */
  keepWithin(count: number, step: number, windowMs: number, endKey: number): number;
  /** Keeps the users, of `walked`, that may get further from a later entry: one after their new key. ER1, ER2 */
  seekLater(walked: number, stepCount: number, windowMs: number): number;
  /** Moves users on to the found entry. */
  takeLater(count: number, endKey: number): number;
  /** Keeps the users that got beyond an entry, at the entry from which they got deepest. ER3 */
  beginDeepest(entered: number): number;
  /** All users got to `step`: writes to `gaps` how long each took, and moves those on that got deeper. */
  takeDeepest(count: number, step: number): number;
}

/**
 * Events of a name that many users have: those of user u are keys[starts[u]] to keys[starts[u + 1]] (not included). The first
 * of them is heads[u], infinite when there is none: the walk often needs no more, and heads lie side by side.
 */
export interface DensePostings {
  readonly kind: 'dense';
  readonly heads: Float64Array;
  /** One more than there are users. */
  readonly starts: Uint32Array;
  readonly keys: Float64Array;
}
