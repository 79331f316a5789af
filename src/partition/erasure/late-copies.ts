// Late copies of erased events and identifies: they are not counted, and are in the log until it is cleaned again. Late copies
// that come within some seconds share one cleaning.
//   LC1. A copy with both ids has brought its link to the log of the anonymous user's partition. The owner of the user's partition
//        takes it back at once, before the anonymous user leaves by it, unless the user is there again.
//   LC2. The log here is cleaned after that: until then the state names both ids.
import {wtf8} from '../../../actors/bytes/bytes.js';
import type {Partition} from '../../../actors/partition.js';
import type {Mover} from '../identity/mover.js';
import type {Scrub} from './scrub.js';

/** From a late copy to the cleaning of the log. */
const cleaningMsMax = 5_000;

interface LateCopiesSetup {
  readonly partition: Partition;
  readonly scrub: Scrub;
  readonly mover: Pick<Mover, 'logOf'>;
  /** Tells every edge that links of this user are gone. */
  readonly forgetLinks: (userKey: Uint8Array) => void;
  /** Later the timers of the partition are stopped, and none is started. */
  readonly isLive: () => boolean;
  readonly onFatal: (error: Error) => void;
}

export class LateCopies {
  private readonly setup: LateCopiesSetup;
  private timer: NodeJS.Timeout | undefined;
  private takingBack: Promise<void> | undefined;

  constructor(setup: LateCopiesSetup) {
    this.setup = setup;
  }

  /** Takes links back, and cleans the log soon, where that is due; `periodMs`: of the ticks. */
  cleanSoon(periodMs: number): void {
    const {partition, isLive} = this.setup;
    if (!partition.hasErasedInLog || !isLive()) return;
    if (partition.lateLinks.size > 0) this.takeBackLinks();
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
    const {partition, scrub} = this.setup;
    if (!partition.hasErasedInLog) return;
    if (scrub.isRunning || partition.lateLinks.size > 0) this.cleanSoon(periodMs);
    else scrub.request();
  }

  private takeBackLinks(): void {
    this.takingBack ??= this.takeBack()
      .catch((error: unknown) => this.setup.onFatal(error as Error))
      .finally(() => {
        this.takingBack = undefined;
      });
  }

  /** LC1 */
  private async takeBack(): Promise<void> {
    const {partition, mover, forgetLinks} = this.setup;
    for (const [both, link] of partition.lateLinks) {
      const userKey = wtf8('u' + link.userId);
      if (partition.users.table.find(userKey, 0, userKey.length) < 0) {
        const deviceKey = wtf8('a' + link.anonymousId);
        await mover.logOf(partition.homeOf(deviceKey)).takeBack(link);
        forgetLinks(userKey);
      }
      partition.lateLinks.delete(both);
    }
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Resolves when no link is being taken back. */
  async idle(): Promise<void> {
    await this.takingBack;
  }
}
