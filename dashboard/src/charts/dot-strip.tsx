// The rounds of a figure as dots on one line, with what must be reached and where the limit lies.

export function DotStrip({
  samples,
  median,
  reach,
  limit,
}: {
  readonly samples: readonly number[];
  readonly median: number;
  readonly reach: number | undefined;
  readonly limit: number | undefined;
}) {
  const marks = [reach, limit].filter((value) => value !== undefined);
  const [low, high] = [Math.min(...samples, ...marks), Math.max(...samples, ...marks)];
  // Equal samples lie in the middle.
  const x = (value: number): string => `${(high === low ? 50 : 3 + ((value - low) / (high - low)) * 94).toFixed(2)}%`;
  return (
    <svg class="dot-strip" width="100%" height="22" aria-hidden="true">
      <line class="ground" x1="0" x2="100%" y1="11" y2="11" />
      {limit !== undefined && <line class="limit" x1={x(limit)} x2={x(limit)} y1="1" y2="21" />}
      {reach !== undefined && <line class="reach" x1={x(reach)} x2={x(reach)} y1="1" y2="21" />}
      {samples.map((value, at) => (
        <circle key={at} cx={x(value)} cy="11" r="3.6" />
      ))}
      <line class="median" x1={x(median)} x2={x(median)} y1="4" y2="18" />
    </svg>
  );
}
