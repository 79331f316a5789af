// Copies of erased events that came after their deletion: not counted, and in the log until it is cleaned again. Those that come
// within some seconds share one cleaning.
import type {Partition} from '../../../actors/partition.js';
import type {Scrub} from './scrub.js';

/** From a late copy to the cleaning of the log. */
const cleaningMsMax = 5_000;

export class LateCopies {
  private timer: NodeJS.Timeout | undefined;

  /** `isLive`: later the timers of the partition are stopped, and none is started. */
  constructor(
    private readonly partition: Partition,
    private readonly scrub: Scrub,
    private readonly isLive: () => boolean,
  ) {}

  /** Cleans the log soon, where that is due; `periodMs`: of the ticks. */
  cleanSoon(periodMs: number): void {
    if (!this.partition.hasErasedInLog || !this.isLive()) return;
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        this.clean(periodMs);
      },
      Math.min(cleaningMsMax, periodMs),
    );
  }

  /** Cleans the log now, where that is due. One that is being cleaned keeps what comes after its filler: it is cleaned again. */
  clean(periodMs: number): void {
    if (!this.partition.hasErasedInLog) return;
    if (this.scrub.isRunning) this.cleanSoon(periodMs);
    else this.scrub.request();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
