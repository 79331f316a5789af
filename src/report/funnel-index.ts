// What funnels are answered from: postings of every partition (actors/report/user-postings.ts), in memory alone. A second
// thread walks over them as well (second-walker.ts).
//   I1. Postings answer for a snapshot only if they hold exactly its rows (actors/report/postings-plan.ts, G1), or all of
//       them that lie in the stretch that is asked about. Without them the scan answers.
//   I2. They are made once funnels are asked, off the way of any answer, and give way to reports: when some of the rows of
//       an asked stretch have none, and as far as that goes: rows of new snapshots that nobody asks about cost nothing. What
//       few rows of its stretch they lack an answer builds for itself, as scanning everything would take longer. They go
//       when no funnel was asked for a while.
//   I3. What they take is taken from the room for parts, and is at most a share of it. Building borrows of that room, as
//       far as it needs it and up to a larger share, and gives it back. What does not fit is not built.
//   I4. A segment's replacement is built beside it: answers go on meanwhile. One partition is built at a time, and nothing
//       else that borrows of the room for parts meanwhile.

import type {ChunkEntry, SnapshotIndex} from '../../actors/manifest.js';
import {NumberLists} from '../../actors/report/median.js';
import type {PostedFunnel} from '../../actors/report/posted-funnel.js';
import {
  mergeDue,
  type PlannedSegment,
  planSegments,
  planUntil,
  rowsOf,
  rowsToBuild,
  type Segment,
} from '../../actors/report/postings-plan.js';
import {chunksWithin, liveRows, type Stretch} from '../../actors/report/selection.js';
import {
  type AllocatePostings,
  PostingsBuilder,
  plainMemory,
  type UserPostings,
} from '../../actors/report/user-postings.js';
import {type RowsView, rowsWithin} from '../../actors/rows.js';
import {monotonicMs} from '../clock.js';
import type {Logger} from '../observe.js';
import {isUnreadable} from '../parts/damage.js';
import {loadAhead} from '../parts/load-ahead.js';
import type {PartsCache} from '../parts/parts-cache.js';
import {funnelKernel, kernelMemory} from './funnel-kernel.js';
import type {PartitionSnapshot} from './newest-snapshots.js';
import {
  type AskedWalk,
  type JointWalk,
  type PostedSteps,
  SecondWalker,
  type SecondWalkerOptions,
} from './second-walker.js';
import {QuietSlices, Slices} from './slices.js';
import {Turns} from './turns.js';

/** Of the room for parts: postings of 12 M events at the default bound of memory. */
const keptShare = 9 / 16;
/** With what building takes; reports at work may borrow the rest. */
const buildingShare = 11 / 16;
/** An answer builds so many rows for itself: some 5 ms. Of larger stores a share, which is less than scanning it all. */
const rowsOnTheWayMin = 65_536;
const shareOnTheWay = 1 / 16;
const interestMs = 30 * 60_000;
const loadsAheadMax = 4;
/** What did not fit is tried again when the partition has become smaller or larger by this share. */
const retryShare = 1 / 8;

/** Rows of the chunks that lie in the stretch; given up when they are more than `rowsMax`. */
interface Build {
  readonly chunks: readonly ChunkEntry[];
  readonly index: SnapshotIndex;
  readonly rankStart: number;
  readonly stretch: Stretch;
  readonly rowsMax: number;
  readonly allocate: AllocatePostings;
  /** Called between slices. */
  readonly pause: () => Promise<void>;
}

/** Postings of the rows of a snapshot, from its first one to those of the stretch. I2 */
interface Wanted {
  readonly index: SnapshotIndex;
  readonly stretch: Stretch;
}

interface PartitionState {
  segments: readonly Segment[];
  /** What waits for its turn to be built. I4 */
  wanted: Wanted | undefined;
  /** How many rows' postings did not fit. */
  unfitRows: number | undefined;
}

export class FunnelIndex {
  private readonly parts: PartsCache;
  private readonly partsBytesMax: number;
  private readonly logger: Logger;
  private readonly whenQuiet: () => Promise<void>;
  /** Walks over what is kept as well, where there is a kernel. */
  private readonly secondWalker: SecondWalker | undefined;
  /** Of what is kept. */
  private readonly allocate: AllocatePostings;
  private readonly building: Turns;
  private readonly partitions = new Map<number, PartitionState>();
  private backlog: Promise<void> | undefined;
  /** Built, and not kept yet. */
  private builtBytes = 0;
  /** Borrowed for building. I3 */
  private borrowedBytes = 0;
  private lastAskedMs = 0;

  /**
   * `whenQuiet`: resolves when a slice of what nobody waits for may be built (I2). `lists`: for the durations of whoever asks;
   * the second thread has as many. `building`: shared with others that build in room lent by the parts.
   */
  constructor(
    parts: PartsCache,
    logger: Logger,
    whenQuiet = (): Promise<void> => Promise.resolve(),
    lists = new NumberLists(0),
    walkerOptions: SecondWalkerOptions & {readonly kernelBytesMin?: number} = {},
    building = new Turns(1, Number.POSITIVE_INFINITY),
  ) {
    const kernel = funnelKernel();
    this.allocate = kernelMemory(kernel, walkerOptions.kernelBytesMin);
    this.secondWalker = kernel && new SecondWalker({kernel, lists}, logger, walkerOptions);
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

  /** Postings of all rows of this snapshot that lie in the stretch; undefined when there are none (yet). I1 */
  async postingsOf(
    {manifest, index}: PartitionSnapshot,
    stretch: Stretch,
  ): Promise<readonly UserPostings[] | undefined> {
    this.lastAskedMs = monotonicMs();
    const state = this.stateOf(manifest.partition);
    const plan = planSegments(index, state.segments);
    if (plan.some((segment) => lacksAny(segment, stretch))) this.want(state, {index, stretch});
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
      const build = {chunks: lacking, index, rankStart, stretch, rowsMax, allocate: plainMemory, pause};
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

  /** A second thread beside whoever walks these funnels; undefined when they are walked alone. */
  join(posted: readonly PostedSteps[], funnels: readonly PostedFunnel[], asked: AskedWalk): JointWalk | undefined {
    const kept = this.kept();
    if (!posted.every(({segments}) => this.keeps(segments, kept))) return undefined;
    return this.secondWalker?.join(posted, funnels, asked);
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

  /** Nothing is kept any more, and a second thread that walked over it ends. */
  forget(): void {
    this.partitions.clear();
    this.letGo();
    this.makeRoom();
  }

  private stateOf(partition: number): PartitionState {
    const state = this.partitions.get(partition) ?? {
      segments: [],
      wanted: undefined,
      unfitRows: undefined,
    };
    this.partitions.set(partition, state);
    return state;
  }

  /** What is not kept any more is not kept by the second thread either. */
  private letGo(): void {
    this.secondWalker?.keepOnly(this.kept());
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
      const {index, stretch} = state.wanted;
      state.wanted = undefined;
      const plan = planUntil(planSegments(index, state.segments), stretch);
      await this.start(state, mergeDue(plan, index), index);
    }
  }

  /** Never rejects: parts that cannot be read are the business of the scan, which answers then. */
  private async start(state: PartitionState, plan: readonly PlannedSegment[], index: SnapshotIndex): Promise<void> {
    try {
      await this.building.take(() => this.build(state, plan, index));
    } catch (error) {
      const level = isUnreadable(error) ? 'debug' : 'error';
      this.logger[level]({err: error}, 'postings for funnels were not built');
    } finally {
      this.makeRoom();
    }
  }

  private async build(state: PartitionState, plan: readonly PlannedSegment[], index: SnapshotIndex): Promise<void> {
    const rows = rowsOf(plan);
    if (state.unfitRows !== undefined && Math.abs(rows - state.unfitRows) < state.unfitRows * retryShare) return;
    const startedMs = monotonicMs();
    const segments: Segment[] = [];
    let builtBytes = 0;
    try {
      for (const {chunks, held} of plan) {
        const rankStart = segments.at(-1)?.postings.rankEnd ?? 0;
        const segment = held ?? (await this.buildBesideOrAfter(state, plan, chunks, index, rankStart));
        // Ranks of what is held overlap only where something before it was built anew, and seldom then: all is built anew.
        if (segment === undefined || segment.postings.rankStart < rankStart) {
          this.giveUp(state, plan, rows);
          return;
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
    if (state.unfitRows !== undefined && rows > state.unfitRows) state.unfitRows = undefined;
    this.letGo();
    this.logger.debug({rows: rowsToBuild(plan), ms: monotonicMs() - startedMs}, 'postings for funnels built');
  }

  /** What is whole and does not fit is not tried again soon; what was held may be in the way of the rest. */
  private giveUp(state: PartitionState, plan: readonly PlannedSegment[], rows: number): void {
    const isWhole = plan.every(({held}) => held === undefined);
    Object.assign(state, {segments: [], unfitRows: isWhole ? rows : undefined});
    this.letGo();
    this.logger.debug({rows}, 'postings for funnels do not fit');
  }

  /** Beside the segments that it replaces, or, where memory does not suffice for both, after they are gone. */
  private async buildBesideOrAfter(
    state: PartitionState,
    plan: readonly PlannedSegment[],
    chunks: readonly ChunkEntry[],
    index: SnapshotIndex,
    rankStart: number,
  ): Promise<Segment | undefined> {
    const segment = await this.buildSegment(chunks, index, rankStart);
    const kept = plan.flatMap(({held}) => held ?? []);
    if (segment !== undefined || kept.length === state.segments.length) return segment;
    state.segments = kept;
    this.letGo();
    return this.buildSegment(chunks, index, rankStart);
  }

  private async buildSegment(
    chunks: readonly ChunkEntry[],
    index: SnapshotIndex,
    rankStart: number,
  ): Promise<Segment | undefined> {
    const slices = new QuietSlices(this.whenQuiet);
    const pause = (): Promise<void> => slices.pause();
    const stretch = {startMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY};
    const {allocate} = this;
    const rowsMax = liveRows(chunks);
    const postings = await this.buildPostings({chunks, index, rankStart, stretch, rowsMax, allocate, pause});
    return postings && {chunks, postings};
  }

  /** Undefined where they do not fit, or where there are none (actors/report/user-postings.ts, U3). */
  private async buildPostings(build: Build): Promise<UserPostings | undefined> {
    const {chunks, rankStart, rowsMax, pause} = build;
    const {users, names} = build.index;
    const rows = Math.min(rowsMax, liveRows(chunks));
    const passing = PostingsBuilder.passingBytes(users.count, rows);
    const kept = PostingsBuilder.postingsBytesMin(names.count, rows);
    if (this.bytesHeld + kept > this.bytesMax) return undefined; // I3
    if (this.bytesHeld + this.borrowedBytes + passing + kept > this.partsBytesMax * buildingShare) return undefined;
    this.borrow(passing + kept);
    try {
      const builder = new PostingsBuilder(users.count, names.count, rankStart);
      for await (const view of this.rows(build)) {
        builder.count(view);
        if (builder.rowCount > rowsMax) return undefined;
      }
      builder.startPlacing();
      for await (const view of this.rows(build)) builder.place(view);
      const work = builder.build((bytes) =>
        this.bytesHeld + bytes <= this.bytesMax ? build.allocate(bytes) : undefined,
      );
      for (;;) {
        const {done, value} = work.next();
        if (done) return value;
        await pause();
      }
    } finally {
      this.borrow(-passing - kept);
    }
  }

  private borrow(bytes: number): void {
    this.borrowedBytes += bytes;
    this.parts.memory.lend(bytes);
  }

  private async *rows({chunks, stretch, pause}: Build): AsyncGenerator<RowsView, void, void> {
    for await (const [, view] of loadAhead(chunks, ({rows}) => this.parts.loadRows(rows), loadsAheadMax)) {
      yield rowsWithin(view, stretch.startMs, stretch.lastMs);
      await pause();
    }
  }
}

const hull = (a: Stretch, b: Stretch): Stretch => ({
  startMs: Math.min(a.startMs, b.startMs),
  lastMs: Math.max(a.lastMs, b.lastMs),
});

/** Whether the stretch needs rows of it that have no postings. */
const lacksAny = ({chunks, held}: PlannedSegment, stretch: Stretch): boolean =>
  held === undefined && chunksWithin(chunks, [stretch]).length > 0;
