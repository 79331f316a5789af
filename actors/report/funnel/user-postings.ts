// Postings: the events of some chunks by name, user and (time, ordinal). A funnel walks these lists, so events of other names
// cost it nothing.
//   Owns: the order, and how it is built from chunks. Does not own: the choice of chunks (postings-plan.ts), the walk
//   (posted-funnel.ts), the cache (src/report/derived-indexes.ts).
//   UP1. An event is one number, its key: time * 2^11 + rank. Keys of a user are in the order of (time, ordinal): ranks order the
//        events of one ms. Only an event that has several names has a key twice.
//   UP2. UP1 holds across all segments of a partition: the ranks of later chunks begin where those of earlier ones end, so keys
//        of different segments compare.
//   UP3. Keys are exact: below 2^53. Chunks with times from 2^42 ms (the year 2109) on, or with more events of one user in one
//        ms than there are ranks, have no postings.
//   UP4. Postings never change.
//   UP5. Postings cover only names that a question asked for.
import type {RowsView} from '../../chunk/rows.js';
import {TimeSort} from '../rows/time-sort.js';
import {ranksPerMs} from './event-key.js';
import type {DensePostings, FunnelProgress} from './funnel-progress.js';

const timeEnd = 2 ** 53 / ranksPerMs;
/** Rows between two yields: well below a ms. */
const sliceRows = 8_192;

/** Events of a name that few users have: those of users[i] are keys[starts[i] .. starts[i + 1]). */
export interface SparsePostings {
  readonly kind: 'sparse';
  /** User indexes, ascending. */
  readonly users: Uint32Array;
  /** Start of each user's keys, and the end of the last: one element more than users. */
  readonly starts: Uint32Array;
  readonly keys: Float64Array;
}

/** Postings of one name. All names share `keys`. */
type NamePostings = DensePostings | SparsePostings;

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
 * Dense from a fourth of the users on. Dense postings take 12 bytes for each user instead of 8 for each user of the name, and
 * save a search and three of four cache misses for each.
 */
const isDense = (pairs: number, userCount: number): boolean => pairs > 0 && pairs * 4 >= userCount;

/**
 * Columns of all names: starts and users of name n are at [nameStarts[n], nameStarts[n + 1]), and so on. A name has heads or
 * users.
 */
interface PostingsColumns {
  readonly nameStarts: Uint32Array;
  readonly nameUsers: Uint32Array;
  readonly nameHeads: Uint32Array;
  readonly keys: Float64Array;
  readonly heads: Float64Array;
  readonly starts: Uint32Array;
  readonly users: Uint32Array;
}

/** Numbers of elements. `names`: one more than there are names. */
interface ColumnLengths {
  readonly names: number;
  readonly keys: number;
  readonly heads: number;
  readonly starts: number;
  readonly users: number;
}

const bytesOf = ({names, keys, heads, starts, users}: ColumnLengths): number =>
  names * 3 * 4 + (keys + heads) * 8 + (starts + users) * 4;

/** Columns in zeroed memory; heads are infinite. */
function columnsIn(
  {buffer, offset}: PostingsMemory,
  {names, keys, heads, starts, users}: ColumnLengths,
): PostingsColumns {
  const headsAt = offset + keys * 8;
  const startsAt = headsAt + heads * 8;
  const usersAt = startsAt + starts * 4;
  const namesAt = usersAt + users * 4;
  return {
    nameStarts: new Uint32Array(buffer, namesAt, names),
    nameUsers: new Uint32Array(buffer, namesAt + names * 4, names),
    nameHeads: new Uint32Array(buffer, namesAt + names * 8, names),
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
  readonly columns: PostingsColumns;
  readonly memory: PostingsMemory;

  constructor(columns: PostingsColumns, memory: PostingsMemory, rankStart: number, rankEnd: number) {
    this.columns = columns;
    this.memory = memory;
    this.progress = memory.progress;
    this.bytes = memory.buffer.byteLength;
    this.rankStart = rankStart;
    this.rankEnd = rankEnd;
  }

  get rows(): number {
    return this.columns.keys.length - keysPastEnd;
  }

  /** Bytes that the postings of these names take. */
  bytesOf(names: Iterable<number>): number {
    return bytesOf(this.lengthsOf(names));
  }

  /** A copy with the postings of these names alone. */
  narrowedTo(names: ReadonlySet<number>, allocate: AllocatePostings): UserPostings {
    const {nameStarts, nameUsers, nameHeads, keys, heads, starts, users} = this.columns;
    const lengths = this.lengthsOf(names);
    const all = {...lengths, keys: lengths.keys + keysPastEnd, names: nameStarts.length};
    const memory = allocate(bytesOf(all));
    const into = columnsIn(memory, all);
    const at = {keys: 0, heads: 0, starts: 0, users: 0};
    for (let name = 0; ; name++) {
      into.nameStarts[name] = at.starts;
      into.nameUsers[name] = at.users;
      into.nameHeads[name] = at.heads;
      if (name + 1 === nameStarts.length) break;
      const own = starts.subarray(nameStarts[name], nameStarts[name + 1]);
      if (!names.has(name) || own.length === 0) continue;
      const [keyStart, keyEnd] = [own[0], own[own.length - 1]];
      for (let i = 0; i < own.length; i++) into.starts[at.starts + i] = own[i] - keyStart + at.keys;
      into.keys.set(keys.subarray(keyStart, keyEnd), at.keys);
      into.heads.set(heads.subarray(nameHeads[name], nameHeads[name + 1]), at.heads);
      into.users.set(users.subarray(nameUsers[name], nameUsers[name + 1]), at.users);
      at.keys += keyEnd - keyStart;
      at.starts += own.length;
      at.heads += nameHeads[name + 1] - nameHeads[name];
      at.users += nameUsers[name + 1] - nameUsers[name];
    }
    return new UserPostings(into, memory, this.rankStart, this.rankEnd);
  }

  /** Column lengths of postings that have only these names. */
  private lengthsOf(names: Iterable<number>): ColumnLengths {
    const {nameStarts, nameUsers, nameHeads, starts} = this.columns;
    const lengths = {names: 0, keys: 0, heads: 0, starts: 0, users: 0};
    for (const name of names) {
      if (name + 1 >= nameStarts.length || nameStarts[name] === nameStarts[name + 1]) continue;
      lengths.keys += starts[nameStarts[name + 1] - 1] - starts[nameStarts[name]];
      lengths.heads += nameHeads[name + 1] - nameHeads[name];
      lengths.starts += nameStarts[name + 1] - nameStarts[name];
      lengths.users += nameUsers[name + 1] - nameUsers[name];
    }
    return lengths;
  }

  /** Postings of the name with this index; undefined when it has no event here. */
  of(name: number): NamePostings | undefined {
    const {nameStarts, nameUsers, nameHeads, keys} = this.columns;
    if (name + 1 >= nameStarts.length || nameStarts[name] === nameStarts[name + 1]) return undefined;
    const starts = this.columns.starts.subarray(nameStarts[name], nameStarts[name + 1]);
    const heads = this.columns.heads.subarray(nameHeads[name], nameHeads[name + 1]);
    if (heads.length > 0) return {kind: 'dense', heads, starts, keys};
    return {kind: 'sparse', users: this.columns.users.subarray(nameUsers[name], nameUsers[name + 1]), starts, keys};
  }
}

type NameCodes = Uint16Array | Uint32Array;

/** Builds postings in two passes over the chunks, `count` and then `place`, each by ordinals; then `build`. */
export class PostingsBuilder {
  private readonly nameCount: number;
  private readonly rankStart: number;
  /** 1 for each name whose events are wanted. UP5 */
  private readonly isWanted: Uint8Array;
  /** Number of rows of user u at u + 1 while counting; then the start of each user's rows; after placing, their end. */
  private readonly places: Uint32Array;
  private rows = 0;
  private times = new Float64Array(0);
  private names: NameCodes = new Uint16Array(0);

  /**
   * `userCount`, `nameCount`: upper bounds of the indexes in the chunks. `rankStart`: UP2. `wanted`: names whose events are
   * posted (UP5).
   */
  constructor(userCount: number, nameCount: number, rankStart: number, wanted: ReadonlySet<number>) {
    this.nameCount = nameCount;
    this.rankStart = rankStart;
    this.isWanted = wantedOf(wanted, nameCount);
    this.places = new Uint32Array(userCount + 1);
  }

  /** Peak bytes of building the postings of `rows` rows, in addition to the postings. */
  static passingBytes(userCount: number, rows: number): number {
    return userCount * 4 + rows * 12;
  }

  /** Lower bound of the bytes of the postings of `rows` rows. They take up to seven times as many if users have few rows each. */
  static postingsBytesMin(nameCount: number, rows: number): number {
    return (nameCount + 1) * 12 + (rows + keysPastEnd) * 8;
  }

  /** Number of rows counted so far. */
  get rowCount(): number {
    return this.rows;
  }

  count({order, users, names}: RowsView): void {
    const {places, isWanted} = this;
    for (let at = 0; at < order.length; at++) {
      const row = order[at];
      const wanted = isWanted[names[row]];
      places[users[row] + 1] += wanted;
      this.rows += wanted;
    }
  }

  /** Ends the counting; placing may begin. */
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
    const {places, times, names, isWanted} = this;
    const {order, timeBase} = chunk;
    for (let at = 0; at < order.length; at++) {
      const row = order[at];
      if (isWanted[chunk.names[row]] === 0) continue;
      const place = places[chunk.users[row]]++;
      times[place] = timeBase + chunk.times[row];
      names[place] = chunk.names[row];
    }
  }

  /** Builds the postings of the placed rows. */
  build(allocate: TryAllocate): Generator<void, UserPostings | undefined, void> {
    const {places, rows, times, names, nameCount, rankStart} = this;
    const events = {userCount: places.length - 1, ends: places, count: rows, times, names, againBit: 0};
    return postingsOf(events, nameCount, rankStart, allocate);
  }
}

/** Allocates memory of postings; undefined: there is no room. */
type TryAllocate = (bytes: number) => PostingsMemory | undefined;

/** Events by user: those of user u end at ends[u], and are in the order of the log or in a few runs by time. */
export interface EventsByUser {
  readonly userCount: number;
  readonly ends: Uint32Array;
  readonly count: number;
  /** Epoch ms; they are replaced by keys. */
  readonly times: Float64Array;
  readonly names: NameCodes;
  /** Added to a name for the event before it once more, with another name; 0: each event has one name. */
  readonly againBit: number;
}

/** Builds postings, and yields between slices. Undefined: the events have none (UP3), or `allocate` refused the bytes. */
export function* postingsOf(
  events: EventsByUser,
  nameCount: number,
  rankStart: number,
  allocate: TryAllocate,
): Generator<void, UserPostings | undefined, void> {
  const totals = new Totals(events.userCount, nameCount);
  const keys = new KeyWriter(events, rankStart, totals);
  for (let user = 0; user < events.userCount; ) {
    user = keys.writeSlice(user);
    if (!keys.areExact) return undefined;
    yield;
  }
  const memory = allocate(totals.bytes);
  if (memory === undefined) return undefined;
  const columns = totals.columns(memory);
  const pairs = new PairWriter(columns, nameCount);
  const keyPlaces = totals.keyStarts();
  for (let user = 0; user < events.userCount; ) {
    user = distributeSlice(events, user, columns.keys, keyPlaces, pairs);
    yield;
  }
  for (let name = 0; name < nameCount; name++) pairs.end(name, keyPlaces[name]);
  return new UserPostings(columns, memory, rankStart, keys.rankEnd);
}

/** Turns each user's times into sorted keys, and counts the events and users of each name. */
class KeyWriter {
  private readonly events: EventsByUser;
  private readonly rankStart: number;
  private readonly totals: Totals;
  private readonly timeSort: TimeSort<NameCodes>;
  rankEnd: number;
  /** UP3 */
  areExact = true;

  constructor(events: EventsByUser, rankStart: number, totals: Totals) {
    this.events = events;
    this.rankStart = rankStart;
    this.totals = totals;
    this.timeSort = new TimeSort((count) => codesLike(events.names, count));
    this.rankEnd = rankStart;
  }

  /** Writes the keys of some users from `first`; returns the next user. */
  writeSlice(first: number): number {
    const {userCount, ends, count} = this.events;
    const startOfSlice = first === 0 ? 0 : ends[first - 1];
    let user = first;
    for (let start = startOfSlice; user < userCount && start < startOfSlice + sliceRows; start = ends[user++]) {
      if (start === count) return userCount;
      this.writeKeys(user, start, ends[user]);
    }
    if (this.rankEnd > ranksPerMs) this.areExact = false;
    return user;
  }

  private writeKeys(user: number, start: number, end: number): void {
    const {times: keys, names, againBit} = this.events;
    this.timeSort.sort(keys, names, start, end);
    let previous = -1;
    let rank = 0;
    for (let at = start; at < end; at++) {
      const time = keys[at];
      if (!(time >= 0 && time < timeEnd)) this.areExact = false;
      if (againBit > 0 && names[at] >= againBit) names[at] -= againBit;
      else rank = time === previous ? rank + 1 : this.rankStart;
      if (rank >= this.rankEnd) this.rankEnd = rank + 1;
      previous = time;
      keys[at] = time * ranksPerMs + rank;
      this.totals.add(user, names[at]);
    }
  }
}

/** Writes the keys of some users from `first` to the places of their names; returns the next user. */
function distributeSlice(
  {userCount, ends, count, times: keys, names}: EventsByUser,
  first: number,
  into: Float64Array,
  keyPlaces: Uint32Array,
  pairs: PairWriter,
): number {
  const startOfSlice = first === 0 ? 0 : ends[first - 1];
  let user = first;
  for (let start = startOfSlice; user < userCount && start < startOfSlice + sliceRows; start = ends[user++]) {
    if (start === count) return userCount;
    for (let at = start; at < ends[user]; at++) {
      const name = names[at];
      const place = keyPlaces[name]++;
      into[place] = keys[at];
      pairs.add(user, name, place);
    }
  }
  return user;
}

const codesLike = (names: NameCodes, count: number): NameCodes =>
  names instanceof Uint16Array ? new Uint16Array(count) : new Uint32Array(count);

function wantedOf(names: ReadonlySet<number>, nameCount: number): Uint8Array {
  const isWanted = new Uint8Array(nameCount);
  for (const name of names) isWanted[name] = 1;
  return isWanted;
}

/** Number of rows and of users of each name. */
class Totals {
  private readonly userCount: number;
  private readonly rows: Uint32Array;
  private readonly pairs: Uint32Array;
  /** User + 1 of each name's last row. */
  private readonly lastUsers: Uint32Array;

  constructor(userCount: number, nameCount: number) {
    this.userCount = userCount;
    this.rows = new Uint32Array(nameCount + 1);
    this.pairs = new Uint32Array(nameCount + 1);
    this.lastUsers = new Uint32Array(nameCount);
  }

  /** Adds a row; users must ascend. */
  add(user: number, name: number): void {
    this.rows[name + 1] += 1;
    if (this.lastUsers[name] === user + 1) return;
    this.lastUsers[name] = user + 1;
    this.pairs[name + 1] += 1;
  }

  /** Bytes of the columns. */
  get bytes(): number {
    return bytesOf(this.lengths());
  }

  columns(memory: PostingsMemory): PostingsColumns {
    const columns = columnsIn(memory, this.lengths());
    columns.nameStarts.set(sums(this.pairs.map((pairs) => this.startsOf(pairs))));
    columns.nameUsers.set(sums(this.pairs.map((pairs) => this.usersOf(pairs))));
    columns.nameHeads.set(sums(this.pairs.map((pairs) => this.headsOf(pairs))));
    return columns;
  }

  private lengths(): ColumnLengths {
    const {rows, pairs} = this;
    return {
      names: pairs.length,
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

/** Writes the start of each user's events by name; users must ascend. */
class PairWriter {
  private readonly columns: PostingsColumns;
  /** Next position of each name in `starts` and `users`. */
  private readonly startPlaces: Uint32Array;
  private readonly userPlaces: Uint32Array;
  /** User + 1 of each name's last event. */
  private readonly lastUsers: Uint32Array;

  constructor(columns: PostingsColumns, nameCount: number) {
    this.columns = columns;
    this.startPlaces = columns.nameStarts.slice();
    this.userPlaces = columns.nameUsers.slice();
    this.lastUsers = new Uint32Array(nameCount);
  }

  /** Adds an event whose key is at `place`. */
  add(user: number, name: number, place: number): void {
    const lastUser = this.lastUsers[name];
    if (lastUser === user + 1) return;
    this.lastUsers[name] = user + 1;
    const {keys, heads, starts, users, nameHeads} = this.columns;
    if (nameHeads[name] === nameHeads[name + 1]) users[this.userPlaces[name]++] = user;
    else {
      heads[nameHeads[name] + user] = keys[place];
      // Users in between have no events.
      for (let between = lastUser; between < user; between++) starts[this.startPlaces[name]++] = place;
    }
    starts[this.startPlaces[name]++] = place;
  }

  /** Ends a name. `end`: the position after its last event. */
  end(name: number, end: number): void {
    const {starts, nameStarts} = this.columns;
    starts.fill(end, this.startPlaces[name], nameStarts[name + 1]);
  }
}

function sums(counts: Uint32Array): Uint32Array {
  const sums = counts.slice();
  for (let i = 1; i < sums.length; i++) sums[i] += sums[i - 1];
  return sums;
}
