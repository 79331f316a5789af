// The times of a query: bounds, zone, length and first day of buckets, as every report and list reads them.
//   AT1. The question names a zone only where one was asked for or set: without one it is the question of UTC, to the letter.
import {bucketStarts, type Interval, isLabelled} from '../../../actors/calendar.js';
import {reportBucketsMax} from '../../../actors/limits.js';
import type {BucketedRange} from '../../../actors/report/counts/buckets.js';
import {timezone as ofQuestions} from '../../asks/question/members.js';
import {
  type AskedTime,
  type AskedZone,
  momentsOf,
  readTime,
  type ZoneDefault,
  zoneIn,
} from '../../asks/question/times.js';
import {utc, type Zone, zoneOf} from '../../zone.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import {localBuckets, type WeekStart, windowStarts} from './local-buckets.js';
import {checkRange, optional, type TextForm} from './parameters.js';

/** A date, or a date and time with or without an offset. */
export const askedTime: TextForm<AskedTime> = {
  schema: {type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d'},
  // In a query a + means a space, and offsets begin with one.
  expected: 'an ISO 8601 date or date and time, with %2B for a +',
  parse: readTime,
};

const zone: TextForm<Zone> = {
  schema: {type: 'string', maxLength: 64},
  expected: 'an IANA name such as Europe/Berlin, or an offset like -03:30 (with %2B for a +)',
  parse: zoneOf,
};

export const timezone = optional(zone, {description: ofQuestions.description!});

/** Inclusive bounds, epoch ms. @throws RequestFailure when the range is empty. */
export function boundsOf(
  asked: AskedZone & {readonly from: AskedTime; readonly to: AskedTime},
  service: ZoneDefault,
): {fromMs: number; toMs: number} {
  const {fromMs, toMs} = optionalBoundsOf(asked, service);
  return {fromMs: fromMs!, toMs: toMs!};
}

/** `boundsOf` of a list: a bound may be absent. */
export function optionalBoundsOf(
  {from, to, ...asked}: AskedZone & {readonly from: AskedTime | undefined; readonly to: AskedTime | undefined},
  service: ZoneDefault,
): {fromMs: number | undefined; toMs: number | undefined} {
  const bounds = momentsOf({from, to, ...asked}, service);
  checkRange(bounds.fromMs, bounds.toMs);
  return bounds;
}

export interface AskedBuckets extends AskedZone {
  readonly from: AskedTime;
  readonly to: AskedTime;
  readonly interval: Interval;
  readonly week_start: WeekStart;
}

/** The bounds and buckets of a question. @throws RequestFailure */
export function bucketsOf(asked: AskedBuckets, service: ZoneDefault): BucketedRange {
  return localRange(asked, service).range;
}

/**
 * `bucketsOf` for active users. Days of a zone are not all of 24 hours: the question has where the windows begin of the
 * `trailing` days that end with each bucket.
 */
export function activeBucketsOf(
  asked: AskedBuckets,
  trailing: number | undefined,
  service: ZoneDefault,
): BucketedRange & {windows?: readonly number[]} {
  const {range, local, starts} = localRange(asked, service);
  const {interval} = range;
  const isOfDays = trailing !== undefined && (interval === 'day' || interval === 'week');
  if (!isOfDays || starts === undefined || local.isUtc) return range;
  return {...range, windows: windowStarts(starts, interval, local, trailing)};
}

/** `starts`: where the buckets are not those of the calendar itself. */
function localRange(
  {interval, week_start, ...asked}: AskedBuckets,
  service: ZoneDefault,
): {range: BucketedRange; local: Zone; starts?: readonly number[]} {
  const {fromMs, toMs} = boundsOf(asked, service);
  const named = asked.timezone ?? service.reportZone; // AT1
  const local = named ?? utc;
  const range = {fromMs, toMs, interval, ...(named === undefined ? {} : {zone: zoneNamed(named)})};
  if (isOfUtc({interval, week_start, ...asked}, service)) {
    checkStarts(bucketStarts(fromMs, toMs, interval, reportBucketsMax));
    return {range, local};
  }
  const buckets = localBuckets(range, local, week_start, reportBucketsMax);
  const starts = checkStarts(buckets?.starts);
  return {range: {...range, buckets: {edges: buckets!.edges, labels: buckets!.labels}}, local, starts};
}

/** Whether the buckets are those that the core computes. */
export const isOfUtc = ({interval, week_start, ...asked}: AskedBuckets, service: ZoneDefault): boolean =>
  zoneIn(asked, service).isUtc && (interval !== 'week' || week_start === 'monday');

/** Number of buckets. */
export const bucketCount = ({fromMs, toMs, interval, buckets}: BucketedRange): number =>
  buckets?.labels.length ?? bucketStarts(fromMs, toMs, interval, reportBucketsMax)!.length;

const zoneNamed = ({name, rules}: Zone): NonNullable<BucketedRange['zone']> => ({
  name,
  ...(rules === undefined ? {} : {rules}),
});

/** `starts`: local starts of the buckets; undefined when there are too many. @throws RequestFailure */
function checkStarts(starts: readonly number[] | undefined): readonly number[] {
  if (starts === undefined) {
    const message = `the range has more than ${reportBucketsMax} buckets: choose a longer interval`;
    throw new RequestFailure(invalidRequest(message, 'interval'));
  }
  const bounds = [
    ['from', starts[0]!],
    ['to', starts.at(-1)!],
  ] as const;
  for (const [name, startMs] of bounds) {
    if (isLabelled(startMs)) continue;
    const message = `${name} lies in a bucket that begins outside of the years 0000 to 9999`;
    throw new RequestFailure(invalidRequest(message, name));
  }
  return starts;
}
