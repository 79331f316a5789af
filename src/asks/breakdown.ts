// Breakdown of a report: a row for each of its most frequent values.

/** Values of a property of the events, or of a current trait of their users. */
export interface Breakdown {
  readonly by: 'property' | 'trait';
  readonly name: string;
  /** Number of values with a row of their own; the others share one. */
  readonly limit: number;
}
