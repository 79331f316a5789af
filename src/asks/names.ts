// Questions of an edge to a partition about the event names that it knows (src/ingest/known-names.ts).
import type {Deletion} from './users.js';

/** Asks for names from index `from` on; `epoch`: of the answer before, '' without one. */
export interface NamesQuestion {
  readonly ask: 'names';
  readonly epoch: string;
  readonly from: number;
}

/** Asks whether there are events of a name. Live. */
export interface NameQuestion {
  readonly ask: 'name';
  readonly event: string;
}

export interface NameAnswer {
  readonly kind: 'name';
  readonly isKnown: boolean;
  /** The newest deletion of this name here, if it is pending or was completed within 30 days. */
  readonly deletion?: Deletion;
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
