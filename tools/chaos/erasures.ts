// Clients that create users and delete them: events, an identify, the deletion; then late copies of the erased events, which must
// not bring the user back, and for some users new events, which start a new one. The first user of each client stays: if a
// search of the disk did not find that one, finding none of the others would prove nothing.

import {randomBytes} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import type {UserRef} from '../model/model.js';
import type {EventThing, Outcome, Thing} from './journal.js';
import type {Sender} from './sender.js';
import type {Traffic} from './traffic.js';
import type {Workload} from './workload.js';

const eventsMax = 12;
const askAgainMs = 50;
const usersMax = 25;

interface Victim {
  readonly user: UserRef;
  readonly events: readonly EventThing[];
  readonly deletion: Thing;
}

/** Part of a user's id, and of its events and traits wherever a client can put a text. */
export const markerOf = (userId: string): string => /[0-9a-f]{24}$/.exec(userId)![0];

/** One client, which creates and deletes one user after the other. */
export class Eraser implements Traffic {
  /** Markers of users that are not deleted. */
  readonly kept: string[] = [];
  private readonly victims: Victim[] = [];
  private isStopping = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly workload: Workload,
    private readonly sender: Sender,
    private readonly name: string,
  ) {}

  start(): void {
    this.ended = this.run();
  }

  stop(): Promise<void> {
    this.isStopping = true;
    return this.ended;
  }

  private async run(): Promise<void> {
    this.kept.push(markerOf((await this.make()).user.id));
    for (let i = 0; i < usersMax && !this.isStopping; i++) {
      const {user, events} = await this.make();
      const deletion = this.workload.deletion(user.id);
      this.victims.push({user, events, deletion});
      await this.sender.send([deletion]);
    }
  }

  private async make(): Promise<Pick<Victim, 'user' | 'events'>> {
    const {workload} = this;
    // Not seeded: a marker must be unique on the disk, remains of other runs in free blocks included.
    const marker = randomBytes(12).toString('hex');
    const user: UserRef = {kind: 'user', id: `erased-${this.name}-${marker}`};
    const plain = Array.from({length: workload.random.between(1, eventsMax)}, () => workload.identifiedEvent(user));
    const events = [...plain, workload.markedEvent(user, marker)];
    const traits = {name: `trait ${marker}`, [`trait ${marker}`]: null};
    await this.untilSettled([events, [workload.identify(user.id, traits)]]);
    return {user, events};
  }

  /**
   * A client that asks again gets the deletion, once it is folded: a 202 while it is pending, then a 404 that names it. Without that answer the
   * journal says that the user was not deleted, and the check misses the events.
   */
  private async untilErased(deletion: Thing, deadlineMs: number): Promise<void> {
    for (;;) {
      const {outcomes} = await this.sender.send([deletion]);
      if (outcomes[0] === 'acked' || performance.now() > deadlineMs) return;
      await delay(askAgainMs);
    }
  }

  private async untilSettled(requests: readonly (readonly Thing[])[]): Promise<void> {
    for (const things of requests) {
      let outcomes: readonly Outcome[];
      do {
        ({outcomes} = await this.sender.send(things));
        if (outcomes.includes('unknown')) await delay(askAgainMs);
      } while (outcomes.includes('unknown'));
    }
  }

  /** Asks for every deletion again, whatever the answers were: that must be harmless, and brings the missing answers. */
  async settle(msMax: number): Promise<void> {
    const {random} = this.workload;
    const deadlineMs = performance.now() + msMax;
    for (const {user, events, deletion} of this.victims) {
      await this.untilErased(deletion, deadlineMs);
      if (random.chance(0.4)) await this.untilSettled([[...events]]);
      if (random.chance(0.2)) await this.untilSettled([[this.workload.identifiedEvent(user)]]);
    }
  }
}
