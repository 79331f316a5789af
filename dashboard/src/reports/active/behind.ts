// A number of active users: of one point of a metric, or of all days.

import {askedOver, conditionsOf, type Draft, ofUsers} from '../../address/page-question.js';
import {type Interval, usualInterval} from '../../address/range.js';
import type {Metric, Span} from '../../address/report-address.js';
import {count} from '../../charts/format.js';
import {type RowName, rowTexts} from '../../charts/series-lines.js';
import {
  devicesToo,
  type Explanation,
  eventsText,
  ofUsersText,
  rowCondition,
  rowPoint,
} from '../../explained/explanation.js';
import type {Freshness} from '../../service/freshness.js';
import {inAll} from './asked.js';

interface ActivePoint {
  readonly metric: Metric;
  readonly interval: Interval;
  /** Dates of the answer's buckets. */
  readonly dates: readonly string[];
  readonly at: number;
}

interface ActiveNumber {
  readonly value: number;
  readonly question: Draft<'active'>;
  readonly days: Span;
  /** Undefined: of all days. */
  readonly point: ActivePoint | undefined;
  /** The bucket, or the days, in words with their zone. */
  readonly when: string;
  readonly row?: RowName | undefined;
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

export function activeBehind(number: ActiveNumber): Explanation {
  const {value, question, days, point, row, freshness} = number;
  const by = row && question.breakdown?.[0];
  const inRow = by && rowCondition([by], rowTexts(row));
  // The users of all days are the same for each metric.
  const {metric, interval} = point ?? {metric: 'dau', interval: usualInterval(days)};
  return {
    title: `${count(value)} active user${value === 1 ? '' : 's'}${inRow === undefined ? '' : `, ${inRow}`}`,
    how: [...sentences(number, inRow), devicesToo],
    people: {
      question: askedOver({...(by === undefined ? inAll(question) : question), metric}, days, interval),
      point: {date: point?.dates[point.at], ...rowPoint(row)},
    },
    freshness,
  };
}

function sentences({question, point, when}: ActiveNumber, inRow: string | undefined): string[] {
  const where = conditionsOf(question.where);
  const joint = where.length === 0 ? ' where ' : ' and ';
  const events = eventsText(question.events?.[0]?.event ?? null, where);
  const what = `${events}${inRow === undefined ? '' : joint + inRow}${ofUsersText(ofUsers(question))}`;
  if (point === undefined)
    return [`The different users with ${what}, ${when}. Each counts once: it is not the sum of the points.`];
  const length = trailingDays(point);
  if (length === undefined) return [`The different users with ${what}, ${when}.`];
  const span =
    length === 1 ? 'the 24 hours' : point.interval === 'hour' ? `the ${length} times 24 hours` : `the ${length} days`;
  return [`The different users with ${what}, within ${span} that end with ${when}.`];
}
