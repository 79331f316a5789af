// Cells of every partition by property value (actors/report/counts/value-cells.ts), from which filtered counts are answered.
//   Owns: which chunks have cells, and when more are built. Does not own: how long cells are kept (derived-indexes.ts), what
//   they count.
//   VI1. Cells stand for the rows that count of the chunks they were built from (`countedKey`): they answer for snapshots
//       that have all of these. Every other chunk is left to the scan.
//   VI2. A property gets cells once it was asked for twice, in the background, for the chunks that a question is about. Cells
//       that did not fit are built once they would fit.
//   VI3. Building takes at most a tenth of the thread's time. Parts that it reads are not cached: those that reports
//       use stay.
//   VI4. The open chunk, which every snapshot replaces, is left to the scan, and so are few chunks after the last segment.
//   VI5. Cells of many values take free room alone, and nothing yields to them: scanning their column costs little more.
//   VI6. A scan of more than the cache holds leaves cells behind, whatever was asked before: the next one would read all of it
//        again.
//   VI7. A question about all values reads every cell, or scans the rows if that costs less, because there are many values. If
//        only such questions asked for cells, the build stops once it has found too many values.

import {countedRows} from '../../../actors/chunk/left-rows.js';
import type {WholeRows} from '../../../actors/chunk/property-columns.js';
import {chunkRowsMax} from '../../../actors/limits.js';
import type {ChunkEntry, SnapshotIndex} from '../../../actors/manifest.js';
import {type ValueCells, ValueCellsBuilder} from '../../../actors/report/counts/value-cells.js';
import {PropertyName} from '../../../actors/report/rows/property-name.js';
import {chunksWithin, countedKey, liveRows, type Stretch} from '../../../actors/report/selection.js';
import type {UserSet} from '../../../actors/table/user-set.js';
import type {TimeSlicer} from '../../pacing/time-slicer.js';
import {loadAhead} from '../../parts/load-ahead.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {ColumnsReader} from '../narrow-columns.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {NoteColumns} from '../row-scan.js';
import {type Build, type BuildNeed, type Derived, type DerivedIndexes, interestMs} from './derived-indexes.js';
import {isRepeated, newRepeated, type Repeated, RepeatedQuestions} from './repeated-questions.js';

/** Chunks of a segment: sorting their rows takes some 10 ms, the longest step of building. */
const segmentChunksMax = 32;
/** Share of the room for parts that building a segment may take. */
const buildingShare = 1 / 8;
/** Bytes of cells per row above which they are of many values (VI5). A column of a property takes one or two. */
const wideRowBytes = 2;
/** Rows of a scan that cost as much as a value of a segment of cells. */
const rowsOfValue = 16;
/** Chunks after the last segment that are not worth another one: the scan of a chunk takes some 15 us. */
const chunksAfterMax = 7;
/** Pause after a build, in times of its duration, for each property of a partition that has cells. VI3 */
const restTimes = 10;
const restMsMin = 1_000;
const loadsAheadMax = 4;

interface ValueSegment {
  /** Key of the cells among derived values. */
  readonly key: string;
  readonly valueCount: number;
  readonly rows: number;
  /** Chunks of the segment, by `countedKey`. VI1 */
  readonly chunks: readonly string[];
  /** Chunks of the segment that have no cells. */
  readonly scanned: ReadonlySet<string>;
}

/** The sources of an answer for one partition: cells for some chunks, the scan for the others. */
export interface CoveredChunks {
  readonly cells: readonly ValueCells[];
  /** The chunks that the cells stand for, by `countedKey`. */
  readonly covered: ReadonlySet<string>;
  /** The other chunks. */
  readonly others: readonly ChunkEntry[];
}

/** The segments that answer for one snapshot, and the chunks that they cover. */
interface Cover {
  readonly index: SnapshotIndex;
  readonly segments: readonly ValueSegment[];
  readonly covered: ReadonlySet<string>;
  readonly others: readonly ChunkEntry[];
}

/** The values that a question reads cells of. */
export type AskedValues = 'one' | 'all';

/** Chunks of one snapshot, and the users whose rows in them do not count. */
interface WantedCells {
  readonly chunks: readonly ChunkEntry[];
  readonly hasLeft: UserSet;
  /** `all`: no question about one value waits for the cells. VI7 */
  readonly values: AskedValues;
}

interface PropertyState extends Repeated {
  readonly property: PropertyName;
  segments: readonly ValueSegment[];
  /** Cover of the newest snapshot that a question named; follows `segments`. */
  cover: Cover | undefined;
  /** Chunks that wait for their turn to be built. */
  wanted: WantedCells | undefined;
  restUntilMs: number;
  /** Whether the newest cells of the property are of many values. VI5 */
  areWide: boolean;
  /** Until then questions about all values ask for no cells: the values are too many. VI7 */
  tooManyUntilMs: number;
}

/** A segment while its chunks are added. */
interface OpenSegment {
  readonly builder: ValueCellsBuilder;
  /** Rows of all its chunks, those to come included. */
  readonly rowsMax: number;
  /** By `countedKey`. */
  readonly chunks: Set<string>;
  readonly scanned: Set<string>;
  rows: number;
}

/** Why a build ended. */
type CellsEnd = 'kept' | 'no room' | 'nearly unique' | 'too many values';

export class ValueIndex {
  private readonly parts: PartsCache;
  private readonly derived: DerivedIndexes;
  private readonly cells: Derived<ValueCells>;
  private readonly segmentChunks: number;
  /** By partition and property. */
  private readonly properties: RepeatedQuestions<PropertyState>;
  private backlog: Promise<void> | undefined;
  private segmentsBuilt = 0;

  constructor(parts: PartsCache, derived: DerivedIndexes, partitionCount: number) {
    this.parts = parts;
    this.derived = derived;
    this.cells = derived.kind();
    const chunks = Math.floor((derived.roomBytes * buildingShare) / ValueCellsBuilder.bytesFor(chunkRowsMax));
    this.segmentChunks = Math.min(segmentChunksMax, chunks);
    this.properties = new RepeatedQuestions(derived, partitionCount, ({segments}) => {
      for (const {key} of segments) this.cells.drop(key);
    });
  }

  /** Sources of the answer to a question about this stretch; undefined when the property has no cells (yet). VI1, VI2 */
  coveredOf(snapshot: PartitionSnapshot, property: string, stretch: Stretch): CoveredChunks | undefined {
    return this.sourcesOf(snapshot, property, stretch, 'one');
  }

  /** Sources of the answer to a question about all values. Cells of too many values are no use to it, and may yield to others. */
  coveredForAll(snapshot: PartitionSnapshot, property: string, stretch: Stretch): CoveredChunks | undefined {
    const state = this.properties.known(keyOf(snapshot.manifest.partition, property));
    if (state !== undefined) {
      const {segments, tooManyUntilMs} = state;
      const areTooMany = segments.length === 0 && this.derived.clockMs() < tooManyUntilMs;
      if (areTooMany || !payForAll(segments)) return undefined; // VI7
    }
    return this.sourcesOf(snapshot, property, stretch, 'all');
  }

  private sourcesOf(
    {manifest, index, leftOut}: PartitionSnapshot,
    property: string,
    stretch: Stretch,
    values: AskedValues,
  ): CoveredChunks | undefined {
    const state = this.properties.asked(keyOf(manifest.partition, property), () => newState(property));
    const cells = this.heldCells(state);
    const cover = state.cover?.index === index ? state.cover : coverOf(index, state.segments);
    state.cover = cover;
    if (isRepeated(state) && this.mayBuild(state, values)) {
      const due = this.dueChunks(cover, stretch);
      if (due.length > 0) this.want(state, {chunks: due, hasLeft: leftOut.users, values});
    }
    const {segments, covered, others} = cover;
    return segments.length === 0 ? undefined : {cells: segments.map((each) => cells.get(each)!), covered, others};
  }

  /**
   * Runs the scan of an answer for the property that reads these chunks; those that it notes leave cells behind. Call it after
   * `coveredOf` or `coveredForAll` was asked. `values`: those that the answer is about. `slices`: of the answer. VI6
   */
  leavingCells(
    {manifest, index}: PartitionSnapshot,
    property: string,
    chunks: readonly ChunkEntry[],
    values: AskedValues,
    scan: (note?: NoteColumns) => Promise<void>,
    slices?: TimeSlicer,
  ): Promise<void> {
    const state = this.properties.known(keyOf(manifest.partition, property));
    if (state === undefined || !this.mayBuild(state, values)) return scan();
    const taken = new Set(state.segments.flatMap((segment) => segment.chunks));
    const fresh = chunks.filter((chunk) => chunk.chunk !== index.nextChunk && !taken.has(countedKey(chunk)));
    if (fresh.length <= chunksAfterMax || this.segmentChunks <= chunksAfterMax) return scan(); // VI4
    return this.derived.buildNow((build) => this.buildFrom(state, fresh, values, build, scan), slices);
  }

  private async buildFrom(
    state: PropertyState,
    chunks: readonly ChunkEntry[],
    values: AskedValues,
    build: Build,
    scan: (note?: NoteColumns) => Promise<void>,
  ): Promise<void> {
    const passing = passingOf(state, Math.min(this.segmentChunks * chunkRowsMax, liveRows(chunks)));
    if (!build.makeRoom(passing)) return scan();
    build.borrow(passing.passingBytes);
    const wanted = new Set(chunks.map(countedKey));
    let end = 'kept' as CellsEnd;
    let closed = 0;
    const newSegment = () => openSegment(state, chunks.slice(closed, closed + this.segmentChunks));
    let open = newSegment();
    const close = async (): Promise<void> => {
      const full = open;
      closed += full.chunks.size;
      open = newSegment();
      end = await this.closeSegment(state, full, build);
    };
    await scan((chunk, rows) => {
      if (end !== 'kept' || !wanted.has(countedKey(chunk))) return undefined;
      end = add(state, open, chunk, rows, values);
      return end !== 'kept' || open.chunks.size < this.segmentChunks ? undefined : close();
    });
    if (end === 'kept' && open.chunks.size > 0) await close();
    this.noteUseless(state, end);
  }

  /** Resolves when no build runs or waits. */
  async settled(): Promise<void> {
    while (this.backlog !== undefined) await this.backlog;
  }

  private mayBuild({restUntilMs, refused, tooManyUntilMs}: PropertyState, values: AskedValues): boolean {
    const nowMs = this.derived.clockMs();
    if (nowMs < restUntilMs || (values === 'all' && nowMs < tooManyUntilMs)) return false;
    return refused === undefined || this.derived.mayFit(refused);
  }

  /** Cells of the segments, without those that were dropped. */
  private heldCells(state: PropertyState): Map<ValueSegment, ValueCells> {
    const held = new Map<ValueSegment, ValueCells>();
    for (const segment of state.segments) {
      const cells = this.cells.get(segment.key);
      if (cells !== undefined) held.set(segment, cells);
    }
    if (held.size < state.segments.length) setSegments(state, [...held.keys()]);
    return held;
  }

  /** Chunks for which cells should be built: segments that are not full are built again with what came after them. */
  private dueChunks({index, segments}: Cover, stretch: Stretch): readonly ChunkEntry[] {
    const {segmentChunks} = this;
    const taken = new Set(segments.flatMap(({chunks}) => chunks));
    const full = new Set(segments.flatMap(({chunks}) => (chunks.length < segmentChunks ? [] : chunks)));
    const asked = chunksWithin(index.chunks, [stretch]).filter(({chunk}) => chunk !== index.nextChunk);
    const after = asked.filter((chunk) => !taken.has(countedKey(chunk))).length;
    if (segmentChunks <= chunksAfterMax || after <= chunksAfterMax) return []; // VI4
    return asked.filter((chunk) => !full.has(countedKey(chunk)));
  }

  // -- building --

  private want(state: PropertyState, wanted: WantedCells): void {
    state.wanted = state.wanted?.values === 'one' ? {...wanted, values: 'one'} : wanted;
    this.backlog ??= this.workOff().finally(() => {
      this.backlog = undefined;
    });
  }

  /** Builds the cells that questions wait for, one partition and property at a time. VI3 */
  private async workOff(): Promise<void> {
    for (;;) {
      const state = [...this.properties.all()].find(({wanted}) => wanted !== undefined);
      if (state?.wanted === undefined) return;
      const {wanted} = state;
      state.wanted = undefined;
      // Blocks other builds until this one ends: a question that arrived now would start an empty build and reset the back-off.
      state.restUntilMs = Infinity;
      const {end, tookMs} = await this.buildAll(state, wanted);
      const built = [...this.properties.all()].filter(isRepeated).length;
      const restMs = Math.min(Math.max(restTimes * tookMs * built, restMsMin), interestMs);
      state.restUntilMs = this.derived.clockMs() + restMs;
      this.noteUseless(state, end);
    }
  }

  /** Notes that a build ended because of its values: further ones would end like it for a while. */
  private noteUseless(state: PropertyState, end: CellsEnd): void {
    const untilMs = this.derived.clockMs() + interestMs;
    if (end === 'nearly unique') state.restUntilMs = untilMs;
    if (end !== 'too many values') return;
    state.tooManyUntilMs = untilMs;
    state.askCount = 0; // The questions so far have no use for cells: those about one value count from here on.
  }

  private async buildAll(
    state: PropertyState,
    {chunks: due, hasLeft, values}: WantedCells,
  ): Promise<{end: CellsEnd; tookMs: number}> {
    let tookMs = 0;
    let end: CellsEnd = 'kept';
    for (let at = 0; at < due.length && end === 'kept'; at += this.segmentChunks) {
      const chunks = due.slice(at, at + this.segmentChunks);
      const built = await this.derived.build('cells of property values', async (build) => {
        const startedMs = this.derived.clockMs();
        const segmentEnd = await this.buildSegment(state, {chunks, hasLeft, values}, build);
        tookMs += this.derived.clockMs() - startedMs;
        return segmentEnd;
      });
      if (built === undefined) break;
      end = built;
    }
    return {end, tookMs};
  }

  /** Builds a segment of these chunks. */
  private async buildSegment(
    state: PropertyState,
    {chunks, hasLeft, values}: WantedCells,
    build: Build,
  ): Promise<CellsEnd> {
    const passing = passingOf(state, liveRows(chunks));
    if (!build.makeRoom(passing)) return refuse(state, passing);
    build.borrow(passing.passingBytes);
    const segment = openSegment(state, chunks);
    const reader = new ColumnsReader(this.parts, [state.property]);
    const load = async (chunk: ChunkEntry) => reader.held(chunk) ?? reader.load(chunk, 'pass');
    for await (const [chunk, view] of loadAhead(chunks, load, loadsAheadMax)) {
      const end = add(state, segment, chunk, countedRows(chunk, view, hasLeft), values);
      if (end !== 'kept') return end;
      await build.pause();
    }
    return this.closeSegment(state, segment, build);
  }

  /** Builds the cells, in place of segments with any of their chunks. */
  private async closeSegment(state: PropertyState, open: OpenSegment, build: Build): Promise<CellsEnd> {
    const {builder, chunks, scanned, rows} = open;
    const work = builder.build();
    let step = work.next();
    for (; !step.done; step = work.next()) await build.pause();
    const others = othersOf(state, open);
    for (const segment of state.segments) if (!others.includes(segment)) this.cells.drop(segment.key);
    const {valueCount} = step.value;
    const segment = {key: `${(this.segmentsBuilt += 1)}`, valueCount, rows, chunks: [...chunks], scanned};
    state.areWide = step.value.bytes > rows * wideRowBytes;
    const kept: BuildNeed = {keptBytes: step.value.bytes, passingBytes: 0, isModest: state.areWide};
    const isKept = build.makeRoom(kept) && this.cells.keep(segment.key, step.value);
    setSegments(state, isKept ? [...others, segment] : others);
    state.refused = undefined;
    return isKept ? 'kept' : refuse(state, kept);
  }
}

/** Scratch of a build of so many rows. VI5 */
const passingOf = ({areWide}: PropertyState, rows: number): BuildNeed => ({
  keptBytes: 0,
  passingBytes: ValueCellsBuilder.bytesFor(rows),
  isModest: areWide,
});

const openSegment = ({property}: PropertyState, chunks: readonly ChunkEntry[]): OpenSegment => ({
  builder: new ValueCellsBuilder(property),
  rowsMax: liveRows(chunks),
  chunks: new Set(),
  scanned: new Set(),
  rows: 0,
});

/** Adds a chunk with its rows that count. @returns why the build ends; `kept`: it goes on */
function add(
  state: PropertyState,
  open: OpenSegment,
  chunk: ChunkEntry,
  rows: WholeRows,
  values: AskedValues,
): CellsEnd {
  const {builder, rowsMax} = open;
  const key = countedKey(chunk);
  open.chunks.add(key);
  open.rows += chunk.live;
  if (!builder.add(rows)) open.scanned.add(key);
  if (builder.isNearlyUnique) return 'nearly unique';
  const isOfUse =
    values === 'one' || payForAll([...othersOf(state, open), {valueCount: builder.valueCount, rows: rowsMax}]);
  return isOfUse ? 'kept' : 'too many values';
}

/** The segments that stay beside the open one: those without any of its chunks. */
const othersOf = ({segments}: PropertyState, {chunks}: OpenSegment): ValueSegment[] =>
  segments.filter((segment) => !segment.chunks.some((chunk) => chunks.has(chunk)));

/** Whether reading every cell of the segments costs less than scanning their rows. VI7 */
function payForAll(segments: readonly Pick<ValueSegment, 'valueCount' | 'rows'>[]): boolean {
  const values = segments.reduce((sum, {valueCount}) => sum + valueCount, 0);
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  return values * rowsOfValue <= rows;
}

const keyOf = (partition: number, property: string): string => `${partition} ${property}`;

function refuse(state: PropertyState, need: BuildNeed): CellsEnd {
  state.refused = need;
  return 'no room';
}

function newState(text: string): PropertyState {
  return {
    ...newRepeated(),
    property: new PropertyName(text),
    segments: [],
    cover: undefined,
    wanted: undefined,
    restUntilMs: 0,
    areWide: false,
    tooManyUntilMs: 0,
  };
}

function setSegments(state: PropertyState, segments: readonly ValueSegment[]): void {
  state.segments = segments;
  state.cover = undefined;
}

/** Finds the chunks that the segments cover. VI1 */
function coverOf(index: SnapshotIndex, segments: readonly ValueSegment[]): Cover {
  const keys = new Set(index.chunks.filter(({live}) => live > 0).map(countedKey));
  const named = segments.filter(({chunks}) => chunks.every((key) => keys.has(key)));
  const covered = new Set(named.flatMap(({chunks, scanned}) => chunks.filter((key) => !scanned.has(key))));
  return {index, segments: named, covered, others: index.chunks.filter((chunk) => !covered.has(countedKey(chunk)))};
}
