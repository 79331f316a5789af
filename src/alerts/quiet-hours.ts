// Hours in which no chat message is sent. They are those of a local clock, whatever its zone does with it.
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
 * The end of the quiet hours that hold `timeMs`, epoch ms; undefined if it is not quiet then. A time that the clock skips is
 * where it jumps, and of one that it shows twice the first counts (src/zone.ts ZN2).
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
