// Taking and publishing snapshots of one partition.
//   P3. Parts first, manifest last, by compare-and-set on its revision.
//   P4. Nothing is truncated or swept that a kept manifest still needs.
//   P7. All parts of a manifest stand at its position: the cut is synchronous; puts run while folding goes on.
import type {JetStreamManager} from '@nats-io/jetstream';
import type {Arriving} from '../../../actors/identity/moves.js';
import {assert, must} from '../../../actors/invariant.js';
import {
  type ArrivingParts,
  type CompletedPart,
  decodeDeletions,
  encodeDeletions,
  encodeIndex,
  type FingerprintsPart,
  type Manifest,
  type Move,
  manifestFormat,
  newestParts,
  type PartRef,
  partsOfChunk,
  type StoredIndex,
} from '../../../actors/manifest.js';
import type {Cut, Partition} from '../../../actors/partition.js';
import {monotonicMs} from '../../clock.js';
import {duplicateWindowMs, logStream} from '../../nats/topology.js';
import type {Logger} from '../../observe.js';
import type {TimeSlicer} from '../../pacing/time-slicer.js';
import {isUnreadable} from '../../parts/damage.js';
import {cutInSteps} from '../log/log-cut.js';
import {markAt} from '../log/log-reader.js';
import {retryForever, Trouble} from '../retry.js';
import type {Throttle} from '../throttle.js';
import {type ChunkImage, imageOf} from './chunk-parts.js';
import {appendUserRun, appendWindowRun, mergeCount, type PartLoader, sizeRatio} from './compaction.js';
import type {Layout} from './layout.js';
import type {ManifestStore} from './manifest-store.js';
import {type KeptNames, type KeySet, NamedParts} from './named-parts.js';
import type {PartStore} from './part-store.js';
import type {PartSweep} from './part-sweep.js';
import type {PositionNote} from './position-note.js';

/** What is longer is put anew with every snapshot: to compare it would keep it in memory twice. */
const comparedBytesMax = 1024 * 1024;
/** A part of so many message ids (12 MB) is joined with no further ones, so that it leaves once they are forgotten. */
const idsJoinedMax = 1_000_000;

export interface Published {
  readonly sequence: number;
  readonly asOfMs: number;
}

/** Where a manifest stands, and what stands there in the log that it was folded from. */
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
  /** Says of each of these moves what its rows are, where that is not said yet. */
  readonly completeMoves: (moves: readonly Move[], slicer: TimeSlicer) => Promise<void>;
  readonly log: Logger;
}

export class Snapshots {
  private readonly setup: SnapshotsSetup;
  private readonly trouble: Trouble;
  private manifest: Manifest | undefined;
  private revision: number;
  private names: KeptNames;
  /** Published positions behind which the log may be cut once they are old enough. */
  private behind: (Published & Milestone)[] = [];
  private running: Promise<void> | undefined;
  private lastNameCounts: Uint8Array | undefined;
  /** How many users the last part of them holds. */
  private lastLeftOut: number;
  private readonly arrivingParts = new WeakMap<Uint8Array, PartRef>();
  /** Published by this process; and how long the newest of them took, from the cut to the manifest. */
  count = 0;
  lastMs: number | null = null;
  /** Told as soon as a manifest is published. */
  onPublished: (published: Published) => void = () => undefined;

  /** `manifest`: what recovery started from; `named`: by it and by the one before. */
  constructor(setup: SnapshotsSetup, manifest: Manifest | undefined, revision: number, named: KeptNames) {
    this.setup = setup;
    this.trouble = new Trouble(setup.log, {partition: setup.partition.partition, tried: 'to cut the log'});
    this.manifest = manifest;
    this.revision = revision;
    this.names = named;
    this.lastLeftOut = setup.partition.moves.leftOut.count;
  }

  get published(): Published | null {
    const {manifest} = this;
    return manifest === undefined ? null : {sequence: manifest.position.sequence, asOfMs: manifest.asOfMs};
  }

  /** By destination: the number of the newest move that a published snapshot has. */
  get movesPublished(): readonly number[] {
    return this.manifest?.moves.left ?? [];
  }

  /** Position of the newest manifest, in sequences of the log as it is now. */
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

  /** The log is another one: nothing of it is behind a snapshot. */
  logReplaced(): void {
    this.behind = [];
  }

  /**
   * Cuts now (synchronously) and writes, throttled as long as nobody waits; resolves when the manifest is
   * published. What it replaced is swept behind it.
   */
  take(): Promise<void> {
    const {partition} = this.setup;
    const startedMs = monotonicMs();
    const open = partition.open.count > 0 ? imageOf(partition.open) : undefined;
    const cut = partition.cut();
    this.running = this.write(cut, open, startedMs).finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async write(cut: Cut, open: ChunkImage | undefined, startedMs: number): Promise<void> {
    const {partition, layout, parts, sweep, log} = this.setup;
    const index = await this.putParts(cut, open);
    const indexBytes = encodeIndex(index);
    const indexRef = await parts.put(indexBytes);
    await this.publish(cut, indexRef, indexBytes);
    this.count += 1;
    this.lastMs = monotonicMs() - startedMs;
    log.debug({partition: partition.partition, sequence: cut.sequence, ms: this.lastMs}, 'snapshot published');
    partition.snapshotDone();
    const {current: previous} = this.names;
    this.names = {current: NamedParts.of(indexRef, index, (block) => layout.blockEntries(block), previous), previous};
    sweep.add(parts.takeRetired(this.named));
    if (this.count === 1) this.sweepOrphans();
    await this.truncateLog();
    await sweep.room(); // Parts that are replaced faster than erased would fill the disk.
  }

  /** Keys of the parts that the two kept manifests name. */
  private get named(): KeySet {
    const {current, previous} = this.names;
    return {has: (key) => current.has(key) || previous.has(key)};
  }

  /**
   * Behind a manifest of this owner: until the first one another one that starts at the same time may still win, and name
   * its parts.
   */
  sweepOrphans(): void {
    assert(this.count > 0, 'a manifest was published');
    this.setup.sweep.addOrphans(this.named);
  }

  /** Puts all that is dirty and installs it in the layout. */
  private async putParts(cut: Cut, open: ChunkImage | undefined): Promise<StoredIndex> {
    const {layout, parts, throttle} = this.setup;
    const slicer = throttle.slicer();
    await slicer.pause();
    layout.setTable('users', cut.users.count, await this.putBlocks(cut.users.blocks, slicer));
    layout.setTable('names', cut.names.count, await this.putBlocks(cut.names.blocks, slicer));
    layout.setTable('devices', cut.devices.count, await this.putBlocks(cut.devices.blocks, slicer));
    layout.setTable('owners', cut.owners.count, await this.putBlocks(cut.owners.blocks, slicer));
    layout.setLinks(await this.putBlocks(cut.linkBlocks, slicer));
    await this.putLeftOut();
    await this.putArriving(cut.arriving);
    await this.setup.completeMoves(cut.rest.moves, slicer);
    await this.putNameCounts(cut.nameCounts);
    await this.putRuns(cut, slicer);
    await this.putFingerprints(cut);
    await this.putDeletions(cut);
    await this.putCompleted(cut);
    const openEntry = await layout.putOpen(open, slicer);
    for (const {chunk, done} of [...layout.writing.values()])
      if (chunk.chunk < cut.rest.nextChunk) await throttle.expedite(done);
    // A chunk that was open at the cut and is closed by now has parts of its own: this image serves this index alone.
    const isClosed = openEntry !== null && (layout.chunks.has(openEntry.chunk) || layout.writing.has(openEntry.chunk));
    if (!isClosed) layout.setOpenEntry(openEntry);
    else if (openEntry !== layout.openEntry) parts.retire(...partsOfChunk(openEntry));
    await layout.putChunkBlocks(cut.rest.nextChunk, slicer);
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
      lastChunks: layout.lastChunks(cut.rest.nextChunk, openEntry),
      windowRuns: layout.windowRuns,
      userRuns: layout.userRuns,
      dedupe: layout.dedupe,
      erasedIds: layout.erasedIds,
      completedDeletions: layout.completedDeletions,
      completed: layout.completed,
      ...cut.rest,
    };
  }

  /** Each message is put once. */
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

  /** Users leave the counts only while no snapshot is being written. */
  private async putLeftOut(): Promise<void> {
    const {leftOut} = this.setup.partition.moves;
    if (leftOut.count === this.lastLeftOut) return;
    this.setup.layout.setLeftOut(await this.setup.parts.put(leftOut.encode()));
    this.lastLeftOut = leftOut.count;
  }

  /** Written anew only when they are others than this process put last. */
  private async putNameCounts(payload: Uint8Array): Promise<void> {
    const last = this.lastNameCounts;
    if (last !== undefined && Buffer.compare(last, payload) === 0) return;
    this.setup.layout.setNameCounts(payload.length > 0 ? await this.setup.parts.put(payload) : null);
    this.lastNameCounts = payload.length <= comparedBytesMax ? payload : undefined;
  }

  /** Of each saved funnel the part that is there, unless somebody completed it since. */
  private async putCompleted({completed}: Cut): Promise<void> {
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

  private async putRuns(cut: Cut, slicer: TimeSlicer): Promise<void> {
    const {partition, layout, parts, loader} = this.setup;
    const before = layout.windowRuns;
    const erased = new Set(cut.rest.erasedUsers);
    layout.setRuns('windowRuns', await appendWindowRun(before, cut.windowBlocks, parts, loader, erased, slicer));
    // One run that this cut encoded or merged: no run holds the erased any more.
    if (layout.windowRuns !== before && layout.windowRuns.length === 1) partition.users.dropErased(erased);
    layout.setRuns('userRuns', await appendUserRun(layout.userRuns, cut.userBlocks, parts, loader, slicer));
  }

  /** Message ids since the last cut, and those of erased events. All that is put holds remembered ids. */
  private async putFingerprints(cut: Cut): Promise<void> {
    const {layout} = this.setup;
    const ids = await this.appended(layout.dedupe, cut.fingerprints);
    layout.setFingerprints('dedupe', newestParts(ids, cut.rest.dedupeCount));
    const erased = await this.appended(layout.erasedIds, cut.erasedIds);
    const remembered = erased.filter(({logicalDay}) => logicalDay >= cut.erasedIdsFromDay);
    layout.setFingerprints('erasedIds', remembered);
  }

  /** The parts of one day are joined as runs are. */
  private async appended(
    parts: readonly FingerprintsPart[],
    fresh: Cut['fingerprints'],
  ): Promise<readonly FingerprintsPart[]> {
    let next = [...parts];
    for (const {logicalDay, count, payload} of fresh) {
      const sameDay = next.filter((part) => part.logicalDay === logicalDay && part.count < idsJoinedMax);
      const merged = mergeCount([...sameDay.map((part) => part.count), count], sizeRatio) - 1;
      const {joined, payloads} = await this.loadJoined(merged === 0 ? [] : sameDay.slice(-merged));
      const total = joined.reduce((sum, part) => sum + part.count, count);
      next = next.filter((part) => !joined.includes(part));
      next.push({logicalDay, count: total, part: await this.setup.parts.put(Buffer.concat([...payloads, payload]))});
    }
    return next;
  }

  /** Those that were completed since the last cut, joined as runs are, without those that are on record no more. */
  private async putDeletions({completedDeletions: fresh, rest: {logicalMs}}: Cut): Promise<void> {
    const {layout, parts} = this.setup;
    const isKept = ({expiresLogicalMs}: {readonly expiresLogicalMs: number}): boolean => expiresLogicalMs >= logicalMs;
    const kept = layout.completedDeletions.filter(isKept);
    if (fresh.length === 0) return layout.setCompletedDeletions(kept);
    const merged = mergeCount([...kept.map(({count}) => count), fresh.length], sizeRatio) - 1;
    const {joined, payloads} = await this.loadJoined(merged === 0 ? [] : kept.slice(-merged));
    const records = [...payloads.flatMap(decodeDeletions), ...fresh].filter(isKept);
    const others = kept.filter((part) => !joined.includes(part));
    if (records.length === 0) return layout.setCompletedDeletions(others);
    const part = await parts.put(encodeDeletions(records));
    const expiresLogicalMs = records.reduce((last, one) => Math.max(last, one.expiresLogicalMs), 0);
    layout.setCompletedDeletions([...others, {part, count: records.length, expiresLogicalMs}]);
  }

  /** Nothing is joined when one of them cannot be read: they stay as they are. */
  private async loadJoined<T extends {readonly part: PartRef}>(
    joined: readonly T[],
  ): Promise<{readonly joined: readonly T[]; readonly payloads: readonly Uint8Array[]}> {
    try {
      return {joined, payloads: await Promise.all(joined.map(({part}) => this.setup.loader.load(part)))};
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return {joined: [], payloads: []};
    }
  }

  private async publish(cut: Cut, index: PartRef, indexBytes: Uint8Array): Promise<void> {
    const {partition, manifests, parts, note, epoch} = this.setup;
    const last = this.manifest;
    const manifest: Manifest = {
      format: manifestFormat,
      partition: partition.partition,
      position: {generation: partition.generation, sequence: cut.sequence},
      mark: cut.mark,
      epoch,
      asOfMs: cut.asOfMs,
      index,
      moves: cut.rest.moveCounts,
      previous:
        last === undefined ? null : {position: last.position, mark: last.mark, asOfMs: last.asOfMs, index: last.index},
    };
    await note.write({...manifest.position, mark: cut.mark, epoch}); // N1 (position-note.ts)
    this.revision = await manifests.write(manifest, this.revision, indexBytes);
    // Two manifests are kept: the index of the one before the last goes with the next sweep.
    if (last?.previous != null) parts.retire(last.previous.index);
    this.manifest = manifest;
    this.onPublished({sequence: cut.sequence, asOfMs: cut.asOfMs});
    if (last !== undefined && last.position.generation === partition.generation)
      this.behind.push({sequence: last.position.sequence, mark: last.mark, asOfMs: last.asOfMs});
  }

  /** Up to the older kept manifest, and not what the server's duplicate window still has to know. */
  private async truncateLog(): Promise<void> {
    const newestMs = must(this.manifest, 'a manifest was just published').asOfMs;
    const old = this.behind.filter((published) => published.asOfMs <= newestMs - duplicateWindowMs);
    const last = old[old.length - 1];
    if (last === undefined) return;
    this.behind = this.behind.filter((published) => !old.includes(published));
    await this.cutLog(last);
  }

  /**
   * Removes what stands before a manifest. The entry at it, a tick, stays: recovery compares it with the manifest. A log
   * that has another entry there lost its tail: its sequences mean something else, and nothing of it is removed.
   */
  private async cutLog({sequence, mark}: Milestone): Promise<void> {
    const {jsm, partition, throttle} = this.setup;
    const stream = logStream(partition.partition);
    await retryForever(async () => {
      const {state} = await jsm.streams.info(stream);
      await cutInSteps({
        first: state.first_seq,
        end: sequence,
        isSame: async () => (await markAt(jsm, partition.partition, sequence)) === mark,
        removeBefore: (seq) => jsm.streams.purge(stream, {seq}),
        rest: (workedMs) => throttle.rest(workedMs),
      });
    }, this.trouble);
  }

  /** The same without rests, for somebody who waits. */
  cutLogNow(milestone: Milestone): Promise<void> {
    return this.setup.throttle.expedite(this.cutLog(milestone));
  }
}
