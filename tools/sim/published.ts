// Published snapshots, read directly from the fake store: every row, cell, member and profile as texts.
import {crc32, gunzipSync} from 'node:zlib';
import {viewWindows} from '../../actors/aggregator/windows.js';
import {BodyBlock, bodiesLayout} from '../../actors/chunk/bodies.js';
import {eventJson} from '../../actors/chunk/event-texts.js';
import {viewProperties, wholeRows} from '../../actors/chunk/property-columns.js';
import {viewRows} from '../../actors/chunk/rows.js';
import {bodyBlockRows} from '../../actors/limits.js';
import {
  type DeletionRecord,
  type Manifest,
  type Move,
  type MoveCounts,
  type PartRef,
  type SnapshotIndex,
  wholeIndex,
} from '../../actors/manifest.js';
import {InternedTable} from '../../actors/table/interned.js';
import {UserSet} from '../../actors/table/user-set.js';
import {mergeRecords, UserBlockReader, type UserRecord} from '../../actors/user/user-records.js';
import {readChunks, readDeletions, readIndex} from '../../src/parts/stored-state.js';
import {profileText, withoutId} from './model.js';
import type {SimServer} from './server.js';

/** The payload of a part; undefined when it is missing or differs from its reference. */
export function payloadOf(server: SimServer, ref: PartRef): Uint8Array<ArrayBuffer> | undefined {
  const values = ref.revisions.map(
    (revision) => server.partsOf(Number.parseInt(ref.key.slice(1), 10)).live.get(revision)?.data,
  );
  if (values.some((value) => value === undefined)) return undefined;
  const payload = new Uint8Array(Buffer.concat(values as Uint8Array[]));
  const isWhole = values.every((value, i) => crc32(value as Uint8Array) === ref.crcs[i]);
  return payload.length === ref.bytes && isWhole ? payload : undefined;
}

interface PublishedRow {
  readonly user: number;
  readonly chunk: number;
  readonly name: string;
  readonly json: string;
}

/** The key of a user, also of one who is leaving. */
const firstKey = (key: string): string => (key.startsWith('m') ? `a${key.slice(1)}` : key);

/** The snapshot of one partition. */
export class PublishedSnapshot {
  readonly manifest: Manifest;
  readonly index: SnapshotIndex;
  readonly users = new InternedTable();
  readonly names = new InternedTable();
  /** Whose rows count no more, whatever other partitions say. */
  readonly leftOut = new UserSet();
  /** Of all users. */
  readonly rows: readonly PublishedRow[];
  readonly windows: readonly ReturnType<typeof viewWindows>[];
  private readonly server: SimServer;

  /** Reads what is counted: its parts may be swept later. */
  constructor(server: SimServer, manifest: Manifest) {
    this.server = server;
    this.manifest = manifest;
    const stored = readIndex(this.load(manifest.index), manifest.index);
    this.index = wholeIndex(
      stored,
      stored.chunkBlocks.map((ref) => readChunks(this.load(ref), ref)),
    );
    for (const ref of this.index.users.blocks) this.users.restoreBlock(this.load(ref));
    for (const ref of this.index.names.blocks) this.names.restoreBlock(this.load(ref));
    if (this.index.leftOut !== null) this.leftOut.restore(this.load(this.index.leftOut));
    this.rows = this.readRows();
    this.windows = this.index.windowRuns.flatMap(({blocks}) => blocks.map(({part}) => viewWindows(this.load(part))));
  }

  get partition(): number {
    return this.manifest.partition;
  }

  get moves(): MoveCounts {
    return this.manifest.moves;
  }

  private load(ref: PartRef): Uint8Array<ArrayBuffer> {
    const payload = payloadOf(this.server, ref);
    if (payload === undefined) throw new Error(`part ${ref.key} of a kept manifest is gone or damaged`);
    return payload;
  }

  private readRows(): PublishedRow[] {
    const found: PublishedRow[] = [];
    for (const {chunk, rows: ref, properties, bodies: bodiesRef} of this.index.chunks) {
      const rows = wholeRows(viewRows(this.load(ref)), viewProperties(this.load(properties)));
      const bodies = this.load(bodiesRef);
      const {starts, ends} = bodiesLayout(bodies);
      const blocks = [...starts].map((start, i) => new BodyBlock(gunzipSync(bodies.subarray(start, ends[i])), rows));
      for (const row of rows.order) {
        const user = rows.users[row] as number;
        const body = blocks[Math.floor(row / bodyBlockRows)]?.entry(row, this.users, this.names);
        const json = body === undefined ? 'nothing' : withoutId(eventJson(body, 0, 0));
        found.push({user, chunk, name: this.names.text(rows.names[row] as number), json});
      }
    }
    return found;
  }

  /** A chunk says how many of its rows count no more. */
  faults(): string[] {
    return this.index.chunks.flatMap(({chunk, leftOut}) => {
      const found = this.rows.filter((row) => row.chunk === chunk && this.leftOut.has(row.user)).length;
      return found === leftOut ? [] : [`chunk ${chunk} says that ${leftOut} of its rows left, and ${found} did`];
    });
  }

  /** Deletions; of one that was carried out again, as its client asked again with its id, the last, like a start. */
  deletions(): DeletionRecord[] {
    const completed = this.index.completedDeletions.flatMap((part) => readDeletions(this.load(part), part));
    const all = [...completed, ...this.index.deletions];
    return [...new Map(all.map((record) => [record.id, record])).values()];
  }

  nameCounts(): Map<string, number> {
    const counts = new Map<string, number>();
    const [stored] = this.index.parts['aggregator.counts'] ?? [];
    if (stored === undefined) return counts;
    new Float64Array(this.load(stored.part).buffer).forEach((count, name) => {
      if (count !== 0) counts.set(this.names.text(name), count);
    });
    return counts;
  }

  records(): UserRecord[] {
    const records = new Map<number, UserRecord>();
    for (const {blocks} of this.index.userRuns) {
      for (const {part} of blocks) this.mergeBlock(part, records);
    }
    return [...records.values()];
  }

  private mergeBlock(part: PartRef, records: Map<number, UserRecord>): void {
    const reader = new UserBlockReader(this.load(part));
    for (let record = reader.next(); record !== undefined; record = reader.next()) {
      const held = records.get(record.user);
      records.set(record.user, held === undefined ? record : mergeRecords(held, record));
    }
  }
}

/** A snapshot among others. */
interface Seen {
  readonly snapshot: PublishedSnapshot;
  readonly arrived: readonly Move[];
  /** Whose rows count elsewhere, as these snapshots say. */
  readonly leftOut: UserSet;
}

/** A snapshot of each partition, as a report sees them. */
export class PublishedSet {
  private readonly seen: readonly Seen[];

  /** By partition. */
  constructor(snapshots: readonly PublishedSnapshot[]) {
    this.seen = snapshots.map((snapshot) => {
      const {partition, index, leftOut} = snapshot;
      const has = ({to, n}: Move) => n <= (snapshots[to]?.moves.received[partition] as number);
      const arrived = index.moves.filter(has);
      const all = leftOut.copy();
      for (const {users} of arrived) for (const user of users) all.add(user);
      return {snapshot, arrived, leftOut: all};
    });
  }

  /** What a partition settled another one has, and what that has the partition left. */
  static isWhole(snapshots: readonly PublishedSnapshot[]): boolean {
    return snapshots.every(({moves, partition}) =>
      snapshots.every((other, to) => {
        const received = other.moves.received[partition] as number;
        return (moves.settled[to] as number) <= received && received <= (moves.left[to] as number);
      }),
    );
  }

  rows(): string[] {
    return this.seen.flatMap((seen) => rowsOf(seen)).sort();
  }

  /** A name whose last event was erased is left out; its cells add up to nothing until they are merged. */
  cells(): Map<string, number> {
    const cells = new Map<string, number>();
    for (const seen of this.seen)
      for (const [cell, count] of cellsOf(seen)) cells.set(cell, (cells.get(cell) ?? 0) + count);
    return cells;
  }

  members(): string[] {
    return [...new Set(this.seen.flatMap((seen) => membersOf(seen)))].sort();
  }

  nameCounts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const {snapshot, leftOut} of this.seen) {
      for (const [name, count] of snapshot.nameCounts()) counts.set(name, (counts.get(name) ?? 0) + count);
      for (const {user, name} of snapshot.rows)
        if (leftOut.has(user)) counts.set(name, (counts.get(name) as number) - 1);
    }
    for (const [name, count] of counts) if (count === 0) counts.delete(name);
    return counts;
  }

  profiles(): string[] {
    return this.seen.flatMap((seen) => profilesOf(seen)).sort();
  }
}

const rowsOf = ({snapshot: {rows, users}, leftOut}: Seen): string[] =>
  rows.filter(({user}) => !leftOut.has(user)).map(({user, json}) => `${firstKey(users.text(user))} ${json}`);

function cellsOf({snapshot, arrived}: Seen): Map<string, number> {
  const cells = new Map<string, {hour: number; name: number; sum: number}>();
  const addTo = (hour: number, name: number, count: number): void => {
    const sum = (cells.get(`${hour} ${name}`)?.sum ?? 0) + count;
    cells.set(`${hour} ${name}`, {hour, name, sum});
  };
  for (const {hours, names, counts} of snapshot.windows)
    counts.forEach((count, i) => {
      addTo(hours[i] as number, names[i] as number, count);
    });
  for (const {contents} of arrived) for (const [hour, name, count] of contents?.cells ?? []) addTo(hour, name, -count);
  const counted = [...cells.values()].filter(({sum}) => sum !== 0);
  return new Map(counted.map(({hour, name, sum}) => [`${hour} ${snapshot.names.text(name)}`, sum]));
}

function membersOf({snapshot: {index, users, windows}, leftOut}: Seen): string[] {
  const erased = new Set(index.erasedUsers);
  return windows.flatMap((view) =>
    [...view.days].flatMap((day, i) =>
      [...view.members.subarray(view.memberOffsets[i], view.memberOffsets[i + 1])]
        .filter((user) => !erased.has(user) && !leftOut.has(user))
        .map((user) => `${day} ${firstKey(users.text(user))}`),
    ),
  );
}

const profilesOf = ({snapshot, leftOut}: Seen): string[] =>
  snapshot
    .records()
    .filter(({user}) => !leftOut.has(user))
    .map(({user, createdMs, lastEventMs, lastIdentifyMs, traits}) =>
      profileText(firstKey(snapshot.users.text(user)), createdMs, lastEventMs, lastIdentifyMs, traits?.json ?? '{}'),
    );
