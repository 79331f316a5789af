// Truncates the head of a log in short steps. While nats-server removes messages it stores none, 0.4 ms for each MiB removed:
// in one step, acks waited 0.1 s after each snapshot with a refresh of 10 s at 600 batches of 1,000 events a second, and would
// wait more than a second with a refresh of five minutes.
import {monotonicMs} from '../../clock.js';

/** Messages of a step, up to some 10 MiB. Even a step of nothing takes 3 ms. */
const stepMin = 64;
/** Bound of the steps: the next snapshot waits for the last one. */
const stepsMax = 100;

export interface LogHead {
  /** First sequence of the log, now and afterwards. */
  readonly first: number;
  readonly end: number;
  /** Whether this is still the log that `end` belongs to. */
  isSame(): Promise<boolean>;
  removeBefore(sequence: number): Promise<unknown>;
  /** Rests after `workedMs` of work by the server. */
  rest(workedMs: number): Promise<void>;
}

/** Truncates the log. Ends early when it turns out to be another log. */
export async function truncateInSteps({first, end, isSame, removeBefore, rest}: LogHead): Promise<void> {
  const step = Math.max(stepMin, Math.ceil((end - first) / stepsMax));
  for (let at = first; at < end; ) {
    if (!(await isSame())) return;
    at = Math.min(end, at + step);
    const startMs = monotonicMs();
    await removeBefore(at);
    if (at < end) await rest(monotonicMs() - startMs);
  }
}
