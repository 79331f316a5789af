// How long an event may take from its 200 into every report. A plan has two lengths: a new deployment is tried by people who
// look at the first events at once, and snapshots every few seconds are a needless cost later.
//   F1. A change comes without a restart, and a restart within the first hour goes on with the rest of it.
//   F2. The refresh never becomes shorter while a process runs, however the wall clock jumps: a snapshot that was on time
//       would be late all at once.

import {monotonicMs, wallMs} from './clock.js';

export interface RefreshPlan {
  /** In the first hour of a deployment. */
  readonly firstHourMs: number;
  readonly laterMs: number;
}

/** Where REPORT_REFRESH_SECONDS is unset. */
export const ordinaryRefreshPlan: RefreshPlan = {firstHourMs: 5_000, laterMs: 300_000};

export const steadyRefreshPlan = (refreshMs: number): RefreshPlan => ({firstHourMs: refreshMs, laterMs: refreshMs});

/** From `fromMs` to `toMs`, at an epoch time. */
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
    // A clock that was set back by a little since leaves a deployment new; one that is years off makes it an old one.
    const leftMs = Math.abs(ageMs) < hourMs ? hourMs - ageMs : 0;
    this.changeMs = clock.monotonicMs() + Math.min(leftMs, hourMs);
  }

  get ms(): number {
    return this.leftMs > 0 ? this.plan.firstHourMs : this.plan.laterMs;
  }

  /** Until the refresh changes; 0 when it will not. */
  get leftMs(): number {
    const {firstHourMs, laterMs} = this.plan;
    return firstHourMs === laterMs ? 0 : Math.max(0, this.changeMs - this.clock.monotonicMs());
  }

  /** Undefined when none is to come. */
  get change(): RefreshChange | undefined {
    const {firstHourMs, laterMs} = this.plan;
    return this.leftMs > 0 ? {fromMs: firstHourMs, toMs: laterMs, atMs: this.hourEndMs} : undefined;
  }
}
