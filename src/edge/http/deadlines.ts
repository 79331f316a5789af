// Deadlines of exchanges that wait for their client: for the rest of a body, or until it has read the rest of an answer.
//   uWebSockets.js has one timeout of 10 s, which it checks every 4 s. It suffices for idle connections and for slow headers:
//   only a whole request restarts it. It does not suffice for bodies and answers: it cuts off a body below 16 KB/s, and a client
//   that reads a few bytes every ten seconds keeps its connection without end.
//   T1. A waiting exchange ends at its deadline, within one sweep, and not earlier because its client is slow.

/** Interval of `sweep`. Well below 8 s, the shortest timeout of uWebSockets.js. */
export const sweepMs = 1_000;
const renewEverySweeps = 4;

export interface Waiting {
  /** Monotonic ms. */
  readonly deadlineMs: number;
  /** Restarts the timeout of uWebSockets.js, which would end the exchange early. */
  renew(): void;
  /** The deadline has passed. The exchange removes itself, as at any other end. */
  expire(): void;
}

export class Deadlines {
  private readonly waiting = new Set<Waiting>();
  private sweeps = 0;

  add(one: Waiting): void {
    this.waiting.add(one);
  }

  delete(one: Waiting): void {
    this.waiting.delete(one);
  }

  sweep(nowMs: number): void {
    this.sweeps += 1;
    const renews = this.sweeps % renewEverySweeps === 0;
    for (const one of this.waiting) {
      if (nowMs >= one.deadlineMs) one.expire();
      else if (renews) one.renew();
    }
  }
}
