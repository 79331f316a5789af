// Removes the head of a log in short steps. While nats-server removes messages of a stream it stores none of it, 0.4 ms for each
// MiB that goes: in one go, as many acks as came meanwhile waited for 0.1 s behind each snapshot with a refresh of 10 s and 600
// batches of 1,000 events a second, and would wait for more than a second with one of five minutes.
import {monotonicMs} from '../../clock.js';

/** Messages: up to some 10 MiB. A step of nothing takes 3 ms. */
const stepMin = 64;
/** The next snapshot waits for the last step. */
const stepsMax = 100;

export interface LogHead {
  /** What the log begins with, and what it is to begin with. */
  readonly first: number;
  readonly end: number;
  /** Whether it is still the log that has `end` where it is meant. */
  isSame(): Promise<boolean>;
  removeBefore(sequence: number): Promise<unknown>;
  /** Behind something that the server did for `workedMs`. */
  rest(workedMs: number): Promise<void>;
}

/** Ends early when the log turns out to be another one. */
export async function cutInSteps({first, end, isSame, removeBefore, rest}: LogHead): Promise<void> {
  const step = Math.max(stepMin, Math.ceil((end - first) / stepsMax));
  for (let at = first; at < end; ) {
    if (!(await isSame())) return;
    at = Math.min(end, at + step);
    const startMs = monotonicMs();
    await removeBefore(at);
    if (at < end) await rest(monotonicMs() - startMs);
  }
}
