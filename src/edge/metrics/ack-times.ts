// How long the log took to have a message on disk, fine enough for percentiles: eight bounds to a doubling. Those of
// `/metrics` are 5, 10 and 25 ms: a p99 of 8.3 ms cannot be told from them.

const firstMs = 0.25;
const cellsPerDoubling = 8;
/** Up to 8 s: nobody waits longer for the log. */
const doublings = 15;
const lastCell = cellsPerDoubling * doublings;
export const ackCells = lastCell + 1;

export class AckTimes {
  /** Observations by cell; those above all bounds are in the last one. */
  readonly counts = new Float64Array(ackCells);

  observe(ms: number): void {
    this.counts[cellOf(ms)]! += 1;
  }
}

const cellOf = (ms: number): number =>
  ms <= firstMs ? 0 : Math.min(lastCell, Math.ceil(cellsPerDoubling * Math.log2(ms / firstMs)));

/**
 * The bounds that so many of the observations between two looks are within, ms; NaN when there was none.
 * `shares` ascending.
 */
export function percentilesBetween(before: Float64Array, after: Float64Array, shares: readonly number[]): number[] {
  let total = 0;
  for (let cell = 0; cell < ackCells; cell++) total += after[cell]! - before[cell]!;
  if (total === 0) return shares.map(() => Number.NaN);
  let cell = 0;
  let seen = after[0]! - before[0]!;
  return shares.map((share) => {
    while (seen < share * total && cell < lastCell) {
      cell += 1;
      seen += after[cell]! - before[cell]!;
    }
    return firstMs * 2 ** (cell / cellsPerDoubling);
  });
}
