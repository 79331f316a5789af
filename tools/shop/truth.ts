// The service's right answers about a shop, computed from the shop's entries by plain loops.
//   TR1. It reads the bodies alone, as the service does, and shares no code with it.
//   TR2. A user is a userId, with every anonymousId that came with it first; or an anonymousId that never came with one
//        (docs/api/people.md, Identity). No two people of a shop share an anonymousId.
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
  readonly userId: string | undefined;
  readonly anonymousId: string;
  readonly timeMs: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** An event and its user. TR2 */
export interface Deed {
  readonly name: string;
  readonly person: string;
  readonly timeMs: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

export class ShopTruth {
  /** Events in the order of sending. */
  private readonly events: Happened[] = [];
  /** User by anonymousId. TR2 */
  private readonly owners = new Map<string, string>();
  /** Current traits, by userId. */
  readonly traits = new Map<string, Readonly<Record<string, unknown>>>();
  identifies = 0;

  note({kind, json}: ShopEntry): void {
    if (kind === 'identify') {
      this.identifies += 1;
      const {userId, traits} = JSON.parse(json) as {userId: string; traits: Record<string, unknown>};
      this.traits.set(userId, {...this.traits.get(userId), ...traits});
      return;
    }
    const {properties, ...texts} = JSON.parse(json) as Record<string, string> & {properties: Record<string, unknown>};
    const {event, userId, anonymousId, timestamp} = texts as Record<string, string>;
    if (userId !== undefined && !this.owners.has(anonymousId!)) this.owners.set(anonymousId!, userId);
    this.events.push({name: event!, userId, anonymousId: anonymousId!, timeMs: Date.parse(timestamp!), properties});
  }

  /** The user of an event. TR2 */
  private userOf({userId, anonymousId}: Happened): string {
    const owner = userId ?? this.owners.get(anonymousId);
    return owner === undefined ? `anonymous ${anonymousId}` : `user ${owner}`;
  }

  /** What people did in the range, by time. A person is `user <userId>` or `anonymous <anonymousId>`. */
  deeds(range: Range): Deed[] {
    return this.events
      .filter(({timeMs}) => isInside(timeMs, range))
      .map((event) => ({...event, person: this.userOf(event)}))
      .sort((a, b) => a.timeMs - b.timeMs);
  }

  /** Events of a user, the newest first: its own, and those before it was known. */
  history(userId: string): {readonly name: string; readonly timeMs: number; readonly isJoined: boolean}[] {
    return this.events
      .filter((event) => this.userOf(event) === `user ${userId}`)
      .map((event) => ({name: event.name, timeMs: event.timeMs, isJoined: event.userId === undefined}))
      .sort((a, b) => b.timeMs - a.timeMs);
  }

  /** Known users with events from before they were known, most events first. */
  get joinedUsers(): string[] {
    const counts = new Map<string, number>();
    for (const {userId, anonymousId} of this.events) {
      const owner = userId === undefined ? this.owners.get(anonymousId) : undefined;
      if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    return [...counts].sort(([, a], [, b]) => b - a).map(([user]) => user);
  }

  get eventCount(): number {
    return this.events.length;
  }

  get people(): number {
    return new Set(this.events.map((event) => this.userOf(event))).size;
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
    for (const event of this.events) {
      const day = Math.floor(event.timeMs / dayMs);
      const users = usersOfDay.get(day) ?? new Set<string>();
      usersOfDay.set(day, users.add(this.userOf(event)));
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
    const inside = this.events.filter(({timeMs}) => isInside(timeMs, range));
    return new Set(inside.map((event) => this.userOf(event))).size;
  }

  /** Funnel without a window: each user's earliest path. */
  funnel(steps: readonly string[], range: Range): FunnelStepTruth[] {
    const paths = new Map<string, number[]>();
    const inOrder = this.events.filter(({timeMs}) => isInside(timeMs, range)).sort((a, b) => a.timeMs - b.timeMs);
    for (const event of inOrder) {
      const {name, timeMs} = event;
      const user = this.userOf(event);
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
