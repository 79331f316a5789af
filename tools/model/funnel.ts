// GET /v1/reports/funnel: every user's events in order, every entry tried, the deepest walk kept.

import {isInside, parseRange, type Range} from './calendar.js';
import type {JsonObject, Model, StoredEvent} from './model.js';
import {userKeyOf} from './model.js';

export interface FunnelQuery {
  readonly steps: readonly string[];
  readonly from: string;
  readonly to: string;
  /** `[1-9]\d*[smhd]?`, inclusive, from the first step. */
  readonly window?: string;
}

/** Times at which one user reached step 1, 2, ... */
type Walk = number[];

export function funnelOf(model: Model, query: FunnelQuery): JsonObject {
  const range = parseRange(query.from, query.to);
  const windowMs = query.window === undefined ? Number.POSITIVE_INFINITY : parseWindow(query.window);
  const walks = timelinesOf(model, range).map((events) => deepestWalk(events, query.steps, windowMs));
  const reached = query.steps.map((_, step) => walks.filter((walk) => walk.length > step).length);
  const entered = reached[0]!;
  const steps = query.steps.map((event, step) => ({
    event,
    count: reached[step]!,
    conversion_rate: share(reached[step]!, entered),
    step_conversion_rate: share(reached[step]!, reached[Math.max(step - 1, 0)]!),
    drop_off: step === 0 ? 0 : reached[step - 1]! - reached[step]!,
    median_seconds: step === 0 ? null : medianSeconds(walks, step),
  }));
  return {steps, conversion_rate: share(reached.at(-1)!, entered), total: entered};
}

export function parseWindow(text: string): number {
  const match = /^([1-9]\d*)([smhd]?)$/.exec(text);
  if (match === null) throw new RangeError(`not a window: ${text}`);
  const unitMs = {'': 1_000, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000}[match[2]!]!;
  return Number(match[1]) * unitMs;
}

/** One list per user, in (timestamp, arrival) order. */
function timelinesOf(model: Model, range: Range): StoredEvent[][] {
  const timelines = new Map<string, StoredEvent[]>();
  for (const event of model.inOrder(model.events)) {
    if (!isInside(event.timeMs, range)) continue;
    const timeline = timelines.get(userKeyOf(event.user)) ?? [];
    timeline.push(event);
    timelines.set(userKeyOf(event.user), timeline);
  }
  return [...timelines.values()];
}

/** Of equally deep walks the one with the earliest entry: entries are tried in order and only a deeper walk replaces it. */
function deepestWalk(events: readonly StoredEvent[], steps: readonly string[], windowMs: number): Walk {
  let deepest: Walk = [];
  for (let entry = 0; entry < events.length; entry++) {
    if (events[entry]!.name !== steps[0]) continue;
    const walk = walkFrom(events.slice(entry), steps, windowMs);
    if (walk.length > deepest.length) deepest = walk;
  }
  return deepest;
}

/** Greedy: each step takes the earliest event that can serve it. */
function walkFrom(events: readonly StoredEvent[], steps: readonly string[], windowMs: number): Walk {
  const walk: Walk = [];
  for (const event of events) {
    if (event.timeMs - events[0]!.timeMs > windowMs) break;
    if (event.name === steps[walk.length]) walk.push(event.timeMs);
  }
  return walk;
}

const share = (count: number, base: number): number => (base === 0 ? 0 : count / base);

function medianSeconds(walks: readonly Walk[], step: number): number | null {
  return medianOf(walks.filter((walk) => walk.length > step).map((walk) => walk[step]! - walk[step - 1]!));
}

/** In seconds. */
export function medianOf(spansMs: readonly number[]): number | null {
  if (spansMs.length === 0) return null;
  const spans = [...spansMs].sort((a, b) => a - b);
  const middle = spans.length / 2;
  const medianMs = Number.isInteger(middle) ? (spans[middle - 1]! + spans[middle]!) / 2 : spans[Math.floor(middle)]!;
  return medianMs / 1_000;
}
