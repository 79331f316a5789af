// What the pieces of the fold, and one of reports, bring that are there for speed alone, each beside the plain way that it
// stands for, in memory and in this process. Both give the same, which is checked first.

import {DaySets} from '../../actors/day-sets.js';
import {hashBytes} from '../../actors/hash.js';
import {InternedTable, tableSeed} from '../../actors/interned.js';
import {chunkRowsMax} from '../../actors/limits.js';
import {CellsByName} from '../../actors/report/cells-by-name.js';
import {timeOrder} from '../../actors/rows.js';
import {UserDeltas} from '../../actors/user-deltas.js';
import type {UserRecord} from '../../actors/user-records.js';
import type {WindowsView} from '../../actors/windows.js';
import type {Bench, Say} from '../bench.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {type Measure, playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText} from '../table.js';
import {canonical, dayMs, eventMix, userId, workloadEvents} from '../workload/events.js';

/** The quick way and the plain one. */
const pairs = [
  ['rows by time: radix sort', 'rows by time: comparator'],
  ['hash of a user key: words', 'hash of a user key: bytes'],
  ['users of a day: bits and lists', 'users of a day: a Set'],
  ['users in a table of as many: a run at once', 'users in a table of as many: one by one'],
  ['chunks of every user: side by side', 'chunks of every user: one by one'],
  ['cells by name: radix sort', 'cells by name: numbers sorted'],
] as const;
type Contender = (typeof pairs)[number][number];

interface Sample {
  readonly cpuNsEach: number;
}

interface PiecesReport {
  readonly eventCount: number;
  readonly rounds: Rounds<Sample, Contender>;
  /** CPU of the plain way / the quick one, by the quick one's name. */
  readonly gains: Readonly<Record<string, Ratio>>;
}

/** What it answers says all of it as text, so that both can be compared. */
type Work = () => {toString(): string};

async function run(options: BenchOptions, _: Owned, say: Say): Promise<PiecesReport> {
  const eventCount = options.numbers.events!;
  const works = worksOf(eventCount);
  for (const [quick, plain] of pairs) {
    if (works[quick]().toString() !== works[plain]().toString()) throw new Error(`${quick}, ${plain}: not the same`);
  }
  const measures = Object.fromEntries(Object.entries(works).map(([name, work]) => [name, timed(work, eventCount)]));
  const rounds = await playRounds(measures as Record<Contender, Measure<Sample>>, options, say);
  const gains = pairs.map(
    ([quick, plain]) =>
      [quick, ratioOf(rounds, (samples) => samples[plain].cpuNsEach / samples[quick].cpuNsEach)] as const,
  );
  return {eventCount, rounds, gains: Object.fromEntries(gains)};
}

function worksOf(eventCount: number): Record<Contender, Work> {
  const events = [...workloadEvents({...canonical, eventCount})].map(({user, timeMs}) => ({user, timeMs}));
  const times = Float64Array.from(events, ({timeMs}) => timeMs);
  const users = Uint32Array.from(events, ({user}) => user);
  // In one piece, as in a message of the log.
  const keys = Buffer.from(events.map(({user}) => `u${userId(user)}`).join(''));
  const keyEnds = runningSum(events.map(({user}) => 1 + userId(user).length));
  const inChunks =
    (order: (times: Float64Array, users: Uint32Array) => Uint16Array): Work =>
    () => {
      const orders: Uint16Array[] = [];
      for (let at = 0; at < eventCount; at += chunkRowsMax) {
        orders.push(order(times.subarray(at, at + chunkRowsMax), users.subarray(at, at + chunkRowsMax)));
      }
      return orders;
    };
  const hashed =
    (hash: (bytes: Uint8Array, start: number, end: number) => number): Work =>
    () => {
      let sum = 0;
      for (let i = 0, start = 0; i < keyEnds.length; start = keyEnds[i++]!)
        sum = (sum + hash(keys, start, keyEnds[i]!)) | 0;
      return sum;
    };
  const cells = cellsOf(eventCount);
  const table = tableOf(eventCount);
  const found = new Uint32Array(eventCount);
  const deltas = new UserDeltas();
  for (const [row, user] of users.entries()) deltas.addEvent(user, times[row]!, Math.floor(row / chunkRowsMax));
  return {
    'rows by time: radix sort': inChunks((some, of) => timeOrder(some, of, some.length)),
    'rows by time: comparator': inChunks((some) =>
      Uint16Array.from(some.keys()).sort((a, b) => some[a]! - some[b]! || a - b),
    ),
    'hash of a user key: words': hashed((bytes, start, end) => hashBytes(bytes, start, end, 1)),
    'hash of a user key: bytes': hashed(hashBytewise),
    'users of a day: bits and lists': () => {
      const sets = new DaySets();
      for (const [row, user] of users.entries()) sets.add(Math.floor(times[row]! / dayMs), user);
      return sets.sorted().map((set) => [set.day, set.users]);
    },
    'users of a day: a Set': () => {
      const sets = new Map<number, Set<number>>();
      for (const [row, user] of users.entries()) {
        const day = Math.floor(times[row]! / dayMs);
        const set = sets.get(day);
        if (set === undefined) sets.set(day, new Set([user]));
        else set.add(user);
      }
      const days = [...sets].sort(([a], [b]) => a - b);
      return days.map(([day, set]) => [day, Uint32Array.from(set).sort()]);
    },
    'users in a table of as many: a run at once': () => {
      const {users: all, keys, starts, lengths, hashes} = table;
      for (let at = 0; at < eventCount; at += lookedUpAtOnce) {
        const [from, end] = [at, Math.min(at + lookedUpAtOnce, eventCount)];
        const some = (column: Uint32Array): Uint32Array => column.subarray(from, end);
        all.internMany(keys, some(starts), some(lengths), some(hashes), end - from, some(found));
      }
      return found;
    },
    'users in a table of as many: one by one': () => {
      const {users: all, keys, starts, lengths, hashes} = table;
      return found.map((_, i) => all.internHashed(keys, starts[i]!, starts[i]! + lengths[i]!, hashes[i]!));
    },
    'chunks of every user: side by side': () => chunkSum(deltas.records(new Map())),
    'chunks of every user: one by one': () =>
      chunkSum(Array.from(deltas.usersAscending(), (user) => deltas.record(user, undefined)!)),
    'cells by name: radix sort': () => {
      const {hours, counts} = new CellsByName(cells);
      return [hours, counts];
    },
    'cells by name: numbers sorted': () => {
      const {names, hours, counts} = cells;
      const keys = Float64Array.from(names, (name, cell) => name * names.length + cell).sort();
      const places = Uint32Array.from(keys, (key) => key % names.length);
      return [Uint32Array.from(places, (cell) => hours[cell]!), Float64Array.from(places, (cell) => counts[cell]!)];
    },
  };
}

/** A block of windows with so many cells: every name in every hour. */
function cellsOf(cellCount: number): WindowsView {
  const none = new Uint32Array(0);
  const numbers = (of: (cell: number) => number) => Uint32Array.from({length: cellCount}, (_, cell) => of(cell));
  return {
    firstDay: 0,
    lastDay: 0,
    counts: Float64Array.from({length: cellCount}, (_, cell) => cell % 97),
    hours: numbers((cell) => Math.floor(cell / eventMix.length)),
    names: numbers((cell) => cell % eventMix.length),
    days: none,
    memberOffsets: none,
    members: none,
  };
}

/** Sensitive to their order. */
function chunkSum(records: Iterable<UserRecord>): number {
  let sum = 0;
  for (const {user, chunks} of records) for (const chunk of chunks) sum = (Math.imul(sum, 31) + user + chunk) | 0;
  return sum;
}

/** As in a message of a batch: what comes of one partition, but for users that came lately. */
const lookedUpAtOnce = 160;

/** A table of so many users, and their keys in another order. */
function tableOf(userCount: number) {
  const users = new InternedTable();
  const order = Array.from({length: userCount}, (_, i) => (i * 7_919) % userCount);
  const texts = order.map((user) => `u${userId(user)}`);
  const keys = Buffer.from(texts.join(''));
  const lengths = Uint32Array.from(texts, (text) => text.length);
  const ends = runningSum([...lengths]);
  const starts = ends.map((end, i) => end - lengths[i]!);
  const hashes = starts.map((start, i) => hashBytes(keys, start, ends[i]!, tableSeed));
  for (let user = 0; user < userCount; user++) {
    const key = Buffer.from(`u${userId(user)}`);
    users.intern(key, 0, key.length);
  }
  return {users, keys, starts, lengths, hashes};
}

function runningSum(lengths: readonly number[]): Uint32Array {
  const ends = new Uint32Array(lengths.length);
  for (let i = 0, end = 0; i < lengths.length; i++) ends[i] = end += lengths[i]!;
  return ends;
}

/** As actors/hash.ts, each word put together from its bytes. */
function hashBytewise(bytes: Uint8Array, start: number, end: number): number {
  let h = 1;
  let k = 0;
  for (let at = start; at < end; at++) {
    const place = (at - start) & 3;
    k |= bytes[at]! << (8 * place);
    if (place !== 3 && at !== end - 1) continue;
    k = Math.imul(k, 0xcc9e2d51);
    h ^= Math.imul((k << 15) | (k >>> 17), 0x1b873593);
    if (place === 3) h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
    k = 0;
  }
  h ^= end - start;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Kept, so that no compiler finds the work useless. */
const answered: {last: unknown} = {last: undefined};

function timed(work: Work, eventCount: number): Measure<Sample> {
  return async () => {
    const before = process.cpuUsage();
    answered.last = work();
    const {user, system} = process.cpuUsage(before);
    return {cpuNsEach: ((user + system) * 1_000) / eventCount};
  };
}

function text({eventCount, rounds, gains}: PiecesReport): string {
  const medianOf = (name: Contender) =>
    fixed(spreadOf(rounds.rounds.map(({samples}) => samples[name].cpuNsEach)).median, 1);
  return [
    `Pieces of the fold, ${eventCount} events`,
    tableText(
      ['', 'CPU ns each', 'the plain way', 'CPU ns each', 'gain'],
      pairs.map(([quick, plain]) => [quick, medianOf(quick), plain, medianOf(plain), ratioText(gains[quick]!)]),
    ),
    roundsText(rounds),
  ].join('\n');
}

export const piecesBench: Bench<PiecesReport> = {
  name: 'pieces',
  summary: 'pieces of the fold beside the plain ways that they stand for',
  numbers: {events: {normal: 500_000, small: 20_000, help: 'events'}},
  run,
  text,
};
