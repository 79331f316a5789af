// The pace of work that no caller waits for: what a snapshot and a closed chunk need after they were set aside is done in short
// slices with rests between them, so that the edge has a core. A snapshot in one go takes one of two cores for 40 to 150 ms,
// and acks wait as long (`npm run bench -- mixed`).
//   Owns: when a slice of such work may follow the one before. Does not own: the work.
//   TH1. A thread that worked for `workMs` since the last rest, at this or anything else, rests `restShare` times as long.
//   TH2. The rests of one piece of work are bounded (`restsMsMax`), and so is what they take longer where the thread has other
//        work: a snapshot is published well within the refresh.
//   TH3. A caller that waits for a result lifts the throttle until it is there (`expedite`).
//   TH4. Without a rest, too, a slice is followed by a turn of the thread's loop: messages and live reads wait for a slice, and
//        not for the whole work.
//   TH5. What nats-server does for us takes a disk, and a lock of the stream, that others wait for: it is followed by a rest, too.
import {setImmediate as nextTurn, setTimeout as pause} from 'node:timers/promises';
import {monotonicMs, threadBusyMs} from '../clock.js';
import {TimeSlicer} from '../pacing/time-slicer.js';

/** TH1 */
const workMs = 1;
const restShare = 2;
/** A longer rest helps nobody: the edge's turns are shorter. */
const restMsMax = 10;
/** TH5. A caller that begins to wait meanwhile waits for no more of it. */
const serverRestMsMax = 50;

/** What tells how long a thread worked, and lets it rest. */
interface WorkClock {
  /** Ms for which the thread was busy. */
  busyMs(): number;
  nowMs(): number;
  pause(ms: number): Promise<unknown>;
  /** Resolves when what came meanwhile had its turn. */
  nextTurn(): Promise<unknown>;
}

/** One for the background work of a partition. */
export class Throttle {
  private readonly restsMsMax: () => number;
  private readonly clock: WorkClock;
  private waiting = 0;

  /** `restsMsMax`: for work that begins now. */
  constructor(
    restsMsMax: () => number,
    clock: WorkClock = {busyMs: threadBusyMs, nowMs: monotonicMs, pause, nextTurn},
  ) {
    this.restsMsMax = restsMsMax;
    this.clock = clock;
  }

  /** A caller waits for this result. TH3 */
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

  /** Rests after something that the server did for `workedMs`. TH5 */
  async rest(workedMs: number): Promise<void> {
    if (this.isLifted) return;
    await this.clock.pause(Math.min(Math.round(workedMs * restShare), serverRestMsMax));
  }

  /** For one piece of work. */
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
