// Builds the figures of a bench that are compared over its runs (src/bench-run.ts).

import type {Figure} from '../src/bench-run.js';
import type {LatencyMs} from './load/latency.js';
import type {Ratio} from './rounds.js';
import {spreadOf} from './statistics.js';

/** A row of the table in docs/benchmarks.md: the value that a figure must reach, and its estimated limit. */
export interface Bounds {
  readonly reach: number;
  readonly limit?: number;
}

type Named = Pick<Figure, 'id' | 'name' | 'better'>;

export const ratioFigure = (named: Named, {all}: Pick<Ratio, 'all'>, bounds?: Bounds): Figure => ({
  ...named,
  unit: 'ratio',
  samples: all,
  ...bounds,
});

const percentiles = [
  [0.5, 'p50'],
  [0.9, 'p90'],
  [0.99, 'p99'],
  [0.999, 'p999'],
] as const satisfies readonly (readonly [number, keyof LatencyMs])[];

/** Ack p99 of each round, and the whole curve: the median of the rounds at each percentile. */
export const latencyFigure = (
  named: Omit<Named, 'better'>,
  curveName: string,
  rounds: readonly {readonly latencyMs: LatencyMs}[],
): Figure => ({
  ...named,
  unit: 'ms',
  better: 'less',
  samples: rounds.map(({latencyMs}) => latencyMs.p99),
  curve: {
    name: curveName,
    points: percentiles.map(([share, name]) => [share, spreadOf(rounds.map(({latencyMs}) => latencyMs[name])).median]),
  },
});
