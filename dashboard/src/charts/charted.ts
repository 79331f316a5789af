// Answers of reports as the lines of a chart, the rows of a table and of a CSV.
//   CT1. A bucket that has not begun is no zero: a line ends with the one that is open.
//   CT2. A chart's times are what clocks of the zone show, and ascend: an hour that comes twice is drawn half an hour later.

import type {Interval} from '../address/range.js';
import {freshnessOf, openFrom} from '../service/freshness.js';
import type {ReportMeta} from '../service/question-batches.js';
import type {Cell} from './csv.js';
import {bucketText, secondsOf} from './format.js';

export interface Counted {
  /** Null: nothing was measured. */
  readonly data: readonly {readonly date: string; readonly count: number | null}[];
}

interface ChartedLine {
  readonly label: string;
  readonly tone: number;
  /** Null: the bucket has not begun. CT1 */
  readonly values: readonly (number | null)[];
  readonly before?: readonly (number | null)[];
}

export interface Charted {
  /** Epoch seconds of the buckets' starts. */
  readonly times: readonly number[];
  readonly series: readonly ChartedLine[];
  /** Index of the first bucket that is not over. */
  readonly openFrom: number | undefined;
  /** Words for the earlier bucket that the bucket with this index is compared with; undefined without a comparison. */
  readonly beforeMoment: ((at: number) => string) | undefined;
}

export interface AnsweredLine {
  readonly label: string;
  /** 1 to 6, of the palette. */
  readonly tone: number;
  readonly answer: Counted;
  readonly meta: ReportMeta | undefined;
  /** Answer of the earlier range; it has equally many buckets. */
  readonly past?: Counted | undefined;
}

/** Chart of lines that have the same buckets: they were asked for the same days. `wallOf`: wall clock of their zone. */
export function chartOf(
  lines: readonly AnsweredLine[],
  interval: Interval,
  wallOf: (ms: number) => number = (ms) => ms,
): Charted {
  const data = lines[0]?.answer.data ?? [];
  const past = lines[0]?.past;
  const open = lines.map(({answer, meta}) => openFrom(answer.data, meta)).filter((at) => at !== undefined);
  return {
    times: timesOf(data),
    series: lines.map(({label, tone, answer, meta, past: before}) => ({
      label,
      tone,
      values: begunOf(answer, meta, wallOf),
      // A month that has no such day ends sooner: then the last bucket is compared with nothing.
      ...(before === undefined ? {} : {before: answer.data.map((_, at) => before.data[at]?.count ?? null)}),
    })),
    openFrom: open.length === 0 ? undefined : Math.min(...open),
    beforeMoment:
      past === undefined
        ? undefined
        : (at) => (past.data[at] === undefined ? 'nothing' : bucketText(secondsOf(past.data[at].date), interval)),
  };
}

/** CT2 */
function timesOf(data: Counted['data']): number[] {
  const times = data.map(({date}) => secondsOf(date));
  for (let at = 1; at < times.length; at++) if (times[at]! <= times[at - 1]!) times[at] = times[at - 1]! + 1_800;
  return times;
}

/** CT1 */
function begunOf({data}: Counted, meta: ReportMeta | undefined, wallOf: (ms: number) => number): (number | null)[] {
  const asOfMs = freshnessOf(meta)?.asOfMs ?? Number.POSITIVE_INFINITY;
  if (asOfMs === Number.POSITIVE_INFINITY) return data.map(({count}) => count);
  const wallMs = wallOf(asOfMs);
  // An hour has its offset; a day is one of the zone.
  const hasBegun = (date: string): boolean => Date.parse(date) <= (date.length > 10 ? asOfMs : wallMs);
  return data.map(({date, count}) => (hasBegun(date) ? count : null));
}

/** Rows of the file: one per bucket, with a column per line; dates as the API gives them. */
export function csvRows(lines: readonly AnsweredLine[]): Cell[][] {
  const head: Cell[] = ['date', ...lines.map(({label}) => label)];
  const buckets = lines[0]?.answer.data ?? [];
  return [head, ...buckets.map(({date}, at): Cell[] => [date, ...lines.map(({answer}) => answer.data[at]!.count)])];
}

export interface Figures {
  readonly total: number;
  /** Mean over the buckets that are over and have a value; null while there is none. */
  readonly mean: number | null;
  readonly last: number | null;
  /** Count of the open bucket, or of the last one if none is open. */
  readonly now: number;
}

export function figuresOf({data}: Counted, meta: ReportMeta | undefined): Figures {
  const open = openFrom(data, meta);
  const closed = data.slice(0, open ?? data.length).map(({count}) => count);
  const known = closed.filter((one) => one !== null);
  return {
    total: data.reduce((all, {count}) => all + (count ?? 0), 0),
    mean: known.length === 0 ? null : known.reduce((all, one) => all + one, 0) / known.length,
    last: closed.at(-1) ?? null,
    now: data.at(open ?? -1)?.count ?? 0,
  };
}

/** Texts of moments on the chart's crosshair and in its table. */
export const momentOf =
  (interval: Interval) =>
  (seconds: number): string =>
    bucketText(seconds, interval);
