// GET /v1/reports/*: parameters to a normalised question, the report role's answer to HTTP.
import {bucketStarts} from '../../../actors/calendar.js';
import {funnelStepsMax, reportBucketsMax} from '../../../actors/limits.js';
import type {Interval, ReportAnswer, ReportQuery} from '../../asks.js';
import {isName} from '../../ingest/validate.js';
import type {Exchange} from '../exchange.js';
import {type Header, invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {checkRange, fromParameter, nameParameter, toParameter, wordParameter} from '../parameters.js';
import {parseQuery, type Query, type QueryForm} from '../query.js';
import type {Handle} from '../route.js';

type Reader = (query: Query) => ReportQuery;

const range = {from: 'single', to: 'single'} as const;
const intervals: readonly Interval[] = ['hour', 'day', 'week', 'month'];

const bad = (field: string, message: string): RequestFailure => new RequestFailure(invalidRequest(message, field));

export const countsReport = reportRoute({...range, event: 'single', interval: 'single', filter: 'single'}, (query) => {
  query.required('event');
  const event = nameParameter(query, 'event')!;
  const filter = readFilter(query.get('filter'));
  const asked = {report: 'events', event, ...readRange(query), interval: readInterval(query)} as const;
  checkBuckets(asked);
  return filter === undefined ? asked : {...asked, filter};
});

export const usersReport = reportRoute({...range, interval: 'single', metric: 'single'}, (query) => {
  const metric = wordParameter(query, 'metric', ['dau', 'wau', 'mau']) ?? 'dau';
  const asked = {report: 'users', ...readRange(query), interval: readInterval(query), metric} as const;
  checkBuckets(asked);
  return asked;
});

export const funnelReport = reportRoute({...range, 'steps[]': 'list', window: 'single'}, (query) => {
  const steps = query.list('steps[]');
  if (steps.length < 1 || steps.length > funnelStepsMax || !steps.every(isName)) {
    throw bad('steps[]', `steps[] must name 1 to ${funnelStepsMax} events`);
  }
  const windowMs = readWindow(query.get('window'));
  const asked = {report: 'funnel', steps, ...readRange(query)} as const;
  return windowMs === undefined ? asked : {...asked, windowMs};
});

function readRange(query: Query): {fromMs: number; toMs: number} {
  query.required('from');
  query.required('to');
  const fromMs = fromParameter(query)!;
  const toMs = toParameter(query)!;
  checkRange(fromMs, toMs);
  return {fromMs, toMs};
}

const readInterval = (query: Query): Interval => wordParameter(query, 'interval', intervals) ?? 'day';

function checkBuckets({fromMs, toMs, interval}: {fromMs: number; toMs: number; interval: Interval}): void {
  if (bucketStarts(fromMs, toMs, interval, reportBucketsMax) === undefined) {
    throw bad('interval', `the range has more than ${reportBucketsMax} buckets: choose a longer interval`);
  }
}

/** `<property>=<value>`, split at the first `=`; an empty value is a value. */
function readFilter(text: string | undefined): {property: string; value: string} | undefined {
  if (text === undefined) return undefined;
  const equals = text.indexOf('=');
  if (equals < 1) throw bad('filter', 'filter must be written as <property>=<value>');
  return {property: text.slice(0, equals), value: text.slice(equals + 1)};
}

const windowUnitMs: Readonly<Record<string, number>> = {s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000};

/** `[1-9]\d*[smhd]?`, seconds without a letter. */
function readWindow(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit = 's'] = /^([1-9]\d*)([smhd])?$/.exec(text) ?? [];
  if (amount === undefined) throw bad('window', 'window must be a number of seconds, or like 30m, 12h, 7d');
  // No two events are further apart than this, so longer windows mean the same; and JSON has no infinity.
  return Math.min(Number(amount) * windowUnitMs[unit], Number.MAX_SAFE_INTEGER);
}

function reportRoute(form: QueryForm, read: Reader): Handle {
  return async (front: Front, exchange: Exchange): Promise<void> => {
    const query = read(parseQuery(exchange.query, form));
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
