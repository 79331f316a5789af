// The funnel of one partition, that of all, and its JSON text in the order in which docs/api/reports/funnel.md shows it.
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

export function funnelAnswer(events: readonly string[], {reached, medianMs}: Funnel): string {
  const entered = reached[0];
  const steps = events.map((event, step) => {
    const previous = reached[Math.max(step - 1, 0)];
    const ms = medianMs[step];
    return {
      event,
      count: reached[step],
      conversion_rate: rate(reached[step], entered),
      step_conversion_rate: rate(reached[step], previous),
      drop_off: previous - reached[step],
      median_seconds: ms === null ? null : ms / 1_000,
    };
  });
  return JSON.stringify({steps, conversion_rate: rate(reached[reached.length - 1], entered), total: entered});
}

const rate = (count: number, base: number): number => (base === 0 ? 0 : count / base);
