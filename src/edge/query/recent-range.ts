// The range of a list of what occurred: by default the last days.
import {endOfTimeMs, type Service, zoneIn} from '../../asks/question/times.js';
import type {Zone} from '../../zone.js';
import {optionalBoundsOf} from './asked-times.js';
import type {QueryValues} from './query.js';
import {openRangeForm} from './question-times.js';

/** Days of the range without `from`. */
const recentDays = 30;

/** Bounds of lists of what occurred. */
export const recentForm = openRangeForm(
  'The first moment that counts, ISO 8601; a date is its first moment. Default: the 30 days that end with that of ' +
    '`to`, or with today.',
  'The last moment that counts, ISO 8601; a date is its last moment. Default: no end.',
  {from: {example: '2026-05-01'}, to: {example: '2026-05-02'}},
);

/** The member of a question. */
export const openRangeIn = ({from, to, timezone}: QueryValues<typeof recentForm>) => ({
  range: from === undefined && to === undefined ? undefined : {from, to},
  timezone,
});

type Recent = Parameters<typeof optionalBoundsOf>[0];

/** The range of a list: that of its cursor; else by default the last days, today included. */
export function recentOf(
  asked: Recent,
  start: {readonly fromMs: number; readonly toMs: number} | undefined,
  service: Service,
) {
  const {fromMs, toMs} = optionalBoundsOf(asked, service);
  const lastMs = toMs ?? start?.toMs ?? endOfTimeMs;
  const firstMs = fromMs ?? start?.fromMs ?? daysBefore(Math.min(lastMs, service.wallMs()), zoneIn(asked, service));
  return {fromMs: firstMs, toMs: lastMs};
}

/** First moment of the default range: the one that ends with the day of `lastMs`. */
const daysBefore = (lastMs: number, zone: Zone): number => zone.dayStart(zone.dayOf(lastMs) - (recentDays - 1));
