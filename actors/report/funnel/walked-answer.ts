// JSON texts of a funnel that was walked by rows, and of its breakdown (docs/api/reports/funnel.md).
import {brokenBy, type ShownRows} from '../rows/tuple-groups.js';
import type {HistogramBin} from './duration-histogram.js';
import {type PathSummary, type StepSummary, timePercents} from './path-summary.js';

/** Fields that the answer shows. */
export interface ShownFunnel {
  readonly events: readonly string[];
  /** Whether steps are levels: an event does not name them. */
  readonly isAnyOrder: boolean;
  readonly hasUndecided: boolean;
  /** Labels of the entries' buckets; undefined: none are shown. */
  readonly labels: readonly string[] | undefined;
}

/** `"steps":[…],"conversion_rate":r,"total":n` of one series, and optional fields. */
export function funnelFields(summary: PathSummary, shown: ShownFunnel): string {
  const counts = summary.steps.map(({count}) => count);
  const fields = {
    steps: summary.steps.map((step, i) => stepFields(step, i, counts, shown)),
    conversion_rate: rate(counts[counts.length - 1], counts[0]),
    total: counts[0],
    ...(shown.hasUndecided ? {undecided: summary.undecided} : {}),
    ...(shown.labels === undefined ? {} : {data: entryBuckets(summary, shown.labels)}),
  };
  return JSON.stringify(fields).slice(1, -1);
}

function stepFields(
  {count, medianMs, meanSeconds, percentilesMs, histogram}: StepSummary,
  step: number,
  counts: readonly number[],
  {events, isAnyOrder}: ShownFunnel,
) {
  const previous = counts[Math.max(step - 1, 0)];
  return {
    ...(isAnyOrder ? {level: step + 1} : {event: events[step]}),
    count,
    conversion_rate: rate(count, counts[0]),
    step_conversion_rate: rate(count, previous),
    drop_off: previous - count,
    median_seconds: secondsOf(medianMs),
    mean_seconds: meanSeconds,
    ...(percentilesMs === undefined ? {} : percentileFields(percentilesMs)),
    ...(histogram === undefined ? {} : {histogram: histogram.map(binFields)}),
  };
}

const secondsOf = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);

/** `"p75_seconds"` and so on. */
const percentileFields = (percentilesMs: readonly (number | null)[]) =>
  Object.fromEntries(percentilesMs.map((ms, i) => [`p${timePercents[i]}_seconds`, secondsOf(ms)]));

const binFields = ({fromMs, toMs, count}: HistogramBin) => ({
  seconds_from: fromMs / 1_000,
  seconds_to: toMs / 1_000,
  count,
});

const entryBuckets = ({entered, converted}: PathSummary, labels: readonly string[]) =>
  labels.map((date, bucket) => ({
    date,
    count: entered[bucket],
    converted: converted[bucket],
    conversion_rate: rate(converted[bucket], entered[bucket]),
  }));

/** Rows of a breakdown without those that have no users. `summaries`: by row. */
export function funnelBreakdownFields(
  names: readonly string[],
  chosen: ShownRows,
  summaries: readonly PathSummary[],
  shown: ShownFunnel,
): string {
  const rows = summaries.flatMap((summary, row) =>
    summary.steps[0].count === 0 ? [] : [`{${chosen.name(row)},${funnelFields(summary, shown)}}`],
  );
  return `"breakdown":{${brokenBy(names)},"additive":true,"rows":[${rows.join()}]}`;
}

const rate = (count: number, base: number): number => (base === 0 ? 0 : count / base);
