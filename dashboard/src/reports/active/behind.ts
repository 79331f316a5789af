// A number of active users: of one point of a metric, or of all days.

import {type ActiveQuestion, activeUsersQuestion} from '../../address/active-address.js';
import {rowCondition} from '../../address/breakdown-row.js';
import {type Interval, usualInterval} from '../../address/range.js';
import type {Metric, Span} from '../../address/report-address.js';
import {count} from '../../charts/format.js';
import {type RowName, rowText} from '../../charts/series-lines.js';
import {devicesToo, type Explanation, eventsText, ofUsersText, rowPoint} from '../../explained/explanation.js';
import type {Freshness} from '../../service/freshness.js';

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
  const by = row === undefined ? null : question.by;
  const inRow = by === null ? undefined : rowCondition(by, rowText(row!));
  // The users of all days are the same for each metric.
  const {metric, interval} = point ?? {metric: 'dau', interval: usualInterval(days)};
  return {
    title: `${count(value)} active user${value === 1 ? '' : 's'}${inRow === undefined ? '' : `, ${inRow}`}`,
    how: [...sentences(number, inRow), devicesToo],
    people: {
      question: activeUsersQuestion(question, metric, days, interval, by ?? undefined),
      point: {date: point?.dates[point.at], ...rowPoint(row)},
    },
    freshness,
  };
}

function sentences({question, point, when}: ActiveNumber, inRow: string | undefined): string[] {
  const {event, where} = question;
  const joint = where.length === 0 ? ' where ' : ' and ';
  const what = `${eventsText(event, where)}${inRow === undefined ? '' : joint + inRow}${ofUsersText(question)}`;
  if (point === undefined)
    return [`The different users with ${what}, ${when}. Each counts once: it is not the sum of the points.`];
  const length = trailingDays(point);
  if (length === undefined) return [`The different users with ${what}, ${when}.`];
  const span =
    length === 1 ? 'the 24 hours' : point.interval === 'hour' ? `the ${length} times 24 hours` : `the ${length} days`;
  return [`The different users with ${what}, within ${span} that end with ${when}.`];
}
