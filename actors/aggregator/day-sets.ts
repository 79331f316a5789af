// Who was active on which day: sets of users by day, gathered user by user.
//   A user is a bit of its day's words, where the day has users enough for that: 2 ns an addition, and equal ones are one.
//   Others are appended to the day's list, whose equal ones are found when there is no room or the set is asked for: sorted
//   day by day, within a core's cache, that is 60 ns an addition, where pairs of day and user, sorted together, cost 200.
//
//   DS1. What a day holds once takes at most half of its list when users start to wait for the next time: looking for equal
//        ones costs each user a constant, and memory stays in proportion to the sets.
//   DS2. Words reach as far as they take at most 16 bytes for each user that they were made for: days of few among many
//        users stay lists. Users of the list are above those that words reach.
import {bitCount} from '../order/bit-count.js';
import {sortNumbers} from '../order/radix-sort.js';

const initialCapacity = 64;
/** DS2 */
const wordsEachMax = 4;
const wordBits = 32;

export interface DaySet {
  readonly day: number;
  /** Ascending, each once. */
  readonly users: Uint32Array;
}

export class DaySets {
  private readonly lists = new Map<number, DayList>();
  /** The list that was added to last: most events are of the day of the one before. */
  private last: DayList | undefined;

  /** Adds a user to a day; it may be there already. */
  add(day: number, user: number): void {
    const list = this.last?.day === day ? this.last : this.listOf(day);
    list.add(user);
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

  /** By day. */
  sorted(): DaySet[] {
    return [...this.lists.values()]
      .sort((a, b) => a.day - b.day)
      .map((list) => ({day: list.day, users: list.distinct()}));
  }
}

class DayList {
  readonly day: number;
  /** A bit a user. DS2 */
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
    this.add(user); // There is room, in the words or in the list.
  }

  private makeRoom(): void {
    const listed = this.listed();
    const wordCount = (listed[listed.length - 1] >>> 5) + 1;
    if (wordCount <= this.words.length + listed.length * wordsEachMax) this.toWords(listed, wordCount);
    else this.grow(listed);
  }

  /** DS2 */
  private toWords(listed: Uint32Array, wordCount: number): void {
    const words = new Uint32Array(wordCount);
    words.set(this.words);
    for (let i = 0; i < listed.length; i++) words[listed[i] >>> 5] |= 1 << (listed[i] & (wordBits - 1));
    this.words = words;
    this.count = 0;
  }

  /** DS1 */
  private grow(listed: Uint32Array): void {
    this.users = new Uint32Array(Math.max(this.users.length, listed.length * 2));
    this.users.set(listed);
    this.count = listed.length;
  }

  /** Users of the list, a copy: ascending, each once. */
  private listed(): Uint32Array {
    const sorted = this.users.slice(0, this.count);
    sortNumbers(sorted);
    return sorted.subarray(0, dropEqual(sorted));
  }

  /** A copy. */
  distinct(): Uint32Array {
    const listed = this.listed();
    if (this.words.length === 0) return listed;
    const users = new Uint32Array(this.words.reduce((sum, word) => sum + bitCount(word), listed.length));
    users.set(listed, writeBits(this.words, users));
    return users;
  }
}

/** Writes the places of the bits that are set, ascending; returns how many they are. */
function writeBits(words: Uint32Array, places: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < words.length; i++) {
    for (let bits = words[i] | 0; bits !== 0; bits &= bits - 1) {
      places[count++] = i * wordBits + (wordBits - 1 - Math.clz32(bits & -bits));
    }
  }
  return count;
}

/** Moves what differs from the one before to the front; returns how many these are. */
function dropEqual(sorted: Uint32Array): number {
  let kept = 0;
  for (let i = 0; i < sorted.length; i++) {
    const value = sorted[i];
    if (kept === 0 || sorted[kept - 1] !== value) sorted[kept++] = value;
  }
  return kept;
}
