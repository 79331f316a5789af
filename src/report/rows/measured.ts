// Event counts with conditions, measures and breakdowns: one scan of the rows, two where a breakdown chooses its values first.

import {timeOf} from '../../../actors/chunk/rows.js';
import {intervalText} from '../../../actors/report/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {comparesNumbers} from '../../../actors/report/rows/condition.js';
import {isOfNumbers, KeyNumbers, MeasuredCells} from '../../../actors/report/rows/measures.js';
import {PropertyValues} from '../../../actors/report/rows/property-values.js';
import {breakdownFields, rowsOf, seriesFields} from '../../../actors/report/rows/series-answer.js';
import type {ShownGroups} from '../../../actors/report/rows/value-groups.js';
import type {ReportQuery} from '../../asks.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {Grouping, GroupTotals} from './grouped-rows.js';
import {BeyondMemory, type RowReading, RowScan} from './row-scan.js';
import {usersWhere} from './traits.js';

type Query = Extract<ReportQuery, {report: 'measured'}>;

/** JSON text of the answer. @throws MissingPart, DamagedPart, BeyondMemory */
export async function measured(
  reading: RowReading,
  query: Query,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const buckets = Buckets.of(query);
  const head = intervalText(buckets);
  const series: string[] = [];
  let skipped: number | undefined;
  for (const event of query.events ?? [undefined]) {
    const one = new MeasuredSeries(reading, query, event, buckets);
    await one.fold(snapshots);
    series.push(one.fields());
    if (one.skipped !== undefined) skipped = (skipped ?? 0) + one.skipped;
  }
  const tail = skipped === undefined ? '' : `,"skipped":${skipped}`;
  if (query.isList) {
    const named = query.events!.map((event, i) => `{"event":${JSON.stringify(event)},${series[i]}}`);
    return `{${head},"series":[${named.join()}]${tail}}`;
  }
  const [event] = query.events ?? [];
  const name = event === undefined ? '"any_event":true' : `"event":${JSON.stringify(event)}`;
  return `{${name},${head},${series[0]}${tail}}`;
}

/** Series 0 is the unbroken one; row r of a breakdown is series r + 1. */
class MeasuredSeries {
  private readonly reading: RowReading;
  private readonly query: Query;
  private readonly buckets: Buckets;
  private readonly scan: RowScan;
  private readonly grouping: Grouping | undefined;
  private readonly measuredValues: PropertyValues | undefined;
  private readonly numbers = new KeyNumbers();
  private shown: ShownGroups | undefined;
  private cells: MeasuredCells;

  constructor(reading: RowReading, query: Query, event: string | undefined, buckets: Buckets) {
    this.reading = reading;
    this.query = query;
    this.buckets = buckets;
    this.grouping = query.breakdown === undefined ? undefined : new Grouping(query.breakdown);
    const {measure, property} = query;
    const known = this.grouping?.properties.find((values) => values.property.text === property);
    if (property !== undefined && isOfNumbers(measure)) this.measuredValues = known ?? new PropertyValues(property);
    const selector = event === undefined ? {where: query.where} : {event, where: query.where};
    const properties = new Set(this.grouping?.properties);
    if (this.measuredValues !== undefined) properties.add(this.measuredValues);
    const stretch = {startMs: query.fromMs, lastMs: query.toMs};
    this.scan = new RowScan(reading, {stretch, selectors: [selector], properties: [...properties]});
    this.cells = new MeasuredCells(measure, 1, buckets.count);
  }

  /** What numbers could not be compared or measured; undefined where nothing asks for numbers. */
  get skipped(): number | undefined {
    const compares = this.query.where.some(({op}) => comparesNumbers(op));
    return compares || this.measuredValues !== undefined ? this.scan.skipped + this.cells.skipped : undefined;
  }

  async fold(snapshots: readonly PartitionSnapshot[]): Promise<void> {
    if (this.grouping !== undefined) {
      this.shown = await this.choose(this.grouping, snapshots);
      this.cells = new MeasuredCells(this.query.measure, rowsOf(this.shown) + 1, this.buckets.count);
      this.scan.forgetSkipped();
    }
    for (const snapshot of snapshots) {
      await (this.query.measure === 'users' ? this.foldUsers(snapshot) : this.foldRows(snapshot));
      this.cells.nextPartition();
    }
  }

  private async choose(grouping: Grouping, snapshots: readonly PartitionSnapshot[]): Promise<ShownGroups> {
    const totals = new GroupTotals();
    for (const snapshot of snapshots) {
      await grouping.open(this.reading.scan, snapshot);
      const users = await usersWhere(this.reading.scan, snapshot, this.query.userWhere);
      await this.scan.fold(
        snapshot,
        (rows, [chosen]) => {
          const groupOf = grouping.of(snapshot, rows);
          for (const row of chosen!) totals.add(groupOf(row));
        },
        users,
      );
    }
    return grouping.choose(totals.totals);
  }

  private async foldRows(snapshot: PartitionSnapshot): Promise<void> {
    const {buckets, cells, grouping, shown, measuredValues, numbers} = this;
    const users = await usersWhere(this.reading.scan, snapshot, this.query.userWhere);
    await this.scan.fold(
      snapshot,
      (rows, [chosen]) => {
        const groupOf = grouping?.of(snapshot, rows);
        if (measuredValues !== undefined) numbers.open(measuredValues);
        for (const row of chosen!) {
          const bucket = buckets.indexOf(timeOf(rows, row));
          const value = this.numberOf(row);
          cells.addEvent(0, bucket, value);
          if (groupOf !== undefined) cells.addEvent(shown!.rowOf[groupOf(row)]! + 1, bucket, value);
        }
        if (cells.bytes > this.reading.gatheredBytesMax)
          throw new BeyondMemory('the values of the measure take', this.reading.gatheredBytesMax);
      },
      users,
    );
  }

  /** NaN: no number. */
  private numberOf(row: number): number {
    const {measuredValues} = this;
    if (measuredValues === undefined) return Number.NaN;
    const key = measuredValues.keyOf(row);
    const number = this.numbers.of(measuredValues, key);
    if (Number.isNaN(number) && key !== 0) this.cells.skipped += 1;
    return number;
  }

  private async foldUsers(snapshot: PartitionSnapshot): Promise<void> {
    const {buckets, cells, grouping, shown} = this;
    const users = await usersWhere(this.reading.scan, snapshot, this.query.userWhere);
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
        for (let i = start; i < end; i++) {
          const bucket = buckets.indexOf(times[i]!);
          cells.addUserEvent(0, bucket, user);
          if (series[i]! > 0) cells.addUserEvent(series[i]!, bucket, user);
        }
      },
      users,
    );
  }

  fields(): string {
    const {cells, grouping, shown} = this;
    const labels = this.buckets.labels();
    const whole = seriesFields(cells, 0, labels);
    if (grouping === undefined) return whole;
    return `${whole},${breakdownFields(grouping.property, grouping.groups, shown!, cells, labels)}`;
  }
}
