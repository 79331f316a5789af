// GET /v1/reports/funnel with all of its parameters, by trying every entry of every user, event by event.

import {type AskedBreakdown, brokenBy, rowsByValue} from './breakdowns.js';
import {bucketsOf, type Interval, isInside, parseRange, type Range} from './calendar.js';
import {type Condition, holdAll, isOfMeant, traitsOf, type UserFilter} from './conditions.js';
import {propertyAt, stringForm} from './event-counts.js';
import {medianOf, parseWindow} from './funnel.js';
import type {JsonObject, Model, StoredEvent} from './model.js';
import {userKeyOf} from './model.js';

export interface ModelStep {
  readonly event: string;
  readonly where: readonly Condition[];
}

export interface WalkedFunnelQuery {
  readonly steps: readonly ModelStep[];
  readonly from: string;
  readonly to: string;
  readonly window?: string;
  readonly order: 'sequential' | 'strict' | 'any';
  readonly range: 'all' | 'entry';
  readonly where: readonly Condition[];
  readonly users?: UserFilter;
  /** Between steps `i` and `j`, from 1. */
  readonly exclusions: readonly (ModelStep & {readonly i: number; readonly j: number})[];
  readonly hold?: string;
  readonly breakdown?: readonly AskedBreakdown[];
  readonly breakdownAt: number | 'first' | 'last';
  readonly interval?: Interval;
  /** Bounds of the histograms; undefined: none are asked for. */
  readonly histogram?: 'decimal' | 'clock' | undefined;
  readonly percentiles?: boolean;
  /** `Report-As-Of`. */
  readonly asOfMs: number;
}

/** One user's, or one user's with one value: what happened, and the events of the path that counts. */
export interface Unit {
  readonly events: readonly StoredEvent[];
  readonly path: readonly StoredEvent[];
  readonly entries: readonly StoredEvent[];
  readonly held: string | undefined;
}

export function walkedFunnelOf(model: Model, query: WalkedFunnelQuery): JsonObject {
  const units = unitsOf(model, query);
  const skipped = skippedOf(model, query);
  return {
    ...(query.order === 'sequential' ? {} : {order: query.order}),
    ...(query.hold === undefined ? {} : {unit: 'user_and_value', hold: query.hold}),
    ...(query.interval === undefined ? {} : {interval: query.interval}),
    ...seriesOf(query, units),
    ...(query.breakdown === undefined ? {} : {breakdown: breakdownOf(model, query, query.breakdown, units)}),
    ...(skipped === undefined ? {} : {skipped}),
  };
}

const windowMsOf = ({window}: WalkedFunnelQuery): number =>
  window === undefined ? Number.POSITIVE_INFINITY : parseWindow(window);

/** The moments of events that may be in a path. */
function readRange(query: WalkedFunnelQuery): Range {
  const range = parseRange(query.from, query.to);
  return query.range === 'entry' ? {fromMs: range.fromMs, toMs: range.toMs + windowMsOf(query)} : range;
}

/** Those who entered. */
export function unitsOf(model: Model, query: WalkedFunnelQuery): Unit[] {
  const timelines = new Map<string, StoredEvent[]>();
  const helds = new Map<string, string | undefined>();
  for (const event of model.inOrder(model.events)) {
    if (!isInside(event.timeMs, readRange(query)) || !isOfMeant(model, event, query.users)) continue;
    if (!holdAll(event.properties, query.where)) continue;
    const held = query.hold === undefined ? undefined : stringForm(propertyAt(event.properties, query.hold));
    if (query.hold !== undefined && held === undefined) continue;
    const key = JSON.stringify([userKeyOf(event.user), held ?? null]);
    timelines.set(key, [...(timelines.get(key) ?? []), event]);
    helds.set(key, held);
  }
  const units = [...timelines].map(([key, events]) => {
    const {toMs} = parseRange(query.from, query.to);
    const entries = events.filter((event) => event.timeMs <= toMs && mayBegin(query, event));
    let path: StoredEvent[] = [];
    for (const entry of entries) {
      const tried = walkFrom(query, events.slice(events.indexOf(entry)));
      if (tried.length > path.length) path = tried;
    }
    return {events, path, entries, held: helds.get(key)};
  });
  return units.filter(({path}) => path.length > 0);
}

const isOf = (event: StoredEvent, step: ModelStep): boolean =>
  event.name === step.event && holdAll(event.properties, step.where);

const mayBegin = ({order, steps}: WalkedFunnelQuery, event: StoredEvent): boolean =>
  order === 'any' ? steps.some((step) => isOf(event, step)) : isOf(event, steps[0]!);

/** The path that the first of these events begins. */
function walkFrom(query: WalkedFunnelQuery, events: readonly StoredEvent[]): StoredEvent[] {
  const {order, steps} = query;
  const within = events.filter(({timeMs}) => timeMs - events[0]!.timeMs <= windowMsOf(query));
  if (order === 'any') return levelsOf(steps, within);
  const path: StoredEvent[] = [];
  for (const event of within) {
    const next = steps[path.length];
    if (next === undefined) break;
    if (isOf(event, next)) path.push(event);
    else if (order === 'strict' || isExcluded(query, event, path.length)) break;
  }
  return path;
}

const isExcluded = ({exclusions}: WalkedFunnelQuery, event: StoredEvent, reached: number): boolean =>
  exclusions.some((exclusion) => exclusion.i <= reached && reached < exclusion.j && isOf(event, exclusion));

/** Events that raise the number of different steps that can be done, each by an event of its own: by all sets of steps. */
function levelsOf(steps: readonly ModelStep[], events: readonly StoredEvent[]): StoredEvent[] {
  const raising: StoredEvent[] = [];
  let done = new Set([0]);
  for (const event of events) {
    const more = new Set(done);
    for (const set of done) steps.forEach((step, i) => void (isOf(event, step) && more.add(set | (1 << i))));
    done = more;
    const level = Math.max(...[...done].map((set) => set.toString(2).replaceAll('0', '').length));
    if (level > raising.length) raising.push(event);
  }
  return raising;
}

// -- numbers --

const share = (count: number, base: number): number => (base === 0 ? 0 : count / base);

function seriesOf(query: WalkedFunnelQuery, units: readonly Unit[]): JsonObject {
  const counts = query.steps.map((_, step) => units.filter(({path}) => path.length > step).length);
  const steps = query.steps.map(({event}, step) => {
    const spans = units
      .filter(({path}) => step > 0 && path.length > step)
      .map(({path}) => path[step]!.timeMs - path[step - 1]!.timeMs);
    const sum = spans.reduce((all, span) => all + span, 0);
    return {
      ...(query.order === 'any' ? {level: step + 1} : {event}),
      count: counts[step]!,
      conversion_rate: share(counts[step]!, counts[0]!),
      step_conversion_rate: share(counts[step]!, counts[Math.max(step - 1, 0)]!),
      drop_off: step === 0 ? 0 : counts[step - 1]! - counts[step]!,
      median_seconds: medianOf(spans),
      mean_seconds: spans.length === 0 ? null : sum / (spans.length * 1_000),
      ...(query.percentiles
        ? {
            p75_seconds: percentileOf(spans, 75),
            p90_seconds: percentileOf(spans, 90),
            p95_seconds: percentileOf(spans, 95),
          }
        : {}),
      ...(query.histogram === undefined ? {} : {histogram: histogramOf(spans, boundsOf[query.histogram])}),
    };
  });
  return {
    steps,
    conversion_rate: share(counts.at(-1)!, counts[0]!),
    total: counts[0]!,
    ...(query.range === 'entry' ? {undecided: units.filter((unit) => isUndecided(query, unit)).length} : {}),
    ...(query.interval === undefined ? {} : {data: bucketsOfEntries(query, query.interval, units)}),
  };
}

const isUndecided = (query: WalkedFunnelQuery, {path, entries}: Unit): boolean =>
  path.length < query.steps.length && entries.some(({timeMs}) => timeMs + windowMsOf(query) >= query.asOfMs);

/** The first of the sorted times that at least `percent` % do not exceed. */
function percentileOf(spans: readonly number[], percent: number): number | null {
  const reaching = [...spans]
    .sort((a, b) => a - b)
    .find((span) => 100 * spans.filter((one) => one <= span).length >= percent * spans.length);
  return reaching === undefined ? null : reaching / 1_000;
}

const powersOfTen = [0];
for (let power = 1; power < 1e13; power *= 10) powersOfTen.push(power, 2 * power, 5 * power);

/** In ms. */
const boundsOf = {
  decimal: powersOfTen,
  clock: [
    ...[0, 1, 2, 5, 10, 20, 50, 100, 200, 500],
    ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800].map((seconds) => seconds * 1_000),
    ...[1, 2, 3, 6, 12, 24, 48, 96, 168, 336, 720, 1_440, 2_160, 4_320].map((hours) => hours * 3_600_000),
    ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((years) => years * 8_766 * 3_600_000),
  ],
} as const;

function histogramOf(spans: readonly number[], bounds: readonly number[]): JsonObject[] {
  const bins = bounds.slice(0, -1).map((from, i) => ({
    seconds_from: from / 1_000,
    seconds_to: bounds[i + 1]! / 1_000,
    count: spans.filter((span) => from <= span && span < bounds[i + 1]!).length,
  }));
  while (bins.length > 0 && bins[0]!.count === 0) bins.shift();
  while (bins.length > 0 && bins.at(-1)!.count === 0) bins.pop();
  return bins;
}

function bucketsOfEntries(query: WalkedFunnelQuery, interval: Interval, units: readonly Unit[]): JsonObject[] {
  return bucketsOf(parseRange(query.from, query.to), interval).map(({startMs, endMs, label}) => {
    const entered = units.filter(({entries}) => startMs <= entries[0]!.timeMs && entries[0]!.timeMs < endMs);
    const converted = entered.filter(({path}) => path.length === query.steps.length);
    return {
      date: label,
      count: entered.length,
      converted: converted.length,
      conversion_rate: share(converted.length, entered.length),
    };
  });
}

function breakdownOf(
  model: Model,
  query: WalkedFunnelQuery,
  breakdown: readonly AskedBreakdown[],
  units: readonly Unit[],
): JsonObject {
  const {by, name} = breakdown[0]!;
  const read = (event: StoredEvent) => propertyAt(by === 'trait' ? traitsOf(model, event) : event.properties, name);
  const eventOf = ({path}: Unit): StoredEvent => {
    const there = path.filter((event) => read(event) !== undefined);
    const {breakdownAt: at} = query;
    const nothing = {...path[0]!, properties: {}};
    const found = at === 'first' ? there[0] : at === 'last' ? there.at(-1) : path[at - 1];
    return found ?? (by === 'trait' ? path[0]! : nothing);
  };
  const rows = rowsByValue(model, breakdown, units, eventOf, (of) => seriesOf(query, of));
  return {...brokenBy(breakdown), additive: true, rows};
}

/** Values that no comparison of numbers can judge: step by step, condition by condition. */
function skippedOf(model: Model, query: WalkedFunnelQuery): number | undefined {
  const chosen: {event?: string; where: readonly Condition[]}[] = [...query.steps, ...query.exclusions].map(
    ({event, where}) => ({event, where: [...query.where, ...where]}),
  );
  if (query.order === 'strict') chosen.push({where: query.where});
  const compares = ({op}: Condition): boolean => /^[gl]te?$/.test(op);
  if (!chosen.some(({where}) => where.some(compares))) return undefined;
  let skipped = 0;
  for (const {event, where} of chosen) {
    let left = model.events.filter(
      ({name, timeMs}) => (event === undefined || name === event) && isInside(timeMs, readRange(query)),
    );
    left = left.filter((one) => isOfMeant(model, one, query.users));
    for (const condition of where) {
      const values = left.map(({properties}) => propertyAt(properties, condition.property));
      if (compares(condition))
        skipped += values.filter((value) => value !== undefined && typeof value !== 'number').length;
      left = left.filter(({properties}) => holdAll(properties, [condition]));
    }
  }
  return skipped;
}
