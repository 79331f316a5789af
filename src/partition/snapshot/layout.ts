// Directory of a partition's parts: a snapshot's index is written from it.
//   Owns: chunk entries, runs, the parts of actors (actor-state.ts). Does not own: state that no part has yet (actors/partition).
//   L1. A replaced part is retired in the part store in the same synchronous step.

import type {ChunkInMemory} from '../../../actors/chunk/chunk.js';
import {rowsOfUsers} from '../../../actors/chunk/left-rows.js';
import {noteNewestNames} from '../../../actors/chunk/property-names.js';
import {chunkFrom, runsFrom} from '../../../actors/expired-parts.js';
import {must} from '../../../actors/invariant.js';
import {dayMs} from '../../../actors/limits.js';
import {
  type ChunkEntry,
  chunkBlockEntries,
  chunkBlocksBefore,
  encodeChunkBlock,
  type PartRef,
  partsOfChunk,
  type Run,
  type SnapshotIndex,
  type StoredIndex,
} from '../../../actors/manifest.js';
import {DistinctNames} from '../../../actors/table/distinct-names.js';
import type {UserSet} from '../../../actors/table/user-set.js';
import type {TimeSlicer} from '../../pacing/time-slicer.js';
import type {Throttle} from '../throttle.js';
import {ActorState} from './actor-state.js';
import {ChunkDirectory} from './chunk-directory.js';
import {type ChunkImage, imageOf, putChunk} from './chunk-parts.js';
import type {PartStore} from './part-store.js';

export class Layout {
  private readonly parts: PartStore;
  private readonly throttle: Throttle;
  private readonly hasLeft: UserSet;
  readonly actors: ActorState;
  /** Closed chunks whose parts are durable. */
  readonly chunks = new ChunkDirectory();
  /** Complete blocks of the chunk directory as the last snapshot wrote them, and the numbers of those that changed since. */
  chunkBlocks: readonly PartRef[] = [];
  private readonly changedBlocks = new Set<number>();
  /** The open chunk as the last snapshot wrote it. */
  openEntry: ChunkEntry | null = null;
  /** Closed chunks that are being written. */
  readonly writing = new Map<number, {chunk: ChunkInMemory; done: Promise<void>}>();
  windowRuns: readonly Run[] = [];
  userRuns: readonly Run[] = [];
  /** Names of properties in samples of the rows that were written since this process started. */
  readonly propertyNames = new DistinctNames();

  /** `hasLeft`: users whose rows do not count (actors/identity/moves.ts). */
  constructor(parts: PartStore, throttle: Throttle, hasLeft: UserSet) {
    this.parts = parts;
    this.actors = new ActorState(parts);
    this.throttle = throttle;
    this.hasLeft = hasLeft;
  }

  restore(index: SnapshotIndex): void {
    this.actors.restore(index);
    this.openEntry = index.chunks.find(({chunk}) => chunk === index.nextChunk) ?? null;
    this.chunks.restore(index.chunks.filter((entry) => entry !== this.openEntry));
    this.chunkBlocks = index.chunkBlocks;
    for (const {chunk} of index.chunks.slice(index.chunkBlocks.length * chunkBlockEntries)) this.noteChanged(chunk);
    this.windowRuns = index.windowRuns;
    this.userRuns = index.userRuns;
  }

  /** Whether the current state still names this part. */
  readsFrom({key}: PartRef): boolean {
    for (const chunk of this.chunks.values()) if (partsOfChunk(chunk).some((part) => part.key === key)) return true;
    return this.userRuns.some((run) => run.blocks.some(({part}) => part.key === key));
  }

  /** Starts writing a closed chunk, which stays readable meanwhile. */
  writeClosed(chunk: ChunkInMemory): void {
    const writing = this.putClosed(chunk);
    // Chunks that close faster than they are written would block the fold.
    const done = this.writing.size === 0 ? writing : this.throttle.expedite(writing);
    this.writing.set(chunk.chunk, {chunk, done});
  }

  private async putClosed(chunk: ChunkInMemory): Promise<void> {
    const entry = await this.put(imageOf(chunk), true, this.throttle.slicer());
    this.setChunk(entry);
    this.writing.delete(chunk.chunk);
  }

  private put(image: ChunkImage, isRead: boolean, slicer: TimeSlicer): Promise<ChunkEntry> {
    noteNewestNames(this.propertyNames, image.columns, image.blocks);
    return putChunk(this.parts, image, this.hasLeft, isRead, slicer);
  }

  /** Resolves when at most `countMax` closed chunks are being written. */
  async settle(countMax: number): Promise<void> {
    while (this.writing.size > countMax) {
      const [oldest] = this.writing.values();
      await this.throttle.expedite(must(oldest, 'a chunk is being written').done);
    }
  }

  setChunk(entry: ChunkEntry): void {
    const old = this.chunks.get(entry.chunk);
    if (old !== undefined) this.retireOthers(partsOfChunk(old), partsOfChunk(entry));
    this.chunks.set(entry);
    this.noteChanged(entry.chunk);
    if (this.openEntry?.chunk === entry.chunk) this.setOpenEntry(null);
  }

  /** Leaves out events before a day in each entry and run (actors/expired-parts.ts XP1). No chunk may be being written. */
  expire(fromDay: number): void {
    const entries = [...this.chunks.values()];
    const left = entries.map((entry) => chunkFrom(entry, fromDay * dayMs));
    const changed = left.filter((entry, i) => entry !== entries[i]);
    if (changed.length > 0) this.chunks.restore(left);
    for (const {chunk} of changed) this.noteChanged(chunk);
    this.setRuns('windowRuns', runsFrom(this.windowRuns, fromDay));
  }

  private noteChanged(chunk: number): void {
    this.changedBlocks.add(chunkBlocksBefore(chunk));
  }

  /** Writes the complete blocks of the chunk directory that changed. All chunks before `nextChunk` must be closed and durable. */
  async putChunkBlocks(nextChunk: number, slicer: TimeSlicer): Promise<void> {
    const complete = chunkBlocksBefore(nextChunk);
    const refs = [...this.chunkBlocks];
    for (const block of [...this.changedBlocks].filter((changed) => changed < complete).sort((a, b) => a - b)) {
      refs[block] = await this.parts.put(encodeChunkBlock(this.blockEntries(block)));
      this.changedBlocks.delete(block);
      await slicer.pause();
    }
    this.retireOthers(this.chunkBlocks, refs);
    this.chunkBlocks = refs;
  }

  /** Entries of a complete block of the chunk directory. */
  blockEntries(block: number): ChunkEntry[] {
    return this.entriesBetween(block * chunkBlockEntries, (block + 1) * chunkBlockEntries);
  }

  private entriesBetween(start: number, end: number): ChunkEntry[] {
    return Array.from({length: end - start}, (_, i) =>
      must(this.chunks.get(start + i), 'chunks are numbered without a gap'),
    );
  }

  setOpenEntry(entry: ChunkEntry | null): void {
    const old = this.openEntry;
    if (old !== null && old.rows !== entry?.rows) this.parts.retire(...partsOfChunk(old));
    this.openEntry = entry;
  }

  /** The parts of the open chunk, rewritten only if rows came since the last snapshot. */
  async putOpen(image: ChunkImage | undefined, slicer: TimeSlicer): Promise<ChunkEntry | null> {
    if (image === undefined) return null;
    const {openEntry} = this;
    const {chunk, count} = image.columns;
    const isUnchanged = openEntry?.chunk === chunk && openEntry.count === count;
    if (!isUnchanged) return this.put(image, false, slicer);
    const leftOut = rowsOfUsers(image.columns, this.hasLeft).length;
    return openEntry.leftOut === leftOut ? openEntry : {...openEntry, leftOut};
  }

  /** Replaces runs (compaction, erasure); parts that the new runs took over stay. */
  setRuns(runs: 'windowRuns' | 'userRuns', next: readonly Run[]): void {
    const partsOf = ({blocks}: Run): PartRef[] => blocks.map(partOf);
    this.retireOthers(this[runs].flatMap(partsOf), next.flatMap(partsOf));
    this[runs] = next;
  }

  private retireOthers(old: readonly PartRef[], next: readonly PartRef[]): void {
    const kept = new Set(next.map(({key}) => key));
    for (const ref of old) if (!kept.has(ref.key)) this.parts.retire(ref);
  }

  /** The index of a snapshot whose parts are written. `open`: the open chunk as it was at the cut. */
  indexOf(
    {nextChunk, nextOrdinal}: Pick<StoredIndex, 'nextChunk' | 'nextOrdinal'>,
    open: ChunkEntry | null,
  ): StoredIndex {
    const {chunkBlocks, windowRuns, userRuns} = this;
    const {values, parts} = this.actors.stored;
    const lastChunks = this.lastChunks(nextChunk, open);
    // Every actor has put its small state by now; a reader of the index checks it.
    const state = values as StoredIndex['values'];
    return {values: state, parts, chunkBlocks, lastChunks, windowRuns, userRuns, nextOrdinal, nextChunk};
  }

  /** Entries after the blocks of the chunk directory: closed chunks before `nextChunk`, and the open one. */
  private lastChunks(nextChunk: number, open: ChunkEntry | null): ChunkEntry[] {
    const closed = this.entriesBetween(this.chunkBlocks.length * chunkBlockEntries, nextChunk);
    return open === null ? closed : [...closed, open];
  }
}

const partOf = ({part}: {readonly part: PartRef}): PartRef => part;
