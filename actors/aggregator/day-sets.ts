// Active users of each day: sets of users by day, gathered user by user.
//   A dense day is a bit set: 2 ns an addition, duplicates included. A sparse day is a list, whose duplicates are dropped when
//   it is full or read. Sorting the lists one by one within the CPU's cache makes that 60 ns an addition; sorting all pairs of
//   day and user together would cost 200.
//
//   DS1. After duplicates are dropped, a list is at most half full. So deduplication costs each user a constant, and memory
//        stays in proportion to the sets.
//   DS2. The bit set reaches as far as it takes at most 16 bytes for each user it was made from: a day of few among many users
//        stays a list. Users in the list are above those of the bit set.
import {bitCount} from '../order/bit-count.js';
import {sortNumbers} from '../order/radix-sort.js';
import type {UserSet} from '../table/user-set.js';

const initialCapacity = 64;
/** Words of a bit set for each user. DS2 */
const wordsEachMax = 4;
const wordBits = 32;

export interface DaySet {
  readonly day: number;
  /** User indexes, ascending, without duplicates. */
  readonly users: Uint32Array;
}

export class DaySets {
  private readonly lists = new Map<number, DayList>();
  /** The list of the last addition: most events have the day of the one before. */
  private last: DayList | undefined;

  /** Adds a user to a day, which may have it already. */
  add(day: number, user: number): void {
    const list = this.last?.day === day ? this.last : this.listOf(day);
    list.add(user);
  }

  /** Removes users from a day. */
  remove(day: number, users: UserSet): void {
    const list = this.lists.get(day);
    if (list === undefined) return;
    const left = new DayList(day);
    for (const user of list.distinct()) if (!users.has(user)) left.add(user);
    this.lists.set(day, left);
    this.last = undefined;
  }

  private listOf(day: number): DayList {
    let list = this.lists.get(day);
    if (list === undefined) {
      list = new DayList(day);
      this.lists.set(day, list);
    }
    this.last = list;
    return list;
  }

  /** The sets in order of days. */
  sorted(): DaySet[] {
    return [...this.lists.values()]
      .sort((a, b) => a.day - b.day)
      .map((list) => ({day: list.day, users: list.distinct()}));
  }
}

class DayList {
  readonly day: number;
  /** Bit set of the lower users. DS2 */
  private words = new Uint32Array(0);
  private count = 0;
  private users = new Uint32Array(initialCapacity);

  constructor(day: number) {
    this.day = day;
  }

  add(user: number): void {
    const {words} = this;
    const word = user >>> 5;
    if (word < words.length) words[word] |= 1 << (user & (wordBits - 1));
    else this.append(user);
  }

  private append(user: number): void {
    if (this.count < this.users.length) {
      this.users[this.count++] = user;
      return;
    }
    this.makeRoom();
    this.add(user); // Now the bit set or the list has room.
  }

  private makeRoom(): void {
    const listed = this.listed();
    const wordCount = (listed[listed.length - 1] >>> 5) + 1;
    if (wordCount <= this.words.length + listed.length * wordsEachMax) this.toWords(listed, wordCount);
    else this.grow(listed);
  }

  /** Moves the list into a bit set. DS2 */
  private toWords(listed: Uint32Array, wordCount: number): void {
    const words = new Uint32Array(wordCount);
    words.set(this.words);
    for (let i = 0; i < listed.length; i++) words[listed[i] >>> 5] |= 1 << (listed[i] & (wordBits - 1));
    this.words = words;
    this.count = 0;
  }

  /** Makes room in the list. DS1 */
  private grow(listed: Uint32Array): void {
    this.users = new Uint32Array(Math.max(this.users.length, listed.length * 2));
    this.users.set(listed);
    this.count = listed.length;
  }

  /** A copy of the list: ascending, without duplicates. */
  private listed(): Uint32Array {
    const sorted = this.users.slice(0, this.count);
    sortNumbers(sorted);
    return sorted.subarray(0, dropEqual(sorted));
  }

  /** A copy of all users: ascending, without duplicates. */
  distinct(): Uint32Array {
    const listed = this.listed();
    if (this.words.length === 0) return listed;
    const users = new Uint32Array(this.words.reduce((sum, word) => sum + bitCount(word), listed.length));
    users.set(listed, writeBits(this.words, users));
    return users;
  }
}

/** Writes the positions of set bits, ascending; returns their number. */
function writeBits(words: Uint32Array, places: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < words.length; i++) {
    for (let bits = words[i] | 0; bits !== 0; bits &= bits - 1) {
      places[count++] = i * wordBits + (wordBits - 1 - Math.clz32(bits & -bits));
    }
  }
  return count;
}

/** Moves distinct values to the front of a sorted array; returns their number. */
function dropEqual(sorted: Uint32Array): number {
  let kept = 0;
  for (let i = 0; i < sorted.length; i++) {
    const value = sorted[i];
    if (kept === 0 || sorted[kept - 1] !== value) sorted[kept++] = value;
  }
  return kept;
}
