// Frames of the stream of live figures.
import type {LoadState} from './load.js';

/** The newest row of the ring, in the order of the schema that the stream begins with. */
export interface Vitals {
  readonly at: number;
  readonly row: readonly (number | null)[];
  readonly state: LoadState;
  readonly streams: number;
}

export interface ArrivedEvent {
  readonly event: string;
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly message_id: string | null;
  /** Epoch ms: time of the event, and of its receipt. */
  readonly at: number;
  readonly received: number;
  /** Time from the first entry of its log message until the log had it on disk. */
  readonly ack_ms: number;
  /** The first properties in their order; nested values and long texts are cut to short texts. */
  readonly properties: readonly (readonly [key: string, value: null | boolean | number | string])[];
  /** Number of further properties. */
  readonly more: number;
}

/** Events of one second. */
export interface ArrivedSample {
  readonly events: readonly ArrivedEvent[];
  /** Number of all events of the second. */
  readonly count: number;
}

export interface SeenRefusal {
  readonly code: string;
  /** Path of the route; absent for a path that does not exist. */
  readonly route?: string | undefined;
  readonly field: string | null;
  readonly key_id: string | null;
  readonly count: number;
}

/** Refusals of one second. */
export interface SeenRefusals {
  /** Epoch ms. */
  readonly at: number;
  readonly refusals: readonly SeenRefusal[];
  /** Number of refusals of further kinds. */
  readonly more: number;
}
