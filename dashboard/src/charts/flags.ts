// The words of a chart's marks: each beside its upright, in one of a few rows, so that none lies on another.
//   FL1. A text that has no room in any row is left out: the tooltip of its bucket has all of them.

export const flagRowsMax = 3;
const gap = 6;

interface PlacedFlag {
  readonly left: number;
  readonly row: number;
}

/** `flags` ascend by `x`, the px of their uprights. Undefined: no room. FL1 */
export function placeFlags(
  flags: readonly {readonly x: number; readonly width: number}[],
  right: number,
): (PlacedFlag | undefined)[] {
  const ends: number[] = Array.from({length: flagRowsMax}, () => Number.NEGATIVE_INFINITY);
  return flags.map(({x, width}) => {
    // Near the right edge the words are at the left of their upright.
    const left = x + gap + width <= right ? x + gap : x - gap - width;
    const row = ends.findIndex((end) => end + gap <= left);
    if (row < 0) return undefined;
    ends[row] = left + width;
    return {left, row};
  });
}
