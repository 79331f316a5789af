// A partition of now, as its newest snapshot has it: its state in memory, its rows and records as they are read.
import type {JetStreamManager} from '@nats-io/jetstream';
import {BodyBlock} from '../../../actors/chunk/bodies.js';
import {timeOf} from '../../../actors/chunk/rows.js';
import {must} from '../../../actors/invariant.js';
import {bodyBlockRows} from '../../../actors/limits.js';
import type {EntryView} from '../../../actors/log/entry-view.js';
import type {ChunkEntry, Manifest, SnapshotIndex} from '../../../actors/manifest.js';
import type {Partition, PartitionSetup} from '../../../actors/partition.js';
import type {UserRecord} from '../../../actors/user/user-records.js';
import {publishedManifests} from '../../nats/published-manifests.js';
import {logStream} from '../../nats/topology.js';
import type {KeptNames} from '../../partition/snapshot/named-parts.js';
import {restore} from '../../partition/snapshot/restore.js';
import {loadAhead} from '../../parts/load-ahead.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import type {Digest} from './digest.js';
import {RepartitionFault} from './repartition-fault.js';
import {recordsOf} from './user-runs.js';

const chunksAheadMax = 2;

export interface OldEvent {
  readonly source: number;
  readonly user: number;
  /** Valid until the next event. */
  readonly entry: EntryView;
}

export class OldPartition {
  private constructor(
    readonly number: number,
    readonly partition: Partition,
    readonly index: SnapshotIndex,
    readonly manifest: Manifest,
    /** Parts that its kept manifests name. */
    readonly named: KeptNames,
    private readonly cache: PartsCache,
  ) {}

  /** @throws RepartitionFault when the snapshot is not all that the partition is. RD2 (actors/redistribution.ts) */
  static async open(setup: PartitionSetup, jsm: JetStreamManager, cache: PartsCache): Promise<OldPartition> {
    const number = setup.partition;
    const newest = await publishedManifests(jsm).newest(number);
    if (newest === undefined) throw new RepartitionFault(`partition ${number} has published no snapshot yet.`);
    const {state} = await jsm.streams.info(logStream(number));
    if (state.last_seq !== newest.position.sequence)
      throw new RepartitionFault(`the log of partition ${number} has entries that no snapshot has: try again.`);
    const {partition, index, manifest, named} = await restore(setup, newest, cache, undefined);
    const {moves, deletions} = partition;
    if (moves.pending.length > 0 || moves.candidates.size > 0)
      throw new RepartitionFault(`partition ${number} has users who are on their way to another one: try again.`);
    if (deletions.pending().length > 0 || deletions.isIncomplete)
      throw new RepartitionFault(`a deletion is under way in partition ${number}: try again.`);
    const whole = must(index, 'a snapshot has an index');
    return new OldPartition(number, partition, whole, must(manifest, 'it was restored'), named, cache);
  }

  /** Records of the users who count. `count`: whether a user does. */
  async *users(counts: (user: number) => boolean): AsyncGenerator<UserRecord> {
    for await (const record of recordsOf(this.index.userRuns, (ref) => this.cache.loadUncached(ref)))
      if (counts(record.user)) yield record;
  }

  /** `fromDay`: from which on all partitions keep events. */
  async addTo(digest: Digest, fromDay: number): Promise<void> {
    await digest.addWindows(this.index.windowRuns, this.partition.tables.names, fromDay, this.cache);
  }

  /** Reads the rows of a chunk. */
  async read(entry: ChunkEntry) {
    const blocks = Array.from({length: Math.ceil(entry.count / bodyBlockRows)}, (_, block) => block);
    const [columns, ...bodies] = await Promise.all([
      this.cache.wholeRows.load(entry),
      ...blocks.map((block) => this.cache.loadBodyBlock(entry.bodies, block)),
    ]);
    return {columns, bodies};
  }

  /** The events of a chunk in the order of arrival. */
  *eventsOf(
    {keptFromMs}: ChunkEntry,
    {columns, bodies}: Awaited<ReturnType<OldPartition['read']>>,
  ): Generator<OldEvent> {
    const {users, names} = this.partition.tables;
    for (let first = 0; first < columns.count; first += bodyBlockRows) {
      const block = new BodyBlock(bodies[first / bodyBlockRows]!, columns);
      for (let row = first; row < Math.min(columns.count, first + bodyBlockRows); row++) {
        if (timeOf(columns, row) < keptFromMs || !users.has(columns.users[row]!)) continue;
        const entry = block.entry(row, users, names);
        if (entry !== undefined) yield {source: this.number, user: columns.users[row]!, entry};
      }
    }
  }
}

/** The chunks of all partitions, those of one in their order, by their oldest events: new chunks are of one stretch of time, too. */
function chunksOf(partitions: readonly OldPartition[]): {readonly of: OldPartition; readonly entry: ChunkEntry}[] {
  const left = partitions.map((of) => ({of, entries: of.index.chunks.filter(({live}) => live > 0), at: 0}));
  const ordered: {of: OldPartition; entry: ChunkEntry}[] = [];
  for (;;) {
    let next: (typeof left)[number] | undefined;
    for (const one of left) {
      const entry = one.entries[one.at];
      if (entry !== undefined && !(next && next.entries[next.at]!.minTimeMs <= entry.minTimeMs)) next = one;
    }
    if (next === undefined) return ordered;
    ordered.push({of: next.of, entry: next.entries[next.at]!});
    next.at += 1;
  }
}

/** The events of all partitions, chunk by chunk. */
export async function* eventsOf(partitions: readonly OldPartition[]): AsyncGenerator<Iterable<OldEvent>> {
  const chunks = chunksOf(partitions);
  for await (const [{of, entry}, rows] of loadAhead(chunks, (one) => one.of.read(one.entry), chunksAheadMax))
    yield of.eventsOf(entry, rows);
}
