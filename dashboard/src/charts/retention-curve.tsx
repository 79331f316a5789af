// The share that returned by period, over all cohorts whose period is complete. The table has its numbers.
import {percent} from './format';
import {scaledTo, ticksTo} from './ticks';
import './cohorts.css';

const height = 210;
const pad = 22;
/** More values would overlap on a wide screen. */
const valuesMax = 16;

/** `rates`: by period; null: no cohort has a complete one. */
export function RetentionCurve({label, rates}: {readonly label: string; readonly rates: readonly (number | null)[]}) {
  const known = rates.flatMap((rate, period) => (rate === null ? [] : [{rate, period}]));
  const ticks = ticksTo(Math.max(0.01, ...known.map(({rate}) => rate)));
  const y = scaledTo(ticks.at(-1)!, height, pad);
  const last = Math.max(1, rates.length - 1);
  const x = (period: number): string => `${((period / last) * 100).toFixed(2)}%`;
  const everyNth = Math.ceil(rates.length / valuesMax);
  return (
    <svg class="retention-curve" height={height} role="img" aria-label={`${label}. The table has its numbers.`}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
          <text x="0" y={y(tick)} dx="-8" dy="4" text-anchor="end">
            {percent(tick, Number.isInteger(Math.round(tick * 1e6) / 1e4) ? 0 : 1)}
          </text>
        </g>
      ))}
      {known.slice(1).map(({rate, period}, at) => {
        const before = known[at]!;
        return (
          before.period === period - 1 && (
            <line key={period} class="line" x1={x(before.period)} x2={x(period)} y1={y(before.rate)} y2={y(rate)} />
          )
        );
      })}
      {known.map(({rate, period}) => (
        <g key={period}>
          <circle cx={x(period)} cy={y(rate)} r="2.6" />
          {period % everyNth === 0 && (
            <text class="value" x={x(period)} y={y(rate) - 9} text-anchor={period === 0 ? 'start' : 'middle'}>
              {percent(rate, 0)}
            </text>
          )}
        </g>
      ))}
      {rates.map(
        (_, period) =>
          period % everyNth === 0 && (
            <text key={period} x={x(period)} y={height - 4} text-anchor="middle">
              {period}
            </text>
          ),
      )}
    </svg>
  );
}
