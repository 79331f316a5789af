// The events of a stretch of chunks by name, of each name by user, of each user by (time, ordinal): a funnel is walked
// over these lists, and events that it does not ask for cost it nothing.
//   Owns: the order, and how it is made out of chunks. Does not own: which chunks (postings-plan.ts), the walk
//   (posted-funnel.ts), how long they are kept (src/report/funnel-index.ts).
//   U1. An event is one number, its key: time * 2^11 + rank. Of one user, keys of all names are different, and their order
//       is that of (time, ordinal): ranks tell events of the same ms apart.
//   U2. That holds over all postings of a partition: those of later chunks begin with the rank at which the ranks of
//       earlier ones end, so nothing has to be merged before it is compared.
//   U3. Keys are exact: below 2^53. A stretch of chunks with times from 2^42 ms (the year 2109) on, or with more events of
//       one user in one ms than there are ranks, has no postings.
//   U4. Postings never change.
import type {RowsView} from '../rows.js';
import {TimeSort} from './time-sort.js';

/** Ranks of one millisecond. U1 */
export const ranksPerMs = 2_048;
const timeEnd = 2 ** 53 / ranksPerMs;
/** Rows between two turns of whoever else wants the thread: well below a ms. */
const sliceRows = 8_192;

export const timeOfKey = (key: number): number => Math.floor(key / ranksPerMs);

/** One name's events: those of user users[i] are keys[starts[i]] to keys[starts[i + 1]] (not included), i in [start, end). */
export interface NamePostings {
  readonly start: number;
  readonly end: number;
  /** Ascending. */
  readonly users: Uint32Array;
  readonly starts: Uint32Array;
  readonly keys: Float64Array;
}

interface Columns {
  /** Name n has the places [nameStarts[n], nameStarts[n + 1]) of `users` and `starts`. */
  readonly nameStarts: Uint32Array;
  readonly users: Uint32Array;
  readonly starts: Uint32Array;
  readonly keys: Float64Array;
}

export class UserPostings {
  /** Ranks are in [rankStart, rankEnd). U2 */
  readonly rankStart: number;
  readonly rankEnd: number;
  private readonly columns: Columns;

  constructor(columns: Columns, rankStart: number, rankEnd: number) {
    this.columns = columns;
    this.rankStart = rankStart;
    this.rankEnd = rankEnd;
  }

  get rows(): number {
    return this.columns.keys.length;
  }

  get bytes(): number {
    const {nameStarts, users, starts, keys} = this.columns;
    return nameStarts.byteLength + users.byteLength + starts.byteLength + keys.byteLength;
  }

  /** Of the name with this index; undefined when it has no event here. */
  of(name: number): NamePostings | undefined {
    const {nameStarts, users, starts, keys} = this.columns;
    if (name + 1 >= nameStarts.length || nameStarts[name] === nameStarts[name + 1]) return undefined;
    return {start: nameStarts[name], end: nameStarts[name + 1], users, starts, keys};
  }
}

type NameCodes = Uint16Array | Uint32Array;

/** Two passes over the chunks, `count` and then `place`, each in the order of their ordinals; then `build`. */
export class PostingsBuilder {
  private readonly nameCount: number;
  private readonly rankStart: number;
  /** While counting: rows of user u at u + 1; then where the rows of each user go; after placing: where they end. */
  private readonly places: Uint32Array;
  private rows = 0;
  private times = new Float64Array(0);
  private names: NameCodes = new Uint16Array(0);

  /** `userCount`, `nameCount`: all indexes in the chunks are below. `rankStart`: see U2. */
  constructor(userCount: number, nameCount: number, rankStart: number) {
    this.nameCount = nameCount;
    this.rankStart = rankStart;
    this.places = new Uint32Array(userCount + 1);
  }

  /** Bytes that building takes at most beside the postings, when they have so many rows. */
  static passingBytes(userCount: number, rows: number): number {
    return userCount * 4 + rows * 12;
  }

  /** Bytes of postings of so many rows, at least; at most twice as many. */
  static postingsBytesMin(nameCount: number, rows: number): number {
    return (nameCount + 2) * 4 + rows * 8;
  }

  /** Counted so far. */
  get rowCount(): number {
    return this.rows;
  }

  count({order, users}: RowsView): void {
    const {places} = this;
    for (let at = 0; at < order.length; at++) places[users[order[at]] + 1] += 1;
    this.rows += order.length;
  }

  /** After the last `count`. */
  startPlacing(): void {
    const {places} = this;
    for (let user = 1; user < places.length; user++) places[user] += places[user - 1];
    this.times = new Float64Array(this.rows);
    this.names = this.newNames(this.rows);
  }

  private newNames(count: number): NameCodes {
    return this.nameCount <= 2 ** 16 ? new Uint16Array(count) : new Uint32Array(count);
  }

  place(chunk: RowsView): void {
    const {places, times, names} = this;
    const {order, timeBase} = chunk;
    for (let at = 0; at < order.length; at++) {
      const row = order[at];
      const place = places[chunk.users[row]]++;
      times[place] = timeBase + chunk.times[row];
      names[place] = chunk.names[row];
    }
  }

  /** Yields between slices. Undefined: there are none (U3), or `mayTake` refused the bytes that they would take. */
  *build(mayTake: (bytes: number) => boolean): Generator<void, UserPostings | undefined, void> {
    const totals = yield* this.makeKeys();
    if (totals === undefined || !mayTake(totals.bytes)) return undefined;
    return yield* this.distribute(totals);
  }

  /** Turns the times of each user into keys, in order, and counts what each name has. */
  private *makeKeys(): Generator<void, Totals | undefined, void> {
    const {times: keys, names, places} = this;
    const timeSort = new TimeSort<NameCodes>((count) => this.newNames(count));
    const totals = new Totals(this.nameCount);
    let rankEnd = this.rankStart;
    let sliceEnd = sliceRows;
    for (let user = 0, start = 0; start < this.rows; start = places[user++]) {
      const end = places[user];
      timeSort.sort(keys, names, start, end);
      let previous = -1;
      let rank = 0;
      for (let at = start; at < end; at++) {
        const time = keys[at];
        if (!(time >= 0 && time < timeEnd)) return undefined;
        rank = time === previous ? rank + 1 : this.rankStart;
        if (rank >= rankEnd) rankEnd = rank + 1;
        previous = time;
        keys[at] = time * ranksPerMs + rank;
        totals.add(user, names[at]);
      }
      if (rankEnd > ranksPerMs) return undefined;
      if (end < sliceEnd) continue;
      sliceEnd = end + sliceRows;
      yield;
    }
    totals.rankEnd = rankEnd;
    return totals;
  }

  private *distribute(totals: Totals): Generator<void, UserPostings, void> {
    const {times: keys, names, places} = this;
    const columns = totals.columns();
    const pairPlaces = columns.nameStarts.slice();
    const keyPlaces = totals.keyStarts();
    const lastUsers = new Uint32Array(this.nameCount); // user + 1
    let sliceEnd = sliceRows;
    for (let user = 0, start = 0; start < this.rows; start = places[user++]) {
      const end = places[user];
      for (let at = start; at < end; at++) {
        const name = names[at];
        if (lastUsers[name] !== user + 1) {
          lastUsers[name] = user + 1;
          const pair = pairPlaces[name]++;
          columns.users[pair] = user;
          columns.starts[pair] = keyPlaces[name];
        }
        columns.keys[keyPlaces[name]++] = keys[at];
      }
      if (end < sliceEnd) continue;
      sliceEnd = end + sliceRows;
      yield;
    }
    columns.starts[columns.users.length] = this.rows;
    return new UserPostings(columns, this.rankStart, totals.rankEnd);
  }
}

/** What each name has: rows, and users with any. */
class Totals {
  rankEnd = 0;
  private readonly rows: Uint32Array;
  private readonly pairs: Uint32Array;
  /** User + 1 of the name's last row. */
  private readonly lastUsers: Uint32Array;

  constructor(nameCount: number) {
    this.rows = new Uint32Array(nameCount + 1);
    this.pairs = new Uint32Array(nameCount + 1);
    this.lastUsers = new Uint32Array(nameCount);
  }

  /** A row; users come ascending. */
  add(user: number, name: number): void {
    this.rows[name + 1] += 1;
    if (this.lastUsers[name] === user + 1) return;
    this.lastUsers[name] = user + 1;
    this.pairs[name + 1] += 1;
  }

  /** Of the columns. */
  get bytes(): number {
    const sum = (counts: Uint32Array): number => counts.reduce((total, count) => total + count, 0);
    return this.pairs.byteLength + (sum(this.pairs) * 2 + 1) * 4 + sum(this.rows) * 8;
  }

  columns(): Columns {
    const nameStarts = sums(this.pairs);
    const pairCount = nameStarts[nameStarts.length - 1];
    const rowCount = this.rows.reduce((sum, rows) => sum + rows, 0);
    return {
      nameStarts,
      users: new Uint32Array(pairCount),
      starts: new Uint32Array(pairCount + 1),
      keys: new Float64Array(rowCount),
    };
  }

  keyStarts(): Uint32Array {
    return sums(this.rows);
  }
}

function sums(counts: Uint32Array): Uint32Array {
  const sums = counts.slice();
  for (let i = 1; i < sums.length; i++) sums[i] += sums[i - 1];
  return sums;
}
