// The pace of work that nobody waits for: what a snapshot and a closed chunk need after they were set aside is done in short
// pieces with rests between them, so that the system has a core for the edge, which somebody does wait for. A snapshot in
// one go takes one of two cores for 40 to 150 ms, and acks wait as long (`npm run bench -- mixed`).
//   Owns: when a piece of work may follow the one before. Does not own: the work.
//   WP1. A thread that worked for `workMs` since the last rest, at this or anything else, rests `restShare` times as long.
//   WP2. The rests of one errand are bounded (`restsMsMax`), and so is what they take longer where the thread has other work:
//        a snapshot is published well within the refresh.
//   WP3. Who waits for a result ends all rests until it is there (`hurry`).
//   WP4. Without a rest, too, a piece is followed by a turn of the thread's loop: messages and live reads wait for a piece, and
//        not for the errand.
//   WP5. What nats-server does for us takes a disk, and a lock of the stream, that others wait for: it rests as well.
import {setImmediate as nextTurn, setTimeout as pause} from 'node:timers/promises';
import {monotonicMs, threadBusyMs} from '../clock.js';

/** WP1 */
const workMs = 1;
const restShare = 2;
/** A longer rest helps nobody: the edge's turns are shorter. */
const restMsMax = 10;
/** WP5. Who begins to wait meanwhile waits for no more of it. */
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

/** One piece after the other of the same result. */
export interface Errand {
  /** Between two pieces. */
  turn(): Promise<void>;
}

/** Of a partition. */
export class WorkPace {
  private readonly restsMsMax: () => number;
  private readonly clock: WorkClock;
  private waiting = 0;

  /** `restsMsMax`: for an errand that begins now. */
  constructor(
    restsMsMax: () => number,
    clock: WorkClock = {busyMs: threadBusyMs, nowMs: monotonicMs, pause, nextTurn},
  ) {
    this.restsMsMax = restsMsMax;
    this.clock = clock;
  }

  /** Somebody waits for this, which no errand of the partition holds up until then. WP3 */
  async hurry<T>(result: Promise<T>): Promise<T> {
    this.waiting += 1;
    try {
      return await result;
    } finally {
      this.waiting -= 1;
    }
  }

  /** Behind something that the server did for `workedMs`. WP5 */
  async rest(workedMs: number): Promise<void> {
    if (this.waiting > 0) return;
    await this.clock.pause(Math.min(Math.round(workedMs * restShare), serverRestMsMax));
  }

  /** Somebody waits. WP3 */
  get isHurried(): boolean {
    return this.waiting > 0;
  }

  errand(): Errand {
    const {clock} = this;
    const restsMsMax = this.restsMsMax();
    let restsMs = 0;
    let restedMs = clock.busyMs();
    const turn = async (): Promise<void> => {
      const workedMs = clock.busyMs() - restedMs;
      if (workedMs < workMs) return;
      if (this.waiting > 0 || restsMs >= restsMsMax) {
        await clock.nextTurn(); // WP4
      } else {
        const startedMs = clock.nowMs();
        await clock.pause(Math.min(Math.round(workedMs * restShare), restMsMax));
        restsMs += clock.nowMs() - startedMs;
      }
      restedMs = clock.busyMs();
    };
    return {turn};
  }
}
