// Words for the days that numbers are compared with.
import {dayOfMs, type Past} from '../address/range.js';
import {clockText, datesText} from './format.js';

/**
 * `25 Sep – 24 Oct`; `25 Sep – 24 Oct until 12:03 UTC` while the range beside them is not over. `untilMs`: epoch ms of the zone's wall
 * clock.
 */
export function againstText(past: Past, untilMs: number | undefined, zone: string, today: number): string {
  if (untilMs === undefined) return datesText(past, today);
  const dates = datesText({from: past.from, to: dayOfMs(untilMs)}, today);
  return `${dates} until ${clockText(untilMs / 1_000).slice(0, 5)} ${zone}`;
}
