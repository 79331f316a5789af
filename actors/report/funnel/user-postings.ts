// Postings: the events of some chunks by selector, user and (time, ordinal). A funnel walks these lists, so other events cost it
// nothing.
//   Owns: the order, and how it is built from chunks. Does not own: the choice of chunks (postings-plan.ts), the walk
//   (posted-funnel.ts), the cache (src/report/derived/derived-indexes.ts).
//   UP1. An event is one number, its key: time * 2^11 + rank. Keys of a user are in the order of (time, ordinal): ranks order the
//        events of one ms. Only an event that several selectors choose has a key twice: once in the list of each.
//   UP2. UP1 holds across all segments of a partition: the ranks of later chunks begin where those of earlier ones end, so keys
//        of different segments compare.
//   UP3. Keys are exact: below 2^53. Chunks with times from 2^42 ms (the year 2109) on, or with more events of one user in one
//        ms than there are ranks, have no postings.
//   UP4. Postings never change.
//   UP5. Postings include events of users who left. A walk of postings skips these users.
import {type RowsView, timeOf} from '../../chunk/rows.js';
import {chunkRowsMax} from '../../limits.js';
import type {Selector} from '../rows/row-choice.js';
import {SelectorSets} from '../rows/selector-sets.js';
import {TimeSort} from '../rows/time-sort.js';
import {ranksPerMs} from './event-key.js';
import type {DensePostings, FunnelProgress} from './funnel-progress.js';

const timeEnd = 2 ** 53 / ranksPerMs;
/** Rows between two yields: well below a ms. */
const sliceRows = 8_192;

/** Selectors of one set of postings. */
export const selectorsMax = 256;
/** Added to the list of an event for the event before it once more, in another list; lists are the bits below. */
const againBit = 0x8000;

/** Events of a selector that few users have: those of users[i] are keys[starts[i] .. starts[i + 1]). */
export interface SparsePostings {
  readonly kind: 'sparse';
  /** User indexes, ascending. */
  readonly users: Uint32Array;
  /** Start of each user's keys, and the end of the last: one element more than users. */
  readonly starts: Uint32Array;
  readonly keys: Float64Array;
}

/** Events of one selector. All lists share `keys`. */
type PostedList = DensePostings | SparsePostings;

/** Memory of postings: [offset, offset + bytes) of a buffer, and the progress in the same memory. */
export interface PostingsMemory {
  readonly buffer: ArrayBufferLike;
  /** A multiple of 8. */
  readonly offset: number;
  /** Absent in plain memory: the walk uses a progress elsewhere. */
  readonly progress?: FunnelProgress | undefined;
}

/** Allocates zeroed memory. */
export type AllocatePostings = (bytes: number) => PostingsMemory;

export const plainMemory: AllocatePostings = (bytes) => ({buffer: new ArrayBuffer(bytes), offset: 0});

/** Padding after the last key: a kernel compares eight keys at once without checking for the end. */
const keysPastEnd = 8;

/**
 * Dense from a fourth of the users on. Dense postings take 12 bytes for each user instead of 8 for each user of the list, and
 * save a search and three of four cache misses for each.
 */
const isDense = (pairs: number, userCount: number): boolean => pairs > 0 && pairs * 4 >= userCount;

/** Columns of all lists: starts and users of list n are at [listStarts[n], listStarts[n + 1]), and so on. A list has heads or users. */
interface PostingsColumns {
  readonly listStarts: Uint32Array;
  readonly listUsers: Uint32Array;
  readonly listHeads: Uint32Array;
  readonly keys: Float64Array;
  readonly heads: Float64Array;
  readonly starts: Uint32Array;
  readonly users: Uint32Array;
}

/** Numbers of elements. `lists`: one more than there are lists. */
interface ColumnLengths {
  readonly lists: number;
  readonly keys: number;
  readonly heads: number;
  readonly starts: number;
  readonly users: number;
}

const bytesOf = ({lists, keys, heads, starts, users}: ColumnLengths): number =>
  lists * 3 * 4 + (keys + heads) * 8 + (starts + users) * 4;

/** Columns in zeroed memory; heads are infinite. */
function columnsIn(
  {buffer, offset}: PostingsMemory,
  {lists, keys, heads, starts, users}: ColumnLengths,
): PostingsColumns {
  const headsAt = offset + keys * 8;
  const startsAt = headsAt + heads * 8;
  const usersAt = startsAt + starts * 4;
  const listsAt = usersAt + users * 4;
  return {
    listStarts: new Uint32Array(buffer, listsAt, lists),
    listUsers: new Uint32Array(buffer, listsAt + lists * 4, lists),
    listHeads: new Uint32Array(buffer, listsAt + lists * 8, lists),
    keys: new Float64Array(buffer, offset, keys),
    heads: new Float64Array(buffer, headsAt, heads).fill(Number.POSITIVE_INFINITY),
    starts: new Uint32Array(buffer, startsAt, starts),
    users: new Uint32Array(buffer, usersAt, users),
  };
}

export class UserPostings {
  readonly bytes: number;
  /** Ranks are in [rankStart, rankEnd). UP2 */
  readonly rankStart: number;
  readonly rankEnd: number;
  /** Progress of a block of users in the same memory; undefined in plain memory. */
  readonly progress: FunnelProgress | undefined;
  private readonly columns: PostingsColumns;

  constructor(columns: PostingsColumns, memory: PostingsMemory, rankStart: number, rankEnd: number) {
    this.columns = columns;
    this.progress = memory.progress;
    this.bytes = memory.buffer.byteLength;
    this.rankStart = rankStart;
    this.rankEnd = rankEnd;
  }

  get events(): number {
    return this.columns.keys.length - keysPastEnd;
  }

  /** Events of a selector by its place; undefined when it has none here. */
  of(list: number): PostedList | undefined {
    const {listStarts, listUsers, listHeads, keys} = this.columns;
    if (list + 1 >= listStarts.length || listStarts[list] === listStarts[list + 1]) return undefined;
    const starts = this.columns.starts.subarray(listStarts[list], listStarts[list + 1]);
    const heads = this.columns.heads.subarray(listHeads[list], listHeads[list + 1]);
    if (heads.length > 0) return {kind: 'dense', heads, starts, keys};
    return {kind: 'sparse', users: this.columns.users.subarray(listUsers[list], listUsers[list + 1]), starts, keys};
  }
}

/** Allocates memory of postings; undefined: there is no room. */
type TryAllocate = (bytes: number) => PostingsMemory | undefined;

/** Events by user: those of user u end at ends[u], and are in the order of the log or in a few runs by time. */
interface EventsByUser {
  readonly ends: Uint32Array;
  /** Epoch ms; they are replaced by keys. */
  readonly times: Float64Array;
  /** The list of each event. */
  readonly lists: Uint16Array;
}

/** Builds postings in two passes over the chunks, `count` and then `place`, each by ordinals; then `build`. */
export class PostingsBuilder {
  private readonly listCount: number;
  private readonly rankStart: number;
  private readonly addRows: AddRows;
  /** Number of events of user u at u + 1 while counting; then the start of each user's events; after placing, their end. */
  private readonly places: Uint32Array;
  private times = new Float64Array(0);
  private lists = new Uint16Array(0);
  /** Number of events counted so far. */
  eventCount = 0;

  /** `userCount`: upper bound of the user indexes in the chunks. `selectors`: at most `selectorsMax`. `rankStart`: UP2. */
  constructor(userCount: number, selectors: readonly Selector[], rankStart: number) {
    this.listCount = selectors.length;
    this.rankStart = rankStart;
    this.addRows = areApart(selectors) ? addApart : addSets(selectors.length);
    this.places = new Uint32Array(userCount + 1);
  }

  /** Peak bytes of building the postings of `events` events, in addition to the postings. */
  static passingBytes(userCount: number, events: number): number {
    return userCount * 4 + events * 10;
  }

  /** Lower bound of the bytes of the postings of `events` events. They take up to seven times as many if users have few each. */
  static postingsBytesMin(listCount: number, events: number): number {
    return (listCount + 1) * 12 + (events + keysPastEnd) * 8;
  }

  /** `chosen`: the rows of each selector. */
  count({users}: RowsView, chosen: readonly Uint16Array[]): void {
    const {places} = this;
    for (const rows of chosen) {
      for (let at = 0; at < rows.length; at++) places[users[rows[at]] + 1] += 1;
      this.eventCount += rows.length;
    }
  }

  /** Ends the counting; placing may begin. */
  startPlacing(): void {
    const {places} = this;
    for (let user = 1; user < places.length; user++) places[user] += places[user - 1];
    this.times = new Float64Array(this.eventCount);
    this.lists = new Uint16Array(this.eventCount);
  }

  place(rows: RowsView, chosen: readonly Uint16Array[]): void {
    const {places, times, lists} = this;
    const {users} = rows;
    this.addRows(rows, chosen, (row, list) => {
      const place = places[users[row]]++;
      times[place] = timeOf(rows, row);
      lists[place] = list;
    });
  }

  /** Builds the postings of the placed rows, and yields between slices. Undefined: UP3, or `allocate` refused the bytes. */
  *build(allocate: TryAllocate): Generator<void, UserPostings | undefined, void> {
    const events: EventsByUser = {ends: this.places, times: this.times, lists: this.lists};
    const userCount = this.places.length - 1;
    const totals = new Totals(userCount, this.listCount);
    const keys = new KeyWriter(events, this.rankStart, totals);
    for (let user = 0; user < userCount; ) {
      user = keys.writeSlice(user);
      if (!keys.areExact) return undefined;
      yield;
    }
    const memory = allocate(totals.bytes);
    if (memory === undefined) return undefined;
    const columns = totals.columns(memory);
    const pairs = new PairWriter(columns, this.listCount);
    const keyPlaces = totals.keyStarts();
    for (let user = 0; user < userCount; ) {
      user = distributeSlice(events, user, columns.keys, keyPlaces, pairs);
      yield;
    }
    for (let list = 0; list < this.listCount; list++) pairs.end(list, keyPlaces[list]);
    return new UserPostings(columns, memory, this.rankStart, keys.rankEnd);
  }
}

/** Hands over the rows that each selector chose, those of equal time in the order of the log. */
type AddRows = (rows: RowsView, chosen: readonly Uint16Array[], add: (row: number, list: number) => void) => void;

/** Whether no event can be chosen by two of them. */
const areApart = (selectors: readonly Selector[]): boolean =>
  selectors.length === 1 ||
  (selectors.every(({event}) => event !== undefined) &&
    new Set(selectors.map(({event}) => event)).size === selectors.length);

/** List + 1 of each row of a chunk; all zeros between chunks. */
const listOfRow = new Uint16Array(chunkRowsMax);

/** In the order of the log: a pass over the rows costs less than the order of times. */
const addApart: AddRows = ({count}, chosen, add) => {
  for (let list = 0; list < chosen.length; list++) {
    const rows = chosen[list];
    for (let at = 0; at < rows.length; at++) listOfRow[rows[at]] = list + 1;
  }
  for (let row = 0; row < count; row++) {
    const list = listOfRow[row];
    if (list === 0) continue;
    listOfRow[row] = 0;
    add(row, list - 1);
  }
};

/** Adds an event once for each of its selectors. */
function addSets(selectorCount: number): AddRows {
  const sets = new SelectorSets(selectorCount);
  return ({order}, chosen, add) =>
    sets.forEachRow(order, chosen, (row, set) => {
      let again = 0;
      for (const list of sets.selectorsOf(set)) {
        add(row, list | again);
        again = againBit;
      }
    });
}

/** Turns each user's times into sorted keys, and counts the events and users of each list. */
class KeyWriter {
  private readonly events: EventsByUser;
  private readonly rankStart: number;
  private readonly totals: Totals;
  private readonly timeSort = new TimeSort<Uint16Array>((count) => new Uint16Array(count));
  rankEnd: number;
  /** UP3 */
  areExact = true;

  constructor(events: EventsByUser, rankStart: number, totals: Totals) {
    this.events = events;
    this.rankStart = rankStart;
    this.totals = totals;
    this.rankEnd = rankStart;
  }

  /** Writes the keys of some users from `first`; returns the next user. */
  writeSlice(first: number): number {
    const {ends, times} = this.events;
    const userCount = ends.length - 1;
    const startOfSlice = first === 0 ? 0 : ends[first - 1];
    let user = first;
    for (let start = startOfSlice; user < userCount && start < startOfSlice + sliceRows; start = ends[user++]) {
      if (start === times.length) return userCount;
      this.writeKeys(user, start, ends[user]);
    }
    if (this.rankEnd > ranksPerMs) this.areExact = false;
    return user;
  }

  private writeKeys(user: number, start: number, end: number): void {
    const {times: keys, lists} = this.events;
    this.timeSort.sort(keys, lists, start, end);
    let previous = -1;
    let rank = 0;
    for (let at = start; at < end; at++) {
      const time = keys[at];
      if (!(time >= 0 && time < timeEnd)) this.areExact = false;
      if (lists[at] >= againBit) lists[at] -= againBit;
      else rank = time === previous ? rank + 1 : this.rankStart;
      if (rank >= this.rankEnd) this.rankEnd = rank + 1;
      previous = time;
      keys[at] = time * ranksPerMs + rank;
      this.totals.add(user, lists[at]);
    }
  }
}

/** Writes the keys of some users from `first` to the places of their lists; returns the next user. */
function distributeSlice(
  {ends, times: keys, lists}: EventsByUser,
  first: number,
  into: Float64Array,
  keyPlaces: Uint32Array,
  pairs: PairWriter,
): number {
  const userCount = ends.length - 1;
  const startOfSlice = first === 0 ? 0 : ends[first - 1];
  let user = first;
  for (let start = startOfSlice; user < userCount && start < startOfSlice + sliceRows; start = ends[user++]) {
    if (start === keys.length) return userCount;
    for (let at = start; at < ends[user]; at++) {
      const list = lists[at];
      const place = keyPlaces[list]++;
      into[place] = keys[at];
      pairs.add(user, list, place);
    }
  }
  return user;
}

/** Number of events and of users of each list. */
class Totals {
  private readonly userCount: number;
  private readonly rows: Uint32Array;
  private readonly pairs: Uint32Array;
  /** User + 1 of each list's last event. */
  private readonly lastUsers: Uint32Array;

  constructor(userCount: number, listCount: number) {
    this.userCount = userCount;
    this.rows = new Uint32Array(listCount + 1);
    this.pairs = new Uint32Array(listCount + 1);
    this.lastUsers = new Uint32Array(listCount);
  }

  /** Adds an event; users must ascend. */
  add(user: number, list: number): void {
    this.rows[list + 1] += 1;
    if (this.lastUsers[list] === user + 1) return;
    this.lastUsers[list] = user + 1;
    this.pairs[list + 1] += 1;
  }

  /** Bytes of the columns. */
  get bytes(): number {
    return bytesOf(this.lengths());
  }

  columns(memory: PostingsMemory): PostingsColumns {
    const columns = columnsIn(memory, this.lengths());
    columns.listStarts.set(sums(this.pairs.map((pairs) => this.startsOf(pairs))));
    columns.listUsers.set(sums(this.pairs.map((pairs) => this.usersOf(pairs))));
    columns.listHeads.set(sums(this.pairs.map((pairs) => this.headsOf(pairs))));
    return columns;
  }

  private lengths(): ColumnLengths {
    const {rows, pairs} = this;
    return {
      lists: pairs.length,
      keys: rows.reduce((sum, each) => sum + each, keysPastEnd),
      heads: pairs.reduce((sum, each) => sum + this.headsOf(each), 0),
      starts: pairs.reduce((sum, each) => sum + this.startsOf(each), 0),
      users: pairs.reduce((sum, each) => sum + this.usersOf(each), 0),
    };
  }

  private headsOf(pairs: number): number {
    return isDense(pairs, this.userCount) ? this.userCount : 0;
  }

  private startsOf(pairs: number): number {
    return pairs === 0 ? 0 : Math.max(this.headsOf(pairs), this.usersOf(pairs)) + 1;
  }

  private usersOf(pairs: number): number {
    return isDense(pairs, this.userCount) ? 0 : pairs;
  }

  keyStarts(): Uint32Array {
    return sums(this.rows);
  }
}

/** Writes the start of each user's events by list; users must ascend. */
class PairWriter {
  private readonly columns: PostingsColumns;
  /** Next position of each list in `starts` and `users`. */
  private readonly startPlaces: Uint32Array;
  private readonly userPlaces: Uint32Array;
  /** User + 1 of each list's last event. */
  private readonly lastUsers: Uint32Array;

  constructor(columns: PostingsColumns, listCount: number) {
    this.columns = columns;
    this.startPlaces = columns.listStarts.slice();
    this.userPlaces = columns.listUsers.slice();
    this.lastUsers = new Uint32Array(listCount);
  }

  /** Adds an event whose key is at `place`. */
  add(user: number, list: number, place: number): void {
    const lastUser = this.lastUsers[list];
    if (lastUser === user + 1) return;
    this.lastUsers[list] = user + 1;
    const {keys, heads, starts, users, listHeads} = this.columns;
    if (listHeads[list] === listHeads[list + 1]) users[this.userPlaces[list]++] = user;
    else {
      heads[listHeads[list] + user] = keys[place];
      // Users in between have no events.
      for (let between = lastUser; between < user; between++) starts[this.startPlaces[list]++] = place;
    }
    starts[this.startPlaces[list]++] = place;
  }

  /** Ends a list. `end`: the position after its last event. */
  end(list: number, end: number): void {
    const {starts, listStarts} = this.columns;
    starts.fill(end, this.startPlaces[list], listStarts[list + 1]);
  }
}

function sums(counts: Uint32Array): Uint32Array {
  const sums = counts.slice();
  for (let i = 1; i < sums.length; i++) sums[i] += sums[i - 1];
  return sums;
}
