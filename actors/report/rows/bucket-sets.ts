// Which users have rows in each bucket, as sets of bits: all that active users, lifecycle and stickiness ask of rows, and most of
// what retention asks. A set has the layout of `UserSet`: user 32 * w + b is bit b of word w.
//   BS1. Where the sets of all users exceed the bound, several passes over the same rows each take a range of users.
//   BS2. Sets are one after the other: rows come by time, so those of a chunk touch few sets, which stay in the processor's cache.
//   BS3. Adding a row twice changes no set. Its event is counted in the first pass, and only where the caller has not counted it.
import type {RowsView} from '../../chunk/rows.js';
import {firstPlace} from '../../order/search.js';
import type {Users} from './current-traits.js';

/** Sets of users [userStart, …) by bucket. */
export interface SetsOfPass {
  /** A multiple of 32. */
  readonly userStart: number;
  /** All of the same length. */
  readonly sets: readonly Uint32Array[];
  /** Number of rows of each bucket; 0 in later passes. BS3 */
  readonly events: Float64Array;
}

/** Walks the sets of a pass, and yields between slices. */
export type WalkSets = (pass: SetsOfPass) => Generator<void, void, void>;

/** Words of a set between two yields, times the number of sets. */
const wordsPerSlice = 32_768;

/** Calls `work` with ranges of words, and yields after each. */
export function* inWordSlices(
  sets: readonly Uint32Array[],
  work: (start: number, end: number) => void,
): Generator<void, void, void> {
  const [{length}] = sets;
  const step = Math.max(1, Math.floor(wordsPerSlice / sets.length));
  for (let start = 0; start < length; start += step) {
    work(start, Math.min(start + step, length));
    yield;
  }
}

/** Calls `note` with each user of a word of a set. */
export function forEachUser(bits: number, word: number, note: (user: number) => void): void {
  for (let left = bits; left !== 0; left &= left - 1) note(32 * word + 31 - Math.clz32(left & -left));
}

export const wordsOf = (userCount: number): number => Math.ceil(userCount / 32);

export const isIn = (set: Uint32Array, user: number): boolean => (set[user >>> 5] & (1 << (user & 31))) !== 0;

export class BucketSets implements SetsOfPass {
  readonly bytes: number;
  /** This pass takes users [userStart, userEnd). */
  userStart = 0;
  private userEnd: number;
  readonly sets: readonly Uint32Array[];
  readonly events: Float64Array;
  private readonly userCount: number;
  private readonly edges: Float64Array;
  private readonly words: Uint32Array;
  private readonly wordsEach: number;
  private readonly walkSets: WalkSets;

  /** `userCount`: users of the partition. `edges`: starts of all buckets and the end of the last, epoch ms. */
  constructor(userCount: number, edges: Float64Array, bytesMax: number, walkSets: WalkSets) {
    const bucketCount = edges.length - 1;
    this.userCount = userCount;
    this.edges = edges;
    this.walkSets = walkSets;
    this.wordsEach = Math.max(1, Math.min(wordsOf(userCount), Math.floor(bytesMax / (bucketCount * 4))));
    this.userEnd = Math.min(32 * this.wordsEach, userCount);
    this.words = new Uint32Array(bucketCount * this.wordsEach);
    this.bytes = this.words.byteLength;
    this.events = new Float64Array(bucketCount);
    this.sets = Array.from({length: bucketCount}, (_, bucket) =>
      this.words.subarray(bucket * this.wordsEach, (bucket + 1) * this.wordsEach),
    );
  }

  /** Adds rows of a chunk, which are in the buckets. `counted`: buckets that count them as events; undefined: all. */
  addRows({users, times, timeBase}: RowsView, rows: Uint16Array, counted?: ReadonlySet<number>): void {
    const {words, edges, wordsEach, userStart, events} = this;
    const userCount = this.userEnd - userStart;
    let [bucket, first, start, end, each] = [0, 0, 0, 0, 0];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      const time = times[row];
      if (time < start || time >= end) {
        bucket = firstPlace(0, edges.length, (place) => edges[place] <= timeBase + time) - 1;
        first = bucket * wordsEach;
        start = edges[bucket] - timeBase;
        end = edges[bucket + 1] - timeBase;
        each = userStart === 0 && (counted === undefined || counted.has(bucket)) ? 1 : 0;
      }
      events[bucket] += each;
      const user = users[row] - userStart;
      if (user >= 0 && user < userCount) words[first + (user >>> 5)] |= 1 << (user & 31);
    }
  }

  /** Begins a bucket with the set and the events of an earlier snapshot, which may have had fewer users, or more: none of these is in it. */
  fill(bucket: number, held: Uint32Array, events: number): void {
    this.sets[bucket].set(held.subarray(0, this.wordsEach));
    this.events[bucket] = events;
  }

  /** Adds users of one bucket. */
  addUsers(bucket: number, users: Uint32Array): void {
    const {userStart} = this;
    const userCount = this.userEnd - userStart;
    const set = this.sets[bucket];
    for (let i = 0; i < users.length; i++) {
      const user = users[i] - userStart;
      if (user >= 0 && user < userCount) set[user >>> 5] |= 1 << (user & 31);
    }
  }

  /** Removes all users but these from the sets of this pass. */
  keepOnly(users: Users): void {
    this.intersect(setOfUsers(users, this.wordsEach, this.userStart));
  }

  /** Removes these users from the sets of this pass. */
  remove(users: readonly number[]): void {
    if (users.length === 0) return;
    const kept = setOfUsers(undefined, this.wordsEach);
    for (const each of users) {
      const user = each - this.userStart;
      if (user >= 0 && user < 32 * kept.length) kept[user >>> 5] &= ~(1 << (user & 31));
    }
    this.intersect(kept);
  }

  private intersect(kept: Uint32Array): void {
    for (const set of this.sets) for (let word = 0; word < set.length; word++) set[word] &= kept[word];
  }

  /** Walks the sets of this pass, and yields between slices; true when another pass is due. BS1 */
  *endPass(): Generator<void, boolean, void> {
    yield* this.walkSets(this);
    this.userStart = this.userEnd;
    this.userEnd = Math.min(this.userStart + 32 * this.wordsEach, this.userCount);
    this.words.fill(0);
    this.events.fill(0);
    return this.userStart < this.userEnd;
  }
}

/** The users who count, of `length` words from user `userStart` on. `users`: undefined for all. */
export function setOfUsers(users: Users | undefined, length: number, userStart = 0): Uint32Array {
  const set = new Uint32Array(length);
  if (users === undefined) return set.fill(0xffff_ffff);
  for (let at = 0; at < 32 * length; at++) if (users.has(userStart + at)) set[at >>> 5] |= 1 << (at & 31);
  return set;
}
