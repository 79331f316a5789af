// A number of Trends: events of one name or of any, what is measured of them, in a span, in all or in one row of a breakdown.

import type {Measure} from '../../../../src/asks/address.js';
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import type {Condition} from '../../address/conditions.js';
import {conditionsOf, ofUsers} from '../../address/page-question.js';
import {type Interval, usualInterval} from '../../address/range.js';
import type {Span} from '../../address/report-address.js';
import type {ComputedLine} from '../../charts/computed.js';
import {count} from '../../charts/format.js';
import {type RowName, rowTexts} from '../../charts/series-lines.js';
import {type AskedBucket, bucketSpan} from '../../explained/bucket-span.js';
import {eventsQuery} from '../../explained/events-query.js';
import {
  anyEvent,
  devicesToo,
  type Explanation,
  eachOnce,
  eventsText,
  ofUsersText,
  rowCondition,
  rowPoint,
} from '../../explained/explanation.js';
import type {Freshness} from '../../service/freshness.js';
import {eventText, measureOf, measureWords, type Series, seriesQuestion, type TrendsDraft} from './series.js';

interface TrendNumber {
  readonly value: number;
  /** With the measure of the number: that of users in the column of users. */
  readonly series: Series;
  readonly question: TrendsDraft;
  /** Undefined: all of the series. */
  readonly row: RowName | undefined;
  /** Answer that has the number. */
  readonly answer: Pick<CountsAnswer, 'skipped'> | undefined;
  readonly days: Span;
  /** Undefined: all days. */
  readonly bucket?: AskedBucket | undefined;
  /** Interval of the report, where the number is the total of all days. Absent: the usual one of these days. */
  readonly interval?: Interval | undefined;
  /** The bucket, or the days, in words with their zone. */
  readonly when: string;
  readonly freshness: Freshness | undefined;
}

export function trendBehind(number: TrendNumber): Explanation {
  const {value, series, question, row, days, bucket, freshness} = number;
  const interval = bucket?.interval ?? number.interval ?? usualInterval(days);
  const {event} = series;
  const measure = measureOf(series);
  const where = allOf(number);
  const of = measure === 'total' ? `event${value === 1 ? '' : 's'}` : `${measureWords[measure]} of`;
  const what =
    measure === 'total' || measure === 'users' ? of : `: ${measureWords[measure]} of ${series.measure?.property} of`;
  const by = row && question.breakdown;
  const inRow = by && rowCondition(by, rowTexts(row));
  const isOfAll = ofUsersText(ofUsers(question)) === '' && !question.users?.did?.length;
  const isPlain = where.length === 0 && isOfAll && by === undefined;
  const span = bucket === undefined ? days : bucketSpan(bucket.dates, bucket.at, days, interval);
  return {
    title: `${count(value)}${what.startsWith(':') ? '' : ' '}${what} ${event ?? (measure === 'total' ? anyEvent : eventText(event))}${inRow === undefined ? '' : `, ${inRow}`}`,
    how: sentences(number, inRow),
    events: isPlain ? eventsQuery(event ?? null, span) : undefined,
    people: {
      question: seriesQuestion({...series, measure: undefined}, {...question, breakdown: by}, days, interval),
      point: {date: bucket?.dates[bucket.at], ...rowPoint(row)},
    },
    freshness,
  };
}

const allOf = ({series, question}: Pick<TrendNumber, 'series' | 'question'>): readonly Condition[] =>
  conditionsOf([...(question.where ?? []), ...(series.where ?? [])]);

/** A question without conditions. Its range is not used: the number brings its own days. */
export const everything: TrendsDraft = {report: 'counts', series: false, range: 'today', week_start: 'monday'};

/** The count of events of one name, without any condition. */
export const plainTrendBehind = ({
  event,
  ...number
}: Pick<TrendNumber, 'value' | 'days' | 'bucket' | 'when' | 'freshness'> & {readonly event: string}): Explanation =>
  trendBehind({
    ...number,
    series: {event},
    question: number.days.not_segment ? {...everything, users: {not_segment: number.days.not_segment}} : everything,
    row: undefined,
    answer: undefined,
  });

/** `inRow`: what its row says of the events, or of their users. */
function sentences(number: TrendNumber, inRow: string | undefined): string[] {
  const {series, question, when, answer} = number;
  const {event, measure: {property} = {}} = series;
  const where = allOf(number);
  const joint = where.length === 0 ? ' where ' : ' and ';
  const of = `${eventsText(event ?? null, where)}${inRow === undefined ? '' : joint + inRow}`;
  const whole = `${of}${ofUsersText(ofUsers(question))}, ${when}`;
  const first: Readonly<Record<Measure, string>> = {
    total: `All ${whole}. ${eachOnce}`,
    users: `The different users with ${whole}. ${devicesToo}`,
    sum: `The exact sum of ${property} over ${whole}. ${eachOnce}`,
    avg: `The exact sum of ${property} over ${whole}, divided by the number of values. ${eachOnce}`,
    min: `The smallest ${property} of ${whole}.`,
    max: `The largest ${property} of ${whole}.`,
    p50: `Half of the ${whole} have at most this ${property}.`,
    p90: `Nine in ten of the ${whole} have at most this ${property}.`,
    p95: `95 of 100 of the ${whole} have at most this ${property}.`,
    p99: `99 of 100 of the ${whole} have at most this ${property}.`,
  };
  return [
    first[measureOf(series)],
    ...(property !== undefined ? ['Events without a number there are left out.'] : []),
    ...(answer?.skipped ? [`${count(answer.skipped)} events have a value there that is no number.`] : []),
  ];
}

/** A number that a formula computes. `text`: as it is shown. `parts`: where it is computed of totals. */
export function computedBehind(
  {
    label,
    formula,
    parts,
  }: Pick<ComputedLine, 'label' | 'formula'> & {readonly parts: ComputedLine['parts'] | undefined},
  text: string,
  when: string,
  freshness: Freshness | undefined,
): Explanation {
  const part = (value: number | null): string => (value === null ? 'not known' : count(value));
  const of = parts?.map((one) => `${one.label} is ${part(one.total)}`).join(', ');
  return {
    title: text,
    how: [
      `${label}, ${when}: ${formula}${of ? `. ${of}` : ', of the numbers of that time'}.`,
      'On Trends each part has a row, whose numbers lead to what is behind them.',
      'A total is computed of totals, and is no mean of the buckets.',
    ],
    freshness,
  };
}
