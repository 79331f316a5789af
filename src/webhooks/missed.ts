// Ordinals that a tail passed while their rows were not there: what is found of them elsewhere was not told here (tail-run.ts TL4).
//   MI1. Ranges in order, apart from each other. At the bound the two that are closest become one: what was told between them may be
//        told again, under the same id.

export type Missed = readonly (readonly [from: number, to: number])[];

export const missedRangesMax = 32;

/** `ranges` and one behind or among them. MI1 */
export function withMissed(ranges: Missed, range: readonly [from: number, to: number]): Missed {
  const joined: [from: number, to: number][] = [];
  for (const [from, to] of [...ranges, range].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined.length > missedRangesMax ? withClosestJoined(joined) : joined;
}

function withClosestJoined(ranges: Missed): Missed {
  const widthOf = (at: number): number => ranges[at + 1]![0] - ranges[at]![1];
  let closest = 0;
  for (let at = 1; at < ranges.length - 1; at++) if (widthOf(at) < widthOf(closest)) closest = at;
  return ranges.toSpliced(closest, 2, [ranges[closest]![0], ranges[closest + 1]![1]]);
}

export const isMissed = (ranges: Missed, ordinal: number): boolean =>
  ranges.some(([from, to]) => from <= ordinal && ordinal < to);
