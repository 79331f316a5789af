// The right answers to the workload's reports, by plain loops over its events: nothing here is shared with the service.

import {dayMs, type WorkloadEvent} from './events.js';

export interface Expected {
  readonly eventCount: number;
  /** Name -> day (YYYY-MM-DD) -> events. */
  readonly eventsByDay: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Month (YYYY-MM) -> distinct users. */
  readonly usersByMonth: ReadonlyMap<string, number>;
  readonly usersTotal: number;
  readonly funnelCounts: readonly number[];
}

export const funnelSteps = ['search_performed', 'item_added', 'purchase_completed'] as const;

/** Feed it every event once, in any order; then ask. */
export class ExpectedAnswers {
  #eventCount = 0;
  readonly #byDay = new Map<string, Map<string, number>>();
  readonly #byMonth = new Map<string, Set<number>>();
  readonly #users = new Set<number>();
  /** Per user the events that the funnel asks about. */
  readonly #funnelEvents = new Map<number, {step: number; timeMs: number}[]>();
  readonly #dayLabels = new Map<number, string>();

  add(event: WorkloadEvent): void {
    this.#eventCount += 1;
    const label = this.#dayLabel(event.timeMs);
    const days = entry(this.#byDay, event.name, () => new Map<string, number>());
    days.set(label, (days.get(label) ?? 0) + 1);
    entry(this.#byMonth, label.slice(0, 7), () => new Set<number>()).add(event.user);
    this.#users.add(event.user);
    const step = (funnelSteps as readonly string[]).indexOf(event.name);
    if (step !== -1) entry(this.#funnelEvents, event.user, () => []).push({step, timeMs: event.timeMs});
  }

  answers(): Expected {
    return {
      eventCount: this.#eventCount,
      eventsByDay: this.#byDay,
      usersByMonth: new Map([...this.#byMonth].map(([month, users]) => [month, users.size])),
      usersTotal: this.#users.size,
      funnelCounts: this.#funnelCounts(),
    };
  }

  #funnelCounts(): number[] {
    const counts: number[] = funnelSteps.map(() => 0);
    for (const events of this.#funnelEvents.values()) {
      let reached = 0;
      for (const {step} of inOrder(events)) if (step === reached) counts[reached++]! += 1;
    }
    return counts;
  }

  #dayLabel(timeMs: number): string {
    const day = Math.floor(timeMs / dayMs);
    return entry(this.#dayLabels, day, () => new Date(day * dayMs).toISOString().slice(0, 10));
  }
}

/** Equal times of one user would make the answer depend on the order of arrival: then another seed is needed. */
function inOrder(events: readonly {step: number; timeMs: number}[]) {
  const sorted = [...events].sort((a, b) => a.timeMs - b.timeMs);
  const tie = sorted.findIndex((event, index) => event.timeMs === sorted[index + 1]?.timeMs);
  if (tie !== -1) throw new Error(`the workload has two events of one user at ${sorted[tie]!.timeMs}`);
  return sorted;
}

function entry<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = create()));
  return value;
}
