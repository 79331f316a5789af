// The zone that a page counts in: UTC, or the one in its address. Never the browser's own.
//   Z1. A moment of a zone is written as its wall clock: epoch ms that the clock would show in UTC. Days come of it as in UTC.
const wallClocks = new Map<string, Intl.DateTimeFormat>();

function wallClock(zone: string): Intl.DateTimeFormat {
  const known = wallClocks.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  wallClocks.set(zone, made);
  return made;
}

export function isZone(text: string): boolean {
  try {
    wallClock(text);
    return true;
  } catch {
    return false;
  }
}

/** Wall clock of the zone at a moment, as epoch ms. Z1 */
export function wallMs(zone: string, ms: number): number {
  if (zone === utc) return ms;
  const parts = Object.fromEntries(
    wallClock(zone)
      .formatToParts(ms)
      .map(({type, value}) => [type, Number(value)]),
  );
  const {year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0} = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((ms % 1_000) + 1_000) % 1_000);
}

export const utc = 'UTC';
