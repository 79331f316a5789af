// Late copies of erased events and identifies are not counted, but they are in the log until it is cleaned again. Late copies that
// come within some seconds share one cleaning.
//   LC1. A copy with both ids has brought its link to the log of the anonymous user's partition. The owner of the user's partition
//        takes the link back at once, before it moves the anonymous user, unless the user is there again.
//   LC2. The log here is cleaned after that: until then the state names both ids.
//   LC3. An edge that has not heard of it takes the link for known and sends it no more. A user who came in the meantime therefore
//        gets its link again.
import {setTimeout as pause} from 'node:timers/promises';
import {wtf8} from '../../../actors/bytes/bytes.js';
import type {LateLink} from '../../../actors/identity/identity.js';
import type {Partition} from '../../../actors/partition.js';
import {PacedWork} from '../../pacing/paced-work.js';
import type {DestinationLog} from '../log/log-writer.js';
import type {Scrub} from './scrub.js';

/** Longest time from a late copy to the cleaning of the log. */
const cleaningMsMax = 5_000;
/** Entries that edges sent before they heard of a link that was taken back are folded after this time. A stop waits as long. LC3 */
const heardMs = 200;

interface LateCopiesSetup {
  readonly partition: Partition;
  readonly scrub: Scrub;
  readonly logOf: (partition: number) => DestinationLog;
  /** Tells every edge to forget links of this user. */
  readonly forgetLinks: (userKey: Uint8Array) => void;
  /** Period of the ticks. */
  readonly periodMs: () => number;
  /** False once the timers of the partition are stopped: no timer starts then. */
  readonly isLive: () => boolean;
  readonly onFatal: (error: Error) => void;
}

export class LateCopies {
  private readonly setup: LateCopiesSetup;
  private readonly cleaning: PacedWork;
  private readonly takingBack: PacedWork;

  constructor(setup: LateCopiesSetup) {
    this.setup = setup;
    this.cleaning = new PacedWork({work: async () => this.clean(), onFailed: setup.onFatal});
    this.takingBack = new PacedWork({work: () => this.takeBack(), onFailed: setup.onFatal}); // A stop waits for it.
  }

  /** Takes links back, and cleans the log soon, if late copies came. */
  cleanSoon(): void {
    const {partition, isLive, periodMs} = this.setup;
    if (!partition.deletions.hasErasedInLog || !isLive()) return;
    // Copies that come while links are taken back stay noted, and wait for the next call.
    if (partition.identity.lateLinks.size > 0 && !this.takingBack.isBusy) this.takingBack.wake();
    this.cleaning.wake(Math.min(cleaningMsMax, periodMs()));
  }

  /** Cleans the log now, if late copies came. A cleaning that is under way keeps entries after its filler, so another one follows. */
  clean(): undefined {
    const {partition, scrub} = this.setup;
    if (!partition.deletions.hasErasedInLog) return;
    if (scrub.isRunning || partition.identity.lateLinks.size > 0) this.cleanSoon();
    else scrub.request();
  }

  /** LC1, LC3 */
  private async takeBack(): Promise<undefined> {
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
  private logOf({anonymousId}: LateLink): DestinationLog {
    const {partition, logOf} = this.setup;
    return logOf(partition.identity.homeOf(wtf8('a' + anonymousId)));
  }

  stop(): void {
    this.cleaning.stop();
  }

  /** Resolves when no link is being taken back. */
  idle(): Promise<void> {
    return this.takingBack.idle();
  }
}

const userKeyOf = ({userId}: LateLink): Uint8Array => wtf8('u' + userId);
