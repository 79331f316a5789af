// Rows copied from many chunks and grouped by user, within a bound of memory.
//   When more rows are found than fit, users at the end of the range wait for a later pass over the same chunks. The current
//   pass continues with the others and loses no row of theirs. A pass is at least half full, so n rows take at most 2 * n /
//   rowsMax + 1 passes.
//   GR1. One pass gathers all rows of a user, in the order in which they are added.
//   GR2. One user may exceed the bound: its rows cannot be split.
import {assert} from '../../invariant.js';

/** Bytes of one gathered row, including the copy for grouping. */
export const gatheredRowBytes = 28;
const rowsAtFirst = 1_024;
/** Rows or users between two yields: well below a ms. */
export const sliceRows = 8_192;

export class GatheredRows {
  users: Uint32Array;
  times: Float64Array;
  kinds: Uint32Array;
  count = 0;
  /** This pass gathers users [userStart, userEnd). */
  userStart = 0;
  userEnd: number;
  private readonly userCount: number;
  private readonly rowsMax: number;

  /** `rowsPossible`: upper bound of the rows in one pass. */
  constructor(userCount: number, rowsMax: number, rowsPossible: number) {
    assert(rowsMax >= 2, 'gathered rows: half of the bound is at least one row');
    // Room for an eighth: zeroing unused memory would cost as much as the copies of three doublings.
    const capacity = Math.min(rowsMax, Math.max(rowsAtFirst, Math.ceil(rowsPossible / 8)));
    this.users = new Uint32Array(capacity);
    this.times = new Float64Array(capacity);
    this.kinds = new Uint32Array(capacity);
    this.userCount = userCount;
    this.rowsMax = rowsMax;
    this.userEnd = userCount;
  }

  add(user: number, time: number, kind: number): void {
    if (user < this.userStart || user >= this.userEnd) return;
    if (this.count === this.users.length) {
      this.makeRoom();
      if (user >= this.userEnd) return;
    }
    this.users[this.count] = user;
    this.times[this.count] = time;
    this.kinds[this.count] = kind;
    this.count += 1;
  }

  /** Drops the rows and begins a pass with the users that are left; false when there are none. */
  nextPass(): boolean {
    this.userStart = this.userEnd;
    this.userEnd = this.userCount;
    this.count = 0;
    return this.userStart < this.userEnd;
  }

  private makeRoom(): void {
    if (this.count >= this.rowsMax && this.userEnd - this.userStart > 1) this.narrow();
    if (this.count === this.users.length) this.grow();
  }

  /** Ends the range of this pass at the user of the middle row. */
  private narrow(): void {
    const rowsOf = new Uint32Array(this.userEnd - this.userStart);
    for (let i = 0; i < this.count; i++) rowsOf[this.users[i] - this.userStart] += 1;
    let end = 1;
    for (let rows = rowsOf[0]; rows + rowsOf[end] <= this.count / 2; end++) rows += rowsOf[end];
    this.userEnd = this.userStart + end;
    this.dropLeftUsers();
  }

  private dropLeftUsers(): void {
    const {users, times, kinds, userEnd} = this;
    let kept = 0;
    for (let i = 0; i < this.count; i++) {
      if (users[i] >= userEnd) continue;
      users[kept] = users[i];
      times[kept] = times[i];
      kinds[kept] = kinds[i];
      kept += 1;
    }
    this.count = kept;
  }

  private grow(): void {
    const doubled = this.users.length * 2;
    const capacity = this.count < this.rowsMax ? Math.min(doubled, this.rowsMax) : doubled; // GR2
    const {users, times, kinds} = this;
    this.users = new Uint32Array(capacity);
    this.users.set(users);
    this.times = new Float64Array(capacity);
    this.times.set(times);
    this.kinds = new Uint32Array(capacity);
    this.kinds.set(kinds);
  }
}

/** Gathered rows by user: those of user `userStart + i` are [starts[i], starts[i + 1]), in the order of their addition. */
export interface RowsByUser {
  readonly starts: Uint32Array;
  readonly times: Float64Array;
  readonly kinds: Uint32Array;
}

/**
 * Runs `work` on slices of [0, count) and yields after each: 1.3 million rows at once blocked the thread for 121 ms. `work` is
 * a plain function, because loops inside a generator are slow.
 */
export function* inSlices(count: number, work: (start: number, end: number) => void): Generator<void, void, void> {
  for (let start = 0; start < count; start += sliceRows) {
    work(start, Math.min(start + sliceRows, count));
    yield;
  }
}

/** Groups the rows by a counting sort: two passes. Yields between slices. */
export function* groupByUser(rows: GatheredRows): Generator<void, RowsByUser, void> {
  const {users, count, userStart} = rows;
  const starts = new Uint32Array(rows.userEnd - userStart + 1);
  yield* inSlices(count, (start, end) => {
    for (let i = start; i < end; i++) starts[users[i] - userStart + 1] += 1;
  });
  yield* inSlices(starts.length - 1, (start, end) => {
    for (let i = start; i < end; i++) starts[i + 1] += starts[i];
  });
  const places = starts.slice();
  const times = new Float64Array(count);
  const kinds = new Uint32Array(count);
  yield* inSlices(count, (start, end) => {
    for (let i = start; i < end; i++) {
      const place = places[users[i] - userStart]++;
      times[place] = rows.times[i];
      kinds[place] = rows.kinds[i];
    }
  });
  return {starts, times, kinds};
}
