// Values of query parameters, each refused with its name.
import {historyLimitDefault, historyLimitMax} from '../../actors/limits.js';
import {parseRangeEnd, parseRangeStart} from '../../actors/timestamp.js';
import {isId, isName} from '../ingest/validate.js';
import {invalidRequest, RequestFailure} from './failure.js';
import type {Query} from './query.js';

const refuse = (field: string, expected: string): RequestFailure =>
  new RequestFailure(invalidRequest(`${field} must be ${expected}`, field));

const timeForm = 'an ISO 8601 date or date and time';

export function fromParameter(query: Query): number | undefined {
  return optional(query, 'from', parseRangeStart, Number.isFinite, timeForm);
}

export function toParameter(query: Query): number | undefined {
  return optional(query, 'to', parseRangeEnd, Number.isFinite, timeForm);
}

/** @throws RequestFailure when both are given and the range is empty. */
export function checkRange(fromMs: number | undefined, toMs: number | undefined): void {
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) throw refuse('from', 'no later than to');
}

export function limitParameter(query: Query): number {
  const isLimit = (limit: number): boolean => limit >= 1 && limit <= historyLimitMax;
  const parse = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);
  return optional(query, 'limit', parse, isLimit, `a whole number from 1 to ${historyLimitMax}`) ?? historyLimitDefault;
}

export function nameParameter(query: Query, field: string): string | undefined {
  return optional(query, field, verbatim, isName, 'a name of 1 to 256 characters');
}

export function idParameter(query: Query, field: string): string | undefined {
  return optional(query, field, verbatim, isId, 'an id of 1 to 256 characters');
}

export function wordParameter<Word extends string>(
  query: Query,
  field: string,
  words: readonly Word[],
): Word | undefined {
  const isWord = (text: string): boolean => (words as readonly string[]).includes(text);
  return optional(query, field, verbatim, isWord, `one of ${words.join(', ')}`) as Word | undefined;
}

const verbatim = (text: string): string => text;

function optional<Value>(
  query: Query,
  field: string,
  parse: (text: string) => Value,
  isGood: (value: Value) => boolean,
  expected: string,
): Value | undefined {
  const text = query.get(field);
  if (text === undefined) return undefined;
  const value = parse(text);
  if (!isGood(value)) throw refuse(field, expected);
  return value;
}
