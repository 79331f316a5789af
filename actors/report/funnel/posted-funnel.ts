// The funnel of one partition from postings. It answers like the walk of all chosen rows (src/report/operators/funnel-walks.ts).
//   Users are walked in blocks, and each block step by step. A user who misses a step leaves the search, and memory is read in
//   the order of users. Most events are in the largest segment: its memory also holds the block's progress, so the kernel
//   searches it (kernels/funnel-progress.ts). The few events of other segments are searched after it.
//   With a conversion window any entry may convert: a block walks the steps once for each entry that can decide
//   (entry-rounds.ts).
//   Postings still hold the events of users who left: these users enter no block.

import {lowerBound, upperBound} from '../../order/search.js';
import type {UserSet} from '../../table/user-set.js';
import type {Stretch} from '../selection.js';
import {EntryRounds} from './entry-rounds.js';
import {ranksPerMs} from './event-key.js';
import type {FunnelResult} from './funnel.js';
import {blockUsers, type DensePostings, type FunnelProgress} from './funnel-progress.js';
import type {NumberList, NumberLists} from './median.js';
import type {SparsePostings, UserPostings} from './user-postings.js';

const never = Number.POSITIVE_INFINITY;

/** Postings of a step. */
interface Step {
  /** Postings in the memory that also holds the progress. All others are in the two lists. */
  readonly main: DensePostings | undefined;
  readonly dense: readonly DensePostings[];
  readonly sparse: readonly SparseCursor[];
}

/** Cursor over sparse postings: blocks are walked in ascending order, each from `blockAt`. */
interface SparseCursor {
  readonly postings: SparsePostings;
  blockAt: number;
  at: number;
}

export class PostedFunnel implements FunnelResult {
  readonly reached: Float64Array;
  readonly durations: readonly NumberList[];
  private readonly steps: readonly Step[];
  private readonly progress: FunnelProgress;
  /** Rounds over entries; undefined without a conversion window. */
  private readonly rounds: EntryRounds | undefined;
  private readonly hasLeft: UserSet;
  private readonly completed: UserSet | undefined;
  /** Range of the keys inside the stretch: [startKey, endKey). */
  private readonly startKey: number;
  private readonly endKey: number;

  /**
   * `segments`: postings of all chunks, by ordinals. `stepLists`: the list of each step's events in them. `windowMs` is inclusive, infinite without a window. `progress` is used if no segment's memory has one. `lists` lends
   * the lists of durations, which the caller gives back. Users in `hasLeft` are not counted. `completed` gets the users who reach
   * the last step.
   */
  constructor(
    segments: readonly UserPostings[],
    stepLists: readonly number[],
    {startMs, lastMs}: Stretch,
    windowMs: number,
    progress: FunnelProgress,
    lists: NumberLists,
    hasLeft: UserSet,
    completed?: UserSet,
  ) {
    const main = largest(segments.filter((segment) => segment.progress !== undefined));
    this.reached = new Float64Array(stepLists.length);
    this.durations = stepLists.map(() => lists.take());
    this.steps = stepLists.map((list) => stepOf(segments, main, list));
    this.progress = main?.progress ?? progress;
    this.hasLeft = hasLeft;
    this.completed = completed;
    this.startKey = startMs * ranksPerMs;
    this.endKey = (lastMs + 1) * ranksPerMs;
    if (windowMs !== never) this.rounds = this.roundsWithin(windowMs);
  }

  /** Counts all users, and yields after each block. */
  *walk(): Generator<void, void, void> {
    const users = this.endKey <= this.startKey ? 0 : userEnd(this.steps[0]);
    for (let first = 0; first < users; first += blockUsers) {
      this.countBlock(first);
      yield;
    }
  }

  /** Counts the users [first, first + blockUsers). */
  private countBlock(first: number): void {
    if (!hasAny(this.steps[0], first)) return;
    for (const {sparse} of this.steps) for (const cursor of sparse) cursor.blockAt = cursor.at;
    const entered = this.enter(first);
    this.noteStep(0, entered);
    if (this.rounds === undefined) this.takeSteps(entered);
    else this.rounds.count(entered, this.reached, this.durations);
  }

  private roundsWithin(windowMs: number): EntryRounds {
    const {endKey, steps} = this;
    const seek = (step: number, count: number): void => this.seek(steps[step], count);
    const noteStep = (step: number, count: number): void => this.noteStep(step, count);
    return new EntryRounds(this.progress, {stepCount: steps.length, windowMs, endKey, seek, noteStep});
  }

  /**
   * Fills the block with those of the users [first, first + blockUsers) who have an entry, at their earliest one; returns their
   * number.
   */
  private enter(first: number): number {
    const count = this.fill(first);
    this.progress.keys.fill(this.startKey - 1);
    return count === 0 ? 0 : this.take(this.steps[0], count);
  }

  /** Fills the block with those of the users [first, first + blockUsers) who did not leave; returns their number. */
  private fill(first: number): number {
    const {users} = this.progress;
    const {hasLeft} = this;
    let count = 0;
    if (hasLeft.count === 0) for (; count < blockUsers; count++) users[count] = first + count;
    else for (let user = first; user < first + blockUsers; user++) if (!hasLeft.has(user)) users[count++] = user;
    return count;
  }

  /** Advances the first `count` users to the step. @returns the number of users who have it. */
  private take(step: Step, count: number): number {
    this.seek(step, count);
    return this.progress.advance(count, this.endKey);
  }

  /** Writes to `found` the next event of each of the first `count` users: the earliest of all segments. */
  private seek({main, dense, sparse}: Step, count: number): void {
    const {progress} = this;
    if (main === undefined) progress.found.fill(never, 0, count);
    else progress.seek(count, main);
    for (const postings of dense) seekDense(progress, count, postings);
    for (const cursor of sparse) seekSparse(progress, count, cursor);
  }

  /** The first `count` users of the block reached the step. */
  private noteStep(step: number, count: number): void {
    const {completed, steps, progress} = this;
    if (completed === undefined || step < steps.length - 1) return;
    for (let i = 0; i < count; i++) completed.add(progress.users[i]);
  }

  /** Walks a funnel without a conversion window: each step takes the earliest event after the one before. */
  private takeSteps(entered: number): void {
    const {reached, steps, durations, progress} = this;
    reached[0] += entered;
    for (let step = 1, count = entered; step < steps.length && count > 0; step++) {
      count = this.take(steps[step], count);
      this.noteStep(step, count);
      reached[step] += count;
      durations[step].pushAll(progress.gaps, count);
    }
  }
}

function largest(segments: readonly UserPostings[]): UserPostings | undefined {
  return segments.reduce<UserPostings | undefined>(
    (largest, segment) => (largest === undefined || segment.events > largest.events ? segment : largest),
    undefined,
  );
}

function stepOf(segments: readonly UserPostings[], main: UserPostings | undefined, list: number): Step {
  const found = {dense: [] as DensePostings[], sparse: [] as SparseCursor[]};
  let inMain: DensePostings | undefined;
  for (const segment of segments) {
    const postings = segment.of(list);
    if (postings === undefined) continue;
    if (postings.kind === 'sparse') found.sparse.push({postings, blockAt: 0, at: 0});
    else if (segment === main) inMain = postings;
    else found.dense.push(postings);
  }
  return {main: inMain, ...found};
}

/** Upper bound of the users with an entry. */
function userEnd({main, dense, sparse}: Step): number {
  const lengths = dense.map(({heads}) => heads.length);
  const ends = sparse.map(({postings: {users}}) => users[users.length - 1] + 1);
  return Math.max(main?.heads.length ?? 0, ...lengths, ...ends);
}

/** Whether a user of the block from `first` may have an entry. */
function hasAny({main, dense, sparse}: Step, first: number): boolean {
  if (first < (main?.heads.length ?? 0) || dense.some(({heads}) => first < heads.length)) return true;
  return sparse.some((cursor) => {
    const {users} = cursor.postings;
    cursor.at = lowerBound(users, first, cursor.at);
    return cursor.at < users.length && users[cursor.at] < first + blockUsers;
  });
}

/** Writes to `found` a user's next event in `postings` if it is earlier. */
export function seekDense({users, keys, found}: FunnelProgress, count: number, postings: DensePostings): void {
  const {heads, starts, keys: posted} = postings;
  for (let i = 0; i < count && users[i] < heads.length; i++) {
    const user = users[i];
    let key = heads[user];
    if (key <= keys[i]) {
      const end = starts[user + 1];
      const place = upperBound(posted, keys[i], starts[user] + 1, end);
      if (place === end) continue;
      key = posted[place];
    }
    if (key < found[i]) found[i] = key;
  }
}

/** Seeks in sparse postings: merges the block's users with those of the postings, which both ascend. */
function seekSparse({users, keys, found}: FunnelProgress, count: number, cursor: SparseCursor): void {
  const {users: posted, starts, keys: postedKeys} = cursor.postings;
  let at = cursor.blockAt;
  for (let i = 0; i < count; i++) {
    while (at < posted.length && posted[at] < users[i]) at += 1;
    if (at === posted.length) break;
    if (posted[at] !== users[i]) continue;
    const end = starts[at + 1];
    const place = upperBound(postedKeys, keys[i], starts[at], end);
    if (place < end && postedKeys[place] < found[i]) found[i] = postedKeys[place];
  }
  if (at > cursor.at) cursor.at = at;
}
