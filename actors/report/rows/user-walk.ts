// Rows of a partition user by user, each user's in the order of its history: by (time, log position).
//   UW1. Within a bound of memory: several passes over the same rows, each with some of the users (gathered-rows.ts).
import {GatheredRows, groupByUser, type RowsByUser, sliceRows} from './gathered-rows.js';
import {TimeSort} from './time-sort.js';

/** One user's rows: [start, end) of both columns. A kind is the question's note on the row. */
export type WalkUser = (user: number, times: Float64Array, kinds: Uint32Array, start: number, end: number) => void;

export class UserWalk {
  private readonly rows: GatheredRows;
  private readonly walkUser: WalkUser;
  private readonly timeSort = new TimeSort<Uint32Array>((count) => new Uint32Array(count));

  /** `userCount`: users of the partition. `rowsMax` bounds the rows gathered at once; `rowsPossible` is their upper bound. */
  constructor(userCount: number, rowsMax: number, rowsPossible: number, walkUser: WalkUser) {
    this.rows = new GatheredRows(userCount, rowsMax, rowsPossible);
    this.walkUser = walkUser;
  }

  /** Adds a row. Rows come chunk by chunk, each chunk's by (time, row). */
  add(user: number, timeMs: number, kind: number): void {
    this.rows.add(user, timeMs, kind);
  }

  /** Walks the users of this pass, and yields between slices; true when another pass is due. UW1 */
  *endPass(): Generator<void, boolean, void> {
    const {userStart} = this.rows;
    const byUser = yield* groupByUser(this.rows);
    for (let place = 0; place + 1 < byUser.starts.length; ) {
      place = this.walkSlice(byUser, userStart, place);
      yield;
    }
    return this.rows.nextPass();
  }

  private walkSlice({starts, times, kinds}: RowsByUser, userStart: number, first: number): number {
    const sliceEnd = first + starts[first] + sliceRows;
    let place = first;
    for (; place + 1 < starts.length && place + starts[place] < sliceEnd; place++) {
      const start = starts[place];
      const end = starts[place + 1];
      if (start === end) continue;
      this.timeSort.sort(times, kinds, start, end);
      this.walkUser(userStart + place, times, kinds, start, end);
    }
    return place;
  }
}
