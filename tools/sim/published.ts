// The published state, read directly from the fake store: every row, cell, member and profile as texts.
import {crc32, gunzipSync} from 'node:zlib';
import {viewWindows} from '../../actors/aggregator/windows.js';
import {BodyBlock, bodiesLayout, eventJson} from '../../actors/chunk/bodies.js';
import {viewProperties, wholeRows} from '../../actors/chunk/property-columns.js';
import {viewRows} from '../../actors/chunk/rows.js';
import {bodyBlockRows} from '../../actors/limits.js';
import {
  type DeletionRecord,
  decodeChunkBlock,
  decodeDeletions,
  decodeIndex,
  decodeManifest,
  type Manifest,
  type PartRef,
  type SnapshotIndex,
  wholeIndex,
} from '../../actors/manifest.js';
import {InternedTable} from '../../actors/table/interned.js';
import {mergeRecords, UserBlockReader, type UserRecord} from '../../actors/user/user-records.js';
import {profileText} from './model.js';
import type {SimServer} from './server.js';

/** The payload of a part; undefined when it is missing or differs from its reference. */
export function payloadOf(server: SimServer, ref: PartRef): Uint8Array<ArrayBuffer> | undefined {
  const values = ref.revisions.map((revision) => server.parts.live.get(revision)?.data);
  if (values.some((value) => value === undefined)) return undefined;
  const payload = new Uint8Array(Buffer.concat(values as Uint8Array[]));
  const isWhole = values.every((value, i) => crc32(value as Uint8Array) === ref.crcs[i]);
  return payload.length === ref.bytes && isWhole ? payload : undefined;
}

export class PublishedState {
  readonly manifest: Manifest;
  readonly index: SnapshotIndex;
  private readonly server: SimServer;
  private readonly users = new InternedTable();
  private readonly names = new InternedTable();

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
      const rows = wholeRows(viewRows(this.load(entry.rows)), viewProperties(this.load(entry.properties)));
      const bodies = this.load(entry.bodies);
      const {starts, ends} = bodiesLayout(bodies);
      const blocks = [...starts].map((start, i) => new BodyBlock(gunzipSync(bodies.subarray(start, ends[i])), rows));
      for (const row of rows.order) {
        const body = blocks[Math.floor(row / bodyBlockRows)]?.entry(row, this.users, this.names);
        found.push(
          `${this.users.text(rows.users[row] as number)} ${body === undefined ? 'nothing' : eventJson(body, 0, 0)}`,
        );
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
    const counted = [...cells.values()].filter(({sum}) => sum !== 0);
    return new Map(counted.map(({hour, name, sum}) => [`${hour} ${this.names.text(name)}`, sum]));
  }

  members(): string[] {
    const erased = new Set(this.index.erasedUsers);
    const members = new Set<string>();
    for (const view of this.windowViews()) {
      view.days.forEach((day, i) => {
        for (const user of view.members.subarray(view.memberOffsets[i], view.memberOffsets[i + 1])) {
          if (!erased.has(user)) members.add(`${day} ${this.users.text(user)}`);
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
    return counts;
  }

  profiles(): string[] {
    const records = new Map<number, UserRecord>();
    for (const {blocks} of this.index.userRuns) {
      for (const {part} of blocks) this.mergeBlock(part, records);
    }
    return [...records.values()]
      .map(({user, createdMs, lastEventMs, lastIdentifyMs, traits}) =>
        profileText(this.users.text(user), createdMs, lastEventMs, lastIdentifyMs, traits?.json ?? '{}'),
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
