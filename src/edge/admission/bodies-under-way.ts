// Bodies that were begun and are not whole. When the memory for bodies is used up in the middle of them, none is sent away
// at first: all are held, and go on as room becomes free, each with room for all of its rest.
//   Owns: which of them are held. Does not own: the memory (body-budget.ts), which ones begin (intake.ts).
//   U1. Whoever goes on after it was held needs no more room: there is always one who ends and makes room for the next.
//   U2. The first that fits goes first: a large one does not hold up the small ones behind it.
//   U3. Nobody is held for ever: `heldMsMax`, and then it is refused.

/** U3. As long as bodies wait before they begin (intake.ts). */
export const heldMsMax = 5_000;

export interface BodyUnderWay {
  /** Takes room for all that is still to come; false: there is not so much now. */
  reserve(): boolean;
  hold(): void;
  goOn(): void;
  refuse(): void;
}

export interface UnderWayOptions {
  readonly monotonicMs: () => number;
  /** Calls back once, within a few ms. */
  readonly soon: (look: () => void) => void;
}

export class BodiesUnderWay {
  private readonly going = new Set<BodyUnderWay>();
  /** With the time since when, in its order. */
  private readonly held = new Map<BodyUnderWay, number>();
  private isLookDue = false;

  constructor(private readonly options: UnderWayOptions) {}

  begin(body: BodyUnderWay): void {
    this.going.add(body);
  }

  /** It is whole, or over. */
  leave(body: BodyUnderWay): void {
    this.going.delete(body);
    this.held.delete(body);
  }

  /** Memory is used up. */
  holdAll(): void {
    const nowMs = this.options.monotonicMs();
    for (const body of this.going) {
      body.hold();
      this.held.set(body, nowMs);
    }
    this.going.clear();
    this.lookSoon();
  }

  private lookSoon(): void {
    if (this.isLookDue || this.held.size === 0) return;
    this.isLookDue = true;
    this.options.soon(this.look);
  }

  private readonly look = (): void => {
    this.isLookDue = false;
    const nowMs = this.options.monotonicMs();
    for (const [body, sinceMs] of this.held) {
      if (body.reserve()) {
        this.held.delete(body);
        this.going.add(body);
        body.goOn();
      } else if (nowMs - sinceMs >= heldMsMax) {
        this.leave(body);
        body.refuse();
      }
    }
    this.lookSoon();
  };
}
