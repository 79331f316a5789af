// A number of Trends: events of one name or of any, what is measured of them, in a span, in all or in one row of a breakdown.
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import {rowCondition} from '../../address/breakdown-row.js';
import {type AskedBucket, bucketSpan} from '../../address/bucket-span.js';
import {type Interval, usualInterval} from '../../address/range.js';
import type {Span} from '../../address/report-address.js';
import {
  type AskedSeries,
  type Common,
  counted,
  type Measure,
  measureWords,
  seriesQuestion,
} from '../../address/trends-address.js';
import type {DividedLine} from '../../charts/divided.js';
import {count} from '../../charts/format.js';
import {type RowName, rowText} from '../../charts/series-lines.js';
import {eventsQuery} from '../../explained/events-query.js';
import {
  anyEvent,
  devicesToo,
  type Explanation,
  eachOnce,
  eventsText,
  ofUsersText,
  rowPoint,
} from '../../explained/explanation.js';
import type {Freshness} from '../../service/freshness.js';

interface TrendNumber {
  readonly value: number;
  readonly series: AskedSeries;
  /** Measure of the number; `users` in the column of users. */
  readonly measure: Measure;
  readonly common: Pick<Common, 'user_where' | 'by'> & Partial<Pick<Common, 'weeks' | 'segment'>>;
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
  const {value, series, measure, common, row, days, bucket, freshness} = number;
  const interval = bucket?.interval ?? number.interval ?? usualInterval(days);
  const {event, property, where} = series;
  const of = measure === 'total' ? `event${value === 1 ? '' : 's'}` : `${measureWords[measure]} of`;
  const what = measure === 'total' || measure === 'users' ? of : `: ${measureWords[measure]} of ${property} of`;
  const by = row === undefined ? null : common.by;
  const inRow = by === null ? undefined : rowCondition(by, rowText(row!));
  const isPlain = where.length === 0 && ofUsersText(common) === '' && by === null;
  const span = bucket === undefined ? days : bucketSpan(bucket.dates, bucket.at, days, interval);
  return {
    title: `${count(value)}${what.startsWith(':') ? '' : ' '}${what} ${event ?? (measure === 'total' ? anyEvent : 'any event')}${inRow === undefined ? '' : `, ${inRow}`}`,
    how: sentences(number, inRow),
    events: isPlain ? eventsQuery(event, span) : undefined,
    people: {
      question: seriesQuestion(
        {...series, measure: 'total', property: ''},
        {weeks: null, ...common, by},
        days,
        interval,
      ),
      point: {date: bucket?.dates[bucket.at], ...rowPoint(row)},
    },
    freshness,
  };
}

/** The count of events of one name, without any condition. */
export const plainTrendBehind = ({
  event,
  ...number
}: Pick<TrendNumber, 'value' | 'days' | 'bucket' | 'when' | 'freshness'> & {readonly event: string}): Explanation =>
  trendBehind({
    ...number,
    series: {event, ...counted, where: []},
    measure: 'total',
    common: {user_where: [], by: null},
    row: undefined,
    answer: undefined,
  });

/** `inRow`: what its row says of the events, or of their users. */
function sentences({series, measure, common, when, answer}: TrendNumber, inRow: string | undefined): string[] {
  const {event, property, where} = series;
  const joint = where.length === 0 ? ' where ' : ' and ';
  const of = `${eventsText(event, where)}${inRow === undefined ? '' : joint + inRow}`;
  const whole = `${of}${ofUsersText(common)}, ${when}`;
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
    first[measure],
    ...(property !== '' && measure !== 'users' ? ['Events without a number there are left out.'] : []),
    ...(answer?.skipped ? [`${count(answer.skipped)} events have a value there that is no number.`] : []),
  ];
}

/** A quotient of the numbers of two lines. `text`: the quotient as it is shown. `parts`: where it is one of totals. */
export function quotientBehind(
  {label, parts}: {readonly label: string; readonly parts: DividedLine['parts'] | undefined},
  text: string,
  when: string,
  freshness: Freshness | undefined,
): Explanation {
  const part = (value: number | null): string => (value === null ? 'not known' : count(value));
  return {
    title: text,
    how: [
      parts === undefined
        ? `${label}, ${when}: the number of the one divided by that of the other.`
        : `${label}, ${when}: ${part(parts[0])} divided by ${part(parts[1])}.`,
      'On Trends each of both has a row, whose numbers lead to what is behind them.',
      'A total is a quotient of totals, and no mean of the quotients of buckets.',
    ],
    freshness,
  };
}
