// Lines that lie on each other: equal series must all be seen, so a lower line is drawn wider, and shows as a rim.

type Values = readonly (number | null)[];

/** Share of the points that must be equal. */
const equalShare = 0.75;

function areAlike(a: Values, b: Values): boolean {
  const known = a.map((value, at) => [value, b[at]]).filter(([x, y]) => x != null && y != null);
  // Lines that are both zero most of the time are not alike for that.
  const some = known.filter(([x, y]) => x !== 0 || y !== 0);
  return known.length > 0 && some.filter(([x, y]) => x === y).length >= equalShare * some.length;
}

/** Wider than this a line hides others. */
const rimsMax = 2;

/** Number of later lines, which are drawn above, that lie on each line. */
export const rimsOf = (lines: readonly Values[]): number[] =>
  lines.map((line, at) => Math.min(rimsMax, lines.slice(at + 1).filter((other) => areAlike(line, other)).length));
