// Resident memory after everything has been read: bytes of an event with its properties, compared with its JSON, and bytes of
// a user without traits. Counted from the typed arrays, and checked by the growth of this process.
//   events  the rows parts of all chunks, as the report engine views them: times, users, names, property codes, property values
//   users   the table of user keys, as a partition has it after its recovery: keys, offsets, slots. Records, days and traits of
//           users stay in parts

import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {isIdentityCoded, type WholeRows} from '../../actors/chunk/property-columns.js';
import type {SnapshotIndex} from '../../actors/manifest.js';
import {InternedTable} from '../../actors/table/interned.js';
import type {Figure} from '../../src/bench-run.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {partValues} from '../../src/nats/part-values.js';
import {publishedManifests} from '../../src/nats/published-manifests.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {IndexReader} from '../../src/parts/stored-index.js';
import type {Bench, Say} from '../bench.js';
import {startBroker} from '../engine/broker.js';
import {openStore} from '../engine/store.js';
import {type Bounds, ratioFigure} from '../figures.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical} from '../workload/events.js';

/** Bytes by purpose. */
type Breakdown = Readonly<Record<string, number>>;

export interface MemoryReport {
  readonly eventCount: number;
  readonly userCount: number;
  readonly jsonBytes: number;
  readonly rows: Breakdown;
  readonly users: Breakdown;
  /** Growth of this process's array buffers while rows, and then users, were loaded. */
  readonly grown: {readonly rows: number; readonly users: number};
}

const cacheBytesMax = 16 * 2 ** 30;
const bounds: Readonly<Record<'eventToJson' | 'userBytes', Bounds>> = {
  eventToJson: {reach: 0.2, limit: 0.08},
  userBytes: {reach: 70, limit: 35},
};

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<MemoryReport> {
  const workload = {...canonical, userCount: 100_000, eventCount: options.numbers.events!};
  const store = await openStore(options, workload, owned, say);
  const broker = owned.add(await startBroker(store.dataDir));
  const nc: NatsConnection = await connectNats(broker.address, 'bench-memory');
  owned.add({stop: () => nc.close()});
  const jsm = await jetstreamManager(nc);
  const parts = new PartsCache(partValues(jsm), cacheBytesMax);
  const manifests = publishedManifests(jsm);
  const indexes: SnapshotIndex[] = [];
  for (let partition = 0; partition < store.partitions; partition++) {
    const manifest = await manifests.newest(partition);
    if (manifest === undefined) throw new Error(`partition ${partition} has no snapshot`);
    indexes.push(await new IndexReader().read(manifest.index, (ref) => parts.load(ref)));
  }
  say('loading all rows …');
  const before = bufferBytes();
  const rows = await loadRows(indexes, parts);
  const afterRows = bufferBytes();
  say('loading the tables of users …');
  const tables = await loadUsers(indexes, new PartsCache(partValues(jsm), 0));
  const afterUsers = bufferBytes();
  return {
    eventCount: workload.eventCount,
    userCount: tables.reduce((sum, {live}) => sum + live, 0),
    jsonBytes: store.jsonBytes,
    rows,
    users: sumOf(tables.map((table) => table.memory())),
    grown: {rows: afterRows - before, users: afterUsers - afterRows},
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of typed arrays that are in use. */
function bufferBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

async function loadRows(indexes: readonly SnapshotIndex[], parts: PartsCache): Promise<Breakdown> {
  const held: Breakdown[] = [];
  for (const {chunks} of indexes) for (const chunk of chunks) held.push(bytesOf(await parts.wholeRows.load(chunk)));
  return sumOf(held);
}

function bytesOf(rows: WholeRows): Breakdown {
  return {
    times: rows.times.byteLength,
    users: rows.users.byteLength,
    names: rows.names.byteLength,
    'order by time': rows.order.byteLength,
    // Columns stored row by row share one array of codes (property-columns.ts PC3).
    'property codes': rows.columns.reduce(
      (sum, column) => sum + (isIdentityCoded(column) ? 0 : column.codes.byteLength),
      0,
    ),
    'property values': rows.columns.reduce((sum, {key, values}) => sum + key.byteLength + values.bytes, 0),
  };
}

/** Loads the users without keeping the payloads of the blocks, like a partition. */
async function loadUsers(indexes: readonly SnapshotIndex[], unkept: PartsCache): Promise<InternedTable[]> {
  const tables: InternedTable[] = [];
  for (const {users} of indexes) {
    const table = new InternedTable();
    for (const block of users.blocks) table.restoreBlock(await unkept.load(block));
    tables.push(table);
  }
  return tables;
}

function sumOf(all: readonly Breakdown[]): Breakdown {
  const sum: Record<string, number> = {};
  for (const each of all) for (const [name, bytes] of Object.entries(each)) sum[name] = (sum[name] ?? 0) + bytes;
  return sum;
}

const total = (bytes: Breakdown): number => Object.values(bytes).reduce((sum, each) => sum + each, 0);

/** Measured once, so each figure has one sample. */
function figures({eventCount, userCount, jsonBytes, rows, users}: MemoryReport): Figure[] {
  const bytes = {unit: 'B', better: 'less'} as const;
  const toJson = {id: 'event-to-json', name: 'Resident bytes of an event / its JSON', better: 'less'} as const;
  return [
    ratioFigure(toJson, {all: [total(rows) / jsonBytes]}, bounds.eventToJson),
    {id: 'event', name: 'An event with its properties', ...bytes, samples: [total(rows) / eventCount]},
    {id: 'user', name: 'A user without traits', ...bytes, samples: [total(users) / userCount], ...bounds.userBytes},
  ];
}

function text({eventCount, userCount, jsonBytes, rows, users, grown}: MemoryReport): string {
  const lines = (bytes: Breakdown, count: number): string[][] =>
    Object.entries(bytes).map(([name, each]) => [`  ${name}`, fixed(each / count, 2)]);
  return [
    `Memory of ${whole(eventCount)} events of ${whole(userCount)} users, everything read`,
    tableText(
      ['bytes', 'each'],
      [
        ['an event with its properties', fixed(total(rows) / eventCount, 2)],
        ...lines(rows, eventCount),
        ['  (the process grew by)', fixed(grown.rows / eventCount, 2)],
        ['a user without traits', fixed(total(users) / userCount, 2)],
        ...lines(users, userCount),
        ['  (the process grew by)', fixed(grown.users / userCount, 2)],
        ['an event as JSON', fixed(jsonBytes / eventCount, 2)],
      ],
    ),
    `event / JSON: ${fixed(total(rows) / jsonBytes, 3)} (to reach: ${fixed(bounds.eventToJson.reach, 2)}); a user: ${fixed(total(users) / userCount, 1)} B (to reach: ${bounds.userBytes.reach} B)`,
  ].join('\n');
}

export const memoryBench: Bench<MemoryReport> = {
  name: 'memory',
  summary: 'resident bytes of an event with its properties, and of a user',
  numbers: {events: {normal: 10_000_000, small: 20_000, help: 'events of the data set'}},
  run,
  figures,
  text,
};
