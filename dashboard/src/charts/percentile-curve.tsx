// Latencies by percentile, on two logarithmic axes: x = 1 / (1 - percentile), so p99 stands at 100; y is the latency. A table
// beside the chart has the numbers.
import {labelHeight, placeLabels} from './end-labels';
import {decadesAround} from './ticks';

export interface Curve {
  readonly name: string;
  readonly tone: number;
  /** Share of the requests that were at most so slow, and ms. */
  readonly points: readonly (readonly [share: number, ms: number])[];
}

const height = 220;
const pad = {top: 10, bottom: 26};

export const percentileName = (share: number): string => `p${Number((share * 100).toFixed(3))}`;

export function PercentileCurve({label, curves}: {readonly label: string; readonly curves: readonly Curve[]}) {
  const all = curves.flatMap(({points}) => points);
  const shares = [...new Set(all.map(([share]) => share))].sort((a, b) => a - b);
  const above = all.map(([, ms]) => ms).filter((ms) => ms > 0);
  const [low, high] = decadesAround(Math.min(...above), Math.max(...above));
  const rarity = (share: number): number => -Math.log10(1 - share);
  const [from, to] = [rarity(shares[0]!), rarity(shares.at(-1)!)];
  const x = (share: number): string => `${(((rarity(share) - from) / (to - from || 1)) * 100).toFixed(2)}%`;
  const y = (ms: number): number =>
    height -
    pad.bottom -
    (Math.log10(Math.max(ms, low) / low) / Math.log10(high / low)) * (height - pad.top - pad.bottom);
  const decades = Array.from({length: Math.round(Math.log10(high / low)) + 1}, (_, at) => low * 10 ** at);
  const labels = placeLabels(
    curves.map(({name, tone, points}) => ({label: name, tone, y: y(points.at(-1)![1])})),
    height,
  );
  return (
    <svg class="percentiles" height={height} role="img" aria-label={`${label}. The table has its numbers.`}>
      {decades.map((ms) => (
        <g key={ms}>
          <line class="grid" x1="0" x2="100%" y1={y(ms)} y2={y(ms)} />
          <text class="tick" x="0" y={y(ms)} dx="-8" dy="4" text-anchor="end">
            {Number(ms.toPrecision(3))} ms
          </text>
        </g>
      ))}
      {shares.map((share) => (
        <text key={share} class="tick" x={x(share)} y={height - 6} text-anchor="middle">
          {percentileName(share)}
        </text>
      ))}
      {curves.map(({name, tone, points}) => (
        <g key={name} class={`tone-${tone}`}>
          {points.slice(1).map(([share, ms], at) => (
            <line key={share} class="line" x1={x(points[at]![0])} x2={x(share)} y1={y(points[at]![1])} y2={y(ms)} />
          ))}
        </g>
      ))}
      {labels.map(({label: name, tone, y: labelTop}) => (
        <text key={name} class={`end tone-${tone}`} x="100%" dx="8" y={labelTop + labelHeight / 2} dy="4">
          {name}
        </text>
      ))}
    </svg>
  );
}
