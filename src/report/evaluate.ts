// One report over one set of snapshots: a partial for each partition, fed with the parts that it asks for, then merged.
//   Owns: which partial and which fast path answers. Does not own: what is counted (actors/report), how parts are loaded
//   (part-scan.ts), which snapshots (the engine).
//   EV1. Partitions are evaluated one after the other, so only one of them holds gathered rows at a time.

import {wtf8} from '../../actors/bytes/bytes.js';
import {dayMs} from '../../actors/limits.js';
import type {ChunkEntry, RunBlock} from '../../actors/manifest.js';
import {ActiveDaysPartial, type ActiveResult, mergeActive} from '../../actors/report/active/active-days.js';
import {
  type ActivePlan,
  isOfWholeElements,
  planActive,
  planStretches,
  type RowPlan,
} from '../../actors/report/active/active-plan.js';
import {ActiveRowsPartial} from '../../actors/report/active/active-rows.js';
import {
  activeInRanges,
  cutsNoUser,
  type DayRanges,
  DayRangesBuilder,
  type DaySpan,
} from '../../actors/report/active/day-ranges.js';
import {HourSetsPartial, hourSetBytes, hourSetWords} from '../../actors/report/active/hour-sets.js';
import {
  activeInLocalRanges,
  cutsNoUserOfDays,
  type LocalDaysPlan,
  LocalRangesBuilder,
  planLocalDays,
} from '../../actors/report/active/local-ranges.js';
import {activeAnswer, countsAnswer, funnelAnswer, namesAnswer} from '../../actors/report/answers.js';
import {Buckets} from '../../actors/report/counts/buckets.js';
import {CountsPartial, mergeCounts} from '../../actors/report/counts/counts.js';
import {PropertyFilter} from '../../actors/report/counts/filter.js';
import {NameCounts} from '../../actors/report/counts/name-counts.js';
import {NamePage} from '../../actors/report/counts/name-page.js';
import {NameTimes} from '../../actors/report/counts/name-times.js';
import type {ReturnSets} from '../../actors/report/engagement/retention.js';
import {FunnelPartial, type FunnelResult, mergeFunnels} from '../../actors/report/funnel/funnel.js';
import type {FunnelProgress} from '../../actors/report/funnel/funnel-progress.js';
import {NumberLists} from '../../actors/report/funnel/median.js';
import {PostedFunnel} from '../../actors/report/funnel/posted-funnel.js';
import type {BucketUsers} from '../../actors/report/rows/bucket-users.js';
import {gatheredRowBytes} from '../../actors/report/rows/gathered-rows.js';
import type {PropertyName} from '../../actors/report/rows/property-name.js';
import type {RowFinder} from '../../actors/report/rows/row-finder.js';
import {countedKey, liveRows, type Stretch} from '../../actors/report/selection.js';
import {UserSet} from '../../actors/table/user-set.js';
import type {ChangesQuery, PositionGone} from '../asks/changes.js';
import type {ExportQuery} from '../asks/exports.js';
import type {PlainFunnel} from '../asks/funnels.js';
import type {ReportQuery} from '../asks/report.js';
import {namesCursorText} from '../names-cursor.js';
import {isUnreadable} from '../parts/damage.js';
import type {PartsCache} from '../parts/parts-cache.js';
import type {HeldBuckets} from './active/held-buckets.js';
import type {HeldDayRanges} from './active/held-day-ranges.js';
import type {HeldLocalRanges} from './active/held-local-ranges.js';
import {rowFinder} from './counts/filter-kernel.js';
import type {NamedCells} from './counts/named-cells.js';
import type {AskedValues, NoteColumns, ValueIndex} from './counts/value-index.js';
import type {FunnelIndex, GatherPostings} from './funnel/funnel-index.js';
import {kernelMemory, threadProgress} from './funnel/funnel-kernel.js';
import {loadsAheadMax, PartScan} from './part-scan.js';
import type {PartitionSnapshot} from './published/newest-snapshots.js';
import {activity} from './questions/activity.js';
import {type ChangesPage, changesPage} from './questions/changes.js';
import type {ChosenNumbers} from './operators/chosen-numbers.js';
import type {ChosenPostings} from './operators/chosen-postings.js';
import {converted} from './questions/converted.js';
import {type ExportedPage, exportedPage} from './questions/exported.js';
import {funnelUsers} from './questions/funnel-users.js';
import {gatheredPostings, selectorsMax} from './operators/gathered-postings.js';
import {lifecycle} from './questions/lifecycle.js';
import {listedProperties, listedPropertyValues} from './questions/listed-properties.js';
import {listedTraits, listedTraitValues} from './questions/listed-traits.js';
import {listedUsers} from './questions/listed-users.js';
import {measured} from './questions/measured.js';
import {paths} from './questions/paths.js';
import {hiddenBy} from './operators/ranked-list.js';
import {retention} from './questions/retention.js';
import {type CountedEvents, foldBodies, type RowReading} from './operators/row-scan.js';
import {stalled} from './questions/stalled.js';
import {stickiness} from './questions/stickiness.js';
import {areOfDays} from './operators/users-of-days.js';
import {usersOfNames} from './operators/users-of-names.js';
import {walkedFunnel} from './questions/walked-funnel.js';
import {isOfAnyone, plainFunnel, storedCounts} from './stored-answers.js';
import type {UserReferences} from './user-references.js';

/** Bytes of a name during the choice of a page: its text and its place in a map. */
const heldNameBytes = 128;
/** Names counted at once: some 0.3 ms. */
const namesAtOnce = 1_024;

type QueryOf<R extends ReportQuery['report']> = Extract<ReportQuery, {report: R}>;
/** A funnel of plain steps over the events of a stretch. */
type PlainFunnelOf = PlainFunnel & {readonly stretch: Stretch};

/** Faster ways to an answer. Without one its plain twin answers. */
export interface FastPaths {
  readonly dayRanges?: HeldDayRanges | undefined;
  readonly localRanges?: HeldLocalRanges | undefined;
  readonly namedCells?: NamedCells | undefined;
  readonly funnels?: FunnelIndex | undefined;
  readonly values?: ValueIndex | undefined;
  readonly chosen?: ChosenPostings | undefined;
  readonly numbers?: ChosenNumbers | undefined;
  readonly buckets?: HeldBuckets<BucketUsers> | undefined;
  /** Whether day sets answer for sets of users. */
  readonly daySets?: boolean | undefined;
  readonly sets?: HeldBuckets<Uint32Array> | undefined;
  readonly returns?: HeldBuckets<ReturnSets> | undefined;
  readonly lists?: NumberLists | undefined;
  /** Absent: the kernels of this thread. */
  readonly finder?: RowFinder | undefined;
  readonly progress?: FunnelProgress | undefined;
}

export class Evaluation {
  private readonly scan: PartScan;
  private readonly gatheredBytesMax: number;
  private readonly paths: FastPaths;
  private readonly lists: NumberLists;
  private readonly finder: RowFinder;
  private readonly progress: FunnelProgress;

  /**
   * `gatheredBytesMax` bounds the rows that funnels and hourly actives hold at once. `nextSlice` resolves when work may go on after
   * a slice; absent: in the next turn of the event loop.
   */
  constructor(parts: PartsCache, gatheredBytesMax: number, paths: FastPaths = {}, nextSlice?: () => Promise<void>) {
    this.scan = new PartScan(parts, nextSlice);
    this.gatheredBytesMax = gatheredBytesMax;
    this.paths = paths;
    this.lists = paths.lists ?? new NumberLists(0);
    this.finder = paths.finder ?? rowFinder;
    this.progress = paths.progress ?? threadProgress;
  }

  /** JSON text of the answer. @throws MissingPart, DamagedPart */
  answer(query: ReportQuery, snapshots: readonly PartitionSnapshot[]): Promise<string> {
    this.scan.partitionCount = snapshots.length;
    switch (query.report) {
      case 'counts':
        return this.counts(query, snapshots);
      case 'retention':
        return retention(this.rowReading, query, snapshots);
      case 'lifecycle':
        return lifecycle(this.rowReading, query, snapshots);
      case 'stickiness':
        return stickiness(this.rowReading, query, snapshots);
      case 'paths':
        return paths(this.rowReading, query, snapshots);
      case 'active':
        return this.active(query, snapshots);
      case 'funnel':
        return this.funnel(query, snapshots);
      case 'funnel-users':
        return funnelUsers(this.rowReading, query, snapshots);
      case 'stalled':
        return stalled(this.rowReading, query, snapshots);
      case 'names':
        return this.names(query, snapshots);
      case 'properties':
        return listedProperties(this.rowReading, query, snapshots);
      case 'property_values':
        return listedPropertyValues(this.rowReading, query, snapshots);
      case 'traits':
        return listedTraits(this.rowReading, query, snapshots);
      case 'user_list':
        return listedUsers(this.rowReading, query, snapshots);
      case 'trait_values':
        return listedTraitValues(this.rowReading, query, snapshots);
    }
  }

  /** A page of an export; undefined when no event has the id of its cursor. @throws MissingPart, DamagedPart */
  exported(query: ExportQuery, snapshots: readonly PartitionSnapshot[]): Promise<ExportedPage | undefined> {
    this.scan.partitionCount = snapshots.length;
    return exportedPage(this.rowReading, query, snapshots);
  }

  /** Users of `converted`, found in postings; undefined: this snapshot has no postings yet. */
  async postedConverted({steps, windowMs}: PlainFunnel, snapshot: PartitionSnapshot): Promise<UserSet | undefined> {
    const stepNames = steps.map((event) => nameIndex(snapshot.names, event));
    const stretch: Stretch = {startMs: Number.NEGATIVE_INFINITY, lastMs: Number.POSITIVE_INFINITY};
    const asked = {names: new Set(stepNames.filter((name) => name >= 0)), stretch};
    const segments = await this.paths.funnels?.postingsOf(snapshot, asked, undefined, this.scan.slices);
    if (segments === undefined) return undefined;
    const {progress, lists} = this;
    const users = new UserSet();
    const hasLeft = snapshot.leftOut.users;
    const funnel = new PostedFunnel(
      segments,
      stepNames,
      stretch,
      windowOf({windowMs}),
      progress,
      lists,
      hasLeft,
      users,
    );
    try {
      await this.scan.inSlices(funnel.walk());
      return users;
    } finally {
      for (const list of funnel.durations) lists.giveBack(list);
    }
  }

  /** Users who completed the funnel, by all events of the snapshot. @throws MissingPart, DamagedPart */
  converted(funnel: PlainFunnel, snapshot: PartitionSnapshot, partitionCount: number): Promise<UserSet> {
    this.scan.partitionCount = partitionCount;
    return converted(this.rowReading, funnel, snapshot);
  }

  /** A page of changes. @throws MissingPart, DamagedPart */
  changes(
    query: ChangesQuery,
    references: UserReferences,
    snapshots: readonly PartitionSnapshot[],
  ): Promise<ChangesPage | PositionGone> {
    this.scan.partitionCount = snapshots.length;
    return changesPage(this.rowReading, references, query, snapshots);
  }

  private get rowReading(): RowReading {
    const reading: Omit<RowReading, 'counted'> = {
      scan: this.scan,
      gatheredBytesMax: this.gatheredBytesMax,
      finder: this.finder,
      progress: this.progress,
    };
    const counted: CountedEvents = {
      cellsOf: (snapshot, property, stretch) => this.paths.values?.coveredForAll(snapshot, property, stretch),
      leavingCells: (snapshot, property, chunks, scan) => this.leavingCells(snapshot, property, chunks, 'all', scan),
      countsOf: (snapshot, event, buckets) => this.countsOf(event, buckets, undefined, snapshot),
      chosenOf: (snapshot, selectors, stretch) =>
        this.paths.chosen?.eventsOf({...reading, counted}, snapshot, selectors, stretch),
      numbersOf: (snapshot, selector, property, stretch) =>
        this.paths.numbers?.openFor(snapshot, selector, property, stretch),
      bucketsOf: (snapshot, asked, chunks) => this.paths.buckets?.openFor(snapshot, asked, chunks),
      areOfDays: (snapshot, asked) => this.paths.daySets === true && areOfDays(snapshot, asked),
      setsOf: (snapshot, asked, chunks) => this.paths.sets?.openFor(snapshot, asked, chunks),
      returnsOf: (snapshot, asked, chunks) => this.paths.returns?.openFor(snapshot, asked, chunks),
    };
    return {...reading, counted};
  }

  // -- event counts --

  private async counts(query: QueryOf<'counts'>, snapshots: readonly PartitionSnapshot[]): Promise<string> {
    const stored = storedCounts(query);
    if (stored === undefined) return measured(this.rowReading, query, snapshots);
    const buckets = Buckets.of(query);
    const {event, filter} = stored;
    const matcher = filter === undefined ? undefined : new PropertyFilter(filter.property, filter.value);
    const partials: Float64Array[] = [];
    for (const snapshot of snapshots) partials.push(await this.countsOf(event, buckets, matcher, snapshot)); // EV1
    return countsAnswer(event, buckets, mergeCounts(buckets.count, partials));
  }

  private async countsOf(
    event: string,
    buckets: Buckets,
    filter: PropertyFilter | undefined,
    snapshot: PartitionSnapshot,
  ): Promise<Float64Array> {
    const {index, names, leftOut} = snapshot;
    const {fromMs: startMs, toMs: lastMs} = buckets;
    const name = nameIndex(names, event);
    if (name < 0) return new Float64Array(buckets.count);
    const partial = new CountsPartial(buckets, name, this.finder, filter);
    const property = filter?.property.text;
    const values =
      property === undefined ? undefined : this.paths.values?.coveredOf(snapshot, property, {startMs, lastMs});
    for (const cells of values?.cells ?? []) partial.addValueCells(cells);
    await this.foldCells(partial, partial.blocks(index));
    if (filter === undefined) partial.addCells(leftOut.cells);
    const chunks = partial.chunks(index, values);
    if (filter === undefined) await this.scan.foldRows(chunks, leftOut.users, (_, rows) => partial.addRows(rows));
    else {
      const fold = (note?: NoteColumns) =>
        this.foldFiltered(partial, filter.property, chunks, leftOut.users, values?.covered, note);
      await this.leavingCells(snapshot, filter.property, chunks, 'one', fold);
    }
    return partial.counts;
  }

  /** Blocks whose cells are grouped by name are counted without their windows. */
  private async foldCells(partial: CountsPartial, blocks: readonly RunBlock[]): Promise<void> {
    const {namedCells} = this.paths;
    const others: RunBlock[] = [];
    for (const block of blocks) {
      const cells = namedCells?.of(block.part);
      if (cells === undefined) others.push(block);
      else partial.addNamedCells(cells);
      const turn = this.scan.pauseIfDue();
      if (turn !== undefined) await turn;
    }
    await this.scan.foldWindows(others, ({part}, windows) => {
      partial.addCells(windows);
      namedCells?.note(part, windows);
    });
  }

  private foldFiltered(
    partial: CountsPartial,
    property: PropertyName,
    chunks: readonly ChunkEntry[],
    hasLeft: UserSet,
    covered: ReadonlySet<string> | undefined,
    note?: NoteColumns,
  ): Promise<void> {
    return this.scan.foldColumnRows(chunks, hasLeft, [property], (chunk, rows) => {
      const unsure = partial.addFilteredRows(rows, covered?.has(countedKey(chunk)));
      const noting = note?.(chunk, rows);
      if (unsure.length === 0) return noting;
      const deciding = this.decideByBodies(partial, chunk, unsure);
      return noting === undefined ? deciding : noting.then(() => deciding);
    });
  }

  /** Runs a scan of these chunks, which leaves cells by value behind if they are more than the cache holds. */
  private leavingCells(
    snapshot: PartitionSnapshot,
    property: PropertyName,
    chunks: readonly ChunkEntry[],
    asked: AskedValues,
    scan: (note?: NoteColumns) => Promise<void>,
  ): Promise<void> {
    const {values} = this.paths;
    if (values === undefined || !this.scan.areTooMuch(chunks)) return scan();
    return values.leavingCells(snapshot, property.text, chunks, asked, scan, this.scan.slices);
  }

  private async decideByBodies(partial: CountsPartial, chunk: ChunkEntry, unsure: Uint16Array): Promise<void> {
    const rows = await this.scan.allColumns(chunk); // Decoding a body needs all columns of its chunk.
    const {scan} = this;
    await foldBodies({scan}, chunk, unsure, (block, inBlock) => partial.addBodies(rows, inBlock, block));
  }

  // -- active users --

  private async active(query: QueryOf<'active'>, snapshots: readonly PartitionSnapshot[]): Promise<string> {
    if (!isOfAnyone(query)) return activity(this.rowReading, query, snapshots);
    const buckets = Buckets.of(query);
    const partials: ActiveResult[] = [];
    const activeOf = this.activeIn(query, buckets);
    for (const snapshot of snapshots) partials.push(await activeOf(snapshot)); // EV1
    return activeAnswer(query.metric, buckets, mergeActive(buckets.count, partials));
  }

  private activeIn(
    {metric, windows, days, zone, toMs}: QueryOf<'active'>,
    buckets: Buckets,
  ): (snapshot: PartitionSnapshot) => Promise<ActiveResult> {
    if (!isOfWholeElements(buckets, metric, windows)) {
      const plan = planStretches(buckets, metric, windows);
      const local = days === undefined ? undefined : planLocalDays(buckets, metric, windows, days);
      return async (snapshot) =>
        (local && (await this.activeInLocalDays(local, JSON.stringify(zone), snapshot))) ??
        this.activeByRows(plan, toMs, snapshot);
    }
    const plan = planActive(buckets, metric, windows);
    const isDays = plan.elementMs === dayMs;
    return (snapshot) => (isDays ? this.activeDays(plan, snapshot) : this.activeHours(plan, toMs, snapshot));
  }

  private async activeDays(plan: ActivePlan, snapshot: PartitionSnapshot): Promise<ActiveResult> {
    const ranges = cutsNoUser(plan, snapshot.index) ? await this.ranges(plan, snapshot) : undefined;
    return ranges === undefined ? this.activeDaysOneByOne(plan, snapshot) : activeInRanges(plan, ranges);
  }

  private async activeDaysOneByOne(plan: ActivePlan, {index, leftOut}: PartitionSnapshot): Promise<ActiveResult> {
    const partial = new ActiveDaysPartial(index, plan);
    for await (const rows of this.scan.rows(partial.chunks(index), leftOut.users)) partial.addRows(rows);
    for await (const [segment, views] of this.scan.days(partial.segments(index))) {
      for (let day = segment.firstDay; day <= segment.lastDay; day++) partial.addDay(day, views);
    }
    return partial.finish();
  }

  /** Undefined when there is no table for these days and none can be made. */
  private async ranges(
    {firstElement, elementCount}: ActivePlan,
    snapshot: PartitionSnapshot,
  ): Promise<DayRanges | undefined> {
    const span = {firstDay: firstElement, lastDay: firstElement + elementCount - 1};
    const held = this.paths.dayRanges?.find(snapshot, span);
    if (held !== undefined) return held;
    try {
      return await this.makeRanges(span, snapshot);
    } catch (error) {
      // A table has more days than the question: the unreadable part may have none of the asked ones.
      if (isUnreadable(error)) return undefined;
      throw error;
    }
  }

  private async makeRanges(asked: DaySpan, snapshot: PartitionSnapshot): Promise<DayRanges | undefined> {
    const {index} = snapshot;
    const builder = new DayRangesBuilder(index, asked);
    const earlier = this.paths.dayRanges?.resumable(snapshot, builder.covered);
    if (earlier !== undefined) builder.resume(earlier);
    for await (const [segment, views] of this.scan.days(builder.segments(index))) {
      for (let day = segment.firstDay; day <= segment.lastDay; day++) if (!builder.addDay(day, views)) return undefined;
    }
    const ranges = builder.finish();
    this.paths.dayRanges?.keep(snapshot, builder.covered, ranges);
    return ranges;
  }

  /** Undefined when there is no table for these days and none can be made. */
  private async activeInLocalDays(
    plan: LocalDaysPlan,
    zone: string,
    snapshot: PartitionSnapshot,
  ): Promise<ActiveResult | undefined> {
    const tables = this.paths.localRanges;
    if (tables === undefined || !cutsNoUserOfDays(plan, snapshot.index)) return undefined;
    const held = tables.find(snapshot, zone, plan.days);
    if (held !== undefined) return activeInLocalRanges(plan, held.ranges, held.firstDay);
    try {
      const earlier = tables.resumable(snapshot, zone, plan.days);
      const ranges = await this.makeLocalRanges(plan.days, snapshot, earlier);
      tables.keep(snapshot, zone, plan.days, ranges);
      return activeInLocalRanges(plan, ranges, 0);
    } catch (error) {
      // A table has more days than the question: the unreadable part may have none of the asked ones.
      if (isUnreadable(error)) return undefined;
      throw error;
    }
  }

  private makeLocalRanges(
    days: Float64Array,
    {index, leftOut}: PartitionSnapshot,
    earlier: DayRanges | undefined,
  ): Promise<DayRanges> {
    const builder = new LocalRangesBuilder(index, days, this.gatheredRowsMax, earlier);
    const chunks = builder.chunks(index);
    return this.scan.borrowing(this.gatheredBytesOf(chunks), async () => {
      await this.scan.passes(builder, chunks, leftOut.users);
      return builder.finish();
    });
  }

  private activeHours(plan: ActivePlan, toMs: number, snapshot: PartitionSnapshot): Promise<ActiveResult> {
    const {index, leftOut} = snapshot;
    const words = hourSetWords(index, plan, toMs, this.gatheredBytesMax);
    if (words === undefined) return this.activeByRows(plan, toMs, snapshot);
    return this.scan.borrowing(hourSetBytes(words, plan), async () => {
      const partial = new HourSetsPartial(index, plan, toMs, words);
      await this.scan.passes(partial, partial.chunks(index), leftOut.users);
      return partial.result();
    });
  }

  private activeByRows(plan: RowPlan, toMs: number, {index, leftOut}: PartitionSnapshot): Promise<ActiveResult> {
    const partial = new ActiveRowsPartial(index, plan, toMs, this.gatheredRowsMax);
    const chunks = partial.chunks(index);
    return this.scan.borrowing(this.gatheredBytesOf(chunks), async () => {
      await this.scan.passes(partial, chunks, leftOut.users);
      return partial.result();
    });
  }

  // -- funnels --

  private async funnel(query: QueryOf<'funnel'>, snapshots: readonly PartitionSnapshot[]): Promise<string> {
    const plain = plainFunnel(query);
    if (plain === undefined) return walkedFunnel(this.rowReading, query, snapshots, this.lists);
    const results: FunnelResult[] = [];
    const asked = {...plain, stretch: {startMs: query.fromMs, lastMs: query.toMs}};
    try {
      for (const snapshot of snapshots) results.push(await this.funnelOf(asked, snapshot)); // EV1
      return funnelAnswer(plain.steps, mergeFunnels(plain.steps.length, results));
    } finally {
      for (const {durations} of results) for (const list of durations) this.lists.giveBack(list);
    }
  }

  private async funnelOf(query: PlainFunnelOf, snapshot: PartitionSnapshot): Promise<FunnelResult> {
    const stepNames = query.steps.map((event) => nameIndex(snapshot.names, event));
    const asked = {names: new Set(stepNames.filter((name) => name >= 0)), stretch: query.stretch};
    const segments = await this.paths.funnels?.postingsOf(
      snapshot,
      asked,
      this.gathererOf(snapshot, asked.names),
      this.scan.slices,
    );
    if (segments === undefined) return this.scannedFunnel(query, stepNames, snapshot);
    const {progress, lists} = this;
    const hasLeft = snapshot.leftOut.users;
    const funnel = new PostedFunnel(segments, stepNames, asked.stretch, windowOf(query), progress, lists, hasLeft);
    await this.scan.inSlices(funnel.walk());
    return funnel;
  }

  /** Gathers postings of these names out of rows. */
  private gathererOf(snapshot: PartitionSnapshot, asked: ReadonlySet<number>): GatherPostings | undefined {
    if (asked.size > selectorsMax) return undefined;
    const names = [...asked];
    const selectors = names.map((name) => ({event: snapshot.names.text(name)}));
    const nameCount = snapshot.index.names.count;
    return (chunks, rankStart) =>
      gatheredPostings(this.rowReading, snapshot, {chunks, selectors, names, nameCount, rankStart}, kernelMemory);
  }

  private async scannedFunnel(
    query: PlainFunnelOf,
    stepNames: readonly number[],
    {index, leftOut}: PartitionSnapshot,
  ): Promise<FunnelResult> {
    const partial = new FunnelPartial(index, stepNames, query.stretch, windowOf(query), this.gatheredRowsMax);
    const chunks = partial.chunks(index);
    if (chunks.length === 0) return partial;
    await this.scan.borrowing(this.gatheredBytesOf(chunks), () =>
      this.scan.passes(partial, chunks, leftOut.users, stepNames),
    );
    return partial;
  }

  // -- names --

  private async names(query: QueryOf<'names'>, snapshots: readonly PartitionSnapshot[]): Promise<string> {
    const known = snapshots.reduce((sum, {names}) => sum + names.count, 0);
    const page = await this.scan.borrowing(known * heldNameBytes, () => this.namePage(query, snapshots));
    const times = page.names.map(() => ({firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY}));
    for (const snapshot of snapshots) {
      const listed = page.names.map(({name}) => nameIndex(snapshot.names, name));
      const asked = listed.filter((name) => name >= 0);
      const found = await this.nameTimes(asked, snapshot); // EV1
      let place = 0;
      for (const [i, name] of listed.entries()) {
        if (name < 0) continue;
        times[i].firstMs = Math.min(times[i].firstMs, found.firstMs[place]);
        times[i].lastMs = Math.max(times[i].lastMs, found.lastMs[place]);
        place += 1;
      }
    }
    const {fromMs, toMs, prefix} = query;
    const last = page.hasMore ? page.names.at(-1) : undefined;
    const cursor = last === undefined ? null : namesCursorText({fromMs, toMs, prefix, after: last});
    const users =
      query.withUsers &&
      (await usersOfNames(
        this.rowReading,
        query,
        page.names.map(({name}) => name),
        snapshots,
        (snapshot, name) => nameIndex(snapshot.names, name),
      ));
    const isHidden = hiddenBy(query.hidden);
    const names = page.names.map((place, i) => ({
      ...place,
      ...times[i],
      users: users?.[i],
      isHidden: isHidden(place.name),
    }));
    return namesAnswer(names, page.hasMore, cursor);
  }

  private async namePage(
    {fromMs, toMs, prefix = '', limit, after, hidden}: QueryOf<'names'>,
    snapshots: readonly PartitionSnapshot[],
  ) {
    const counts = new Map<string, number>();
    for (const {index, names, leftOut} of snapshots) {
      const partial = new NameCounts(names.count, fromMs, toMs);
      await this.scan.foldWindows(partial.blocks(index), (_, windows) => partial.addCells(windows));
      partial.addCells(leftOut.cells);
      await this.scan.foldRows(partial.chunks(index), leftOut.users, (_, rows) => partial.addRows(rows));
      for (let name = 0; name < names.count; name++) {
        if (name % namesAtOnce === 0) await this.scan.pauseIfDue();
        if (partial.counts[name] === 0) continue;
        const text = names.text(name);
        if (text.startsWith(prefix)) counts.set(text, (counts.get(text) ?? 0) + partial.counts[name]);
      }
    }
    const page = new NamePage(limit, after);
    const isHidden = hiddenBy(hidden);
    let added = 0;
    for (const [name, count] of counts) {
      if (added++ % namesAtOnce === 0) await this.scan.pauseIfDue();
      if (hidden?.areShown || !isHidden(name)) page.add({count, name});
    }
    return page.finish();
  }

  private async nameTimes(asked: readonly number[], {index, names, leftOut}: PartitionSnapshot): Promise<NameTimes> {
    const times = new NameTimes(index, asked, names.count);
    // The oldest and the newest chunk decide most names; the others are read several at a time.
    for (let chunks = times.next(2); chunks.length > 0; chunks = times.next(loadsAheadMax))
      await this.scan.foldRows(chunks, leftOut.users, (_, rows) => times.addRows(rows));
    return times;
  }

  /** Bytes of gathered rows of these chunks in one pass. */
  private gatheredBytesOf(chunks: readonly ChunkEntry[]): number {
    return Math.min(this.gatheredBytesMax, liveRows(chunks) * gatheredRowBytes);
  }

  private get gatheredRowsMax(): number {
    return Math.max(2, Math.floor(this.gatheredBytesMax / gatheredRowBytes));
  }
}

const windowOf = ({windowMs}: Pick<PlainFunnel, 'windowMs'>): number => windowMs ?? Number.POSITIVE_INFINITY;

/** The event's index in this partition; -1 when it never happened there. */
function nameIndex(names: PartitionSnapshot['names'], event: string): number {
  const bytes = wtf8(event);
  return names.find(bytes, 0, bytes.length);
}
