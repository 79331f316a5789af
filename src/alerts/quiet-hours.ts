// Quiet hours: no chat message is sent in them. They follow the local clock of their zone, also when its offset changes.
import {dayMs} from '../../actors/limits.js';
import type {Zone} from '../zone.js';
import type {QuietHours} from './definition.js';

const minuteMs = 60_000;

/** Ms since midnight; undefined for a text that is not `HH:MM`. */
export function timeOfDay(text: string): number | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match === null ? undefined : (Number(match[1]) * 60 + Number(match[2])) * minuteMs;
}

/**
 * End of the quiet hours that contain `timeMs`, epoch ms; undefined outside of them. A time that the clock skips is the moment of
 * the jump; of a time that it shows twice the first counts (src/zone.ts ZN2).
 */
export function quietUntil({from, to}: QuietHours, zone: Zone, timeMs: number): number | undefined {
  const [fromOfDay, toOfDay] = [timeOfDay(from)!, timeOfDay(to)!];
  const nextDay = toOfDay <= fromOfDay ? 1 : 0;
  const today = Math.floor((timeMs + zone.offsetAt(timeMs)) / dayMs);
  for (const day of [today - 1, today]) {
    const startMs = zone.firstAt(day * dayMs + fromOfDay);
    const endMs = zone.firstAt((day + nextDay) * dayMs + toOfDay);
    if (startMs <= timeMs && timeMs < endMs) return endMs;
  }
  return undefined;
}
