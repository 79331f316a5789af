// Breakdown of a report: a row for each of its most frequent values.
import type {kindsShown} from '../../actors/report/rows/value-groups.js';

/** Values of a property of the events, or of a current trait of their users. */
export interface Breakdown {
  readonly by: 'property' | 'trait';
  readonly name: string;
  /** Number of values with a row of their own; the others share one. */
  readonly limit: number;
}

/** The row of a value, or that of a kind. */
export type BreakdownRow = {readonly value: string} | {readonly kind: (typeof kindsShown)[number]};
