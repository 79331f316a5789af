// Which buckets each user has rows in: a bit for each bucket, in place of the rows.
//   UM1. Where the bits of all users exceed the bound, several passes over the same rows each take a range of users.
import {sliceRows} from '../rows/gathered-rows.js';

/** Buckets of one user, ascending: the first `count` elements. Valid during the call. */
export type WalkMarks = (user: number, buckets: Uint32Array, count: number) => void;

export class UserMarks {
  readonly bytes: number;
  /** Users [userStart, userEnd) are marked in this pass. */
  private userStart = 0;
  private userEnd: number;
  private readonly userCount: number;
  private readonly usersMax: number;
  private readonly wordsEach: number;
  private readonly words: Uint32Array;
  private readonly buckets: Uint32Array;
  private readonly walkMarks: WalkMarks;

  /** `userCount`: users of the partition. */
  constructor(userCount: number, bucketCount: number, bytesMax: number, walkMarks: WalkMarks) {
    this.userCount = userCount;
    this.wordsEach = Math.ceil(bucketCount / 32);
    this.usersMax = Math.max(1, Math.min(userCount, Math.floor(bytesMax / (this.wordsEach * 4))));
    this.userEnd = Math.min(this.usersMax, userCount);
    this.words = new Uint32Array(this.usersMax * this.wordsEach);
    this.bytes = this.words.byteLength;
    this.buckets = new Uint32Array(bucketCount);
    this.walkMarks = walkMarks;
  }

  add(user: number, bucket: number): void {
    if (user < this.userStart || user >= this.userEnd) return;
    this.words[(user - this.userStart) * this.wordsEach + (bucket >>> 5)] |= 1 << (bucket & 31);
  }

  /** Walks the marked users of this pass, and yields between slices; true when another pass is due. UM1 */
  *endPass(): Generator<void, boolean, void> {
    for (let user = this.userStart; user < this.userEnd; user++) {
      const count = this.bucketsOf(user);
      if (count > 0) this.walkMarks(user, this.buckets, count);
      if ((user - this.userStart) % usersPerSlice === usersPerSlice - 1) yield;
    }
    this.userStart = this.userEnd;
    this.userEnd = Math.min(this.userStart + this.usersMax, this.userCount);
    this.words.fill(0);
    return this.userStart < this.userEnd;
  }

  private bucketsOf(user: number): number {
    const {words, wordsEach, buckets} = this;
    const first = (user - this.userStart) * wordsEach;
    let count = 0;
    for (let word = 0; word < wordsEach; word++) {
      for (let bits = words[first + word]; bits !== 0; bits &= bits - 1)
        buckets[count++] = word * 32 + 31 - Math.clz32(bits & -bits);
    }
    return count;
  }
}

/** A user has some ten buckets. */
const usersPerSlice = sliceRows / 8;
