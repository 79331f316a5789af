// The right answers of the service about a shop, computed from the shop's entries by plain loops.
//   TR1. It reads the bodies alone, as the service does, and shares no code with it.
//   TR2. A user is a userId, or an anonymousId that came alone: two people to every report (docs/api.md, Ingestion).
import type {ShopEntry} from './entry.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Inclusive bounds, epoch ms. */
export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface NameTruth {
  readonly name: string;
  readonly count: number;
  readonly first_seen: string;
  readonly last_seen: string;
}

export interface FunnelStepTruth {
  readonly event: string;
  readonly count: number;
  readonly median_seconds: number | null;
}

interface Happened {
  readonly name: string;
  readonly user: string;
  readonly timeMs: number;
}

export class ShopTruth {
  /** In the order of sending. */
  private readonly events: Happened[] = [];
  identifies = 0;

  note({kind, json}: ShopEntry): void {
    if (kind === 'identify') {
      this.identifies += 1;
      return;
    }
    const {event, userId, anonymousId, timestamp} = JSON.parse(json) as Record<string, string>;
    const user = userId === undefined ? `anonymous ${anonymousId}` : `user ${userId}`; // TR2
    this.events.push({name: event!, user, timeMs: Date.parse(timestamp!)});
  }

  get eventCount(): number {
    return this.events.length;
  }

  get people(): number {
    return new Set(this.events.map(({user}) => user)).size;
  }

  /** Names with events in the range, most frequent first. */
  names(range: Range): NameTruth[] {
    const times = new Map<string, {count: number; firstMs: number; lastMs: number}>();
    for (const {name, timeMs} of this.events) {
      const known = times.get(name) ?? {count: 0, firstMs: timeMs, lastMs: timeMs};
      times.set(name, {
        count: known.count + Number(isInside(timeMs, range)),
        firstMs: Math.min(known.firstMs, timeMs),
        lastMs: Math.max(known.lastMs, timeMs),
      });
    }
    return [...times]
      .filter(([, {count}]) => count > 0)
      .map(([name, {count, firstMs, lastMs}]) => ({
        name,
        count,
        first_seen: new Date(firstMs).toISOString(),
        last_seen: new Date(lastMs).toISOString(),
      }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  }

  /** Events of the name in each hour of the range, whose bounds are full hours. */
  countsByHour(name: string, {fromMs, toMs}: Range): number[] {
    const counts = new Array<number>((toMs + 1 - fromMs) / hourMs).fill(0);
    for (const event of this.events) {
      if (event.name !== name || !isInside(event.timeMs, {fromMs, toMs})) continue;
      counts[Math.floor((event.timeMs - fromMs) / hourMs)]! += 1;
    }
    return counts;
  }

  /** Distinct users of each day of the range and the `trailingDays - 1` days before; its bounds are full days. */
  activeByDay({fromMs, toMs}: Range, trailingDays: number): number[] {
    const usersOfDay = new Map<number, Set<string>>();
    for (const {user, timeMs} of this.events) {
      const day = Math.floor(timeMs / dayMs);
      const users = usersOfDay.get(day) ?? new Set<string>();
      usersOfDay.set(day, users.add(user));
    }
    const [firstDay, lastDay] = [Math.floor(fromMs / dayMs), Math.floor(toMs / dayMs)];
    return Array.from({length: lastDay - firstDay + 1}, (_, at) => {
      const active = new Set<string>();
      for (let day = firstDay + at - trailingDays + 1; day <= firstDay + at; day++)
        for (const user of usersOfDay.get(day) ?? []) active.add(user);
      return active.size;
    });
  }

  activeUsers(range: Range): number {
    return new Set(this.events.filter(({timeMs}) => isInside(timeMs, range)).map(({user}) => user)).size;
  }

  /** Funnel without a window: each user's earliest path. */
  funnel(steps: readonly string[], range: Range): FunnelStepTruth[] {
    const paths = new Map<string, number[]>();
    const inOrder = this.events.filter(({timeMs}) => isInside(timeMs, range)).sort((a, b) => a.timeMs - b.timeMs);
    for (const {name, user, timeMs} of inOrder) {
      const path = paths.get(user) ?? [];
      if (steps[path.length] !== name) continue;
      paths.set(user, [...path, timeMs]);
    }
    const all = [...paths.values()];
    return steps.map((event, step) => {
      const reached = all.filter((path) => path.length > step);
      const durations = step === 0 ? [] : reached.map((path) => path[step]! - path[step - 1]!);
      return {event, count: reached.length, median_seconds: medianSeconds(durations)};
    });
  }
}

const isInside = (timeMs: number, {fromMs, toMs}: Range): boolean => timeMs >= fromMs && timeMs <= toMs;

function medianSeconds(durationsMs: readonly number[]): number | null {
  if (durationsMs.length === 0) return null;
  const sorted = [...durationsMs].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2 / 1_000;
}
