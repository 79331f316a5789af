// What waits in OUT for an endpoint, and what ended in DEAD.
//   QU1. References alone, as of triggers (TR1): of events their ordinals. What is sent is read at each attempt.
//   QU2. A failed attempt queues its successor, with the number of attempts and the time of the next one, before it is acked: both
//        outlive every process. A crash in between leaves two, under one id.
import type {Trigger} from './trigger.js';

/** Stored events: a delivery of a tail that failed, or one that somebody asked for again. */
export interface EventsTrigger {
  readonly v: 1;
  readonly id: string;
  readonly type: 'event.tracked';
  readonly timestampMs: number;
  readonly of: {readonly partition: number; readonly generation: number; readonly ordinals: readonly number[]};
}

export type Queued = (Trigger | EventsTrigger) & {
  /** Made so far; absent: none. */
  readonly attempts?: number;
  /** Epoch ms, before which there is no attempt. */
  readonly dueMs?: number;
};

/** `why`: in words, without anything that the receiver said. */
export type DeadLetter =
  | (Queued & {readonly why: string; readonly endedMs: number})
  /** Events that were passed over, as nobody took them for too long. */
  | {
      readonly v: 1;
      readonly id: string;
      readonly type: 'skipped';
      readonly timestampMs: number;
      readonly of: {readonly partition: number; readonly from: number; readonly to: number};
      readonly why: string;
      readonly endedMs: number;
    };
