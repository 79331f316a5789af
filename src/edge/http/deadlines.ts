// Exchanges that wait for their client: for the rest of a body, or until it takes the rest of an answer.
//   uWebSockets.js has one timeout of 10 s, looked at every 4 s. It suffices for idle connections and for headers, however
//   they drip: only a whole request starts it anew. It does not for what a client sends or takes piece by piece: bodies
//   below 16 KB/s are cut off, and of an answer a few bytes every ten seconds keep a connection for ever.
//   T1. Who waits here ends at its deadline, give or take one sweep, and not before because it is slow.

/** `sweep` wants to be called this often. Well below 8 s, the shortest that the timeout of uWebSockets.js may last. */
export const sweepMs = 1_000;
const renewEverySweeps = 4;

export interface Waiting {
  /** Monotonic ms. */
  readonly deadlineMs: number;
  /** Keeps the timeout of uWebSockets.js from ending it before. */
  renew(): void;
  /** The deadline is over. Whoever waits takes itself out, as with any other end. */
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
