// The pace of work that no caller waits for: writing frozen deltas and closed chunks takes short slices with rests between
// them, so that the edge gets a core. An unthrottled snapshot occupies one of two cores for 40 to 150 ms, and acks wait as long
// (`npm run bench -- mixed`).
//   Owns: when the next slice of such work may begin. Does not own: the work.
//   TH1. After `workMs` of work of any kind since its last rest, a thread rests `restShare` times as long.
//   TH2. The rests of one piece of work are bounded (`restsMsMax`), including the delay when other work keeps the thread busy:
//        a snapshot is published well within the refresh.
//   TH3. A caller that waits for a result lifts the throttle until the result is there (`expedite`).
//   TH4. Even without a rest the event loop runs after each slice: messages and live reads wait for a slice, not for the whole
//        work.
//   TH5. Work of nats-server occupies a disk and a lock of the stream, for which others wait: a rest follows it, too.
import {setImmediate as nextTurn, setTimeout as pause} from 'node:timers/promises';
import {monotonicMs, threadBusyMs} from '../clock.js';
import {TimeSlicer} from '../pacing/time-slicer.js';

/** Ms of work before a rest, and the rest's share of it. TH1 */
const workMs = 1;
const restShare = 2;
/** Upper bound of a rest: the edge's own turns are shorter. */
const restMsMax = 10;
/** Upper bound of a rest after work of the server: a caller that begins to wait meanwhile waits no longer. TH5 */
const serverRestMsMax = 50;

/** The clock and the pauses of a thread. */
interface WorkClock {
  /** Ms that the thread was busy. */
  busyMs(): number;
  nowMs(): number;
  pause(ms: number): Promise<unknown>;
  /** Resolves after one run of the event loop. */
  nextTurn(): Promise<unknown>;
}

/** Throttle of a partition's background work. */
export class Throttle {
  private readonly restsMsMax: () => number;
  private readonly clock: WorkClock;
  private waiting = 0;

  /** `restsMsMax`: bound for work that begins now. */
  constructor(
    restsMsMax: () => number,
    clock: WorkClock = {busyMs: threadBusyMs, nowMs: monotonicMs, pause, nextTurn},
  ) {
    this.restsMsMax = restsMsMax;
    this.clock = clock;
  }

  /** Lifts the throttle until `result` is there. TH3 */
  async expedite<T>(result: Promise<T>): Promise<T> {
    this.waiting += 1;
    try {
      return await result;
    } finally {
      this.waiting -= 1;
    }
  }

  get isLifted(): boolean {
    return this.waiting > 0;
  }

  /** Rests after `workedMs` of work by the server. TH5 */
  async rest(workedMs: number): Promise<void> {
    if (this.isLifted) return;
    await this.clock.pause(Math.min(Math.round(workedMs * restShare), serverRestMsMax));
  }

  /** A slicer for one piece of work. */
  slicer(): TimeSlicer {
    const {clock} = this;
    const restsMsMax = this.restsMsMax();
    let restsMs = 0;
    const between = async (workedMs: number): Promise<void> => {
      if (this.isLifted || restsMs >= restsMsMax) {
        await clock.nextTurn(); // TH4
        return;
      }
      const startedMs = clock.nowMs();
      await clock.pause(Math.min(Math.round(workedMs * restShare), restMsMax));
      restsMs += clock.nowMs() - startedMs;
    };
    return new TimeSlicer({sliceMs: workMs, nowMs: clock.busyMs, between});
  }
}
