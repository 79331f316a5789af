// Loads the parts that a partial asks for and folds them, in slices between which the event loop runs.
//   Owns: the order of loading and folding. Does not own: the choice of parts (partials), eviction (src/parts).
//   PS1. A scan of more rows than the cache holds would evict each part before the next scan comes to it. It leaves the cache
//       as it is, and finds the same parts cached each time.
//   PS2. Only rows that count are folded: without those of users who left, and expired ones. Chunks without such rows are folded
//        in place. Windows are folded from their block's first day on (actors/expired-parts.ts XP1).
//   PS3. Of rows that do not fit the cache, those of asked names are cached by themselves (named-rows.ts).

import {type WindowsView, windowsFrom} from '../../actors/aggregator/windows.js';
import {countedRows} from '../../actors/chunk/left-rows.js';
import type {WholeRows} from '../../actors/chunk/property-columns.js';
import type {RowsView} from '../../actors/chunk/rows.js';
import type {ChunkEntry, PartRef, RunBlock} from '../../actors/manifest.js';
import type {PropertyName} from '../../actors/report/rows/property-name.js';
import type {DaySegment} from '../../actors/report/selection.js';
import type {UserSet} from '../../actors/table/user-set.js';
import {TimeSlicer} from '../pacing/time-slicer.js';
import type {Caching, ChunkReader} from '../parts/chunk-reader.js';
import {foldAhead, loadAhead} from '../parts/load-ahead.js';
import type {PartsCache} from '../parts/parts-cache.js';
import {NamedRowsReader} from './named-rows.js';
import {ColumnsReader, narrowBytesOf} from './narrow-columns.js';

/** A part is some 0.5 MB and takes 0.7 ms: a few loads ahead hide that without holding much. */
export const loadsAheadMax = 4;
/** Share of the room for parts that a scan may take from others. PS1 */
const scanShare = 3 / 4;

export class PartScan {
  private readonly parts: PartsCache;
  readonly slices: TimeSlicer;
  /** Partitions that the report scans one after the other. */
  partitionCount = 1;

  /** `nextSlice` resolves when work may go on after a slice; absent: in the next turn of the event loop. */
  constructor(parts: PartsCache, nextSlice?: () => Promise<void>) {
    this.parts = parts;
    this.slices = new TimeSlicer(nextSlice === undefined ? {} : {between: nextSlice});
  }

  /** Pauses when the slice is over; undefined within a slice. */
  pauseIfDue(): Promise<void> | undefined {
    return this.slices.pauseIfDue();
  }

  /** Runs work that yields, in slices. */
  async inSlices<T>(work: Generator<void, T, void>): Promise<T> {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      await this.slices.pauseIfDue();
    }
  }

  /** Folds rows in any order. `fold` may load more itself. PS2 */
  foldRows(
    chunks: readonly ChunkEntry[],
    hasLeft: UserSet,
    fold: (chunk: ChunkEntry, rows: RowsView) => Promise<void> | void,
  ): Promise<void> {
    return this.foldChunks(this.parts.rows, chunks, hasLeft, fold);
  }

  /** `foldRows` with the columns of these properties. */
  foldColumnRows(
    chunks: readonly ChunkEntry[],
    hasLeft: UserSet,
    properties: readonly PropertyName[],
    fold: (chunk: ChunkEntry, rows: WholeRows) => Promise<void> | void,
  ): Promise<void> {
    return this.foldChunks(new ColumnsReader(this.parts, properties), chunks, hasLeft, fold);
  }

  private foldChunks<V extends RowsView>(
    reader: ChunkReader<ChunkEntry, V>,
    chunks: readonly ChunkEntry[],
    hasLeft: UserSet,
    fold: (chunk: ChunkEntry, rows: V) => Promise<void> | void,
  ): Promise<void> {
    return foldAhead(
      chunks,
      (chunk) => reader.held(chunk),
      this.loaderOf(reader, chunks),
      loadsAheadMax,
      (chunk, rows) => fold(chunk, countedRows(chunk, rows, hasLeft)) ?? this.slices.pauseIfDue(),
    );
  }

  /** Rows in the order of the chunks. PS2 */
  async *rows(chunks: readonly ChunkEntry[], hasLeft: UserSet): AsyncGenerator<RowsView, void, void> {
    for await (const [, rows] of this.inOrder(this.parts.rows, chunks, hasLeft)) yield rows;
  }

  /** `rows`, at least those with the names (name indexes; -1 is none). PS3 */
  async *namedRows(
    chunks: readonly ChunkEntry[],
    hasLeft: UserSet,
    names: readonly number[],
  ): AsyncGenerator<RowsView, void, void> {
    const rowsBytes = chunks.reduce((sum, {rows}) => sum + rows.bytes, 0);
    const isTooMuch = (bytes: number): boolean => this.isTooMuch(bytes);
    if (!isTooMuch(rowsBytes)) {
      yield* this.rows(chunks, hasLeft);
      return;
    }
    const asked = [...new Set(names)].filter((name) => name >= 0).sort((a, b) => a - b);
    const reader = new NamedRowsReader(this.parts, {names: asked, rowsBytes, isTooMuch});
    for await (const [, rows] of this.loaded(reader, chunks, (chunk) => reader.load(chunk), hasLeft)) yield rows;
  }

  /** `rows` with all their properties, and the chunk of each. */
  wholeRows(
    chunks: readonly ChunkEntry[],
    hasLeft: UserSet,
  ): AsyncGenerator<readonly [ChunkEntry, WholeRows], void, void> {
    return this.inOrder(this.parts.wholeRows, chunks, hasLeft);
  }

  /** `wholeRows` of one chunk. */
  async wholeChunk(chunk: ChunkEntry, hasLeft: UserSet): Promise<WholeRows> {
    await this.slices.pauseIfDue();
    const reader = this.parts.wholeRows;
    const rows = reader.held(chunk) ?? (await this.loaderOf(reader, [chunk])(chunk));
    return countedRows(chunk, rows, hasLeft);
  }

  /** `wholeRows` with at least the columns of these properties (narrow-columns.ts). */
  columnRows(
    chunks: readonly ChunkEntry[],
    hasLeft: UserSet,
    properties: readonly PropertyName[],
  ): AsyncGenerator<readonly [ChunkEntry, WholeRows], void, void> {
    return this.inOrder(new ColumnsReader(this.parts, properties), chunks, hasLeft);
  }

  /** All columns of a chunk, including rows that do not count. */
  async allColumns(chunk: ChunkEntry): Promise<WholeRows> {
    return this.parts.wholeRows.held(chunk) ?? this.parts.wholeRows.load(chunk, 'pass');
  }

  private async *inOrder<V extends RowsView>(
    reader: ChunkReader<ChunkEntry, V>,
    chunks: readonly ChunkEntry[],
    hasLeft: UserSet,
  ): AsyncGenerator<readonly [ChunkEntry, V], void, void> {
    yield* this.loaded(reader, chunks, this.loaderOf(reader, chunks), hasLeft);
  }

  private async *loaded<V extends RowsView>(
    reader: {held(chunk: ChunkEntry): V | undefined},
    chunks: readonly ChunkEntry[],
    load: (chunk: ChunkEntry) => Promise<V>,
    hasLeft: UserSet,
  ): AsyncGenerator<readonly [ChunkEntry, V], void, void> {
    const held = async (chunk: ChunkEntry): Promise<V> => reader.held(chunk) ?? load(chunk);
    for await (const [chunk, rows] of loadAhead(chunks, held, loadsAheadMax)) {
      yield [chunk, countedRows(chunk, rows, hasLeft)];
      await this.slices.pause();
    }
  }

  /** Loads a part that the caller reads once. */
  loadOnce(part: PartRef): Promise<Uint8Array> {
    return this.parts.loadUncached(part);
  }

  /** A loader of views for parts that the caller reads again and again. PS1 */
  viewLoader<V>(parts: readonly PartRef[], view: (bytes: Uint8Array<ArrayBuffer>) => V): (part: PartRef) => Promise<V> {
    const caching = this.cachingOf(parts.reduce((sum, {bytes}) => sum + bytes, 0));
    return (part) => this.parts.loadView(part, view, caching);
  }

  private loaderOf<V>(
    reader: ChunkReader<ChunkEntry, V>,
    chunks: readonly ChunkEntry[],
  ): (chunk: ChunkEntry) => Promise<V> {
    const caching = this.cachingOf(chunks.reduce((sum, chunk) => sum + reader.bytesOf(chunk), 0));
    return (chunk) => reader.load(chunk, caching);
  }

  /** Of a scan that reads so many bytes. PS1 */
  private cachingOf(bytes: number): Caching {
    return this.isTooMuch(bytes) ? 'pass' : 'keep';
  }

  /** Whether these chunks are more than the cache holds, with the columns that a scan caches. PS1 */
  areTooMuch(chunks: readonly ChunkEntry[]): boolean {
    const bytesOf = ({rows, properties}: ChunkEntry): number =>
      rows.bytes + (this.parts.columnBytes(properties) ?? narrowBytesOf(properties));
    return this.isTooMuch(chunks.reduce((sum, chunk) => sum + bytesOf(chunk), 0));
  }

  /** Other partitions are assumed to have as many rows. */
  private isTooMuch(bytes: number): boolean {
    return bytes * this.partitionCount > this.parts.memory.bytesMax * scanShare;
  }

  /** Folds these blocks of a chunk's bodies, in any order. */
  foldBodies<Block extends {readonly number: number}>(
    {bodies}: ChunkEntry,
    blocks: readonly Block[],
    fold: (block: Block, bytes: Uint8Array) => void,
  ): Promise<void> {
    return foldAhead(
      blocks,
      ({number}) => this.parts.heldBodyBlock(bodies, number),
      ({number}) => this.parts.loadBodyBlock(bodies, number),
      loadsAheadMax,
      (block, bytes) => {
        fold(block, bytes);
        return this.slices.pauseIfDue();
      },
    );
  }

  /** Folds windows in any order. PS2 */
  foldWindows(blocks: readonly RunBlock[], fold: (block: RunBlock, windows: WindowsView) => void): Promise<void> {
    return foldAhead(
      blocks,
      ({part}) => this.parts.heldWindows(part),
      ({part}) => this.parts.loadWindows(part),
      loadsAheadMax,
      (block, windows) => {
        fold(block, windowsFrom(windows, block.first));
        return this.slices.pauseIfDue();
      },
    );
  }

  /** Windows of each segment, in order. Holds a block until its last segment, even if the cache drops it. */
  async *days(
    segments: readonly DaySegment[],
  ): AsyncGenerator<readonly [DaySegment, readonly WindowsView[]], void, void> {
    const held = new Map<RunBlock, Promise<WindowsView>>();
    const view = (block: RunBlock): Promise<WindowsView> => {
      const loading = held.get(block) ?? this.parts.loadWindows(block.part);
      held.set(block, loading);
      return loading;
    };
    const load = (segment: DaySegment): Promise<WindowsView[]> => Promise.all(segment.blocks.map(view));
    for await (const [segment, views] of loadAhead(segments, load, 2)) {
      yield [segment, views];
      for (const block of segment.blocks) if (block.last <= segment.lastDay) held.delete(block);
      await this.slices.pause();
    }
  }
}
