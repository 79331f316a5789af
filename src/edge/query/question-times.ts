// The times of a question, as the parameters of a route have them.
import {bounds, bucketed, timezone} from '../../asks/question/members.js';
import {type Service, type Times, timesOf} from '../../asks/question/times.js';
import type {AskedBuckets} from './asked-times.js';
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

/** Bounds, zone and buckets of a question. */
export const bucketTimesOf = (
  asked: Times<string | {readonly from: string; readonly to: string}> & Pick<AskedBuckets, 'interval' | 'week_start'>,
  service: Service,
): AskedBuckets => ({...timesOf(asked, service), interval: asked.interval, week_start: asked.week_start});
