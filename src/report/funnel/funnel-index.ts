// Postings of every partition (actors/report/funnel/user-postings.ts), from which funnels are answered.
//   Owns: which events have postings, and when more are built. Does not own: how long they are kept (derived-indexes.ts).
//   FI1. Postings answer for a snapshot only if they have exactly its rows (actors/report/funnel/postings-plan.ts, PP1) of the
//       asked names, or all of those in the asked stretch. Otherwise the scan answers.
//   FI2. They are built in the background when some rows of an asked stretch have none: for all names that funnels asked for
//       lately, in the stretch of those questions. If that does not fit, the present postings stay and follow new snapshots;
//       only if those have nothing for the asked names and stretch, postings of these replace them.
//   FI3. An answer builds postings of a few missing rows itself: scanning everything would take longer.
//   FI4. A segment's replacement is built while the segment stays, so that answers continue; without memory for both, after it.

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
import {isUnreadable} from '../../parts/damage.js';
import {loadAhead} from '../../parts/load-ahead.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {type Build, type Derived, type DerivedIndexes, interestMs} from '../derived-indexes.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {kernelMemory} from './funnel-kernel.js';

/** FI3: so many rows take some 5 ms. In larger stores a share of the rows, which is less than scanning all of them. */
const rowsOnTheWayMin = 65_536;
const shareOnTheWay = 1 / 16;
const loadsAheadMax = 4;

/** Events of these names (name indexes of a partition) in a stretch. */
interface NamedStretch {
  readonly names: ReadonlySet<number>;
  readonly stretch: Stretch;
}

interface PartitionState {
  segments: readonly Segment[];
  /** Names and stretch that the segments were built for. */
  built: NamedStretch | undefined;
  /** Names and stretch that did not fit. */
  refused: (NamedStretch & {readonly untilMs: number}) | undefined;
  /** Time of the newest question, by name. */
  readonly askedMs: Map<number, number>;
  /** Smallest stretch around the stretches of recent questions. */
  stretch: Stretch;
  /** The newest question that waits for postings. */
  wanted: (NamedStretch & {readonly index: SnapshotIndex}) | undefined;
}

/** The rows that postings are built from. */
interface Source extends NamedStretch {
  readonly index: SnapshotIndex;
  readonly chunks: readonly ChunkEntry[];
  readonly rankStart: number;
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
    this.postings = derived.kind();
    this.allocate = allocate;
  }

  get bytesHeld(): number {
    return this.postings.bytes;
  }

  /** Postings of all rows of this snapshot that have one of the names and are in the stretch; undefined: scan. FI1 */
  async postingsOf(
    {manifest, index}: PartitionSnapshot,
    asked: NamedStretch,
  ): Promise<readonly UserPostings[] | undefined> {
    const {names, stretch} = asked;
    if (names.size === 0) return [];
    const state = this.noteAsked(manifest.partition, asked);
    const plan = planSegments(index, state.segments.filter(holding(names)));
    if (plan.some((segment) => lacksAny(segment, stretch))) this.want(state, {index, ...asked});
    try {
      return await this.derived.buildNow((build) => this.completed(plan, index, asked, build));
    } catch (error) {
      if (isUnreadable(error)) return undefined; // The scan reports what is missing.
      throw error;
    }
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
    for (const [name, askedMs] of state.askedMs) if (askedMs < nowMs - interestMs) state.askedMs.delete(name);
    state.stretch = state.askedMs.size === 0 ? stretch : hull(state.stretch, stretch);
    for (const name of names) state.askedMs.set(name, nowMs);
    if (state.segments.some(({key}) => this.postings.get(key) === undefined)) this.keepOnly(state, []);
    return state;
  }

  private keepOnly(state: PartitionState, segments: readonly Segment[]): void {
    for (const segment of state.segments) if (!segments.includes(segment)) this.postings.drop(segment.key);
    state.segments = segments;
    if (segments.length === 0) state.built = undefined;
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
      for (const target of targetsOf(state, {names, stretch})) {
        if (this.isRefused(state, target)) continue;
        const isBuilt = await this.derived.build('postings', (build) => this.buildTarget(state, index, target, build));
        if (isBuilt !== false) break;
        state.refused = {...target, untilMs: this.derived.clockMs() + interestMs};
      }
    }
  }

  private isRefused({refused}: PartitionState, target: NamedStretch): boolean {
    return refused !== undefined && this.derived.clockMs() < refused.untilMs && covers(target, refused);
  }

  /** False if it does not fit. */
  private async buildTarget(
    state: PartitionState,
    index: SnapshotIndex,
    target: NamedStretch,
    build: Build,
  ): Promise<boolean> {
    const held = planSegments(index, state.segments.filter(holding(target.names)));
    const plan = mergeDue(planWithin(held, target.stretch), index);
    if (plan.every((segment) => segment.held !== undefined)) return true;
    const kept = plan.flatMap((segment) => segment.held ?? []);
    const made: Segment[] = [];
    const segments: Segment[] = [];
    try {
      for (const {chunks, held} of plan) {
        const rankStart = segments.at(-1)?.postings.rankEnd ?? 0;
        const source = {index, chunks, names: target.names, stretch: always, rankStart};
        const segment = held ?? (await this.buildSegment(state, kept, source, build));
        if (segment === undefined) return false;
        if (held === undefined) made.push(segment);
        if (segment.postings.rankStart < rankStart) break; // Rare: an earlier segment has more ranks than the one it replaces.
        segments.push(segment);
      }
    } finally {
      const isWhole = segments.length === plan.length;
      if (!isWhole) for (const {key} of made) this.postings.drop(key);
      else {
        this.keepOnly(state, segments);
        state.built = target;
      }
    }
    if (segments.length === plan.length) return true;
    this.keepOnly(state, []);
    return this.buildTarget(state, index, target, build);
  }

  /** FI4. `kept`: segments that it does not replace. */
  private async buildSegment(
    state: PartitionState,
    kept: readonly Segment[],
    source: Source,
    build: Build,
  ): Promise<Segment | undefined> {
    const replaced = (): Segment[] => state.segments.filter((segment) => !kept.includes(segment));
    const fits = (keptBytes: number, passingBytes: number): boolean => {
      if (build.fits(keptBytes, passingBytes)) return true;
      const freedBytes = replaced().reduce((sum, {postings}) => sum + postings.bytes, 0);
      if (freedBytes === 0 || !build.fits(keptBytes, passingBytes, freedBytes)) return false;
      this.keepOnly(
        state,
        state.segments.filter((segment) => kept.includes(segment)),
      );
      return true;
    };
    const postings = await this.buildPostings(source, build, fits, this.allocate);
    const key = `${(this.segmentsBuilt += 1)}`;
    if (postings === undefined || !this.postings.keep(key, postings)) return undefined;
    return {key, chunks: source.chunks, names: source.names, postings};
  }

  private buildForAnswer(source: Source, build: Build): Promise<UserPostings | undefined> {
    const fits = (keptBytes: number, passingBytes: number): boolean => build.fits(0, keptBytes + passingBytes);
    return this.buildPostings(source, build, fits, plainMemory);
  }

  /** Undefined if they do not fit, or cannot exist (actors/report/funnel/user-postings.ts, UP3). */
  private async buildPostings(
    source: Source,
    build: Build,
    fits: (keptBytes: number, passingBytes: number) => boolean,
    allocate: AllocatePostings,
  ): Promise<UserPostings | undefined> {
    const {index, names, rankStart} = source;
    const builder = new PostingsBuilder(index.users.count, index.names.count, rankStart, names);
    for await (const view of this.rows(source, build)) builder.count(view);
    const keptBytes = PostingsBuilder.postingsBytesMin(index.names.count, builder.rowCount);
    const passingBytes = PostingsBuilder.passingBytes(index.users.count, builder.rowCount);
    if (!fits(keptBytes, passingBytes)) return undefined;
    build.borrow(keptBytes + passingBytes);
    try {
      builder.startPlacing();
      for await (const view of this.rows(source, build)) builder.place(view);
      const work = builder.build((bytes) => (fits(bytes, passingBytes) ? allocate(bytes) : undefined));
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
    const naming = chunksNaming(chunks, [...names]);
    for await (const [, view] of loadAhead(naming, (chunk) => this.parts.rows.load(chunk), loadsAheadMax)) {
      yield rowsWithin(view, stretch.startMs, stretch.lastMs);
      await build.pause();
    }
  }
}

const newState = (stretch: Stretch): PartitionState => ({
  segments: [],
  built: undefined,
  refused: undefined,
  askedMs: new Map(),
  stretch,
  wanted: undefined,
});

/** Candidates to build for a question, the preferred first. FI2 */
function targetsOf({askedMs, stretch, built}: PartitionState, wanted: NamedStretch): NamedStretch[] {
  const all = {names: new Set(askedMs.keys()), stretch};
  if (built === undefined) return [all, wanted];
  if (!holdsAll(built.names, wanted.names)) return [all, built];
  return [all, {names: built.names, stretch: hull(built.stretch, wanted.stretch)}, wanted];
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
