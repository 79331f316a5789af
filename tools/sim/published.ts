// The published state, read directly from the fake store: every row, cell, member and profile as texts.
import {crc32, gunzipSync} from 'node:zlib';
import {viewWindows} from '../../actors/aggregator/windows.js';
import {BodyBlock, bodiesLayout, eventJson} from '../../actors/chunk/bodies.js';
import {viewRows} from '../../actors/chunk/rows.js';
import {bodyBlockRows} from '../../actors/limits.js';
import {
  type DeletionRecord,
  decodeChunkBlock,
  decodeDeletions,
  decodeIndex,
  decodeManifest,
  type Manifest,
  type Move,
  type PartRef,
  type SnapshotIndex,
  wholeIndex,
} from '../../actors/manifest.js';
import {InternedTable} from '../../actors/table/interned.js';
import {UserSet} from '../../actors/table/user-set.js';
import {mergeRecords, UserBlockReader, type UserRecord} from '../../actors/user/user-records.js';
import {profileText, withoutId} from './model.js';
import type {SimServer} from './server.js';

/** The payload of a part; undefined when it is missing or differs from its reference. */
export function payloadOf(server: SimServer, ref: PartRef): Uint8Array<ArrayBuffer> | undefined {
  const values = ref.revisions.map((revision) => server.parts.live.get(revision)?.data);
  if (values.some((value) => value === undefined)) return undefined;
  const payload = new Uint8Array(Buffer.concat(values as Uint8Array[]));
  const isWhole = values.every((value, i) => crc32(value as Uint8Array) === ref.crcs[i]);
  return payload.length === ref.bytes && isWhole ? payload : undefined;
}

/** The key of a user, also of one who is leaving. */
const firstKey = (key: string): string => (key.startsWith('m') ? `a${key.slice(1)}` : key);

export class PublishedState {
  readonly manifest: Manifest;
  readonly index: SnapshotIndex;
  private readonly server: SimServer;
  private readonly users = new InternedTable();
  private readonly names = new InternedTable();
  /** Whose rows count no more. */
  private readonly leftOut = new UserSet();
  private readonly arrived: readonly Move[];

  /** Reads the newest manifest of the server. */
  constructor(server: SimServer, subject: string) {
    this.server = server;
    this.manifest = decodeManifest(server.manifests.lastOf(subject).data);
    const stored = decodeIndex(this.load(this.manifest.index));
    this.index = wholeIndex(
      stored,
      stored.chunkBlocks.map((ref) => decodeChunkBlock(this.load(ref))),
    );
    for (const ref of this.index.users.blocks) this.users.restoreBlock(this.load(ref));
    for (const ref of this.index.names.blocks) this.names.restoreBlock(this.load(ref));
    const {leftOut, moves, moveCounts} = this.index;
    if (leftOut !== null) this.leftOut.restore(this.load(leftOut));
    // Of those that arrived where they left.
    this.arrived = moves.filter(({to, n}) => n <= (moveCounts.received[to] as number));
    for (const {users} of this.arrived) for (const user of users) this.leftOut.add(user);
  }

  private load(ref: PartRef): Uint8Array<ArrayBuffer> {
    const payload = payloadOf(this.server, ref);
    if (payload === undefined) throw new Error(`part ${ref.key} of the newest manifest is gone or damaged`);
    return payload;
  }

  /** Deletions; of one that was carried out again, as its client asked again with its id, the last, like a start. */
  deletions(): DeletionRecord[] {
    const completed = this.index.completedDeletions.flatMap(({part}) => decodeDeletions(this.load(part)));
    const all = [...completed, ...this.index.deletions];
    return [...new Map(all.map((record) => [record.id, record])).values()];
  }

  rows(): string[] {
    const found: string[] = [];
    for (const entry of this.index.chunks) {
      const rows = viewRows(this.load(entry.rows));
      const bodies = this.load(entry.bodies);
      const {starts, ends} = bodiesLayout(bodies);
      const blocks = [...starts].map((start, i) => new BodyBlock(gunzipSync(bodies.subarray(start, ends[i])), rows));
      for (const row of rows.order) {
        if (this.leftOut.has(rows.users[row] as number)) continue;
        const body = blocks[Math.floor(row / bodyBlockRows)]?.entry(row, this.users, this.names);
        const json = body === undefined ? 'nothing' : withoutId(eventJson(body, 0, 0));
        found.push(`${firstKey(this.users.text(rows.users[row] as number))} ${json}`);
      }
    }
    return found.sort();
  }

  /** A name whose last event was erased is left out; its cells add up to nothing until they are merged. */
  cells(): Map<string, number> {
    const cells = new Map<string, {hour: number; name: number; sum: number}>();
    for (const view of this.windowViews()) {
      view.counts.forEach((count, i) => {
        const [hour, name] = [view.hours[i] as number, view.names[i] as number];
        const sum = (cells.get(`${hour} ${name}`)?.sum ?? 0) + count;
        cells.set(`${hour} ${name}`, {hour, name, sum});
      });
    }
    for (const {contents} of this.arrived) {
      for (const [hour, name, count] of contents?.cells ?? []) {
        const cell = cells.get(`${hour} ${name}`);
        if (cell !== undefined) cell.sum -= count;
      }
    }
    const counted = [...cells.values()].filter(({sum}) => sum !== 0);
    return new Map(counted.map(({hour, name, sum}) => [`${hour} ${this.names.text(name)}`, sum]));
  }

  members(): string[] {
    const erased = new Set(this.index.erasedUsers);
    const members = new Set<string>();
    for (const view of this.windowViews()) {
      view.days.forEach((day, i) => {
        for (const user of view.members.subarray(view.memberOffsets[i], view.memberOffsets[i + 1])) {
          if (!erased.has(user) && !this.leftOut.has(user)) members.add(`${day} ${firstKey(this.users.text(user))}`);
        }
      });
    }
    return [...members].sort();
  }

  private windowViews() {
    return this.index.windowRuns.flatMap(({blocks}) => blocks.map(({part}) => viewWindows(this.load(part))));
  }

  nameCounts(): Map<string, number> {
    const counts = new Map<string, number>();
    if (this.index.nameCounts === null) return counts;
    new Float64Array(this.load(this.index.nameCounts).buffer).forEach((count, name) => {
      if (count !== 0) counts.set(this.names.text(name), count);
    });
    for (const {rows: ref} of this.index.chunks) {
      const rows = viewRows(this.load(ref));
      for (const row of rows.order) {
        if (!this.leftOut.has(rows.users[row] as number)) continue;
        const name = this.names.text(rows.names[row] as number);
        counts.set(name, (counts.get(name) as number) - 1);
      }
    }
    for (const [name, count] of counts) if (count === 0) counts.delete(name);
    return counts;
  }

  profiles(): string[] {
    const records = new Map<number, UserRecord>();
    for (const {blocks} of this.index.userRuns) {
      for (const {part} of blocks) this.mergeBlock(part, records);
    }
    return [...records.values()]
      .filter(({user}) => !this.leftOut.has(user))
      .map(({user, createdMs, lastEventMs, lastIdentifyMs, traits}) =>
        profileText(firstKey(this.users.text(user)), createdMs, lastEventMs, lastIdentifyMs, traits?.json ?? '{}'),
      )
      .sort();
  }

  private mergeBlock(part: PartRef, records: Map<number, UserRecord>): void {
    const reader = new UserBlockReader(this.load(part));
    for (let record = reader.next(); record !== undefined; record = reader.next()) {
      const held = records.get(record.user);
      records.set(record.user, held === undefined ? record : mergeRecords(held, record));
    }
  }
}
