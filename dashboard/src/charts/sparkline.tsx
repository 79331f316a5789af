// A line without axes, beside a figure. It says nothing that the page does not say in words.

export function Sparkline({
  values,
  tone = 1,
  open = false,
  width = 78,
  height = 30,
}: {
  /** Null: not known, a gap. */
  readonly values: readonly (number | null)[];
  readonly tone?: number;
  /** The last value is not finished. */
  readonly open?: boolean;
  readonly width?: number;
  readonly height?: number;
}) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const pad = 3;
  const x = (at: number): number => pad + (at / (values.length - 1)) * (width - 2 * pad);
  // A line that never moves lies in the middle: at the bottom it would look like zero.
  const share = (value: number): number => (high === low ? 0.5 : (value - low) / (high - low));
  const y = (value: number): number => height - pad - share(value) * (height - 2 * pad);
  const runs = runsOf(values, open).map((run) =>
    run.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' '),
  );
  const last = values.length - 1;
  const [before, end] = [values[last - 1], values[last]];
  return (
    <svg
      class={`spark tone-${tone}`}
      width={width}
      height={height}
      aria-hidden="true"
      fill="none"
      stroke="var(--tone)"
      stroke-width="1.6"
      stroke-linejoin="round"
      stroke-linecap="round"
    >
      {runs.map((points, at) => (
        <polyline key={at} points={points} />
      ))}
      {open && before != null && end != null && (
        <polyline points={`${x(last - 1)},${y(before)} ${x(last)},${y(end)}`} stroke-dasharray="2 3" />
      )}
      {end != null && (
        <circle cx={x(last)} cy={y(end)} r="2.2" fill={open ? 'var(--surface)' : 'var(--tone)'} stroke-width="1.4" />
      )}
    </svg>
  );
}

type Point = readonly [at: number, value: number];

/** Runs of values without a gap. */
function runsOf(values: readonly (number | null)[], open: boolean): Point[][] {
  const runs: Point[][] = [[]];
  for (const [at, value] of values.entries()) {
    if (open && at === values.length - 1) break;
    if (value === null) runs.push([]);
    else runs.at(-1)!.push([at, value]);
  }
  return runs.filter((run) => run.length > 0);
}
