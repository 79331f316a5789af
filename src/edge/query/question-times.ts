// The times of a question: as the parameters of a route have them, and what they mean.
//   QT1. A range that moves ends with today of the asked zone; `last` ones end before.
import {dayMs} from '../../../actors/limits.js';
import {type Days, lastMonths, wholeDays} from '../../asks/question/day-range.js';
import {bounds, bucketed, relativePattern, timezone} from '../../asks/question/members.js';
import {rangeText} from '../../asks/question/range-text.js';
import {type Zone, zoneOf} from '../../zone.js';
import {type AskedBuckets, type AskedTime, askedTime, zoneIn} from './asked-times.js';
import type {WeekStart} from './local-buckets.js';
import {member} from './parameters.js';
import type {QueryValues} from './query.js';

const plus = ', with %2B for a +';

/** The range of a question, in parameters. */
export const rangeForm = {
  from: member(bounds.shape.from, {example: '2026-05-01', escaped: plus}),
  to: member(bounds.shape.to, {example: '2026-05-02', escaped: plus}),
  timezone: member(timezone, {escaped: ' (with %2B for a +)'}),
};

/** A range that may be open; `from` and `to` say what it is without them. */
export const openRangeForm = (from: string, to: string, examples = {from: {}, to: {}}) => ({
  from: member(bounds.shape.from.optional(), {description: from, escaped: plus, ...examples.from}),
  to: member(bounds.shape.to.optional(), {description: to, escaped: plus, ...examples.to}),
  timezone: rangeForm.timezone,
});

/** Range and buckets of a question, in parameters. */
export const bucketedForm = {
  ...rangeForm,
  interval: member(bucketed.interval),
  week_start: member(bucketed.week_start),
};

export const rangeIn = ({from, to, timezone}: QueryValues<typeof rangeForm>) => ({range: {from, to}, timezone});

export const bucketsIn = <Interval>({
  interval,
  week_start,
  ...range
}: QueryValues<typeof rangeForm> & {readonly interval: Interval; readonly week_start: WeekStart}) => ({
  ...rangeIn(range),
  interval,
  week_start,
});

type Range = string | {readonly from?: string | undefined; readonly to?: string | undefined};

interface Times<R extends Range | undefined> {
  readonly range?: R | undefined;
  readonly timezone?: string | undefined;
  readonly week_start?: WeekStart | undefined;
}

/** What a question needs to know of the service: the zone of those that name none, and the time. */
export interface Service {
  /** Undefined: UTC. */
  readonly reportZone: Zone | undefined;
  readonly wallMs: () => number;
}

/** Bounds and zone of a question, for the functions of asked-times.ts. A bound is undefined only where the range may be open. */
export function timesOf<R extends Range | undefined>({range, timezone, week_start}: Times<R>, service: Service) {
  const asked = {timezone: timezone === undefined ? undefined : zoneOf(timezone)};
  if (typeof range === 'string') {
    const {from, to} = daysOf(range, zoneIn(asked, service).dayOf(service.wallMs()), week_start);
    return {...asked, from: dayAt(from), to: dayAt(to)};
  }
  const {from, to} = range ?? {};
  type Bound = R extends string | {readonly from: string; readonly to: string} ? AskedTime : AskedTime | undefined;
  return {...asked, from: timeAt(from) as Bound, to: timeAt(to) as Bound};
}

/** The same with buckets. */
export const bucketTimesOf = (
  asked: Times<string | {readonly from: string; readonly to: string}> & Pick<AskedBuckets, 'interval' | 'week_start'>,
  service: Service,
): AskedBuckets => ({...timesOf(asked, service), interval: asked.interval, week_start: asked.week_start});

const timeAt = (text: string | undefined): AskedTime | undefined =>
  text === undefined ? undefined : askedTime.parse(text);
const dayAt = (day: number): AskedTime => ({timeMs: day * dayMs, is: 'a date'});

/** Days of a range that moves. QT1 */
function daysOf(range: string, today: number, weekStart: WeekStart = 'monday'): Days {
  if (range === 'today') return {from: today, to: today};
  if (range === 'yesterday') return {from: today - 1, to: today - 1};
  const [, days, months] = relativePattern.exec(range)!;
  if (days !== undefined) return {from: today - Number(days) + 1, to: today};
  if (months !== undefined) return lastMonths(Number(months), today);
  return wholeDays(rangeText(range, weekStart), today);
}
