// Deliveries that wait in OUT for an endpoint, and dead letters in DEAD.
//   QU1. A delivery of events holds their ordinals, as triggers hold references (TR1). The owner reads the data at each attempt.
//   QU2. A failed attempt queues its successor, with the number of attempts and the time of the next one, before it is acked: both
//        outlive every process. A crash in between leaves two, under one id.
import type {Trigger} from './trigger.js';

/** Stored events: a delivery of a tail that failed, or one that a client asked to send again. */
export interface EventsTrigger {
  readonly v: 1;
  readonly id: string;
  readonly type: 'event.tracked';
  readonly timestampMs: number;
  readonly of: {readonly partition: number; readonly generation: number; readonly ordinals: readonly number[]};
}

export type Queued = (Trigger | EventsTrigger) & {
  /** Attempts made so far; absent: none. */
  readonly attempts?: number;
  /** Time of the next attempt, epoch ms; absent: at once. */
  readonly dueMs?: number;
};

/** A delivery that ended without success. `why`: in words, without any of the receiver's own. */
export type DeadLetter =
  | (Queued & {readonly why: string; readonly endedMs: number})
  /** Events that were skipped because the receiver did not accept them for too long. */
  | {
      readonly v: 1;
      readonly id: string;
      readonly type: 'skipped';
      readonly timestampMs: number;
      readonly of: {readonly partition: number; readonly from: number; readonly to: number};
      readonly why: string;
      readonly endedMs: number;
    };
