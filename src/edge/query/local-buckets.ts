// The buckets of a report in a time zone, or with weeks from Sunday: an ascending list of instants with labels.
//   LB1. Days are those of the zone (src/zone.ts ZN3). Weeks, months, quarters and years are whole numbers of them. A day that
//        never was has no bucket.
//   LB2. An hour begins where the local clock shows a full hour, and where it jumps into another hour. So a shift by half an hour
//        makes one bucket of 30 or 90 minutes, and an hour that comes twice is two buckets.
//   LB3. A label is what the local clock shows when the bucket begins: of an hour with its offset, as the hour may come twice; of
//        other buckets the date.
import {bucketLabels, bucketNext, bucketStart, type Interval, isoText} from '../../../actors/calendar.js';
import {InvariantError} from '../../../actors/invariant.js';
import {dayMs, hourMs} from '../../../actors/limits.js';
import {offsetText, type Zone} from '../../zone.js';

export type WeekStart = 'monday' | 'sunday';

interface LocalBuckets {
  /** Start of each bucket, and the end of the last; epoch ms. */
  readonly edges: readonly number[];
  readonly labels: readonly string[];
  /** Local time at the start of each bucket, as the epoch ms of the same time in UTC. */
  readonly starts: readonly number[];
}

/** Start of the window of local days that ends with each bucket: days are counted by date. */
export const windowStarts = (starts: readonly number[], interval: 'day' | 'week', zone: Zone, days: number): number[] =>
  starts.map((localMs) => zone.firstAt(bucketNext(localMs, interval) - days * dayMs));

/** Start of a bucket: the instant, and the local time. */
interface Start {
  readonly timeMs: number;
  readonly localMs: number;
}

/** All buckets that touch [fromMs, toMs]; undefined when they are more than `countMax`. */
export function localBuckets(
  {fromMs, toMs, interval}: {readonly fromMs: number; readonly toMs: number; readonly interval: Interval},
  zone: Zone,
  weekStart: WeekStart,
  countMax: number,
): LocalBuckets | undefined {
  const all = interval === 'hour' ? hourStarts(fromMs, zone) : dayStarts(fromMs, interval, zone, weekStart);
  const found: Start[] = [];
  for (const start of all) {
    // The last bucket ends before the range, or is empty.
    if (start.timeMs <= fromMs || start.timeMs === found.at(-1)?.timeMs) found.pop();
    if (start.timeMs > toMs) return bucketsFrom(found, start.timeMs, interval);
    if (found.length === countMax) return undefined;
    found.push(start);
  }
  throw new InvariantError('local buckets: time has no end');
}

function bucketsFrom(found: readonly Start[], endMs: number, interval: Interval): LocalBuckets {
  const starts = found.map(({localMs}) => localMs);
  return {
    edges: [...found.map(({timeMs}) => timeMs), endMs],
    labels: interval === 'hour' ? hourLabels(found) : bucketLabels(Float64Array.from(starts), interval),
    starts,
  };
}

/** Starts of hours, from one at or before `fromMs` on, without end. LB2 */
function* hourStarts(fromMs: number, zone: Zone): Generator<Start, void, void> {
  let beforeMs: number | undefined;
  for (const {startMs, endMs, offsetMs} of zone.stretches(fromMs - 2 * hourMs, Number.POSITIVE_INFINITY)) {
    const hour = (startMs + offsetMs) / hourMs;
    const isJump = beforeMs !== undefined && beforeMs !== offsetMs && !Number.isInteger(hour);
    if (isJump && Math.floor(hour) !== Math.floor((startMs + beforeMs! - 1) / hourMs)) {
      yield {timeMs: startMs, localMs: startMs + offsetMs};
    }
    for (let localMs = Math.ceil(hour) * hourMs; localMs - offsetMs < endMs; localMs += hourMs) {
      yield {timeMs: localMs - offsetMs, localMs};
    }
    beforeMs = offsetMs;
  }
}

/** Starts of days, weeks or months, from one at or before `fromMs` on, without end. LB1 */
function* dayStarts(
  fromMs: number,
  interval: Interval,
  zone: Zone,
  weekStart: WeekStart,
): Generator<Start, void, void> {
  // Weeks from Sunday are those from Monday, a day earlier.
  const shiftMs = interval === 'week' && weekStart === 'sunday' ? dayMs : 0;
  let localMs = bucketStart(zone.dayOf(fromMs) * dayMs + shiftMs, interval);
  for (; ; localMs = bucketNext(localMs, interval)) {
    yield {timeMs: zone.firstAt(localMs - shiftMs), localMs: localMs - shiftMs};
  }
}

/** `2026-10-25T02:00:00+02:00` */
function hourLabels(found: readonly Start[]): string[] {
  const hours = Float64Array.from(found, ({localMs}) => Math.floor(localMs / hourMs) * hourMs);
  let [knownMs, known] = [0, offsetText(0)];
  return bucketLabels(hours, 'hour').map((label, at) => {
    const {timeMs, localMs} = found[at]!;
    if (localMs - timeMs !== knownMs) [knownMs, known] = [localMs - timeMs, offsetText(localMs - timeMs)];
    const clock = localMs === hours[at] ? label.slice(0, -'Z'.length) : isoText(localMs).slice(0, -'.000Z'.length);
    return clock + known;
  });
}
