// Bodies that have begun and are not whole. When their memory is used up, all of them pause; each resumes once there is room
// for the rest of it, and none is refused at first.
//   Owns: which bodies are paused. Does not own: the memory (body-budget.ts), which bodies begin (intake.ts).
//   U1. A body that resumes has room for all of its rest: one can always end, and makes room for the next.
//   U2. The first that fits resumes first: a large body does not delay smaller ones that came after it.
//   U3. A body that is paused for `heldMsMax` is refused.

/** Longest pause: as long as bodies wait before they begin (intake.ts). U3 */
export const heldMsMax = 5_000;

export interface BodyUnderWay {
  /** Takes room for the rest of the body; false: there is not enough now. */
  reserve(): boolean;
  hold(): void;
  goOn(): void;
  refuse(): void;
}

interface UnderWayOptions {
  readonly monotonicMs: () => number;
  /** Calls `look` once, within a few ms. */
  readonly soon: (look: () => void) => void;
}

export class BodiesUnderWay {
  private readonly going = new Set<BodyUnderWay>();
  /** Paused bodies with the time of the pause, in its order. */
  private readonly held = new Map<BodyUnderWay, number>();
  private isLookDue = false;

  constructor(private readonly options: UnderWayOptions) {}

  begin(body: BodyUnderWay): void {
    this.going.add(body);
  }

  /** The body is whole, or its exchange is over. */
  leave(body: BodyUnderWay): void {
    this.going.delete(body);
    this.held.delete(body);
  }

  /** The memory is used up. */
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
