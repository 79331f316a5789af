// The zone that a page counts in: that of the service, or the one in its address. Never the browser's own.
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

/** Not every engine knows offsets as names of zones. */
const offset = /^([+-])([01]\d|2[0-3]):([0-5]\d)$/;

export function isZone(text: string): boolean {
  if (offset.test(text)) return true;
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
  const [, sign, hours, minutes] = offset.exec(zone) ?? [];
  if (sign !== undefined) return ms + Number(`${sign}60000`) * (60 * Number(hours) + Number(minutes));
  const parts = Object.fromEntries(
    wallClock(zone)
      .formatToParts(ms)
      .map(({type, value}) => [type, Number(value)]),
  );
  const {year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0} = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((ms % 1_000) + 1_000) % 1_000);
}

export const utc = 'UTC';

let home = utc;
/** Zone of a page whose address names none: that of the service (REPORT_TIMEZONE), known with the session. Without one: UTC. */
export const homeZone = (): string => home;
export const setHomeZone = (zone: string): void => {
  home = zone;
};
