// GET /v1/reports/*: parameters to a normalised question, the report role's answer to HTTP.
import {bucketStarts, isLabelled} from '../../../actors/calendar.js';
import {funnelStepsMax, reportBucketsMax} from '../../../actors/limits.js';
import type {ActiveMetric, Interval, ReportAnswer, ReportQuery} from '../../asks.js';
import type {Exchange} from '../exchange.js';
import {type Header, invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {
  checkRange,
  list,
  name,
  optional,
  rangeEnd,
  rangeStart,
  required,
  type TextForm,
  withDefault,
  word,
} from '../parameters.js';
import {type QueryForm, type QueryValues, readQuery} from '../query.js';
import type {Handle} from '../route.js';

const windowUnitMs: Readonly<Record<string, number>> = {s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000};
const windowPattern = /^([1-9]\d*)([smhd])?$/;

/** `[1-9]\d*[smhd]?`, seconds without a letter. */
const conversionWindow: TextForm<number> = {
  schema: {type: 'string', pattern: windowPattern.source},
  expected: 'a number of seconds, or like 30m, 12h, 7d',
  parse: (text) => {
    const [, amount, unit = 's'] = windowPattern.exec(text) ?? [];
    // No two events are further apart than this, so longer windows mean the same; and JSON has no infinity.
    return amount === undefined ? undefined : Math.min(Number(amount) * windowUnitMs[unit], Number.MAX_SAFE_INTEGER);
  },
};

/** `<property>=<value>`, split at the first `=`; an empty value is a value. */
const propertyFilter: TextForm<{property: string; value: string}> = {
  schema: {type: 'string', pattern: '^[^=]+='},
  expected: 'written as <property>=<value>',
  parse: (text) => {
    const equals = text.indexOf('=');
    return equals < 1 ? undefined : {property: text.slice(0, equals), value: text.slice(equals + 1)};
  },
};

const range = {
  from: required(rangeStart, {
    description: 'The first moment that counts, ISO 8601; a date is its first moment.',
    example: '2026-05-01',
  }),
  to: required(rangeEnd, {
    description: 'The last moment that counts, ISO 8601; a date is its last moment.',
    example: '2026-05-02',
  }),
};
const interval = withDefault(word<Interval>(['hour', 'day', 'week', 'month']), 'day', {
  description: `Length of a bucket, in UTC; weeks start on Monday. At most ${reportBucketsMax.toLocaleString('en')} buckets.`,
});

export const countsForm = {
  event: required(name, {description: 'The name of the events to count.', example: 'signup'}),
  ...range,
  interval,
  filter: optional(propertyFilter, {
    description:
      'Only events with this property value, as `<property>=<value>`: `plan=pro`, or `cart.currency=EUR` for a nested ' +
      'one. Compares with the text of a string, number or boolean.',
  }),
};

export const usersForm = {
  ...range,
  interval,
  metric: withDefault(word<ActiveMetric>(['dau', 'wau', 'mau']), 'dau', {
    description:
      'Daily, weekly or monthly active users. While the interval is shorter than the unit of the metric, each bucket ' +
      'counts the trailing 1, 7 or 30 days; otherwise the distinct users of the bucket.',
  }),
};

export const funnelForm = {
  'steps[]': list(name, {
    countMax: funnelStepsMax,
    expected: `1 to ${funnelStepsMax} names of events`,
    description: 'The names of the events that form the funnel, in order: one parameter for each step.',
    example: ['signup', 'purchase'],
  }),
  ...range,
  window: optional(conversionWindow, {
    description: 'The time from the first step to the last one, inclusive: seconds, or `30m`, `12h`, `7d`.',
  }),
};

export const countsReport = reportRoute(countsForm, ({event, filter, interval, ...times}) => {
  const asked = {report: 'events', event, ...checkedRange(times), interval} as const;
  checkBuckets(asked);
  return filter === undefined ? asked : {...asked, filter};
});

export const usersReport = reportRoute(usersForm, ({interval, metric, ...times}) => {
  const asked = {report: 'users', ...checkedRange(times), interval, metric} as const;
  checkBuckets(asked);
  return asked;
});

export const funnelReport = reportRoute(funnelForm, ({'steps[]': steps, window: windowMs, ...times}) => {
  const asked = {report: 'funnel', steps, ...checkedRange(times)} as const;
  return windowMs === undefined ? asked : {...asked, windowMs};
});

function checkedRange({from, to}: {from: number; to: number}): {fromMs: number; toMs: number} {
  checkRange(from, to);
  return {fromMs: from, toMs: to};
}

function checkBuckets({fromMs, toMs, interval}: {fromMs: number; toMs: number; interval: Interval}): void {
  const starts = bucketStarts(fromMs, toMs, interval, reportBucketsMax);
  if (starts === undefined) {
    const message = `the range has more than ${reportBucketsMax} buckets: choose a longer interval`;
    throw new RequestFailure(invalidRequest(message, 'interval'));
  }
  const bounds = [
    ['from', starts[0]],
    ['to', starts[starts.length - 1]],
  ] as const;
  for (const [name, startMs] of bounds) {
    if (isLabelled(startMs)) continue;
    const message = `${name} lies in a bucket that begins outside of the years 0000 to 9999`;
    throw new RequestFailure(invalidRequest(message, name));
  }
}

function reportRoute<Form extends QueryForm>(form: Form, read: (values: QueryValues<Form>) => ReportQuery): Handle {
  return async (front: Front, exchange: Exchange): Promise<void> => {
    const query = read(readQuery(exchange.query, form));
    const {ifNoneMatch} = exchange;
    const question = {ask: 'report', query, ...(ifNoneMatch === undefined ? {} : {ifNoneMatch})} as const;
    const answer = await front.asks.report(question);
    if (answer.kind !== 'report') throw new Error('the report role answered another question');
    answerReport(exchange, answer);
  };
}

function answerReport(exchange: Exchange, {headers, body}: Extract<ReportAnswer, {kind: 'report'}>): void {
  const list = Object.entries(headers) as Header[];
  if (body === null) exchange.answer('304 Not Modified', undefined, '', list);
  else exchange.json('200 OK', body, list);
}
