// Counts of events over time, with conditions, measures and breakdowns: out of cells where these tell, else by one scan of the rows,
// two where a breakdown chooses its values first.

import type {ByteReader, ByteWriter} from '../../../actors/bytes/bytes.js';
import {type RowsView, timeOf} from '../../../actors/chunk/rows.js';
import {must} from '../../../actors/invariant.js';
import {chunkRowsMax} from '../../../actors/limits.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import {intervalText} from '../../../actors/report/counts/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {type NoteEvents, NumberCounts} from '../../../actors/report/counts/number-counts.js';
import {forEachBucket, type TimedNumbers} from '../../../actors/report/counts/timed-numbers.js';
import {comparesNumbers} from '../../../actors/report/rows/condition.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import {isOfNumbers, MeasuredCells} from '../../../actors/report/rows/measures.js';
import {PropertyValues} from '../../../actors/report/rows/property-values.js';
import type {Selector} from '../../../actors/report/rows/row-choice.js';
import {breakdownFields, seriesFields} from '../../../actors/report/rows/series-answer.js';
import type {ShownRows} from '../../../actors/report/rows/tuple-groups.js';
import type {Stretch} from '../../../actors/report/selection.js';
import type {Point} from '../../asks/people-behind.js';
import type {QueryOf} from '../../asks/report.js';
import {countInCells} from '../operators/celled-groups.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {GroupCounts, Grouping} from '../operators/grouped-rows.js';
import {countsOf, countsOfValue, isOfValue, leavingCells} from '../operators/stored-counts.js';
import {UsersByBucket} from '../operators/users-by-bucket.js';
import {type NoteUser, usersOfRows} from '../operators/users-of-rows.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {foldAll, type Question, type Round, type RunRound} from '../rounds.js';
import {BeyondMemory, type ChosenFold, type NoteColumns, RowScan} from '../row-scan.js';

/** `top`: the values with rows of their own of each breakdown, for their cells. Without it, the values are counted first. */
interface CountsStep {
  readonly series: number;
  readonly top?: TopTexts | undefined;
}

type TopTexts = readonly (readonly string[])[];

export class Counts implements Question<CountsStep> {
  private readonly reading: Reading;
  private readonly query: QueryOf<'counts'>;
  private readonly buckets: Buckets;
  private readonly events: readonly (string | undefined)[];

  constructor(reading: Reading, query: QueryOf<'counts'>) {
    this.reading = reading;
    this.query = query;
    this.buckets = Buckets.of(query);
    this.events = query.events ?? [undefined];
  }

  private seriesOf(event: string | undefined): MeasuredSeries {
    return new MeasuredSeries(this.reading, this.query, event, this.buckets);
  }

  round({series, top}: CountsStep): Round {
    return this.seriesOf(this.events[series]).round(top);
  }

  async answer(run: RunRound<CountsStep>): Promise<string> {
    const {query, events} = this;
    const head = intervalText(this.buckets);
    const texts: string[] = [];
    let skipped: number | undefined;
    for (const [series, event] of events.entries()) {
      const one = this.seriesOf(event);
      await one.fold((round, top) => run(round, {series, top}));
      texts.push(one.fields());
      if (one.skipped !== undefined) skipped = (skipped ?? 0) + one.skipped;
    }
    const tail = skipped === undefined ? '' : `,"skipped":${skipped}`;
    if (query.isList) {
      const named = events.map((event, i) => `{"event":${JSON.stringify(event)},${texts[i]}}`);
      return `{${head},"series":[${named.join()}]${tail}}`;
    }
    const name = events[0] === undefined ? '"any_event":true' : `"event":${JSON.stringify(events[0])}`;
    return `{${name},${head},${texts[0]}${tail}}`;
  }
}

/** Hands over the users whose events a number counts. @throws MissingPart, DamagedPart */
export function measuredUsers(
  reading: Reading,
  query: QueryOf<'counts'>,
  point: Point,
  snapshots: readonly PartitionSnapshot[],
  note: NoteUser,
): Promise<void> {
  const event = point.event ?? query.events?.[0];
  return new MeasuredSeries(reading, query, event, Buckets.of(query)).noteUsers(point, snapshots, note);
}

/** Series 0 is the unbroken one; row r of a breakdown is series r + 1. */
class MeasuredSeries {
  private readonly reading: Reading;
  private readonly query: QueryOf<'counts'>;
  private readonly event: string | undefined;
  private readonly buckets: Buckets;
  private readonly selector: Selector;
  private readonly scan: RowScan;
  private readonly grouping: Grouping | undefined;
  private readonly measuredValues: PropertyValues | undefined;
  /** Of a measure of users without a breakdown. */
  private readonly byBucket: UsersByBucket | undefined;
  private shown: ShownRows | undefined;
  private cells: MeasuredCells;
  private skippedValues = 0;
  private skippedElsewhere = 0;
  /** The users who count, by partition: a breakdown takes two passes. */
  private readonly users = new Map<PartitionSnapshot, Promise<Users | undefined>>();
  private scratch: ReturnType<typeof newScratch> | undefined;

  constructor(reading: Reading, query: QueryOf<'counts'>, event: string | undefined, buckets: Buckets) {
    this.reading = reading;
    this.query = query;
    this.event = event;
    this.buckets = buckets;
    this.grouping = query.breakdown === undefined ? undefined : new Grouping(query.breakdown);
    const {measure, property} = query;
    const known = this.grouping?.properties.find((values) => values.property.text === property);
    if (property !== undefined && isOfNumbers(measure)) this.measuredValues = known ?? new PropertyValues(property);
    const {where = []} = query;
    this.selector = event === undefined ? {where} : {event, where};
    const properties = new Set(this.grouping?.properties);
    if (this.measuredValues !== undefined) properties.add(this.measuredValues);
    const stretch = {startMs: query.fromMs, lastMs: query.toMs};
    this.scan = new RowScan(reading, {stretch, selectors: [this.selector], properties: [...properties]});
    this.cells = new MeasuredCells(measure, 1, buckets.count);
    if (measure === 'users' && this.grouping === undefined)
      this.byBucket = new UsersByBucket(reading, {selector: this.selector, ...rangeOf(buckets), countsEvents: true});
  }

  /** Number of values that could not be compared or measured; undefined: the question compares and measures no numbers. */
  get skipped(): number | undefined {
    const compares = this.selector.where?.some(({op}) => comparesNumbers(op));
    if (!compares && this.measuredValues === undefined) return undefined;
    return this.scan.skipped + (this.byBucket?.scan.skipped ?? 0) + this.skippedValues + this.skippedElsewhere;
  }

  /** `top`: values with rows of their own (CountsStep). */
  round(top: TopTexts | undefined): Round {
    const {grouping} = this;
    if (grouping === undefined) return this.cellsRound();
    return top === undefined ? this.groupsRound(grouping) : this.cellsRound(grouping.known(top));
  }

  async fold(run: RunRound<TopTexts | undefined>): Promise<void> {
    const {grouping, query} = this;
    if (grouping === undefined) await run(this.cellsRound(), undefined);
    else {
      const {counts, numbers} = await run(this.groupsRound(grouping), undefined);
      const shown = shownIn(grouping, counts, numbers);
      const cells = this.cellsRound(shown);
      if (!measuresEvents(query) && counts.bucketCount > 0) return this.addGroups(grouping, shown, counts, numbers);
      this.scan.forgetSkipped();
      this.skippedElsewhere = 0;
      await run(cells, shown.texts);
    }
    this.cells.finish();
  }

  /** Counts and measures the events of each bucket. `shown`: the rows of the breakdown. */
  private cellsRound(shown?: ShownRows): Round {
    const {query, grouping} = this;
    this.shown = shown;
    if (shown !== undefined) this.cells = new MeasuredCells(query.measure, shown.count + 1, this.buckets.count);
    const {cells} = this;
    const self = this;
    return {
      async fold(snapshot) {
        await grouping?.open(self.reading.scan, snapshot);
        if (query.measure !== 'users') await self.foldRows(snapshot);
        else if (!(await self.foldSets(snapshot))) await self.foldUsers(snapshot);
        cells.nextPartition();
      },
      *write(to) {
        self.writeSkipped(to);
        yield* cells.write(to);
      },
      *add(from) {
        self.addSkipped(from);
        yield* cells.add(from);
        self.checkNumbers();
      },
    };
  }

  private writeSkipped(to: ByteWriter): void {
    to.varint(this.skipped ?? 0);
  }

  private addSkipped(from: ByteReader): void {
    this.skippedElsewhere += from.varint();
  }

  private checkNumbers(): void {
    if (this.cells.numberBytes > this.reading.gatheredBytesMax)
      throw new BeyondMemory('the values of the measure take', this.reading.gatheredBytesMax);
  }

  async noteUsers({bucket, row}: Point, snapshots: readonly PartitionSnapshot[], note: NoteUser): Promise<void> {
    const {buckets, selector, query, reading} = this;
    const {fromMs, toMs} = query;
    const grouping = row && must(this.grouping, 'a row is of a breakdown');
    const isInRow = row && (await grouping!.groupsOf(row, () => this.choose(grouping!, snapshots)));
    const whole = {startMs: fromMs, lastMs: toMs};
    const stretch = bucket === undefined ? whole : common(whole, buckets.stretchOf(bucket));
    const meant = {selector, stretch, grouping, isInRow};
    for (const snapshot of snapshots)
      await usersOfRows(reading, meant, snapshot, await this.usersOf(snapshot), (user) => note(snapshot, user));
  }

  private async choose(grouping: Grouping, snapshots: readonly PartitionSnapshot[]): Promise<ShownRows> {
    const {counts, numbers} = await foldAll(this.groupsRound(grouping), snapshots);
    return shownIn(grouping, counts, numbers);
  }

  /**
   * Events of each group: by bucket where that is all that is asked for, else, or where it is too much, in all. `numbers` has the
   * events that it takes.
   */
  private groupsRound(grouping: Grouping): GroupsRound {
    const self = this;
    const counts = new GroupCounts(measuresEvents(this.query) ? 0 : this.buckets.count, this.reading.gatheredBytesMax);
    const numbers = new NumberCounts();
    return {
      counts,
      numbers,
      fold: (snapshot) => this.countGroups(grouping, snapshot, counts, numbers),
      *write(to) {
        for (const held of numbers.takeOut()) {
          self.countNumbers(grouping, held, counts);
          yield;
        }
        self.writeSkipped(to);
        yield* grouping.groups.write(to);
        yield* counts.write(to);
      },
      *add(from) {
        self.addSkipped(from);
        const groups = yield* grouping.groups.read(from);
        grouping.checkHeld(self.reading.gatheredBytesMax);
        yield* counts.addRead(from, groups);
      },
    };
  }

  private async countGroups(
    grouping: Grouping,
    snapshot: PartitionSnapshot,
    counts: GroupCounts,
    numbers: NumberCounts,
  ): Promise<void> {
    if (await this.countCells(grouping, snapshot, counts)) return;
    await grouping.open(this.reading.scan, snapshot);
    const fold: ChosenFold = (rows, [chosen]) => {
      const {groups} = this.chunk;
      grouping.read(snapshot, rows, chosen!, groups);
      grouping.checkHeld(this.reading.gatheredBytesMax);
      counts.addAll(groups, this.bucketsOf(rows, chosen!), chosen!.length);
    };
    const foldHeld = (held: TimedNumbers): void => {
      if (!numbers.add(held, this.buckets)) this.countNumbers(grouping, held, counts);
    };
    const values = grouping.onlyProperty;
    if (values === undefined) return this.scan.fold(snapshot, fold, await this.usersOf(snapshot));
    const scan = (note?: NoteColumns) => this.foldNumbers(snapshot, values, fold, foldHeld, note);
    await (this.isCelled(counts)
      ? leavingCells(this.reading, snapshot, values.property.text, this.scan.chunks(snapshot), 'all', scan)
      : scan());
  }

  private countNumbers(grouping: Grouping, held: TimedNumbers, counts: GroupCounts): void {
    const {groups} = this.chunk;
    forEachBucket(held, this.buckets, (bucket, start, end) => {
      grouping.groups.values[0]!.readNumbers(held.numbers, start, end, groups);
      counts.addRun(groups, 0, end - start, bucket);
    });
  }

  /** False: the partition's rows are to be scanned. */
  private async countCells(grouping: Grouping, snapshot: PartitionSnapshot, counts: GroupCounts): Promise<boolean> {
    const {event, buckets, reading} = this;
    const values = grouping.onlyProperty;
    if (event === undefined || values === undefined || !this.isCelled(counts)) return false;
    return countInCells(reading, {event, property: values.property.text, buckets}, grouping, snapshot, counts);
  }

  /** Whether cells by the values of a property may answer. */
  private isCelled({bucketCount}: GroupCounts): boolean {
    const {where = [], users} = this.query;
    const isPlain = where.length === 0 && users === undefined && bucketCount > 0;
    return this.event !== undefined && this.grouping?.onlyProperty !== undefined && isPlain;
  }

  private async addGroups(
    grouping: Grouping,
    shown: ShownRows,
    counts: GroupCounts,
    numbers: NumberCounts,
  ): Promise<void> {
    const {buckets, cells} = this;
    const {rowOf} = shown;
    for (let bucket = 0; bucket < buckets.count; bucket++) {
      const events = counts.ofBucket(bucket);
      const end = Math.min(events.length, rowOf.length);
      for (let group = 0; group < end; group++)
        cells.counts[cells.cellOf(rowOf[group]! + 1, bucket)]! += events[group]!;
    }
    const note: NoteEvents = (row, bucket, events) => {
      cells.counts[cells.cellOf(row + 1, bucket)]! += events;
    };
    await this.reading.scan.inSlices(numbers.rowsByBucket(grouping.groups.values[0]!, shown.of[0]!, buckets, note));
    cells.finish();
  }

  private usersOf(snapshot: PartitionSnapshot): Promise<Users | undefined> {
    let users = this.users.get(snapshot);
    if (users === undefined) {
      users = filteredUsers(this.reading, snapshot, this.query.users);
      this.users.set(snapshot, users);
    }
    return users;
  }

  private async foldRows(snapshot: PartitionSnapshot): Promise<void> {
    const {cells, grouping, shown, measuredValues} = this;
    const counts = await this.countsIn(snapshot);
    if (counts !== undefined) {
      for (let bucket = 0; bucket < counts.length; bucket++) cells.counts[bucket]! += counts[bucket]!;
      return;
    }
    const {groups, numbers} = this.chunk;
    const fold: ChosenFold = (rows, [chosen]) => {
      const ofRows = this.bucketsOf(rows, chosen!);
      if (grouping !== undefined) {
        grouping.read(snapshot, rows, chosen!, groups);
        for (let i = 0; i < chosen!.length; i++) ofRows[i]! += cells.cellOf(shown!.rowOf[groups[i]!]! + 1, 0);
      }
      if (measuredValues !== undefined) this.skippedValues += measuredValues.readNumbers(chosen!, numbers);
      cells.addEvents(ofRows, numbers, chosen!.length);
      this.checkNumbers();
    };
    if (grouping !== undefined) return this.scan.fold(snapshot, fold, await this.usersOf(snapshot));
    await this.foldNumbers(snapshot, measuredValues, fold, (held) =>
      forEachBucket(held, this.buckets, (bucket, start, end) => cells.addRun(bucket, held.numbers, start, end)),
    );
  }

  /** Of the chosen rows of one chunk. */
  private get chunk(): ReturnType<typeof newScratch> {
    this.scratch ??= newScratch();
    return this.scratch;
  }

  /** Events by bucket out of cells, and of the rows beside them; undefined: no cells can tell. */
  private async countsIn(snapshot: PartitionSnapshot): Promise<Float64Array | undefined> {
    const {reading, event, buckets, grouping, measuredValues} = this;
    const {where = [], users} = this.query;
    if (event === undefined || users !== undefined || grouping !== undefined || measuredValues !== undefined)
      return undefined;
    const [condition] = where;
    if (condition === undefined) return countsOf(reading, event, buckets, snapshot);
    return where.length === 1 && isOfValue(condition)
      ? countsOfValue(reading, event, buckets, condition, snapshot)
      : undefined;
  }

  /**
   * Folds the chosen rows of a partition: the times and numbers of chunks that have them, and the rows of the others, which leave
   * them behind. `values`: what is read of the rows, which may be numbers; undefined: rows are counted alone. `note` gets the
   * chunks that are read.
   */
  private async foldNumbers(
    snapshot: PartitionSnapshot,
    values: PropertyValues | undefined,
    foldRows: ChosenFold,
    foldHeld: (held: TimedNumbers) => void,
    note?: NoteColumns,
  ): Promise<void> {
    const {query, reading, scan} = this;
    const users = await this.usersOf(snapshot);
    const stretch = {startMs: query.fromMs, lastMs: query.toMs};
    const isLeftBehind = users === undefined && (values !== undefined || this.selector.where!.length > 0);
    const numbers = isLeftBehind
      ? reading.fast.numbers?.openFor(snapshot, this.selector, values?.property.text, stretch, reading.gatheredBytesMax)
      : undefined;
    if (numbers === undefined) return scan.fold(snapshot, foldRows, users, undefined, note);
    const scanned: ChunkEntry[] = [];
    for (const chunk of scan.chunks(snapshot)) {
      const held = numbers.of(chunk);
      if (held === undefined) scanned.push(chunk);
      else foldHeld(held);
      await reading.scan.pauseIfDue();
    }
    const fold: ChosenFold = (rows, chosen) => {
      foldRows(rows, chosen);
      numbers.note(rows, chosen[0]!, values);
    };
    await scan.fold(snapshot, fold, users, scanned, note);
    numbers.finish();
  }

  /** The bucket of each of these rows: mostly that of the row before. */
  private bucketsOf({times, timeBase}: RowsView, chosen: Uint16Array): Uint32Array {
    const {edges} = this.buckets;
    const ofRows = this.chunk.buckets;
    let [bucket, start, end] = [0, 0, 0];
    for (let i = 0; i < chosen.length; i++) {
      const time = times[chosen[i]!]!;
      if (time < start || time >= end) {
        bucket = this.buckets.indexOf(timeBase + time);
        start = edges[bucket]! - timeBase;
        end = edges[bucket + 1]! - timeBase;
      }
      ofRows[i] = bucket;
    }
    return ofRows;
  }

  private async foldUsers(snapshot: PartitionSnapshot): Promise<void> {
    const {buckets, cells, grouping, shown} = this;
    await this.scan.walk(
      snapshot,
      (rows, [chosen], walk) => {
        const groupOf = grouping?.of(snapshot, rows);
        for (const row of chosen!) {
          const series = groupOf === undefined ? 0 : shown!.rowOf[groupOf(row)]! + 1;
          walk.add(rows.users[row]!, timeOf(rows, row), series);
        }
      },
      (user, times, series, start, end) => {
        for (let i = start; i < end; i++) cells.addUserEvent(series[i]!, buckets.indexOf(times[i]!), user);
      },
      await this.usersOf(snapshot),
    );
  }

  /** Folds the users of a partition as sets of each bucket. False: they are by groups, or their rows take less memory. */
  private async foldSets(snapshot: PartitionSnapshot): Promise<boolean> {
    const {cells, byBucket} = this;
    if (byBucket === undefined || byBucket.areRowsLess(snapshot)) return false;
    await byBucket.walk(snapshot, await this.usersOf(snapshot), (pass) => cells.addSets(pass));
    return true;
  }

  fields(): string {
    const {cells, grouping, shown} = this;
    const labels = this.buckets.labels();
    const whole = seriesFields(cells, 0, labels);
    if (grouping === undefined) return whole;
    return `${whole},${breakdownFields(grouping.names, shown!, cells, labels)}`;
  }
}

interface GroupsRound extends Round {
  readonly counts: GroupCounts;
  readonly numbers: NumberCounts;
}

/** Most counts need none. */
const newScratch = () => ({
  buckets: new Uint32Array(chunkRowsMax),
  groups: new Uint32Array(chunkRowsMax),
  numbers: new Float64Array(chunkRowsMax),
});

const shownIn = (grouping: Grouping, counts: GroupCounts, numbers: NumberCounts): ShownRows =>
  grouping.choose(numbers.totals(grouping.groups.values[0]!, counts.totals()));

const rangeOf = ({edges, kind, fromMs, toMs}: Buckets) => ({edges, kind, fromMs, toMs});

const common = (one: Stretch, other: Stretch): Stretch => ({
  startMs: Math.max(one.startMs, other.startMs),
  lastMs: Math.min(one.lastMs, other.lastMs),
});

/** Whether the question measures something besides the number of events. */
const measuresEvents = ({measure}: QueryOf<'counts'>): boolean => measure !== undefined && measure !== 'total';
