// Deliveries that wait in OUT for an endpoint, and dead letters in DEAD.
//   QU1. A delivery of events holds their ordinals, the indexes of their users and their times, as triggers hold references (TR1). The
//        owner reads the data at each attempt.
//   QU2. A failed attempt queues its successor, with the number of attempts and the time of the next one, before it is acked: both
//        outlive every process. A crash in between leaves two, under one id. While the stream takes nothing, the process that made the
//        attempt keeps both (retry.ts).
import type {Trigger} from './trigger.js';

/** Stored events, as their owner had them. */
export interface EventsReference {
  readonly partition: number;
  readonly generation: number;
  readonly ordinals: readonly number[];
  /** Indexes of the users in the partition, and times of the events, epoch ms: a join may move them. Absent: an earlier version queued it. */
  readonly users?: readonly number[];
  readonly timesMs?: readonly number[];
  /** Whether its message is a list. Absent: an earlier version queued it. */
  readonly isBatch?: boolean;
}

/** Stored events: a delivery of a tail that failed, or one that a client asked to send again. */
export interface EventsTrigger {
  readonly v: 1;
  readonly id: string;
  readonly type: 'event.tracked';
  readonly timestampMs: number;
  readonly of: EventsReference;
}

/** The reference to the rows with these ordinals, and the one to the others. */
export function split(of: EventsReference, ordinals: readonly number[]): [EventsReference, EventsReference] {
  const wanted = new Set(ordinals);
  const some = (isIn: boolean): EventsReference => {
    const kept = of.ordinals.flatMap((ordinal, at) => (wanted.has(ordinal) === isIn ? [at] : []));
    const only = (list: readonly number[]): number[] => kept.map((at) => list[at]!);
    const {users, timesMs} = of;
    return {
      ...of,
      ordinals: only(of.ordinals),
      ...(users && {users: only(users)}),
      ...(timesMs && {timesMs: only(timesMs)}),
    };
  };
  return [some(true), some(false)];
}

export interface Attempts {
  /** Attempts made so far; absent: none. */
  readonly attempts?: number;
  /** Time of the next attempt, epoch ms; absent: at once. */
  readonly dueMs?: number;
  /** Pause before it, when it was queued; absent: an earlier version queued it. */
  readonly waitMs?: number;
}

export type QueuedTrigger = Trigger & Attempts;
export type QueuedEvents = EventsTrigger & Attempts;
export type Queued = QueuedTrigger | QueuedEvents;

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
