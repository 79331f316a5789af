// A partition of the other number: its state, and what stores it. Nothing reads it before the switch (switch.ts).
//   NP1. Its parts have keys of their own in the bucket of parts. Before the switch no manifest of the bucket names them: whoever owns
//        a partition of that number next erases them as what an earlier owner had not published.
import type {JetStreamClient, JetStreamManager} from '@nats-io/jetstream';
import {must} from '../../../actors/invariant.js';
import type {Manifest} from '../../../actors/manifest.js';
import {Partition, type PartitionSetup} from '../../../actors/partition.js';
import type {Logger} from '../../observe.js';
import {RetryLog} from '../../partition/retry.js';
import {Layout} from '../../partition/snapshot/layout.js';
import {NamedParts} from '../../partition/snapshot/named-parts.js';
import {PartStore} from '../../partition/snapshot/part-store.js';
import {noNote} from '../../partition/snapshot/position-note.js';
import {Snapshots} from '../../partition/snapshot/snapshots.js';
import {Throttle} from '../../partition/throttle.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import type {Digest} from './digest.js';
import {recordsOf} from './user-runs.js';

/** Rows after which a snapshot takes what is in memory. */
const rowsAtOnceMax = 500_000;
const chunksWritingMax = 4;

interface NewPartitionSetup {
  readonly setup: PartitionSetup;
  /** That of the manifest: the first owner has the next one. */
  readonly epoch: number;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly cache: PartsCache;
  readonly log: Logger;
}

export class NewPartition {
  readonly partition: Partition;
  private readonly cache: PartsCache;
  private readonly layout: Layout;
  private readonly snapshots: Snapshots;
  private readonly throttle = new Throttle(() => 0);
  private newest: Manifest | undefined;
  private savedOrdinal = 0;

  constructor({setup, epoch, js, jsm, cache, log}: NewPartitionSetup) {
    const {partition: number} = setup;
    const owner = {epoch, confirm: async () => undefined};
    this.partition = new Partition(setup);
    this.cache = cache;
    const tried = 'to store the partitions of another number';
    const parts = new PartStore(js, jsm, number, owner, undefined, new RetryLog(log, {partition: number, tried}));
    const {partition, throttle} = this;
    this.layout = new Layout(parts, throttle, partition.moves.leftOut);
    const setups = {
      partition,
      whenQueued: async () => undefined,
      layout: this.layout,
      parts,
      sweep: {add: () => undefined, addOrphans: () => undefined, room: async () => undefined}, // NP1
      manifests: {
        write: async (manifest: Manifest, revision: number) => {
          this.newest = manifest;
          return revision + 1;
        },
      },
      loader: {load: (ref: Parameters<PartsCache['load']>[0]) => cache.load(ref)},
      jsm,
      note: noNote,
      ownership: owner,
      throttle,
      completeMoves: async () => undefined,
      log,
    };
    this.snapshots = new Snapshots(setups, undefined, 0, {current: NamedParts.none, previous: NamedParts.none});
  }

  /** Ordinal of the next row. */
  private get ordinal(): number {
    const {baseOrdinal, count} = this.partition.open;
    return baseOrdinal + count;
  }

  /** Stores closed chunks, and what is in memory where that is much. Call it after some hundred events. */
  async keepUp(): Promise<void> {
    for (const chunk of this.partition.takeClosedChunks()) this.layout.writeClosed(chunk);
    if (this.layout.writing.size > chunksWritingMax) await this.layout.settle(chunksWritingMax);
    if (this.ordinal - this.savedOrdinal >= rowsAtOnceMax) await this.save();
  }

  /** Stores everything. */
  async save(): Promise<void> {
    for (const chunk of this.partition.takeClosedChunks()) this.layout.writeClosed(chunk);
    this.savedOrdinal = this.ordinal;
    await this.throttle.expedite(this.snapshots.take());
    for (const _ of this.partition.users.profiles.passivate(0));
  }

  /** Manifest of what is saved: as if nothing had been published before. */
  get manifest(): Manifest {
    return {...must(this.newest, 'it was saved'), previous: null};
  }

  async addTo(digest: Digest): Promise<void> {
    const {layout, cache, partition} = this;
    const {users, names} = partition.tables;
    await digest.addWindows(layout.windowRuns, names, partition.retention.fromDay, cache);
    for await (const record of recordsOf(layout.userRuns, (ref) => cache.loadUncached(ref)))
      digest.addUser(users.text(record.user), record);
  }
}
