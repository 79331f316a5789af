// Postings of every partition (actors/report/funnel/user-postings.ts), from which funnels are answered.
//   Owns: which events have postings, and when more are built. Does not own: how long they are kept (derived-indexes.ts).
//   FI1. Postings answer for a snapshot only if they have exactly its rows (actors/report/funnel/postings-plan.ts, PP1) of the
//       asked names, or all of those in the asked stretch. Otherwise the scan answers.
//   FI2. They are built in the background when some rows of an asked stretch have none: for all names that funnels asked for
//       lately, in the stretch of those questions. If that does not fit, the present postings stay and follow new snapshots;
//       only if those have nothing for the asked names and stretch, postings of these replace them. What did not fit is tried
//       again once it would.
//   FI3. An answer builds postings of a few missing rows itself: scanning everything would take longer. Where a partition has no
//       postings at all, the answer gathers those of its names, and they stay: it reads the rows in any case.
//   FI4. A segment's replacement is built while the segment stays, so that answers continue; without memory for both, after it.
//   FI5. Of postings in use, names yield that no funnel asked for lately (actors/report/yielding.ts).

import {type RowsView, rowsWithin} from '../../../actors/chunk/rows.js';
import type {ChunkEntry, SnapshotIndex} from '../../../actors/manifest.js';
import {
  mergeDue,
  type PlannedSegment,
  planSegments,
  planWithin,
  type Segment,
} from '../../../actors/report/funnel/postings-plan.js';
import {
  type AllocatePostings,
  PostingsBuilder,
  plainMemory,
  type UserPostings,
} from '../../../actors/report/funnel/user-postings.js';
import {chunksNaming, chunksWithin, isInside, liveRows, type Stretch} from '../../../actors/report/selection.js';
import {AskTimes, noAsks} from '../../../actors/report/yielding.js';
import type {TimeSlicer} from '../../pacing/time-slicer.js';
import {isUnreadable} from '../../parts/damage.js';
import {loadAhead} from '../../parts/load-ahead.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {
  type Build,
  type BuildNeed,
  type Derived,
  type DerivedIndexes,
  type IdlePart,
  interestMs,
} from '../derived-indexes.js';
import {heldRowsOf} from '../named-rows.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {kernelMemory} from './funnel-kernel.js';

/** Rows that take some 5 ms. In larger stores a share of the rows, which is less than a scan of all of them. FI3 */
const rowsOnTheWayMin = 65_536;
const shareOnTheWay = 1 / 16;
const loadsAheadMax = 4;
/** FI5: a smaller share is not worth a copy of the rest. */
const narrowedShare = 1 / 8;

/** Events of these names (name indexes of a partition) in a stretch. */
interface NamedStretch {
  readonly names: ReadonlySet<number>;
  readonly stretch: Stretch;
}

interface PartitionState {
  segments: readonly Segment[];
  /** Names and stretch that the segments were built for. */
  built: NamedStretch | undefined;
  refused: Refused | undefined;
  /** Names and stretch with more rows than an answer gathers. */
  tooMany: NamedStretch | undefined;
  /** Questions by name. */
  readonly asks: Map<number, AskTimes>;
  /** Smallest stretch around the stretches of recent questions. */
  stretch: Stretch;
  isBuilding: boolean;
  /** The newest question that waits for postings. */
  wanted: (NamedStretch & {readonly index: SnapshotIndex}) | undefined;
}

/** Names and stretch that did not fit. */
interface Refused extends NamedStretch {
  /** What they need; undefined: they have no postings in any memory, until some of their rows are erased. */
  readonly need: BuildNeed | undefined;
  readonly atMs: number;
}

/** How a build ended. */
type PostingsEnd = {readonly kind: 'built'} | {readonly kind: 'refused'; readonly need: BuildNeed | undefined};

/** The rows that postings are built from. */
interface Source extends NamedStretch {
  readonly index: SnapshotIndex;
  readonly chunks: readonly ChunkEntry[];
  readonly rankStart: number;
}

/** What a build aims at, and the asks to which idle values yield. */
interface BuildAttempt {
  readonly target: NamedStretch;
  readonly asks: AskTimes;
}

/** Postings of the asked names in these chunks, with ranks from `rankStart` on; undefined: their rows are too many. */
export type GatherPostings = (chunks: readonly ChunkEntry[], rankStart: number) => Promise<UserPostings | undefined>;

/** Makes room for kept bytes and scratch; false: there is none. */
type MakeRoom = (keptBytes: number, passingBytes: number) => boolean;

interface SegmentRoom {
  readonly make: MakeRoom;
  /** What did not fit. */
  refused: BuildNeed | undefined;
}

const always: Stretch = {startMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY};

export class FunnelIndex {
  private readonly parts: PartsCache;
  private readonly derived: DerivedIndexes;
  private readonly postings: Derived<UserPostings>;
  private readonly allocate: AllocatePostings;
  private readonly partitions = new Map<number, PartitionState>();
  private backlog: Promise<void> | undefined;
  private segmentsBuilt = 0;

  /** `allocate`: memory of the postings. */
  constructor(parts: PartsCache, derived: DerivedIndexes, allocate: AllocatePostings = kernelMemory) {
    this.parts = parts;
    this.derived = derived;
    this.postings = derived.kind({
      noteDrop: (key) => this.release(key),
      idlePartOf: (key, sinceMs) => this.idleNamesOf(key, sinceMs),
    });
    this.allocate = allocate;
  }

  get bytesHeld(): number {
    return this.postings.bytes;
  }

  /**
   * Postings of all rows of this snapshot that have one of the names and are in the stretch; undefined: scan. FI1
   * `gather`: gathers those of the names in some chunks (FI3). `slices`: of the answer.
   */
  async postingsOf(
    {manifest, index}: PartitionSnapshot,
    asked: NamedStretch,
    gather?: GatherPostings,
    slices?: TimeSlicer,
  ): Promise<readonly UserPostings[] | undefined> {
    const {names, stretch} = asked;
    if (names.size === 0) return [];
    const state = this.noteAsked(manifest.partition, asked);
    const plan = planSegments(index, state.segments.filter(holding(names)));
    if (plan.some((segment) => lacksAny(segment, stretch))) {
      const gathered = gather && (await this.gatheredBy(gather, state, plan, asked));
      if (gathered !== undefined) return gathered;
      this.want(state, {index, ...asked});
    }
    try {
      return await this.derived.buildNow((build) => this.completed(plan, index, asked, build), slices);
    } catch (error) {
      if (isUnreadable(error)) return undefined; // The scan reports what is missing.
      throw error;
    }
  }

  /** The first postings of a partition, out of the rows of an answer; undefined: there are some, or the rows are too many. FI3 */
  private async gatheredBy(
    gather: GatherPostings,
    state: PartitionState,
    plan: readonly PlannedSegment[],
    asked: NamedStretch,
  ): Promise<readonly UserPostings[] | undefined> {
    if (state.segments.length > 0 || (state.tooMany !== undefined && covers(asked, state.tooMany))) return undefined;
    const made: Segment[] = [];
    for (const {chunks} of planWithin(plan, asked.stretch)) {
      const postings = await gather(chunks, made.at(-1)?.postings.rankEnd ?? 0);
      if (postings === undefined) {
        state.tooMany = asked;
        return undefined;
      }
      made.push({key: `${(this.segmentsBuilt += 1)}`, chunks, names: asked.names, postings});
    }
    this.adopt(state, made, asked);
    return made.map(({postings}) => postings);
  }

  /** Keeps them if there is room, and no others were built meanwhile. */
  private adopt(state: PartitionState, made: readonly Segment[], asked: NamedStretch): void {
    const need = {keptBytes: bytesOf(made), passingBytes: 0};
    if (state.segments.length > 0 || !this.derived.makeRoom(need, leastAsked(state.asks, asked.names))) return;
    setSegments(
      state,
      made.filter(({key, postings}) => this.postings.keep(key, postings)),
    );
    state.built = asked;
  }

  /** The cached postings, completed by those that the stretch lacks. FI3 */
  private async completed(
    plan: readonly PlannedSegment[],
    index: SnapshotIndex,
    {names, stretch}: NamedStretch,
    build: Build,
  ): Promise<readonly UserPostings[] | undefined> {
    let rowsLeft = Math.max(rowsOnTheWayMin, liveRows(index.chunks) * shareOnTheWay);
    const postings: UserPostings[] = [];
    for (const {chunks, held} of plan) {
      const rankStart = postings.at(-1)?.rankEnd ?? 0;
      const lacking = held === undefined ? chunksNaming(chunksWithin(chunks, [stretch]), [...names]) : [];
      if (held === undefined && lacking.length === 0) continue;
      rowsLeft -= liveRows(lacking.filter((chunk) => isInside(chunk, stretch)));
      if (rowsLeft < 0) return undefined;
      const source = {index, chunks: lacking, names, stretch, rankStart};
      const own = held?.postings ?? (await this.buildForAnswer(source, build));
      if (own === undefined || own.rankStart < rankStart) return undefined;
      postings.push(own);
    }
    return postings;
  }

  /** Resolves when no build runs or waits. */
  async settled(): Promise<void> {
    while (this.backlog !== undefined) await this.backlog;
  }

  private noteAsked(partition: number, {names, stretch}: NamedStretch): PartitionState {
    const state = this.partitions.get(partition) ?? newState(stretch);
    this.partitions.set(partition, state);
    const nowMs = this.derived.clockMs();
    for (const [name, {newestMs}] of state.asks) if (newestMs < nowMs - interestMs) state.asks.delete(name);
    state.stretch = state.asks.size === 0 ? stretch : hull(state.stretch, stretch);
    for (const name of names) {
      const asks = state.asks.get(name) ?? new AskTimes();
      asks.note(nowMs);
      state.asks.set(name, asks);
    }
    for (const {key} of state.segments) this.postings.get(key); // Notes the use.
    return state;
  }

  /** Gives up postings that were dropped, so that their memory is collected. */
  private release(key: string): void {
    for (const state of this.partitions.values())
      setSegments(
        state,
        state.segments.filter((segment) => segment.key !== key),
      );
  }

  /** FI5 */
  private idleNamesOf(key: string, sinceMs: number): IdlePart | undefined {
    for (const state of this.partitions.values()) {
      const segment = state.segments.find((each) => each.key === key);
      if (segment === undefined || state.isBuilding) continue;
      const idle = [...segment.names].filter((name) => newestOf(state.asks, name) < sinceMs);
      const bytes = segment.postings.bytesOf(idle);
      if (bytes < segment.postings.bytes * narrowedShare) return undefined;
      const askedMs = idle.reduce((last, name) => Math.max(last, newestOf(state.asks, name)), Number.NEGATIVE_INFINITY);
      return {bytes, askedMs, drop: () => this.dropNames(state, segment, idle)};
    }
    return undefined;
  }

  private dropNames(state: PartitionState, segment: Segment, idle: readonly number[]): void {
    const names = new Set(segment.names);
    for (const name of idle) {
      names.delete(name);
      state.asks.delete(name); // Builds of names that were asked for lately leave it out.
    }
    const postings = segment.postings.narrowedTo(names, this.allocate);
    this.postings.narrow(segment.key, postings);
    const narrowed = {...segment, names, postings};
    setSegments(
      state,
      state.segments.map((each) => (each === segment ? narrowed : each)),
    );
    if (state.built !== undefined) state.built = {...state.built, names};
  }

  private keepOnly(state: PartitionState, segments: readonly Segment[]): void {
    const dropped = state.segments.filter((segment) => !segments.includes(segment));
    setSegments(state, segments);
    for (const {key} of dropped) this.postings.drop(key);
  }

  // -- building --

  private want(state: PartitionState, wanted: PartitionState['wanted']): void {
    state.wanted = wanted;
    this.backlog ??= this.workOff().finally(() => {
      this.backlog = undefined;
    });
  }

  /** Builds for one partition after the other. */
  private async workOff(): Promise<void> {
    for (;;) {
      const state = [...this.partitions.values()].find(({wanted}) => wanted !== undefined);
      if (state?.wanted === undefined) return;
      const {index, names, stretch} = state.wanted;
      state.wanted = undefined;
      for (const attempt of attemptsFor(state, {names, stretch})) {
        if (this.isRefused(state, attempt)) continue;
        state.isBuilding = true;
        const built = await this.derived.build('postings', (build) => this.buildTarget(state, index, attempt, build));
        state.isBuilding = false;
        if (built?.kind !== 'refused') break;
        state.refused = {...attempt.target, need: built.need, atMs: this.derived.clockMs()};
      }
    }
  }

  private isRefused({refused, segments}: PartitionState, {target, asks}: BuildAttempt): boolean {
    if (refused === undefined || !covers(target, refused)) return false;
    const {need, atMs} = refused;
    if (need === undefined) return this.derived.clockMs() < atMs + interestMs;
    return !this.derived.mayFit({...need, freedBytes: Math.min(need.freedBytes ?? 0, bytesOf(segments))}, asks);
  }

  private async buildTarget(
    state: PartitionState,
    index: SnapshotIndex,
    attempt: BuildAttempt,
    build: Build,
  ): Promise<PostingsEnd> {
    const {target, asks} = attempt;
    const held = planSegments(index, state.segments.filter(holding(target.names)));
    const plan = mergeDue(planWithin(held, target.stretch), index);
    if (plan.every((segment) => segment.held !== undefined)) return {kind: 'built'};
    const kept = plan.flatMap((segment) => segment.held ?? []);
    const made: Segment[] = [];
    const segments: Segment[] = [];
    try {
      for (const {chunks, held} of plan) {
        const rankStart = segments.at(-1)?.postings.rankEnd ?? 0;
        const source = {index, chunks, names: target.names, stretch: always, rankStart};
        const room = this.roomOf(state, kept, asks, build);
        const segment = held ?? (await this.buildSegment(source, room, build));
        if (segment === undefined) return {kind: 'refused', need: room.refused && withSegments(room.refused, made)};
        if (held === undefined) made.push(segment);
        if (segment.postings.rankStart < rankStart) break; // Rare: an earlier segment has more ranks than the one it replaces.
        segments.push(segment);
      }
    } finally {
      const isWhole = segments.length === plan.length;
      if (!isWhole) for (const {key} of made) this.postings.drop(key);
      else {
        const kept = segments.filter(({key}) => this.postings.get(key) !== undefined);
        this.keepOnly(state, kept);
        state.built = target;
      }
    }
    if (segments.length === plan.length) return {kind: 'built'};
    this.keepOnly(state, []);
    return this.buildTarget(state, index, attempt, build);
  }

  /** Room for a segment: that of idle values, and after them that of the segments which the build replaces. FI4 */
  private roomOf(state: PartitionState, kept: readonly Segment[], asks: AskTimes, build: Build): SegmentRoom {
    const room: SegmentRoom = {
      refused: undefined,
      make: (keptBytes, passingBytes) => {
        if (build.makeRoom({keptBytes, passingBytes}, asks)) return true;
        const freedBytes = bytesOf(state.segments.filter((segment) => !kept.includes(segment)));
        const need = {keptBytes, passingBytes, freedBytes};
        if (freedBytes === 0 || !build.makeRoom(need, asks)) {
          room.refused = need;
          return false;
        }
        this.keepOnly(
          state,
          state.segments.filter((segment) => kept.includes(segment)),
        );
        return true;
      },
    };
    return room;
  }

  private async buildSegment(source: Source, room: SegmentRoom, build: Build): Promise<Segment | undefined> {
    const postings = await this.buildPostings(source, build, room.make, this.allocate);
    const key = `${(this.segmentsBuilt += 1)}`;
    if (postings === undefined || !this.postings.keep(key, postings)) return undefined;
    return {key, chunks: source.chunks, names: source.names, postings};
  }

  private buildForAnswer(source: Source, build: Build): Promise<UserPostings | undefined> {
    const fits: MakeRoom = (keptBytes, passingBytes) =>
      build.fits({keptBytes: 0, passingBytes: keptBytes + passingBytes});
    return this.buildPostings(source, build, fits, plainMemory);
  }

  /** Undefined if they do not fit, or cannot exist (actors/report/funnel/user-postings.ts, UP3). */
  private async buildPostings(
    source: Source,
    build: Build,
    makeRoom: MakeRoom,
    allocate: AllocatePostings,
  ): Promise<UserPostings | undefined> {
    const {index, names, rankStart} = source;
    const builder = new PostingsBuilder(index.users.count, index.names.count, rankStart, names);
    for await (const view of this.rows(source, build)) builder.count(view);
    const keptBytes = PostingsBuilder.postingsBytesMin(index.names.count, builder.rowCount);
    const passingBytes = PostingsBuilder.passingBytes(index.users.count, builder.rowCount);
    if (!makeRoom(keptBytes, passingBytes)) return undefined;
    build.borrow(keptBytes + passingBytes);
    try {
      builder.startPlacing();
      for await (const view of this.rows(source, build)) builder.place(view);
      const work = builder.build((bytes) => (makeRoom(bytes, passingBytes) ? allocate(bytes) : undefined));
      for (;;) {
        const {done, value} = work.next();
        if (done) return value;
        await build.pause();
      }
    } finally {
      build.borrow(-(keptBytes + passingBytes));
    }
  }

  private async *rows({chunks, names, stretch}: Source, build: Build): AsyncGenerator<RowsView, void, void> {
    const asked = [...names];
    const load = async (chunk: ChunkEntry): Promise<RowsView> =>
      heldRowsOf(this.parts, chunk.rows, asked) ?? this.parts.rows.load(chunk);
    for await (const [, view] of loadAhead(chunksNaming(chunks, asked), load, loadsAheadMax)) {
      yield rowsWithin(view, stretch.startMs, stretch.lastMs);
      await build.pause();
    }
  }
}

const newState = (stretch: Stretch): PartitionState => ({
  segments: [],
  built: undefined,
  refused: undefined,
  tooMany: undefined,
  asks: new Map(),
  stretch,
  isBuilding: false,
  wanted: undefined,
});

/** Candidates to build for a question, the preferred first. Idle values yield where nothing fits without that. FI2 */
function attemptsFor({asks, stretch, built}: PartitionState, wanted: NamedStretch): BuildAttempt[] {
  const all = {names: new Set(asks.keys()), stretch};
  const own = leastAsked(asks, wanted.names);
  const asIs = (target: NamedStretch): BuildAttempt => ({target, asks: noAsks});
  const ofIdle = (target: NamedStretch): BuildAttempt => ({target, asks: own});
  if (built === undefined) return [asIs(all), asIs(wanted), ofIdle(all), ofIdle(wanted)];
  if (!holdsAll(built.names, wanted.names)) return [asIs(all), ofIdle(all), asIs(built)];
  const longer = {names: built.names, stretch: hull(built.stretch, wanted.stretch)};
  return [asIs(all), ofIdle(all), ofIdle(longer), ofIdle(wanted)];
}

/** The asks for the name that was asked for least. */
function leastAsked(asks: ReadonlyMap<number, AskTimes>, names: ReadonlySet<number>): AskTimes {
  let least: AskTimes | undefined;
  for (const name of names) {
    const own = asks.get(name) ?? noAsks;
    if (least === undefined || own.beforeNewestMs < least.beforeNewestMs) least = own;
  }
  return least ?? noAsks;
}

const newestOf = (asks: ReadonlyMap<number, AskTimes>, name: number): number =>
  asks.get(name)?.newestMs ?? Number.NEGATIVE_INFINITY;

const bytesOf = (segments: readonly Segment[]): number => segments.reduce((sum, {postings}) => sum + postings.bytes, 0);

/** The need of a segment and of those built before it. */
const withSegments = (need: BuildNeed, made: readonly Segment[]): BuildNeed => ({
  ...need,
  keptBytes: need.keptBytes + bytesOf(made),
});

function setSegments(state: PartitionState, segments: readonly Segment[]): void {
  state.segments = segments;
  if (segments.length === 0) state.built = undefined;
}

const holdsAll = (held: ReadonlySet<number>, names: ReadonlySet<number>): boolean =>
  [...names].every((name) => held.has(name));

const covers = (a: NamedStretch, b: NamedStretch): boolean =>
  holdsAll(a.names, b.names) && a.stretch.startMs <= b.stretch.startMs && a.stretch.lastMs >= b.stretch.lastMs;

/** Smallest stretch around both. */
const hull = (a: Stretch, b: Stretch): Stretch => ({
  startMs: Math.min(a.startMs, b.startMs),
  lastMs: Math.max(a.lastMs, b.lastMs),
});

/** Whether a segment has all events of these names. */
const holding =
  (names: ReadonlySet<number>) =>
  (segment: Segment): boolean =>
    holdsAll(segment.names, names);

/** Whether the stretch needs rows of the segment that have no postings. */
const lacksAny = ({chunks, held}: PlannedSegment, stretch: Stretch): boolean =>
  held === undefined && chunksWithin(chunks, [stretch]).length > 0;
