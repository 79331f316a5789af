// Late copies of erased events and identifies are not counted, but they are in the log until it is cleaned again. Late copies that
// come within some seconds share one cleaning.
//   LC1. A copy with both ids has brought its link to the log of the anonymous user's partition. The owner of the user's partition
//        takes the link back at once, before it moves the anonymous user, unless the user is there again.
//   LC2. The log here is cleaned after that: until then the state names both ids.
//   LC3. An edge that has not heard of it takes the link for known and sends it no more. A user who came in the meantime therefore
//        gets its link again.
import {setTimeout as pause} from 'node:timers/promises';
import {wtf8} from '../../../actors/bytes/bytes.js';
import type {LateLink} from '../../../actors/manifest.js';
import type {Partition} from '../../../actors/partition.js';
import type {Mover} from '../identity/mover.js';
import type {Scrub} from './scrub.js';

/** Longest time from a late copy to the cleaning of the log. */
const cleaningMsMax = 5_000;
/** Entries that edges sent before they heard of a link that was taken back are folded after this time. A stop waits as long. LC3 */
const heardMs = 200;

interface LateCopiesSetup {
  readonly partition: Partition;
  readonly scrub: Scrub;
  readonly mover: Pick<Mover, 'logOf'>;
  /** Tells every edge to forget links of this user. */
  readonly forgetLinks: (userKey: Uint8Array) => void;
  /** False once the timers of the partition are stopped: no timer starts then. */
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

  /** Takes links back, and cleans the log soon, if late copies came. `periodMs`: period of the ticks. */
  cleanSoon(periodMs: number): void {
    const {partition, isLive} = this.setup;
    if (!partition.hasErasedInLog || !isLive()) return;
    if (partition.identity.lateLinks.size > 0) this.takeBackLinks();
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        this.clean(periodMs);
      },
      Math.min(cleaningMsMax, periodMs),
    );
  }

  /** Cleans the log now, if late copies came. A cleaning that is under way keeps entries after its filler, so another one follows. */
  clean(periodMs: number): void {
    const {partition, scrub} = this.setup;
    if (!partition.hasErasedInLog) return;
    if (scrub.isRunning || partition.identity.lateLinks.size > 0) this.cleanSoon(periodMs);
    else scrub.request();
  }

  private takeBackLinks(): void {
    this.takingBack ??= this.takeBack()
      .catch((error: unknown) => this.setup.onFatal(error as Error))
      .finally(() => {
        this.takingBack = undefined;
      });
  }

  /** LC1, LC3 */
  private async takeBack(): Promise<void> {
    const {lateLinks} = this.setup.partition.identity;
    const noted = [...lateLinks];
    const takenBack: LateLink[] = [];
    for (const [, link] of noted) {
      if (this.isUserHere(link)) continue;
      await this.logOf(link).takeBack(link);
      this.setup.forgetLinks(userKeyOf(link));
      takenBack.push(link);
    }
    if (takenBack.length > 0) await pause(heardMs);
    for (const link of takenBack) if (this.isUserHere(link)) await this.logOf(link).link(link);
    // A copy that came meanwhile has brought a new link: it stays noted.
    for (const [both, link] of noted) if (lateLinks.get(both) === link) lateLinks.delete(both);
  }

  private isUserHere(link: LateLink): boolean {
    const userKey = userKeyOf(link);
    return this.setup.partition.users.table.find(userKey, 0, userKey.length) >= 0;
  }

  /** The log of the anonymous user's partition. */
  private logOf({anonymousId}: LateLink): ReturnType<Mover['logOf']> {
    const {partition, mover} = this.setup;
    return mover.logOf(partition.identity.homeOf(wtf8('a' + anonymousId)));
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Resolves when no link is being taken back. */
  async idle(): Promise<void> {
    await this.takingBack;
  }
}

const userKeyOf = ({userId}: LateLink): Uint8Array => wtf8('u' + userId);
