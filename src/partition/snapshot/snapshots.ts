// Takes and publishes snapshots of one partition.
//   P3. Parts first, manifest last, by compare-and-set on its revision.
//   P4. Nothing that a kept manifest still needs is truncated or swept.
//   P7. All parts of a manifest are at its position: the state is frozen synchronously, and parts are written while folding
//       continues.
import type {JetStreamManager} from '@nats-io/jetstream';
import type {Arriving} from '../../../actors/identity/moves.js';
import {assert, must} from '../../../actors/invariant.js';
import {
  type ArrivingParts,
  type CompletedPart,
  encodeDeletions,
  encodeIndex,
  type FingerprintsPart,
  type Manifest,
  type Move,
  manifestFormat,
  newestParts,
  type PartRef,
  type Position,
  partsOfChunk,
  type StoredIndex,
} from '../../../actors/manifest.js';
import type {Partition, SnapshotDelta} from '../../../actors/partition.js';
import {monotonicMs} from '../../clock.js';
import {duplicateWindowMs, logStream} from '../../nats/topology.js';
import type {Logger} from '../../observe.js';
import type {TimeSlicer} from '../../pacing/time-slicer.js';
import {isUnreadable} from '../../parts/damage.js';
import {readChanges, readDeletions} from '../../parts/stored-state.js';
import {program} from '../../version.js';
import {markAt} from '../log/log-reader.js';
import {truncateInSteps} from '../log/log-truncation.js';
import {RetryLog, retryForever} from '../retry.js';
import type {Throttle} from '../throttle.js';
import {putChanges} from './changes-parts.js';
import {type ChunkImage, imageOf} from './chunk-parts.js';
import {appendUserRun, appendWindowRun, mergeCount, type PartLoader, sizeRatio} from './compaction.js';
import type {Layout} from './layout.js';
import type {ManifestStore} from './manifest-store.js';
import {type KeptNames, type KeySet, NamedParts} from './named-parts.js';
import type {PartStore} from './part-store.js';
import type {PartSweep} from './part-sweep.js';
import type {PositionNote} from './position-note.js';

/** Longer lists are rewritten with every snapshot: comparing them would keep them in memory twice. */
const comparedBytesMax = 1024 * 1024;
/** A part with this many message ids (12 MB) is not joined with others, so that it is removed once they are forgotten. */
const idsJoinedMax = 1_000_000;

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
  readonly sweep: PartSweep;
  readonly manifests: ManifestStore;
  readonly loader: PartLoader;
  readonly jsm: JetStreamManager;
  readonly note: PositionNote;
  readonly epoch: number;
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
  private lastNameCounts: Uint8Array | undefined;
  /** Number of users in the last part of users who left. */
  private lastLeftOut: number;
  private readonly arrivingParts = new WeakMap<Uint8Array, PartRef>();
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
    this.lastLeftOut = setup.partition.moves.leftOut.count;
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
    if (this.count === 1) this.sweepOrphans();
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
    this.setup.sweep.addOrphans(this.named);
  }

  /** Writes everything that is dirty and enters it in the layout. */
  private async putParts(delta: SnapshotDelta, open: ChunkImage | undefined): Promise<StoredIndex> {
    const {layout, parts, throttle} = this.setup;
    const slicer = throttle.slicer();
    await slicer.pause();
    layout.setTable('users', delta.users.count, await this.putBlocks(delta.users.blocks, slicer));
    layout.setTable('names', delta.names.count, await this.putBlocks(delta.names.blocks, slicer));
    layout.setTable('devices', delta.devices.count, await this.putBlocks(delta.devices.blocks, slicer));
    layout.setTable('owners', delta.owners.count, await this.putBlocks(delta.owners.blocks, slicer));
    layout.setLinks(await this.putBlocks(delta.linkBlocks, slicer));
    await this.putLeftOut();
    await this.putArriving(delta.arriving);
    await this.setup.completeMoves(delta.rest.moves, slicer);
    await this.putNameCounts(delta.nameCounts);
    await this.putRuns(delta, slicer);
    await this.putFingerprints(delta);
    await this.putDeletions(delta);
    await this.putCompleted(delta);
    await putChanges(layout, parts, delta, (joined) => this.loadJoined(joined, readChanges));
    const openEntry = await layout.putOpen(open, slicer);
    for (const {chunk, done} of [...layout.writing.values()])
      if (chunk.chunk < delta.rest.nextChunk) await throttle.expedite(done);
    // A chunk that closed since the freeze has parts of its own: this image is for this index alone.
    const isClosed = openEntry !== null && (layout.chunks.has(openEntry.chunk) || layout.writing.has(openEntry.chunk));
    if (!isClosed) layout.setOpenEntry(openEntry);
    else if (openEntry !== layout.openEntry) parts.retire(...partsOfChunk(openEntry));
    await layout.putChunkBlocks(delta.rest.nextChunk, slicer);
    return {
      users: layout.users,
      names: layout.names,
      devices: layout.devices,
      owners: layout.owners,
      links: layout.links,
      leftOut: layout.leftOut,
      arriving: layout.arriving,
      nameCounts: layout.nameCounts,
      chunkBlocks: layout.chunkBlocks,
      lastChunks: layout.lastChunks(delta.rest.nextChunk, openEntry),
      windowRuns: layout.windowRuns,
      userRuns: layout.userRuns,
      dedupe: layout.dedupe,
      erasedIds: layout.erasedIds,
      completedDeletions: layout.completedDeletions,
      completed: layout.completed,
      changes: layout.changes,
      changesDropped: layout.changesDropped,
      ...delta.rest,
    };
  }

  /** Writes each arriving message once. */
  private async putArriving(arriving: readonly Arriving[]): Promise<void> {
    const {layout, parts} = this.setup;
    const next: ArrivingParts[] = [];
    for (const {from, n, messages} of arriving) {
      const refs: PartRef[] = [];
      for (const message of messages) {
        const ref = this.arrivingParts.get(message) ?? (await parts.put(message));
        this.arrivingParts.set(message, ref);
        refs.push(ref);
      }
      next.push({from, n, messages: refs});
    }
    layout.setArriving(next);
  }

  /** Writes the set of users who left, if it grew; it grows only while no snapshot is being written. */
  private async putLeftOut(): Promise<void> {
    const {leftOut} = this.setup.partition.moves;
    if (leftOut.count === this.lastLeftOut) return;
    this.setup.layout.setLeftOut(await this.setup.parts.put(leftOut.encode()));
    this.lastLeftOut = leftOut.count;
  }

  /** Writes the name counts, unless they equal the last ones that this process wrote. */
  private async putNameCounts(payload: Uint8Array): Promise<void> {
    const last = this.lastNameCounts;
    if (last !== undefined && Buffer.compare(last, payload) === 0) return;
    this.setup.layout.setNameCounts(payload.length > 0 ? await this.setup.parts.put(payload) : null);
    this.lastNameCounts = payload.length <= comparedBytesMax ? payload : undefined;
  }

  /** Writes the completions of each saved funnel with new ones; the parts of the others stay. */
  private async putCompleted({completed}: SnapshotDelta): Promise<void> {
    const {layout, parts} = this.setup;
    const held = new Map(layout.completed.map(({funnel, users}) => [funnel, users]));
    const next: CompletedPart[] = [];
    for (const {users, ...rest} of completed) {
      const part = users === undefined ? (held.get(rest.funnel) ?? null) : users && (await parts.put(users));
      next.push({...rest, users: part});
    }
    layout.setCompleted(next);
  }

  private async putBlocks(
    blocks: Iterable<readonly [number, Uint8Array]>,
    slicer: TimeSlicer,
  ): Promise<Map<number, PartRef>> {
    const refs = new Map<number, PartRef>();
    for (const [block, payload] of blocks) {
      refs.set(block, await this.setup.parts.put(payload));
      await slicer.pause();
    }
    return refs;
  }

  private async putRuns(delta: SnapshotDelta, slicer: TimeSlicer): Promise<void> {
    const {partition, layout, parts, loader} = this.setup;
    const before = layout.windowRuns;
    const erased = new Set(delta.rest.erasedUsers);
    layout.setRuns('windowRuns', await appendWindowRun(before, delta.windowBlocks, parts, loader, erased, slicer));
    // A merge of all runs into one leaves out erased users: no run needs their list any more.
    if (layout.windowRuns !== before && layout.windowRuns.length === 1) partition.users.dropErased(erased);
    layout.setRuns('userRuns', await appendUserRun(layout.userRuns, delta.userBlocks, parts, loader, slicer));
  }

  /** Writes message ids since the last delta, and those of erased events. All parts hold only remembered ids. */
  private async putFingerprints(delta: SnapshotDelta): Promise<void> {
    const {layout} = this.setup;
    const ids = await this.appended(layout.dedupe, delta.fingerprints);
    layout.setFingerprints('dedupe', newestParts(ids, delta.rest.dedupeCount));
    const erased = await this.appended(layout.erasedIds, delta.erasedIds);
    const remembered = erased.filter(({logicalDay}) => logicalDay >= delta.erasedIdsFromDay);
    layout.setFingerprints('erasedIds', remembered);
  }

  /** Appends a part; parts of one day are joined like runs. */
  private async appended(
    parts: readonly FingerprintsPart[],
    fresh: SnapshotDelta['fingerprints'],
  ): Promise<readonly FingerprintsPart[]> {
    let next = [...parts];
    for (const {logicalDay, count, payload} of fresh) {
      const sameDay = next.filter((part) => part.logicalDay === logicalDay && part.count < idsJoinedMax);
      const merged = mergeCount([...sameDay.map((part) => part.count), count], sizeRatio) - 1;
      const {joined, payloads} = await this.loadJoined(merged === 0 ? [] : sameDay.slice(-merged), (ids) => ids);
      const total = joined.reduce((sum, part) => sum + part.count, count);
      next = next.filter((part) => !joined.includes(part));
      next.push({logicalDay, count: total, part: await this.setup.parts.put(Buffer.concat([...payloads, payload]))});
    }
    return next;
  }

  /** Writes deletions completed since the last delta, joined like runs, without expired ones. */
  private async putDeletions({completedDeletions: fresh, rest: {logicalMs}}: SnapshotDelta): Promise<void> {
    const {layout, parts} = this.setup;
    const isKept = ({expiresLogicalMs}: {readonly expiresLogicalMs: number}): boolean => expiresLogicalMs >= logicalMs;
    const kept = layout.completedDeletions.filter(isKept);
    if (fresh.length === 0) return layout.setCompletedDeletions(kept);
    const merged = mergeCount([...kept.map(({count}) => count), fresh.length], sizeRatio) - 1;
    const {joined, payloads} = await this.loadJoined(merged === 0 ? [] : kept.slice(-merged), readDeletions);
    const records = [...payloads.flat(), ...fresh].filter(isKept);
    const others = kept.filter((part) => !joined.includes(part));
    if (records.length === 0) return layout.setCompletedDeletions(others);
    const part = await parts.put(encodeDeletions(records));
    const expiresLogicalMs = records.reduce((last, one) => Math.max(last, one.expiresLogicalMs), 0);
    layout.setCompletedDeletions([...others, {part, count: records.length, expiresLogicalMs}]);
  }

  /** Joins nothing when one of the parts cannot be read: they stay as they are. */
  private async loadJoined<T extends {readonly part: PartRef}, Payload>(
    joined: readonly T[],
    read: (bytes: Uint8Array, ref: PartRef) => Payload,
  ): Promise<{readonly joined: readonly T[]; readonly payloads: readonly Payload[]}> {
    const load = async ({part}: T): Promise<Payload> => read(await this.setup.loader.load(part), part);
    try {
      return {joined, payloads: await Promise.all(joined.map(load))};
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return {joined: [], payloads: []};
    }
  }

  private async publish(delta: SnapshotDelta, index: PartRef, indexBytes: Uint8Array): Promise<void> {
    const {partition, manifests, parts, note, epoch} = this.setup;
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
      moves: delta.rest.moveCounts,
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
