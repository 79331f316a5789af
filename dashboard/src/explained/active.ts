// A number of active users: of one point of a metric, or of all days.

import type {ActiveQuestion} from '../address/active-address.js';
import {type NamedRow, narrowedTo, noListOfRow, rowCondition} from '../address/breakdown-row.js';
import {bucketSpan, trailingSpan} from '../address/bucket-span.js';
import type {Interval} from '../address/range.js';
import type {Metric, Span} from '../address/report-address.js';
import {count} from '../charts/format.js';
import {type RowName, rowText} from '../charts/series-lines.js';
import type {Freshness} from '../service/freshness.js';
import {devicesToo, type Explanation, eventsText, ofUsersText, tooMany} from './explanation.js';
import {peopleWith} from './people-path.js';

interface ActivePoint {
  readonly metric: Metric;
  readonly interval: Interval;
  /** Dates of the answer's buckets. */
  readonly dates: readonly string[];
  readonly at: number;
}

interface ActiveNumber {
  readonly value: number;
  readonly question: Pick<ActiveQuestion, 'event' | 'where' | 'user_where' | 'by'>;
  readonly days: Span;
  /** Undefined: of all days. */
  readonly point: ActivePoint | undefined;
  /** The bucket, or the days, in words with their zone. */
  readonly when: string;
  readonly row?: RowName | undefined;
  readonly rows?: readonly NamedRow[];
  readonly freshness: Freshness | undefined;
}

const lengths: Readonly<Record<Metric, number>> = {dau: 1, wau: 7, mau: 30};
/** Intervals that are shorter than the metric's own unit (docs/api/reports/active.md). */
const trailing: Readonly<Record<Metric, readonly Interval[]>> = {
  dau: ['hour'],
  wau: ['hour', 'day'],
  mau: ['hour', 'day', 'week'],
};
const trailingDays = ({metric, interval}: ActivePoint): number | undefined =>
  trailing[metric].includes(interval) ? lengths[metric] : undefined;

function spanOf(point: ActivePoint, days: Span): Span {
  const {dates, at, interval} = point;
  const length = trailingDays(point);
  return length === undefined ? bucketSpan(dates, at, days, interval) : trailingSpan(dates, at, days, interval, length);
}

export function activeBehind(number: ActiveNumber): Explanation {
  const {value, question, days, point, row, rows = [], freshness} = number;
  const rowIn = question.by === null || row === undefined ? undefined : {by: question.by, row, rows};
  const narrowed = narrowedTo({where: question.where, userWhere: question.user_where}, rowIn);
  const span = point === undefined ? days : spanOf(point, days);
  const people = narrowed && peopleWith({event: question.event, ...narrowed}, span, value);
  const inRow = rowIn && row ? rowCondition(rowIn, rowText(row)) : undefined;
  return {
    title: `${count(value)} active user${value === 1 ? '' : 's'}${inRow === undefined ? '' : `, ${inRow}`}`,
    how: [...sentences(number, inRow), devicesToo],
    people,
    noPeople: people !== undefined ? undefined : narrowed === undefined ? noListOfRow : tooMany,
    freshness,
  };
}

function sentences({question, point, when}: ActiveNumber, inRow: string | undefined): string[] {
  const {event, where, user_where: userWhere} = question;
  const joint = where.length === 0 ? ' where ' : ' and ';
  const what = `${eventsText(event, where)}${inRow === undefined ? '' : joint + inRow}${ofUsersText(userWhere)}`;
  if (point === undefined)
    return [`The different users with ${what}, ${when}. Each counts once: it is not the sum of the points.`];
  const length = trailingDays(point);
  if (length === undefined) return [`The different users with ${what}, ${when}.`];
  const span =
    length === 1 ? 'the 24 hours' : point.interval === 'hour' ? `the ${length} times 24 hours` : `the ${length} days`;
  return [`The different users with ${what}, within ${span} that end with ${when}.`];
}
