// The load of the last 15 minutes, one row a second, in columns: what Live load shows without Prometheus.
//   Owns: the rows, and how they follow from counts. Does not own: the counts (load-look.ts).
//   LR1. Memory is fixed: the newest row overwrites the oldest.
//   LR2. A count becomes a rate over the time that really passed. A count that falls has restarted: that second is unknown, and
//        so is one whose source did not answer. Unknown is NaN here, and null for readers.
import {type ErrorCode, statusOf} from '../failure.js';
import {ackCells, percentilesBetween} from '../metrics/ack-times.js';
import type {LoadRows} from './answers/load.js';

export const ringRows = 900;

/** Counts that only go up; their columns are rates, a second. */
const totalNames = ['batch', 'single', 'identify', 'folded', 'cpu_service', 'cpu_nats'] as const;
/** Current values. */
const gaugeNames = [
  'behind_ms',
  'report_age_ms',
  'open',
  'log_bytes',
  'fold_bytes',
  'body_bytes',
  'intake_bytes',
  'answer_bytes',
  'late_edge_ms',
  'late_others_ms',
  'snapshot_ms',
  'disk_free_bytes',
] as const;
const ackNames = ['ack_p50_ms', 'ack_p99_ms', 'ack_p999_ms'] as const;
const ackShares = [0.5, 0.99, 0.999];
const refusedPrefix = 'refused.';
const codes = Object.keys(statusOf) as ErrorCode[];

/** Names of columns in the order of a row. */
export const columnNames: readonly string[] = [
  ...totalNames,
  ...gaugeNames,
  ...ackNames,
  ...codes.map((code) => refusedPrefix + code),
];

/** Counts and values at one time. NaN: unknown. */
export interface LoadReading {
  /** Epoch ms. */
  readonly atMs: number;
  readonly totals: Readonly<Record<(typeof totalNames)[number], number>>;
  readonly gauges: Readonly<Record<(typeof gaugeNames)[number], number>>;
  readonly refusals: ReadonlyMap<ErrorCode, number>;
  /** Cells of ack-times.ts; copied. */
  readonly acks: Float64Array;
}

/** The previous reading, from which rates are computed. */
interface Base {
  readonly atMs: number;
  readonly counts: readonly number[];
  readonly acks: Float64Array;
}

export class LoadRing {
  private readonly times = new Float64Array(ringRows);
  private readonly columns = columnNames.map(() => new Float32Array(ringRows));
  /** Number of rows so far; a row's place is its number modulo `ringRows`. LR1 */
  private count = 0;
  private base: Base | undefined;

  /** The first reading makes no row: there is nothing to compare it with. */
  add(reading: LoadReading): void {
    const {base} = this;
    const counts = countsOf(reading);
    this.base = {atMs: reading.atMs, counts, acks: base?.acks ?? new Float64Array(ackCells)};
    if (base !== undefined && reading.atMs > base.atMs) this.put(reading, rates(base, counts, reading.atMs), base.acks);
    this.base.acks.set(reading.acks);
  }

  private put({atMs, gauges, acks}: LoadReading, perSecond: readonly number[], acksBefore: Float64Array): void {
    const place = this.count % ringRows;
    this.count += 1;
    this.times[place] = atMs;
    const row = [
      ...perSecond.slice(0, totalNames.length),
      ...gaugeNames.map((name) => gauges[name]),
      ...percentilesBetween(acksBefore, acks, ackShares),
      ...perSecond.slice(totalNames.length),
    ];
    for (const [column, value] of row.entries()) this.columns[column]![place] = value;
  }

  /** The newest row, in the order of `columnNames`; undefined before the first. */
  newest(): {readonly at: number; readonly row: readonly (number | null)[]} | undefined {
    if (this.count === 0) return undefined;
    const place = (this.count - 1) % ringRows;
    return {at: this.times[place]!, row: this.columns.map((column) => shown(column[place]!))};
  }

  /** Rows newer than `sinceMs`. */
  rows(sinceMs: number): LoadRows {
    const places: number[] = [];
    for (let number = Math.max(0, this.count - ringRows); number < this.count; number++) {
      if (this.times[number % ringRows]! > sinceMs) places.push(number % ringRows);
    }
    const shownColumns = columnNames.flatMap((name, column) => {
      const values = places.map((place) => shown(this.columns[column]![place]!));
      return name.startsWith(refusedPrefix) && values.every((value) => value === 0) ? [] : [[name, values] as const];
    });
    return {at: places.map((place) => this.times[place]!), columns: Object.fromEntries(shownColumns)};
  }
}

const countsOf = ({totals, refusals}: LoadReading): number[] => [
  ...totalNames.map((name) => totals[name]),
  ...codes.map((code) => refusals.get(code) ?? 0),
];

/** LR2 */
function rates({atMs: beforeMs, counts: before}: Base, now: readonly number[], atMs: number): number[] {
  const seconds = (atMs - beforeMs) / 1_000;
  return now.map((count, at) => (count < before[at]! ? Number.NaN : (count - before[at]!) / seconds));
}

/** Two decimals are more than any page shows. */
const shown = (value: number): number | null => (Number.isNaN(value) ? null : Math.round(value * 100) / 100);
