// The longest time from an event's 200 until every report has it. A plan has two lengths: people who try a new deployment look at
// the first events at once, and later a snapshot every few seconds is a needless cost.
//   F1. The change needs no restart, and after a restart within the first hour the rest of that hour remains.
//   F2. The refresh never becomes shorter while a process runs, however the wall clock jumps: snapshots that were on time would
//       all be late at once.

import {monotonicMs, wallMs} from './clock.js';

export interface RefreshPlan {
  /** In the first hour of a deployment. */
  readonly firstHourMs: number;
  readonly laterMs: number;
}

/** The plan if REPORT_REFRESH_SECONDS is unset. */
export const ordinaryRefreshPlan: RefreshPlan = {firstHourMs: 5_000, laterMs: 300_000};

export const steadyRefreshPlan = (refreshMs: number): RefreshPlan => ({firstHourMs: refreshMs, laterMs: refreshMs});

/** A change from `fromMs` to `toMs` at an epoch time. */
export interface RefreshChange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly atMs: number;
}

const hourMs = 3_600_000;

interface RefreshClock {
  wallMs(): number;
  monotonicMs(): number;
}

export class Refresh {
  private readonly plan: RefreshPlan;
  private readonly clock: RefreshClock;
  private readonly hourEndMs: number;
  /** On the monotonic clock. F2 */
  private readonly changeMs: number;

  /** `createdMs`: of the deployment, epoch ms. */
  constructor(plan: RefreshPlan, createdMs: number, clock: RefreshClock = {wallMs, monotonicMs}) {
    this.plan = plan;
    this.clock = clock;
    this.hourEndMs = createdMs + hourMs;
    const ageMs = clock.wallMs() - createdMs;
    // A clock that was set back a little leaves a deployment new; one that is years off makes it old.
    const leftMs = Math.abs(ageMs) < hourMs ? hourMs - ageMs : 0;
    this.changeMs = clock.monotonicMs() + Math.min(leftMs, hourMs);
  }

  get ms(): number {
    return this.leftMs > 0 ? this.plan.firstHourMs : this.plan.laterMs;
  }

  /** Ms until the refresh changes; 0 when it will not. */
  get leftMs(): number {
    const {firstHourMs, laterMs} = this.plan;
    return firstHourMs === laterMs ? 0 : Math.max(0, this.changeMs - this.clock.monotonicMs());
  }

  /** Undefined when the refresh will not change. */
  get change(): RefreshChange | undefined {
    const {firstHourMs, laterMs} = this.plan;
    return this.leftMs > 0 ? {fromMs: firstHourMs, toMs: laterMs, atMs: this.hourEndMs} : undefined;
  }
}
