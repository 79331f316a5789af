// What funnels are answered from: postings of every partition (actors/report/funnel/user-postings.ts), in memory alone.
//   I1. Postings answer for a snapshot only if they hold exactly its rows (actors/report/funnel/postings-plan.ts, G1), or all of
//       them that lie in the stretch that is asked about. Without them the scan answers.
//   I2. They are made once funnels are asked, off the way of any answer, and give way to reports: when some of the rows of
//       an asked stretch have none, and as far as that goes: rows of new snapshots that nobody asks about cost nothing. What
//       few rows of its stretch they lack an answer builds for itself, as scanning everything would take longer. They go
//       when no funnel was asked for a while.
//   I3. What they take is taken from the room for parts, and is at most a share of it. Building borrows of that room, as
//       far as it needs it and up to a larger share, and gives it back. What does not fit is not built.
//       Where those of all events do not fit there are postings of what was asked for lately, as far as they do: of the names
//       of some funnels, from the first event on that one of them is about (actors/report/funnel/asked-funnels.ts).
//   I4. A segment's replacement is built beside it: answers go on meanwhile. One partition is built at a time, and nothing
//       else that borrows of the room for parts meanwhile.

import {type RowsView, rowsWithin} from '../../../actors/chunk/rows.js';
import type {ChunkEntry, SnapshotIndex} from '../../../actors/manifest.js';
import {AskedFunnels, holdsAll, hull, type NamedStretch} from '../../../actors/report/funnel/asked-funnels.js';
import {
  mergeDue,
  type PlannedSegment,
  planSegments,
  planUntil,
  planWithin,
  rowsOf,
  rowsToBuild,
  type Segment,
} from '../../../actors/report/funnel/postings-plan.js';
import {
  type AllocatePostings,
  PostingsBuilder,
  plainMemory,
  type UserPostings,
} from '../../../actors/report/funnel/user-postings.js';
import {chunksNaming, chunksWithin, isInside, liveRows, type Stretch} from '../../../actors/report/selection.js';
import {monotonicMs} from '../../clock.js';
import type {Logger} from '../../observe.js';
import {isUnreadable} from '../../parts/damage.js';
import {loadAhead} from '../../parts/load-ahead.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {QuietSlices, Slices} from '../slices.js';
import {Turns} from '../turns.js';
import {funnelKernel, kernelMemory} from './funnel-kernel.js';
import {NameSizes} from './name-sizes.js';

/** Of the room for parts: postings of 12 M events at the default bound of memory. */
const keptShare = 9 / 16;
/** With what building takes; reports at work may borrow the rest. */
const buildingShare = 11 / 16;
/** An answer builds so many rows for itself: some 5 ms. Of larger stores a share, which is less than scanning it all. */
const rowsOnTheWayMin = 65_536;
const shareOnTheWay = 1 / 16;
const interestMs = 30 * 60_000;
const loadsAheadMax = 4;
/** What did not fit is tried again when it has become smaller by this share. */
const retryShare = 1 / 8;

/** Rows of the chunks that lie in the stretch, with these names; given up when they are more than `rowsMax`. */
interface Build {
  readonly chunks: readonly ChunkEntry[];
  /** Undefined: all. */
  readonly names: ReadonlySet<number> | undefined;
  readonly index: SnapshotIndex;
  readonly rankStart: number;
  readonly stretch: Stretch;
  readonly rowsMax: number;
  /** For later answers as well; otherwise for one answer. */
  readonly isKept: boolean;
  /** Called between slices. */
  readonly pause: () => Promise<void>;
}

/** Postings of the rows of a snapshot, from its first one to those of the stretch. I2 */
interface Wanted {
  readonly index: SnapshotIndex;
  readonly stretch: Stretch;
  /** Of the snapshots of all partitions. */
  readonly storedRows: number;
}

/** What is to be built, and what is held of it. */
interface Plan {
  readonly index: SnapshotIndex;
  readonly segments: readonly PlannedSegment[];
  /** Undefined: of all names. */
  readonly chosen: Chosen | undefined;
  readonly storedRows: number;
}

interface Chosen extends NamedStretch {
  /** That its postings take, as far as that is known beforehand. */
  readonly bytes: number;
  /** Of this partition's share of the memory. */
  readonly rowsMax: number;
}

interface PartitionState {
  segments: readonly Segment[];
  /** What waits for its turn to be built. I4 */
  wanted: Wanted | undefined;
  readonly asked: AskedFunnels;
  readonly sizes: NameSizes;
  /** What was chosen and built, where all names' postings do not fit. */
  chosen: Chosen | undefined;
  /** What a choice was to take that did not fit after all. */
  refusedBytes: number | undefined;
}

export class FunnelIndex {
  private readonly parts: PartsCache;
  private readonly partsBytesMax: number;
  private readonly logger: Logger;
  private readonly whenQuiet: () => Promise<void>;
  /** Of what is kept. */
  private readonly allocate: AllocatePostings;
  private readonly building: Turns;
  private readonly partitions = new Map<number, PartitionState>();
  /** How many rows' postings did not fit, of all partitions and names. */
  private unfitRows: number | undefined;
  private backlog: Promise<void> | undefined;
  /** Built, and not kept yet. */
  private builtBytes = 0;
  /** Borrowed for building. I3 */
  private borrowedBytes = 0;
  private lastAskedMs = 0;

  /**
   * `whenQuiet`: resolves when a slice of background work may be built (I2). `allocate`: memory of what is kept. `building`:
   * shared with other builders that use room lent by the parts.
   */
  constructor(
    parts: PartsCache,
    logger: Logger,
    whenQuiet = (): Promise<void> => Promise.resolve(),
    allocate = kernelMemory(funnelKernel()),
    building = new Turns(1, Number.POSITIVE_INFINITY),
  ) {
    this.allocate = allocate;
    this.whenQuiet = whenQuiet;
    this.parts = parts;
    this.partsBytesMax = parts.memory.bytesMax;
    this.logger = logger;
    this.building = building;
  }

  get bytesMax(): number {
    return Math.floor(this.partsBytesMax * keptShare);
  }

  get bytesHeld(): number {
    let bytes = this.builtBytes;
    for (const {segments} of this.partitions.values()) {
      for (const {postings} of segments) bytes += postings.bytes;
    }
    return bytes;
  }

  /**
   * Postings of all rows of this snapshot that have one of the names and lie in the stretch; undefined when there are none
   * (yet). `storedRows`: of the snapshots of all partitions. I1
   */
  async postingsOf(
    {manifest, index}: PartitionSnapshot,
    {names, stretch}: NamedStretch,
    storedRows: number,
  ): Promise<readonly UserPostings[] | undefined> {
    if (names.size === 0) return [];
    this.lastAskedMs = monotonicMs();
    const state = this.stateOf(manifest.partition);
    state.asked.note(names, stretch, this.lastAskedMs);
    const plan = planSegments(index, state.segments.filter(holding(names)));
    if (plan.some((segment) => lacksAny(segment, stretch))) this.want(state, {index, stretch, storedRows});
    try {
      return await this.completed(plan, index, stretch);
    } catch (error) {
      if (isUnreadable(error)) return undefined; // The scan says what is missing.
      throw error;
    }
  }

  /** What is at hand, and what that lacks of the stretch. I2 */
  private async completed(
    plan: readonly PlannedSegment[],
    index: SnapshotIndex,
    stretch: Stretch,
  ): Promise<readonly UserPostings[] | undefined> {
    const slices = new Slices();
    const pause = (): Promise<void> => slices.pause();
    let rowsMax = Math.max(rowsOnTheWayMin, liveRows(index.chunks) * shareOnTheWay);
    const postings: UserPostings[] = [];
    for (const {chunks, held} of plan) {
      const rankStart = postings.at(-1)?.rankEnd ?? 0;
      const lacking = held === undefined ? chunksWithin(chunks, [stretch]) : [];
      if (held === undefined && lacking.length === 0) continue;
      if (liveRows(lacking.filter((chunk) => isInside(chunk, stretch))) > rowsMax) return undefined;
      const build = {
        chunks: lacking,
        names: undefined,
        index,
        rankStart,
        stretch,
        rowsMax,
        isKept: false,
        pause,
      };
      const own = held?.postings ?? (await this.buildPostings(build));
      if (own === undefined || own.rankStart < rankStart) return undefined;
      if (held === undefined) rowsMax -= own.rows;
      postings.push(own);
    }
    return postings;
  }

  /** Whether these are kept for later answers, too; others were built for this one. */
  keeps(postings: readonly UserPostings[], kept = this.kept()): boolean {
    return postings.every((each) => kept.has(each));
  }

  /** Resolves when nothing is being built any more. */
  async settled(): Promise<void> {
    while (this.backlog !== undefined) await this.backlog;
  }

  /** I2. Cheap: called with every question. */
  forgetUnasked(): void {
    if (this.partitions.size === 0 || monotonicMs() - this.lastAskedMs < interestMs) return;
    this.forget();
  }

  /** Drops all postings. */
  forget(): void {
    this.partitions.clear();
    this.unfitRows = undefined;
    this.makeRoom();
  }

  private stateOf(partition: number): PartitionState {
    const state = this.partitions.get(partition) ?? {
      segments: [],
      wanted: undefined,
      asked: new AskedFunnels(),
      sizes: new NameSizes(this.parts),
      chosen: undefined,
      refusedBytes: undefined,
    };
    this.partitions.set(partition, state);
    return state;
  }

  private kept(): ReadonlySet<UserPostings> {
    return new Set([...this.partitions.values()].flatMap(({segments}) => segments.map(({postings}) => postings)));
  }

  private makeRoom(): void {
    this.parts.memory.bound(this.partsBytesMax - this.bytesHeld);
  }

  // -- building --

  private want(state: PartitionState, wanted: Wanted): void {
    state.wanted =
      state.wanted === undefined ? wanted : {...wanted, stretch: hull(state.wanted.stretch, wanted.stretch)};
    this.backlog ??= this.workOff().finally(() => {
      this.backlog = undefined;
    });
  }

  /** One partition after the other. I4 */
  private async workOff(): Promise<void> {
    for (;;) {
      const state = [...this.partitions.values()].find(({wanted}) => wanted !== undefined);
      if (state?.wanted === undefined) return;
      const {wanted} = state;
      state.wanted = undefined;
      await this.start(state, wanted);
    }
  }

  /** Never rejects: parts that cannot be read are the business of the scan, which answers then. */
  private async start(state: PartitionState, wanted: Wanted): Promise<void> {
    try {
      await this.building.take(async () => {
        // Of all names first, and where those do not fit after all, of some.
        const isDone = await this.buildWanted(state, wanted);
        if (!isDone && !this.fitsWhole(wanted.storedRows)) await this.buildWanted(state, wanted);
      });
    } catch (error) {
      const level = isUnreadable(error) ? 'debug' : 'error';
      this.logger[level]({err: error}, 'postings for funnels were not built');
    } finally {
      this.makeRoom();
    }
  }

  /** Whether it is built, as far as anything of it may fit. */
  private async buildWanted(state: PartitionState, wanted: Wanted): Promise<boolean> {
    const plan = await this.planOf(state, wanted);
    return plan === undefined || rowsToBuild(plan.segments) === 0 || this.build(state, plan);
  }

  /** Undefined: nothing of what is asked for fits. */
  private async planOf(state: PartitionState, {index, stretch, storedRows}: Wanted): Promise<Plan | undefined> {
    if (this.fitsWhole(storedRows)) {
      this.keepOnly(({names}) => names === undefined);
      const segments = planUntil(planSegments(index, state.segments), stretch);
      return {index, segments: mergeDue(segments, index), chosen: undefined, storedRows};
    }
    this.keepOnly(({names}) => names !== undefined);
    const chosen = await this.choose(state, index, storedRows);
    if (chosen === undefined) return undefined;
    const segments = planWithin(planSegments(index, state.segments.filter(holding(chosen.names))), chosen.stretch);
    return {index, segments: mergeDue(segments, index), chosen, storedRows};
  }

  /** Whether postings of all rows and names may fit. */
  private fitsWhole(storedRows: number): boolean {
    const rowsEnd = this.unfitRows === undefined ? Number.POSITIVE_INFINITY : this.unfitRows * (1 - retryShare);
    return storedRows < rowsEnd && PostingsBuilder.postingsBytesMin(0, storedRows) <= this.bytesMax;
  }

  /** Of all partitions: those that are in the way of the others. */
  private keepOnly(isKept: (segment: Segment) => boolean): void {
    const states = [...this.partitions.values()].filter(({segments}) => !segments.every(isKept));
    for (const state of states) state.segments = state.segments.filter(isKept);
    if (states.length === 0) return;
    this.makeRoom();
  }

  /** I3 */
  private async choose(state: PartitionState, index: SnapshotIndex, storedRows: number): Promise<Chosen | undefined> {
    const {asked, sizes, refusedBytes = Number.POSITIVE_INFINITY} = state;
    const sinceMs = monotonicMs() - interestMs;
    const slices = new QuietSlices(this.whenQuiet);
    await sizes.read(index, asked.namesSince(sinceMs), () => slices.pause());
    // Users are spread evenly, so that what fits one partition's share fits all of them.
    const share = liveRows(index.chunks) / storedRows;
    const bytesMax = Math.min(this.bytesMax * share, refusedBytes * (1 - retryShare));
    const withPassingMax = this.partsBytesMax * buildingShare - this.bytesMax * (1 - share);
    const fits = (choice: NamedStretch): boolean => {
      const {bytes, passing} = sizeOf(index, sizes, choice);
      return bytes <= bytesMax && bytes + passing <= withPassingMax;
    };
    const choice = asked.choose(sinceMs, state.chosen, fits);
    const rowsMax = Math.floor(bytesMax / Float64Array.BYTES_PER_ELEMENT);
    return choice && {...choice, bytes: sizeOf(index, sizes, choice).bytes, rowsMax};
  }

  /** Whether it fitted. */
  private async build(state: PartitionState, plan: Plan): Promise<boolean> {
    const startedMs = monotonicMs();
    const segments: Segment[] = [];
    let builtBytes = 0;
    try {
      for (const {chunks, held} of plan.segments) {
        const rankStart = segments.at(-1)?.postings.rankEnd ?? 0;
        const segment = held ?? (await this.buildBesideOrAfter(state, plan, chunks, rankStart));
        // Ranks of what is held overlap only where something before it was built anew, and seldom then: all is built anew.
        if (segment === undefined || segment.postings.rankStart < rankStart) {
          this.giveUp(state, plan);
          return false;
        }
        segments.push(segment);
        if (held !== undefined) continue;
        builtBytes += segment.postings.bytes;
        this.builtBytes += segment.postings.bytes;
        this.makeRoom();
      }
    } finally {
      this.builtBytes -= builtBytes;
    }
    state.segments = segments;
    state.chosen = plan.chosen;
    const [rows, names] = [rowsToBuild(plan.segments), plan.chosen?.names.size];
    this.logger.debug({rows, names, ms: monotonicMs() - startedMs}, 'postings for funnels built');
    return true;
  }

  /** What is whole and does not fit is not tried again soon; what was held may be in the way of the rest. */
  private giveUp(state: PartitionState, {segments, chosen, storedRows}: Plan): void {
    if (segments.every(({held}) => held === undefined)) {
      if (chosen === undefined) this.unfitRows = storedRows;
      else state.refusedBytes = chosen.bytes;
    }
    Object.assign(state, {segments: [], chosen: undefined});
    this.logger.debug({rows: rowsOf(segments)}, 'postings for funnels do not fit');
  }

  /** Beside the segments that it replaces, or, where memory does not suffice for both, after they are gone. */
  private async buildBesideOrAfter(
    state: PartitionState,
    plan: Plan,
    chunks: readonly ChunkEntry[],
    rankStart: number,
  ): Promise<Segment | undefined> {
    const segment = await this.buildSegment(chunks, plan, rankStart);
    const kept = plan.segments.flatMap(({held}) => held ?? []);
    if (segment !== undefined || kept.length === state.segments.length) return segment;
    state.segments = kept;
    return this.buildSegment(chunks, plan, rankStart);
  }

  private async buildSegment(
    chunks: readonly ChunkEntry[],
    {index, chosen}: Plan,
    rankStart: number,
  ): Promise<Segment | undefined> {
    const slices = new QuietSlices(this.whenQuiet);
    const pause = (): Promise<void> => slices.pause();
    const stretch = {startMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY};
    const names = chosen?.names;
    const rowsMax = chosen?.rowsMax ?? liveRows(chunks);
    const postings = await this.buildPostings({chunks, names, index, rankStart, stretch, rowsMax, isKept: true, pause});
    return postings && {chunks, names, postings};
  }

  /** Undefined where they do not fit, or where there are none (actors/report/funnel/user-postings.ts, U3). */
  private async buildPostings(build: Build): Promise<UserPostings | undefined> {
    const {chunks, names: only, rankStart, rowsMax, isKept, pause} = build;
    const {users, names} = build.index;
    // Of some names it is known only when they are counted.
    const rows = only === undefined ? Math.min(rowsMax, liveRows(chunks)) : 0;
    const allocate = isKept ? this.allocate : plainMemory;
    return this.borrowing(build, rows, async (counted) => {
      const builder = new PostingsBuilder(users.count, names.count, rankStart, only);
      for await (const view of this.rows(build)) {
        builder.count(view);
        if (builder.rowCount > rowsMax) return undefined;
      }
      if (!counted(builder.rowCount)) return undefined;
      builder.startPlacing();
      for await (const view of this.rows(build)) builder.place(view);
      const work = builder.build((bytes) => (this.bytesHeld + bytes <= this.bytesMax ? allocate(bytes) : undefined));
      for (;;) {
        const {done, value} = work.next();
        if (done) return value;
        await pause();
      }
    });
  }

  /**
   * What building postings of so many rows takes, for as long as `work` lasts, which tells when it knows of more. Undefined,
   * and `counted` false, where that does not fit. I3
   */
  private async borrowing<T>(
    {index: {users, names}, isKept}: Build,
    rowsMin: number,
    work: (counted: (rows: number) => boolean) => Promise<T>,
  ): Promise<T | undefined> {
    let borrowed = 0;
    const isLent = (rows: number): boolean => {
      const kept = PostingsBuilder.postingsBytesMin(names.count, rows);
      const bytes = PostingsBuilder.passingBytes(users.count, rows) + kept;
      const more = bytes - borrowed;
      if (more <= 0) return true;
      if (this.bytesHeld + kept > this.bytesMax) return false;
      // What an answer builds for itself is little, soon gone, and not in the way of what is kept.
      const before = isKept ? borrowed : this.borrowedBytes;
      if (this.bytesHeld + before + more > this.partsBytesMax * buildingShare) return false;
      this.borrow(more);
      borrowed = bytes;
      return true;
    };
    if (!isLent(rowsMin)) return undefined;
    try {
      return await work(isLent);
    } finally {
      this.borrow(-borrowed);
    }
  }

  private borrow(bytes: number): void {
    this.borrowedBytes += bytes;
    this.parts.memory.lend(bytes);
  }

  private async *rows({chunks, names, stretch, pause}: Build): AsyncGenerator<RowsView, void, void> {
    const asked = names === undefined ? chunks : chunksNaming(chunks, [...names]);
    for await (const [, view] of loadAhead(asked, ({rows}) => this.parts.loadRows(rows), loadsAheadMax)) {
      yield rowsWithin(view, stretch.startMs, stretch.lastMs);
      await pause();
    }
  }
}

/** What postings of these names take, and building them beside that, as far as it is known before. */
function sizeOf(
  {users, names, chunks}: SnapshotIndex,
  sizes: NameSizes,
  asked: NamedStretch,
): {readonly bytes: number; readonly passing: number} {
  const rows = [...asked.names].map((name) => sizes.rowsOf(name, asked.stretch));
  const total = rows.reduce((sum, each) => sum + each, 1);
  // By whole days they may be more than there are in the chunks that the stretch touches.
  const share = Math.min(1, liveRows(chunksWithin(chunks, [asked.stretch])) / total);
  const bytes = rows.reduce(
    (sum, each) => sum + PostingsBuilder.nameBytesMax(users.count, Math.ceil(each * share)),
    PostingsBuilder.postingsBytesMin(names.count, 0),
  );
  return {bytes, passing: PostingsBuilder.passingBytes(users.count, Math.ceil(total * share))};
}

/** Whether a segment has all events of these names. */
const holding =
  (names: ReadonlySet<number>) =>
  (segment: Segment): boolean =>
    segment.names === undefined || holdsAll(segment.names, names);

/** Whether the stretch needs rows of it that have no postings. */
const lacksAny = ({chunks, held}: PlannedSegment, stretch: Stretch): boolean =>
  held === undefined && chunksWithin(chunks, [stretch]).length > 0;
