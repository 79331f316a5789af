// Time zones: the local time at an instant, and the instant of a local time. The rules are those of this Node (ICU), whose
// version is `zoneRules`.
//   ZN1. A zone changes its offset at most once within `cellMs`: in tz 2025c the closest two changes of any zone are four days
//        apart (Africa/Freetown, 1939). So a cell with equal offsets at both ends has no change; any other has one.
//   ZN2. A local time that a zone skips means the end of the gap. A local time that occurs twice means two instants:
//        `firstAt` and `lastAt`.
//   ZN3. Local day d is [first instant with a local time in day d or later, the first one of d + 1). A day that has begun does
//        not end when the clock goes back over midnight. A skipped day is empty.
import {assert} from '../actors/invariant.js';
import {dayMs, hourMs} from '../actors/limits.js';

/** Version of the rules of named zones. */
const zoneRules = process.versions.tz ?? 'unknown';

const cellMs = 3 * dayMs;
/** Upper bound of any offset. */
const reachMs = dayMs;
/** Cached cells of a zone: some 270 years. */
const cellsMax = 32_768;
/** Cached zones; the least recently used one is dropped first. */
const zonesMax = 16;

/** Offsets within a cell: `offsetMs`, and `laterMs` from `changeMs` on. */
interface Cell {
  readonly offsetMs: number;
  /** Epoch ms; the end of the cell when it has no change. */
  readonly changeMs: number;
  readonly laterMs: number;
}

interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
  readonly offsetMs: number;
}

export class Zone {
  /** Name as the caller wrote it. */
  readonly name: string;
  /** Undefined for a fixed offset. */
  readonly rules: string | undefined;
  private readonly offset: (timeMs: number) => number;
  private readonly cells = new Map<number, Cell>();

  /** `offset`: the zone's offset at an instant, or its only one. */
  constructor(name: string, offset: number | ((timeMs: number) => number)) {
    this.name = name;
    this.rules = typeof offset === 'number' ? undefined : zoneRules;
    this.offset = typeof offset === 'number' ? () => offset : offset;
  }

  /** Whether the zone is UTC itself. */
  get isUtc(): boolean {
    return this.rules === undefined && this.offset(0) === 0;
  }

  /** Local time minus UTC at an instant, ms. */
  offsetAt(timeMs: number): number {
    const {offsetMs, changeMs, laterMs} = this.cell(Math.floor(timeMs / cellMs));
    return timeMs < changeMs ? offsetMs : laterMs;
  }

  /**
   * The first instant at which the local time is `localMs` or later. Local times are written as the epoch ms of the same time
   * in UTC.
   */
  firstAt(localMs: number): number {
    for (const {startMs, endMs, offsetMs} of this.stretches(localMs - reachMs, localMs + reachMs)) {
      const timeMs = Math.max(startMs, localMs - offsetMs);
      if (timeMs < endMs) return timeMs;
    }
    throw new RangeError('zone: no offset is more than a day');
  }

  /** The last instant at which the local time is `localMs`. ZN2 */
  lastAt(localMs: number): number {
    let last: number | undefined;
    for (const {startMs, endMs, offsetMs} of this.stretches(localMs - reachMs, localMs + reachMs)) {
      const timeMs = localMs - offsetMs;
      if (timeMs >= startMs && timeMs < endMs) last = timeMs;
    }
    return last ?? this.firstAt(localMs);
  }

  /** Start of local day `day`, counted from 1970-01-01. ZN3 */
  dayStart(day: number): number {
    return this.firstAt(day * dayMs);
  }

  /** The local day of an instant. ZN3 */
  dayOf(timeMs: number): number {
    const day = Math.floor((timeMs + this.offsetAt(timeMs)) / dayMs);
    return this.dayStart(day + 1) <= timeMs ? day + 1 : day;
  }

  /** Stretches of one offset that cover [startMs, endMs], in order. */
  *stretches(startMs: number, endMs: number): Generator<Stretch, void, void> {
    for (let number = Math.floor(startMs / cellMs); number * cellMs <= endMs; number++) {
      const {offsetMs, changeMs, laterMs} = this.cell(number);
      const [cellStart, cellEnd] = [number * cellMs, (number + 1) * cellMs];
      yield {startMs: cellStart, endMs: changeMs, offsetMs};
      if (changeMs < cellEnd) yield {startMs: changeMs, endMs: cellEnd, offsetMs: laterMs};
    }
  }

  private cell(number: number): Cell {
    const known = this.cells.get(number);
    if (known !== undefined) return known;
    if (this.cells.size >= cellsMax) this.cells.clear();
    const cell = this.findCell(number * cellMs, (number + 1) * cellMs);
    this.cells.set(number, cell);
    return cell;
  }

  /** Finds the change inside a cell. ZN1 */
  private findCell(startMs: number, endMs: number): Cell {
    const offsetMs = this.offset(startMs);
    const laterMs = this.offset(endMs);
    if (offsetMs === laterMs) return {offsetMs, changeMs: endMs, laterMs};
    let [before, after] = [startMs / 1_000, endMs / 1_000]; // Changes are at whole seconds.
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.offset(middle * 1_000) === offsetMs) before = middle;
      else after = middle;
    }
    return {offsetMs, changeMs: after * 1_000, laterMs};
  }
}

export const utc = new Zone('UTC', 0);

const zones = new Map<string, Zone>();

/** The zone `±HH:MM`, or an IANA name that Node knows, in any case of letters; undefined for other texts. */
export function zoneOf(name: string): Zone | undefined {
  const known = zones.get(name);
  const zone = known ?? makeZone(name);
  if (zone === undefined) return undefined;
  zones.delete(name);
  zones.set(name, zone);
  for (const oldest of zones.keys()) {
    if (zones.size <= zonesMax) break;
    zones.delete(oldest);
  }
  return zone;
}

function makeZone(name: string): Zone | undefined {
  const fixed = /^([+-])([01]\d|2[0-3]):([0-5]\d)$/.exec(name);
  if (fixed !== null) return new Zone(name, offsetOf(fixed));
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return undefined;
  const format = formatOf(name);
  if (format === undefined) return undefined;
  return new Zone(name, format.resolvedOptions().timeZone === 'UTC' ? 0 : (timeMs) => shownOffset(format, timeMs));
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {timeZone, timeZoneName: 'longOffset'});
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The text ends in `GMT`, `GMT+05:30` or, before standard time, `GMT-00:44:30`. */
function shownOffset(format: Intl.DateTimeFormat, timeMs: number): number {
  const shown = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(format.format(timeMs));
  assert(shown !== null, 'zone: Intl shows the offset');
  return shown[1] === undefined ? 0 : offsetOf(shown);
}

function offsetOf([, sign, hours, minutes, seconds = '0']: RegExpExecArray): number {
  const ms = Number(hours) * hourMs + Number(minutes) * 60_000 + Number(seconds) * 1_000;
  return sign === '-' && ms > 0 ? -ms : ms;
}

/** `+02:00`, with seconds if the offset has any. */
export function offsetText(offsetMs: number): string {
  const seconds = Math.abs(offsetMs) / 1_000;
  const fields = [seconds / 3_600, (seconds / 60) % 60, ...(seconds % 60 === 0 ? [] : [seconds % 60])];
  const texts = fields.map((field) => String(Math.floor(field)).padStart(2, '0'));
  return (offsetMs < 0 ? '-' : '+') + texts.join(':');
}
