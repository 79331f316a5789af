// Questions of an edge to a partition about the event names that it knows (src/ingest/known-names.ts).

/** Asks for names from index `from` on; `epoch`: of the answer before, '' without one. */
export interface NamesQuestion {
  readonly ask: 'names';
  readonly epoch: string;
  readonly from: number;
}

export interface NamesAnswer {
  readonly kind: 'names';
  /** Changes when a name is removed, and with each generation of the log: indexes of another epoch mean nothing. */
  readonly epoch: string;
  /** Index of the first name that the answer may have: `from` of the question, or 0 if the epoch is another one. */
  readonly from: number;
  /** The names from `from` on, up to `next`; removed ones are left out. */
  readonly names: readonly string[];
  /** Index at which the next question continues. */
  readonly next: number;
  /** Index after the last name. */
  readonly end: number;
  /** Whether events that were acked before the question may have names that are not here yet. */
  readonly isBehind: boolean;
}
