// The events of each user that are nearest to an event, on one side of it: all that a path needs of a long history.
//   NE1. The rows come twice for each range of users: the first pass finds each user's event that a path begins with, the
//        second one keeps the nearest to it. Where all users exceed the bound, ranges of them follow one another.
//   NE2. Rows of a user come in the order of the log wherever their times are equal: the later one is then the later event.
import type {RowsView} from '../../chunk/rows.js';
import {sliceRows} from '../rows/gathered-rows.js';
import type {PathDirection} from './paths.js';

/** Names of one user's path, the event that it begins with first: the first `count` elements. Valid during the call. */
export type WalkPath = (names: Uint32Array, count: number, user: number) => void;

const bytesPerEvent = Float64Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT;
const bytesPerUser = bytesPerEvent + Float64Array.BYTES_PER_ELEMENT + 1;
/** A user has up to six events. */
const usersPerSlice = sliceRows / 8;

export interface NearestRules {
  /** Users of the partition. */
  readonly userCount: number;
  /** Name of the event that paths begin with: its index in the partition. */
  readonly first: number;
  /** Events of a path, with the one that it begins with. */
  readonly depth: number;
  readonly direction: PathDirection;
  readonly bytesMax: number;
}

export class NearestEvents {
  private readonly rules: NearestRules;
  private readonly walkPath: WalkPath;
  /** 1: nearer is later than the first event of the name; -1: nearer is earlier than its last. */
  private readonly onward: 1 | -1;
  private readonly usersMax: number;
  /** Users [userStart, userEnd) are in this pass. */
  private userStart = 0;
  private userEnd: number;
  private isSecondPass = false;
  /** Time of the event that each user's path begins with; NaN: none. */
  private readonly firstTimes: Float64Array;
  /** Events of the name at that time which are still to come in the second pass, of which the path begins with one. */
  private readonly sameTimes: Uint32Array;
  /** `depth` places a user: distances in ms, ascending, and names. */
  private readonly counts: Uint8Array;
  private readonly distances: Float64Array;
  private readonly names: Uint32Array;
  /** Distance beyond which no event is among a user's nearest. */
  private readonly furthest: Float64Array;

  constructor(rules: NearestRules, walkPath: WalkPath) {
    const {userCount, depth, direction, bytesMax} = rules;
    this.rules = rules;
    this.walkPath = walkPath;
    this.onward = direction === 'after' ? 1 : -1;
    const bytesEach = bytesPerUser + depth * bytesPerEvent;
    this.usersMax = Math.max(1, Math.min(userCount, Math.floor(bytesMax / bytesEach)));
    this.userEnd = Math.min(this.usersMax, userCount);
    this.firstTimes = new Float64Array(this.usersMax).fill(Number.NaN);
    this.sameTimes = new Uint32Array(this.usersMax);
    this.counts = new Uint8Array(this.usersMax);
    this.furthest = new Float64Array(this.usersMax).fill(Number.POSITIVE_INFINITY);
    this.distances = new Float64Array(this.usersMax * depth);
    this.names = new Uint32Array(this.usersMax * depth);
  }

  /** Adds rows of a chunk. NE2 */
  add(rows: RowsView, chosen: Uint16Array): void {
    if (this.isSecondPass) this.keepNearest(rows, chosen);
    else this.findFirst(rows, chosen);
  }

  private findFirst({names, users, times, timeBase}: RowsView, chosen: Uint16Array): void {
    const {userStart, userEnd, onward, firstTimes, sameTimes} = this;
    const {first} = this.rules;
    for (let i = 0; i < chosen.length; i++) {
      const row = chosen[i];
      if (names[row] !== first) continue;
      const user = users[row];
      if (user < userStart || user >= userEnd) continue;
      const place = user - userStart;
      const timeMs = timeBase + times[row];
      const distance = onward * (timeMs - firstTimes[place]);
      if (distance > 0) continue;
      sameTimes[place] = distance === 0 ? sameTimes[place] + 1 : 1;
      firstTimes[place] = timeMs;
    }
  }

  private keepNearest({names, users, times, timeBase}: RowsView, chosen: Uint16Array): void {
    const {userStart, userEnd, onward, firstTimes, furthest} = this;
    for (let i = 0; i < chosen.length; i++) {
      const row = chosen[i];
      const user = users[row];
      if (user < userStart || user >= userEnd) continue;
      const place = user - userStart;
      const distance = onward * (timeBase + times[row] - firstTimes[place]);
      // The distance is NaN for users without the event, so their rows fail both comparisons.
      if (distance >= 0 && distance <= furthest[place]) this.keep(place, distance, names[row]);
    }
  }

  private keep(place: number, distance: number, name: number): void {
    const {depth, first} = this.rules;
    const {distances, names, onward} = this;
    const from = place * depth;
    const count = this.counts[place];
    // Events with equal times are ordered by the log: the later one is further away in a path `after`, and nearer in one `before`.
    const isBeyond = (other: number): boolean => (onward > 0 ? other > distance : other >= distance);
    if (count === depth && !isBeyond(distances[from + depth - 1])) return;
    if (distance === 0 && !this.isOnPath(place, name === first)) return;
    let at = Math.min(count, depth - 1);
    for (; at > 0 && isBeyond(distances[from + at - 1]); at--) {
      distances[from + at] = distances[from + at - 1];
      names[from + at] = names[from + at - 1];
    }
    distances[from + at] = distance;
    names[from + at] = name;
    if (count < depth) this.counts[place] = count + 1;
    if (count + 1 >= depth) this.furthest[place] = distances[from + depth - 1];
  }

  /** Whether an event at the time of the first one is not on its other side. NE2 */
  private isOnPath(place: number, isOfName: boolean): boolean {
    const {sameTimes, onward} = this;
    if (onward > 0) {
      if (isOfName) sameTimes[place] = 0; // The first of them has come.
      return sameTimes[place] === 0;
    }
    if (sameTimes[place] === 0) return false; // The last of them has come.
    if (isOfName) sameTimes[place] -= 1;
    return true;
  }

  /** Ends a pass, and yields between slices; true when another pass is due. NE1 */
  *endPass(): Generator<void, boolean, void> {
    this.isSecondPass = !this.isSecondPass;
    if (this.isSecondPass) return this.userStart < this.userEnd;
    yield* this.walkPaths();
    this.userStart = this.userEnd;
    this.userEnd = Math.min(this.userStart + this.usersMax, this.rules.userCount);
    this.firstTimes.fill(Number.NaN);
    this.counts.fill(0);
    this.furthest.fill(Number.POSITIVE_INFINITY);
    return this.userStart < this.userEnd;
  }

  private *walkPaths(): Generator<void, void, void> {
    const {depth} = this.rules;
    for (let place = 0; place < this.userEnd - this.userStart; place++) {
      const count = this.counts[place];
      if (count > 0)
        this.walkPath(this.names.subarray(place * depth, (place + 1) * depth), count, this.userStart + place);
      if (place % usersPerSlice === usersPerSlice - 1) yield;
    }
  }
}
