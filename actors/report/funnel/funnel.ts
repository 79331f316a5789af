// The funnel of one partition, and that of all.
import {medianOf, type NumberList} from './median.js';

export interface FunnelResult {
  /** Number of users at each step. */
  readonly reached: Float64Array;
  /** Ms since the previous step, for each user of the step; empty for the first step. */
  readonly durations: readonly NumberList[];
}

export interface Funnel {
  readonly reached: readonly number[];
  readonly medianMs: readonly (number | null)[];
}

export function mergeFunnels(stepCount: number, partials: readonly FunnelResult[]): Funnel {
  const steps = Array.from({length: stepCount}, (_, step) => step);
  return {
    reached: steps.map((step) => partials.reduce((sum, partial) => sum + partial.reached[step], 0)),
    medianMs: steps.map((step) => medianOf(partials.map(({durations}) => durations[step]))),
  };
}
