// Users who did not finish a funnel in time, for alerts.
import type {ChosenEvents} from './funnels.js';

/** Users who reached the last step but one, and the last not in time: those whose deadline is in [from, untilMs], in order. */
export interface StalledQuery {
  readonly report: 'stalled';
  readonly steps: readonly ChosenEvents[];
  /** Conversion window in ms, inclusive, from the first step. */
  readonly windowMs?: number;
  /** Ms from the last step but one to the deadline of the last one. */
  readonly withinMs: number;
  readonly from: StallPlace;
  readonly untilMs: number;
  readonly limit: number;
}

/** A user's deadline, in the order in which they pass. */
export interface StallPlace {
  readonly deadlineMs: number;
  readonly partition: number;
  /** Index of the user in the partition. */
  readonly user: number;
}

/** A user who stalled. Its index is valid within one generation of the log. */
export interface Stall extends StallPlace {
  readonly generation: number;
  readonly enteredMs: number;
  /** Time at which the user reached the last step but one. */
  readonly reachedMs: number;
}

/** Body of the answer to `stalled`. */
export interface StallPage {
  readonly data: readonly Stall[];
  readonly has_more: boolean;
}
