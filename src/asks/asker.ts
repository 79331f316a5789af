// Who asks a question, and until when the answer is wanted.
import {neverStops} from '../pacing/stop.js';

export interface Asker {
  /** Whose turn the question takes (src/pacing/dealt-slots.ts): a key, a person or a share, or a part of the service. */
  readonly caller: string;
  /** Aborted once nobody waits for the answer: its client has left, or its deadline has passed. */
  readonly gone: AbortSignal;
}

/** What an asker in another thread or process says of itself. */
export interface AskedBy {
  readonly caller: string;
  /** Time for which it waits. */
  readonly msMax: number;
}

/** The evaluator of alerts, which has a slot of its own. */
export const alertsCaller = 'alerts';
/** Partitions that ask for themselves. */
export const partitionsCaller = 'partitions';

/** This process, which waits for the answer however long it takes. */
export const ofService: Asker = {caller: 'service', gone: neverStops};
