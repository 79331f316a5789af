// Totals of a run of seeds.
export interface Totals {
  [what: string]: number;
  /** Number of seeds played. */
  seeds: number;
  failed: number;
  /** Sum over all traces, modulo 2^32: equal for equal runs of the same seeds. */
  hash: number;
  /** Steps of the simulation. */
  events: number;
}

export const emptyTotals = (): Totals => ({seeds: 0, failed: 0, hash: 0, events: 0});

/** Adds `more` to `totals`. */
export function addTotals(totals: Totals, more: Readonly<Record<string, number>>): void {
  for (const [what, count] of Object.entries(more)) totals[what] = (totals[what] ?? 0) + count;
  totals.hash %= 2 ** 32;
}
