// The JSON texts of report answers, field by field in the order in which API.md shows them.
import type {ActiveResult} from './active-days.js';
import type {ActiveMetric} from './active-plan.js';
import type {Buckets} from './buckets.js';
import type {Funnel} from './funnel.js';

export function countsAnswer(event: string, buckets: Buckets, counts: Float64Array): string {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return JSON.stringify({event, interval: buckets.interval, data: dataOf(buckets, counts), total});
}

export function activeAnswer(metric: ActiveMetric, buckets: Buckets, {counts, total}: ActiveResult): string {
  return JSON.stringify({metric, interval: buckets.interval, data: dataOf(buckets, counts), total});
}

function dataOf(buckets: Buckets, counts: Float64Array): {date: string; count: number}[] {
  return Array.from(counts, (count, bucket) => ({date: buckets.label(bucket), count}));
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
