// Time until the log had a message on disk, fine enough for percentiles: eight bounds to a doubling. `/metrics` has bounds of 5,
// 10 and 25 ms, which cannot tell a p99 of 8.3 ms.

const firstMs = 0.25;
const cellsPerDoubling = 8;
/** Up to 8 s: no message waits longer for the log. */
const doublings = 15;
const lastCell = cellsPerDoubling * doublings;
export const ackCells = lastCell + 1;

export class AckTimes {
  /** Observations by cell; the last cell has those above all bounds. */
  readonly counts = new Float64Array(ackCells);

  observe(ms: number): void {
    this.counts[cellOf(ms)]! += 1;
  }
}

const cellOf = (ms: number): number =>
  ms <= firstMs ? 0 : Math.min(lastCell, Math.ceil(cellsPerDoubling * Math.log2(ms / firstMs)));

/**
 * Percentiles of the observations between two readings, ms; NaN when there was none. `shares` ascend.
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
