// Numbers that no question narrows, such as those of Overview: each is of all events, or of events of one name without any condition.

import type {Draft} from '../../../src/asks/address.js';
import type {ActiveAnswer} from '../../../src/edge/answers/active-users.js';
import type {Interval} from '../address/range.js';
import type {Span} from '../address/report-address.js';
import {datesText, dayName} from '../charts/format.js';
import {type Explanation, zoneOf} from '../explained/explanation.js';
import {allNamesBehind} from '../explained/names.js';
import type {Freshness} from '../service/freshness.js';
import {activeBehind} from './active/behind.js';
import {plainTrendBehind} from './trends/behind.js';

interface OfDays {
  readonly days: Span;
  readonly today: number;
  readonly freshness: Freshness | undefined;
}

/** Index of a bucket, and its text. */
interface At {
  readonly at: number;
  readonly text: string;
}

/** Days in words, for a number that is of no single bucket. */
const daysText = ({days, today}: OfDays): string =>
  days.from === days.to ? dayName(days.to, today) : datesText(days, today);

const whenIn = (of: OfDays, bucket: At | undefined): string => `${bucket?.text ?? daysText(of)} (${zoneOf(of.days)})`;

export const allEvents = (value: number, of: OfDays): Promise<Explanation> =>
  allNamesBehind({value, span: of.days, when: daysText(of), freshness: of.freshness});

export function eventsNamed(
  event: string,
  value: number,
  of: OfDays,
  bucket?: At & {readonly dates: readonly string[]; readonly interval: Interval},
): Explanation {
  const {days, freshness} = of;
  return plainTrendBehind({event, value, days, bucket, when: whenIn(of, bucket), freshness});
}

const leavingOut = ({not_segment}: Span) => (not_segment ? {not_segment} : undefined);

/** Each number has days of its own. */
const everything: Draft<'active'> = {report: 'active', metric: 'dau', range: 'today', week_start: 'monday'};

/** Explains a point of a metric's answer; without `bucket`, the number of all days. */
export function activeUsers({metric, interval, data, total}: ActiveAnswer, of: OfDays, bucket?: At): Explanation {
  const {days, freshness} = of;
  return activeBehind({
    value: bucket === undefined ? total : (data[bucket.at]?.count ?? 0),
    question: {...everything, users: leavingOut(days)},
    days,
    point: bucket && {metric, interval, dates: data.map(({date}) => date), at: bucket.at},
    when: whenIn(of, bucket),
    freshness,
  });
}
