// The change of a figure from A to B, on an axis of relative change, with the band of noise behind it.

export function Dumbbell({
  change,
  band,
  widest,
  look,
}: {
  readonly change: number;
  readonly band: number;
  /** Change at both ends of the axis. */
  readonly widest: number;
  readonly look: 'up' | 'down' | 'even';
}) {
  const within = (value: number): number => Math.max(-widest, Math.min(widest, value));
  const x = (value: number): string => `${(50 + (within(value) / widest) * 46).toFixed(2)}%`;
  const isBeyond = Math.abs(change) > widest;
  return (
    <svg class={`dumbbell ${look}`} width="100%" height="22" aria-hidden="true">
      <rect class="band" x={x(-band)} width={`${(Math.min(band, widest) / widest) * 92}%`} y="2" height="18" rx="3" />
      <line class="zero" x1="50%" x2="50%" y1="0" y2="22" />
      <line class="bar" x1="50%" x2={x(change)} y1="11" y2="11" />
      <circle class="from" cx="50%" cy="11" r="4" />
      <circle class="to" cx={x(change)} cy="11" r="4.6" />
      {isBeyond && (
        <text x={x(change)} y="15" dx={change > 0 ? 7 : -7} text-anchor={change > 0 ? 'start' : 'end'}>
          {change > 0 ? '›' : '‹'}
        </text>
      )}
    </svg>
  );
}
