// Takes and publishes snapshots of one partition.
//   P3. Parts first, manifest last, by compare-and-set on its revision.
//   P4. Nothing that a kept manifest still needs is truncated or swept.
//   P7. All parts of a manifest are at its position: the state is frozen synchronously, and parts are written while folding
//       continues.
import type {JetStreamManager} from '@nats-io/jetstream';
import {assert, must} from '../../../actors/invariant.js';
import {
  claimOf,
  encodeIndex,
  type Manifest,
  type Move,
  manifestFormat,
  type PartRef,
  type Position,
  partsOfChunk,
  type SnapshotDelta,
  type StoredIndex,
} from '../../../actors/manifest.js';
import type {Partition} from '../../../actors/partition.js';
import {monotonicMs} from '../../clock.js';
import {duplicateWindowMs, logStream} from '../../nats/topology.js';
import type {Logger} from '../../observe.js';
import type {TimeSlicer} from '../../pacing/time-slicer.js';
import {program} from '../../version.js';
import {markAt} from '../log/log-reader.js';
import {truncateInSteps} from '../log/log-truncation.js';
import {RetryLog, retryForever} from '../retry.js';
import type {Throttle} from '../throttle.js';
import {type ChunkImage, imageOf} from './chunk-parts.js';
import {appendUserRun, appendWindowRun, type PartLoader} from './compaction.js';
import type {Layout} from './layout.js';
import type {ManifestStore} from './manifest-store.js';
import {type KeptNames, type KeySet, NamedParts} from './named-parts.js';
import type {Ownership} from './ownership.js';
import type {PartStore} from './part-store.js';
import type {PartSweep} from './part-sweep.js';
import type {PositionNote} from './position-note.js';

export interface Published {
  readonly sequence: number;
  readonly asOfMs: number;
}

/** Position of a manifest, and the mark of its message in the log. */
interface Milestone {
  readonly sequence: number;
  readonly mark: string;
}

interface SnapshotsSetup {
  readonly partition: Partition;
  readonly layout: Layout;
  readonly parts: PartStore;
  readonly sweep: Pick<PartSweep, 'add' | 'addOrphans' | 'room'>;
  readonly manifests: Pick<ManifestStore, 'write'>;
  readonly loader: PartLoader;
  readonly jsm: JetStreamManager;
  readonly note: PositionNote;
  readonly ownership: Pick<Ownership, 'epoch'>;
  readonly throttle: Throttle;
  /** Resolves once the effects of all folded messages are queued. EF2 (src/partition/effects.ts) */
  readonly whenQueued: () => Promise<void>;
  /** Adds the row counts to moves that lack them. */
  readonly completeMoves: (moves: readonly Move[], slicer: TimeSlicer) => Promise<void>;
  readonly log: Logger;
}

export class Snapshots {
  private readonly setup: SnapshotsSetup;
  private readonly retries: RetryLog;
  private manifest: Manifest | undefined;
  private revision: number;
  private names: KeptNames;
  /** Published positions up to which the log may be truncated once they are old enough. */
  private behind: (Published & Milestone)[] = [];
  private running: Promise<void> | undefined;
  /** Orphans of earlier epochs were not swept yet. */
  private areOrphansDue = true;
  /** Number of snapshots that this process published, and ms of the newest from its beginning to the manifest. */
  count = 0;
  lastMs: number | null = null;
  /** Notified when a manifest is published. */
  onPublished: (published: Published) => void = () => undefined;

  /** `manifest`: the one that recovery started from. `named`: parts that it and the manifest before it name. */
  constructor(setup: SnapshotsSetup, manifest: Manifest | undefined, revision: number, named: KeptNames) {
    this.setup = setup;
    this.retries = new RetryLog(setup.log, {partition: setup.partition.partition, tried: 'to truncate the log'});
    this.manifest = manifest;
    this.revision = revision;
    this.names = named;
  }

  get published(): Published | null {
    const {manifest} = this;
    return manifest === undefined ? null : {sequence: manifest.position.sequence, asOfMs: manifest.asOfMs};
  }

  /** Number of the newest published move, by destination. */
  get movesPublished(): readonly number[] {
    return this.manifest?.moves.left ?? [];
  }

  /** Position of the newest manifest; undefined before the first. */
  get position(): Position | undefined {
    return this.manifest?.position;
  }

  /** Sequence of the newest manifest in the log as it is now; 0: none. */
  get publishedSequence(): number {
    const {manifest} = this;
    return manifest?.position.generation === this.setup.partition.generation ? manifest.position.sequence : 0;
  }

  /** Position of the older kept manifest: the log is needed from there on. */
  get older(): Milestone | undefined {
    const previous = this.manifest?.previous;
    return previous == null ? undefined : {sequence: previous.position.sequence, mark: previous.mark};
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Resolves when no snapshot is being written. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.setup.throttle.expedite(this.running);
  }

  /**
   * Publishes the state before the first message of another log. Sequences of the former log truncate nothing of it.
   * LI4 (log/log-identity.ts)
   */
  async logReplaced(): Promise<void> {
    this.behind = [];
    await this.setup.throttle.expedite(this.take());
  }

  /**
   * Freezes the state now (synchronously) and writes it, throttled while no caller waits. Resolves when the manifest is
   * published; replaced parts are swept afterwards.
   */
  take(): Promise<void> {
    const {partition} = this.setup;
    const startedMs = monotonicMs();
    const open = partition.open.count > 0 ? imageOf(partition.open) : undefined;
    const delta = partition.freeze();
    const queued = this.setup.whenQueued();
    this.running = this.write(delta, open, queued, startedMs).finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async write(
    delta: SnapshotDelta,
    open: ChunkImage | undefined,
    queued: Promise<void>,
    startedMs: number,
  ): Promise<void> {
    const {partition, layout, parts, sweep, log} = this.setup;
    const index = await this.putParts(delta, open);
    const indexBytes = encodeIndex(index);
    const indexRef = await parts.put(indexBytes);
    await queued;
    await this.publish(delta, indexRef, indexBytes);
    this.count += 1;
    this.lastMs = monotonicMs() - startedMs;
    log.debug({partition: partition.partition, sequence: delta.sequence, ms: this.lastMs}, 'snapshot published');
    partition.snapshotDone();
    const {current: previous} = this.names;
    this.names = {current: NamedParts.of(indexRef, index, (block) => layout.blockEntries(block), previous), previous};
    sweep.add(parts.takeRetired(this.named));
    if (this.areOrphansDue) this.sweepOrphans();
    await this.truncateLog();
    await sweep.room(); // Parts replaced faster than they are erased would fill the disk.
  }

  /** Keys of the parts that the two kept manifests name. */
  private get named(): KeySet {
    const {current, previous} = this.names;
    return {has: (key) => current.has(key) || previous.has(key)};
  }

  /**
   * Erases orphans. Call it after this owner's first manifest: until then another process that starts at the same time may win,
   * and name its parts.
   */
  sweepOrphans(): void {
    assert(this.count > 0, 'a manifest was published');
    this.areOrphansDue = false;
    this.setup.sweep.addOrphans(this.named);
  }

  /**
   * Writes the newest manifest once more, with a higher epoch; the next snapshot sweeps what owners below it left. O4 (ownership.ts)
   * @throws Replaced
   */
  async raiseEpoch(epoch: number): Promise<void> {
    await this.idle();
    const {manifests, partition} = this.setup;
    const manifest = this.manifest && {...this.manifest, epoch};
    this.revision = await manifests.write(manifest ?? claimOf(partition.partition, epoch, program), this.revision);
    this.manifest = manifest;
    this.areOrphansDue = true;
  }

  /** Writes everything that is dirty and enters it in the layout. */
  private async putParts(delta: SnapshotDelta, open: ChunkImage | undefined): Promise<StoredIndex> {
    const {layout, parts, loader, throttle} = this.setup;
    const slicer = throttle.slicer();
    await slicer.pause();
    for (const frozen of delta.parts) await layout.actors.put(frozen, (ref) => loader.load(ref), slicer);
    await this.setup.completeMoves(delta.moves, slicer);
    await this.putRuns(delta, slicer);
    const openEntry = await layout.putOpen(open, slicer);
    for (const {chunk, done} of [...layout.writing.values()])
      if (chunk.chunk < delta.nextChunk) await throttle.expedite(done);
    // A chunk that closed since the freeze has parts of its own: this image is for this index alone.
    const isClosed = openEntry !== null && (layout.chunks.has(openEntry.chunk) || layout.writing.has(openEntry.chunk));
    if (!isClosed) layout.setOpenEntry(openEntry);
    else if (openEntry !== layout.openEntry) parts.retire(...partsOfChunk(openEntry));
    await layout.putChunkBlocks(delta.nextChunk, slicer);
    return layout.indexOf(delta, openEntry);
  }

  private async putRuns(delta: SnapshotDelta, slicer: TimeSlicer): Promise<void> {
    const {partition, layout, parts, loader} = this.setup;
    const before = layout.windowRuns;
    const erased = new Set(delta.erasedUsers);
    layout.setRuns('windowRuns', await appendWindowRun(before, delta.windowBlocks, parts, loader, erased, slicer));
    // A merge of all runs into one leaves out erased users: no run needs their list any more.
    if (layout.windowRuns !== before && layout.windowRuns.length === 1) partition.users.dropErased(erased);
    layout.setRuns('userRuns', await appendUserRun(layout.userRuns, delta.userBlocks, parts, loader, slicer));
  }

  private async publish(delta: SnapshotDelta, index: PartRef, indexBytes: Uint8Array): Promise<void> {
    const {partition, manifests, parts, note} = this.setup;
    const {epoch} = this.setup.ownership;
    const last = this.manifest;
    const manifest: Manifest = {
      format: manifestFormat,
      writtenBy: program,
      partition: partition.partition,
      position: {generation: partition.generation, sequence: delta.sequence},
      mark: delta.mark,
      epoch,
      asOfMs: delta.asOfMs,
      index,
      moves: delta.moveCounts,
      generations: partition.generations,
      previous:
        last === undefined ? null : {position: last.position, mark: last.mark, asOfMs: last.asOfMs, index: last.index},
    };
    await note.write({...manifest.position, mark: delta.mark, epoch}); // N1 (position-note.ts)
    this.revision = await manifests.write(manifest, this.revision, indexBytes);
    // Two manifests are kept: the next sweep removes the index of the one before the last.
    if (last?.previous != null) parts.retire(last.previous.index);
    this.manifest = manifest;
    this.onPublished({sequence: delta.sequence, asOfMs: delta.asOfMs});
    if (last !== undefined && last.position.generation === partition.generation)
      this.behind.push({sequence: last.position.sequence, mark: last.mark, asOfMs: last.asOfMs});
  }

  /** Truncates the log up to the older kept manifest, except what the server's duplicate window still needs. */
  private async truncateLog(): Promise<void> {
    const newestMs = must(this.manifest, 'a manifest was just published').asOfMs;
    const old = this.behind.filter((published) => published.asOfMs <= newestMs - duplicateWindowMs);
    const last = old[old.length - 1];
    if (last === undefined) return;
    this.behind = this.behind.filter((published) => !old.includes(published));
    await this.truncateUpTo(last);
  }

  /**
   * Removes everything before a manifest. Its own entry, a tick, stays: recovery compares it with the manifest. A log with
   * another entry there lost its tail: its sequences mean something else, and nothing is removed.
   */
  private async truncateUpTo({sequence, mark}: Milestone): Promise<void> {
    const {jsm, partition, throttle} = this.setup;
    const stream = logStream(partition.partition);
    await retryForever(async () => {
      const {state} = await jsm.streams.info(stream);
      await truncateInSteps({
        first: state.first_seq,
        end: sequence,
        isSame: async () => (await markAt(jsm, partition.partition, sequence)) === mark,
        removeBefore: (seq) => jsm.streams.purge(stream, {seq}),
        rest: (workedMs) => throttle.rest(workedMs),
      });
    }, this.retries);
  }

  /** Truncates without rests, for a caller that waits. */
  truncateNow(milestone: Milestone): Promise<void> {
    return this.setup.throttle.expedite(this.truncateUpTo(milestone));
  }
}
