// What filtered counts are answered from: cells of every partition by property value (actors/report/counts/value-cells.ts), in
// this thread's memory alone.
//   Owns: which chunks have cells, and when more are built. Does not own: the cells (the parts cache keeps them, within its
//   bound), what they say.
//   I1. Cells stand for the live rows of the chunks they were built from, known by the keys of their parts: they answer
//       for snapshots that name all of these. Every other chunk is left to the scan.
//   I2. A property gets cells once it was asked for twice, off the way of any answer, and building gives way to reports.
//       Cells follow the newest snapshot while somebody asks for the property, as far as they are asked about: to the
//       newest event as long as questions reach it. They go when nobody asked for a while.
//   I3. Of one property they take at most a share of the room for parts. One segment is built at a time, in
//       room lent by the parts (and not while others build in such room), and building takes at most a share of the thread's
//       time, however soon what was built has to leave the cache again. Parts that it reads take free room alone: those that reports use stay.
//   I4. The open chunk, which every snapshot replaces, is left to the scan, and so are few chunks behind the last segment.

import {chunkRowsMax} from '../../../actors/limits.js';
import type {ChunkEntry, SnapshotIndex} from '../../../actors/manifest.js';
import {PropertyName} from '../../../actors/report/counts/property-name.js';
import {type ValueCells, ValueCellsBuilder} from '../../../actors/report/counts/value-cells.js';
import {chunksWithin, liveRows, type Stretch, stretchOfChunks} from '../../../actors/report/selection.js';
import {monotonicMs} from '../../clock.js';
import type {Logger} from '../../observe.js';
import {isUnreadable} from '../../parts/damage.js';
import {loadAhead} from '../../parts/load-ahead.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {QuietSlices} from '../slices.js';
import {Turns} from '../turns.js';

const asksMin = 2;
const interestMs = 30 * 60_000;
/**
 * So many questions in a row that end before the newest event: what comes will not be asked about. Following it all the
 * same took up to nine tenths of the thread while batches came, and the room of parts that reports used (bench `mixed`).
 */
const earlierAsksMax = 8;
/** Properties times partitions that are known; what was asked for longest ago goes first. More where partitions are many. */
const statesMin = 256;
/**
 * Each question asks all partitions: with a bound for all of them alone, the cells of two properties of 256 partitions made
 * each other's leave with every question.
 */
const propertiesMin = 16;
/** Sorting so many rows takes some 10 ms, the longest step of building. */
const segmentChunksMax = 32;
/** Of the room for parts, for building a segment. */
const buildingShare = 1 / 4;
/** A chunk that is scanned costs some 15 us: these few are not worth a segment. */
const chunksBehindMax = 7;
/** Of the room for parts, for the cells of one property in all partitions. */
const cellsShare = 3 / 4;
/**
 * How long nothing is built after building, in times of how long it took, for each property of a partition that was asked
 * for lately: what follows new snapshots takes a tenth of the thread, however many these are. At least `restMsMin`. I3
 */
const restTimes = 10;
const restMsMin = 1_000;
const loadsAheadMax = 4;

interface Segment {
  /** Of the cells, in the parts cache. */
  readonly key: string;
  /** Keys of the rows parts of its chunks. I1 */
  readonly chunks: readonly string[];
  /** Those of them that the cells do not stand for. */
  readonly leftOut: ReadonlySet<string>;
}

/** A segment that is not kept yet. */
interface Built extends Omit<Segment, 'key'> {
  readonly cells: ValueCells;
  /** Of the rows parts that they stand for. */
  readonly partsBytes: number;
}

/** What answers for one partition: cells for some chunks, the scan for the others. */
export interface CoveredChunks {
  readonly cells: readonly ValueCells[];
  /** Keys of the rows parts of the chunks that the cells stand for. */
  readonly covered: ReadonlySet<string>;
  /** The other chunks. */
  readonly others: readonly ChunkEntry[];
}

/** What the segments say of one snapshot. */
interface Plan {
  readonly index: SnapshotIndex;
  readonly held: readonly Segment[];
  readonly covered: ReadonlySet<string>;
  readonly others: readonly ChunkEntry[];
  /** How many fill a segment. */
  readonly segmentChunks: number;
  /** Chunks for which cells should be built, in the order of their ordinals. */
  readonly due: readonly ChunkEntry[];
}

interface PropertyState {
  readonly partition: number;
  readonly property: PropertyName;
  asks: number;
  askedMs: number;
  /** From the earliest to the latest time that was asked about and held an event then. */
  asked: Stretch;
  /** Questions since the last one that reached the newest event there was. */
  earlierAsks: number;
  /** The events of the snapshot that was asked for last. */
  events: {readonly index: SnapshotIndex; readonly stretch: Stretch} | undefined;
  segments: readonly Segment[];
  /** For the snapshot that was asked for last, and these segments. */
  plan: Plan | undefined;
  /** The snapshot that waits for its turn to be built. */
  wanted: SnapshotIndex | undefined;
  restUntilMs: number;
}

export class ValueIndex {
  private readonly parts: PartsCache;
  private readonly logger: Logger;
  private readonly whenQuiet: () => Promise<void>;
  private readonly building: Turns;
  private readonly statesMax: number;
  private readonly clockMs: () => number;
  /** By partition and property, the one that was asked for longest ago first. */
  private readonly states = new Map<string, PropertyState>();
  private backlog: Promise<void> | undefined;
  private segmentsBuilt = 0;

  /**
   * `whenQuiet`: resolves when a slice of what nobody waits for may be built (I2). `clockMs`: monotonic. `building`: shared
   * with others that build in room lent by the parts.
   */
  constructor(
    parts: PartsCache,
    logger: Logger,
    partitionCount: number,
    whenQuiet = (): Promise<void> => Promise.resolve(),
    clockMs: () => number = monotonicMs,
    building = new Turns(1, Number.POSITIVE_INFINITY),
  ) {
    this.parts = parts;
    this.logger = logger;
    this.whenQuiet = whenQuiet;
    this.clockMs = clockMs;
    this.building = building;
    this.statesMax = Math.max(statesMin, propertiesMin * partitionCount);
  }

  /** For a question about this stretch; undefined when the property has no cells (yet). I1, I2 */
  coveredOf({manifest, index}: PartitionSnapshot, property: string, stretch: Stretch): CoveredChunks | undefined {
    const state = this.asked(manifest.partition, property);
    note(state, stretch, index);
    const {held, covered, others} = this.planOf(state, index);
    this.wantIfDue(state, index);
    return held.length === 0
      ? undefined
      : {cells: held.map(({key}) => this.parts.memory.keptCells(key)!), covered, others};
  }

  /** Cheap: called with every question. What was asked for lately is built ahead of the next question. I2 */
  follow(snapshots: readonly PartitionSnapshot[]): void {
    const nowMs = this.clockMs();
    const byPartition = new Map(snapshots.map((snapshot) => [snapshot.manifest.partition, snapshot]));
    for (const [key, state] of this.states) {
      const snapshot = byPartition.get(state.partition);
      if (nowMs - state.askedMs > interestMs) this.forget(key, state);
      else if (snapshot !== undefined && state.plan?.index !== snapshot.index) this.wantIfDue(state, snapshot.index);
    }
  }

  /** Resolves when nothing is being built any more. */
  async settled(): Promise<void> {
    while (this.backlog !== undefined) await this.backlog;
  }

  private asked(partition: number, text: string): PropertyState {
    const key = `${partition} ${text}`;
    const state = this.states.get(key) ?? newState(partition, text);
    state.asks += 1;
    state.askedMs = this.clockMs();
    this.states.delete(key);
    this.states.set(key, state);
    for (const [oldest, unasked] of this.states) {
      if (this.states.size <= this.statesMax) break;
      this.forget(oldest, unasked);
    }
    return state;
  }

  private forget(key: string, state: PropertyState): void {
    this.states.delete(key);
    state.wanted = undefined;
    for (const segment of state.segments) this.parts.memory.drop(segment.key);
    state.segments = [];
  }

  /** All segments of the plan are at hand. */
  private planOf(state: PropertyState, index: SnapshotIndex): Plan {
    const isAtHand = ({key}: Segment): boolean => this.parts.memory.hasCells(key);
    if (!state.segments.every(isAtHand)) this.keepSegments(state, state.segments.filter(isAtHand));
    const {segmentChunks} = this;
    if (state.plan?.index !== index || state.plan.segmentChunks !== segmentChunks)
      state.plan = planFor(index, state, segmentChunks);
    return state.plan;
  }

  private keepSegments(state: PropertyState, segments: readonly Segment[]): void {
    state.segments = segments;
    state.plan = undefined;
  }

  private get segmentChunks(): number {
    const bytes = this.parts.memory.roomBytes * buildingShare;
    return Math.min(segmentChunksMax, Math.floor(bytes / ValueCellsBuilder.bytesFor(chunkRowsMax)));
  }

  // -- building --

  private wantIfDue(state: PropertyState, index: SnapshotIndex): void {
    if (state.asks < asksMin || this.clockMs() < state.restUntilMs) return;
    if (this.planOf(state, index).due.length === 0) return;
    state.wanted = index;
    this.backlog ??= this.workOff().finally(() => {
      this.backlog = undefined;
    });
  }

  /** One partition of one property after the other. I3 */
  private async workOff(): Promise<void> {
    for (;;) {
      const state = [...this.states.values()].find(({wanted}) => wanted !== undefined);
      if (state?.wanted === undefined) return;
      const index = state.wanted;
      state.wanted = undefined;
      // What is asked meanwhile must not have it built again at once: that would find nothing to do, and rest no longer.
      state.restUntilMs = Number.POSITIVE_INFINITY;
      const {isFit, tookMs} = await this.buildAll(state, index);
      const built = [...this.states.values()].filter(({asks}) => asks >= asksMin).length;
      const restMs = Math.min(Math.max(restTimes * tookMs * built, restMsMin), interestMs);
      state.restUntilMs = this.clockMs() + (isFit ? restMs : interestMs);
      this.logger.debug({partition: state.partition, ms: tookMs, isFit}, 'cells of property values built');
    }
  }

  /** False when there is no sense in trying again soon. Never rejects: parts that cannot be read are the scan's business. */
  private async buildAll(state: PropertyState, index: SnapshotIndex): Promise<{isFit: boolean; tookMs: number}> {
    let tookMs = 0;
    try {
      const {due, segmentChunks} = this.planOf(state, index);
      for (let at = 0; at < due.length; at += segmentChunks) {
        const built = await this.building.take(async () => {
          const startedMs = this.clockMs();
          const segment = await this.buildSegment(state.property, due.slice(at, at + segmentChunks));
          tookMs += this.clockMs() - startedMs;
          return segment;
        });
        if (this.states.get(keyOf(state)) !== state) break; // It was forgotten meanwhile.
        if (built === undefined || !this.keep(state, index, built)) return {isFit: false, tookMs};
      }
    } catch (error) {
      this.logger[isUnreadable(error) ? 'debug' : 'error']({err: error}, 'cells of property values were not built');
    }
    return {isFit: true, tookMs};
  }

  private async buildSegment(property: PropertyName, chunks: readonly ChunkEntry[]): Promise<Built | undefined> {
    const bytes = ValueCellsBuilder.bytesFor(liveRows(chunks));
    this.parts.memory.lend(bytes);
    try {
      return await this.build(new ValueCellsBuilder(property), chunks);
    } finally {
      this.parts.memory.lend(-bytes);
    }
  }

  /** Undefined: values are nearly unique. */
  private async build(builder: ValueCellsBuilder, chunks: readonly ChunkEntry[]): Promise<Built | undefined> {
    const slices = new QuietSlices(this.whenQuiet);
    const leftOut = new Set<string>();
    let partsBytes = 0;
    const load = ({rows}: ChunkEntry) => this.parts.loadRowsAside(rows);
    for await (const [{rows}, view] of loadAhead(chunks, load, loadsAheadMax)) {
      if (builder.add(view)) partsBytes += rows.bytes;
      else leftOut.add(rows.key);
      if (builder.isNearlyUnique) return undefined;
      await slices.pause();
    }
    const work = builder.build();
    let step = work.next();
    for (; !step.done; step = work.next()) await slices.pause();
    return {chunks: chunks.map(({rows}) => rows.key), leftOut, cells: step.value, partsBytes};
  }

  /** In place of the segments that it holds chunks of, and of those that the snapshot has no use for. False: past the share. I3 */
  private keep(state: PropertyState, index: SnapshotIndex, {chunks, leftOut, cells, partsBytes}: Built): boolean {
    const isReplaced = (segment: Segment): boolean => segment.chunks.some((chunk) => chunks.includes(chunk));
    const others = this.planOf(state, index).held.filter((segment) => !isReplaced(segment));
    const elsewhere = [...this.states.values()]
      .filter(({property, partition}) => property.text === state.property.text && partition !== state.partition)
      .flatMap(({segments}) => segments);
    if (this.bytesOf([...others, ...elsewhere]) + cells.bytes > this.parts.memory.roomBytes * cellsShare) return false;
    const key = `cells ${(this.segmentsBuilt += 1)}`;
    for (const segment of state.segments) if (!others.includes(segment)) this.parts.memory.drop(segment.key);
    this.parts.memory.keepCells(key, cells, partsBytes);
    this.keepSegments(state, [...others, {key, chunks, leftOut}]);
    return true;
  }

  private bytesOf(segments: readonly Segment[]): number {
    return segments.reduce((sum, {key}) => sum + this.parts.memory.bytesOfCells(key), 0);
  }
}

const keyOf = ({partition, property}: PropertyState): string => `${partition} ${property.text}`;

function newState(partition: number, text: string): PropertyState {
  return {
    partition,
    property: new PropertyName(text),
    asks: 0,
    askedMs: 0,
    asked: {startMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY},
    earlierAsks: earlierAsksMax,
    events: undefined,
    segments: [],
    plan: undefined,
    wanted: undefined,
    restUntilMs: 0,
  };
}

/** What was asked about, and whether it went on to the newest event. */
function note(state: PropertyState, {startMs, lastMs}: Stretch, index: SnapshotIndex): void {
  const before = stretchOf(state);
  if (state.events?.index !== index) state.events = {index, stretch: stretchOfChunks(index.chunks)};
  const {startMs: oldestMs, lastMs: newestMs} = state.events.stretch;
  state.earlierAsks = lastMs >= newestMs ? 0 : state.earlierAsks + 1;
  const {asked} = state;
  state.asked = {
    startMs: Math.min(asked.startMs, Math.max(startMs, oldestMs)),
    lastMs: Math.max(asked.lastMs, Math.min(lastMs, newestMs)),
  };
  const {startMs: start, lastMs: last} = stretchOf(state);
  if (start !== before.startMs || last !== before.lastMs) state.plan = undefined;
}

/** I2: what comes behind the newest event will be asked about, too, where that was. */
const stretchOf = ({asked, earlierAsks}: PropertyState): Stretch =>
  earlierAsks < earlierAsksMax ? {startMs: asked.startMs, lastMs: Number.POSITIVE_INFINITY} : asked;

/**
 * `segmentChunks`: how many fill a segment. A segment that is not full is built again with what came after it; of its
 * chunks, those that nobody asks about any more are left to the scan then.
 */
function planFor(index: SnapshotIndex, state: PropertyState, segmentChunks: number): Plan {
  const {segments} = state;
  const closed = index.chunks.filter(({live, chunk}) => live > 0 && chunk !== index.nextChunk); // I4
  const keys = new Set(closed.map(({rows}) => rows.key));
  const held = segments.filter(({chunks}) => chunks.every((key) => keys.has(key))); // I1
  const full = new Set(held.flatMap(({chunks}) => (chunks.length < segmentChunks ? [] : chunks)));
  const taken = new Set(held.flatMap(({chunks}) => chunks));
  const covered = new Set(held.flatMap(({chunks, leftOut}) => chunks.filter((key) => !leftOut.has(key))));
  const others = index.chunks.filter(({rows}) => !covered.has(rows.key));
  const asked = chunksWithin(closed, [stretchOf(state)]); // I2
  const behind = asked.filter(({rows}) => !taken.has(rows.key)).length;
  const isWorth = segmentChunks > chunksBehindMax && behind > chunksBehindMax; // I4
  return {
    index,
    held,
    covered,
    others,
    segmentChunks,
    due: isWorth ? asked.filter(({rows}) => !full.has(rows.key)) : [],
  };
}
