// A retry storm: every event is sent one to five times, in random batches, over all connections at once. Events of earlier
// rounds, which are in snapshots already, are sent again, too.

import {setTimeout as delay} from 'node:timers/promises';
import type {UserRef} from '../model/model.js';
import type {Random} from '../random.js';
import type {EventThing} from './journal.js';
import type {Sender} from './sender.js';
import type {Traffic} from './traffic.js';
import type {Workload} from './workload.js';

export const stormEvents = 3_000;
const usersCount = 150;
const sendsPerEventMax = 5;
const batchEventsMax = 120;
const lateShare = 0.1;
// Enough to reach back several snapshots, bounded for a run of many rounds.
const rememberedMax = 20_000;
const pauseAfterFailureMs = 20;

/** Acknowledged events of earlier rounds, for late copies. */
export class Remembered {
  private readonly things: EventThing[] = [];

  add(things: readonly EventThing[]): void {
    this.things.push(...things);
    this.things.splice(0, this.things.length - rememberedMax);
  }

  pick(random: Random): EventThing | undefined {
    return this.things.length === 0 ? undefined : random.pick(this.things);
  }
}

export class Storm implements Traffic {
  private readonly fresh: EventThing[];
  /** Copies that are not sent yet, shuffled. */
  private readonly copies: EventThing[] = [];
  private readonly acked = new Set<number>();
  private ended: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly workload: Workload,
    private readonly senders: readonly Sender[],
    private readonly remembered: Remembered,
  ) {
    const users: UserRef[] = Array.from({length: usersCount}, (_, i) => ({
      kind: i % 6 === 5 ? 'anonymous' : 'user',
      id: `round-${workload.round}-storm-${i}`,
    }));
    this.fresh = Array.from({length: stormEvents}, () => workload.identifiedEvent(workload.random.pick(users)));
    this.copies = this.shuffledCopies();
  }

  private shuffledCopies(): EventThing[] {
    const {random} = this.workload;
    const copies = this.fresh.flatMap((thing) => Array<EventThing>(random.between(1, sendsPerEventMax)).fill(thing));
    for (let i = this.fresh.length * lateShare; i > 0; i--) {
      const late = this.remembered.pick(random);
      if (late !== undefined) copies.push(late);
    }
    for (let i = copies.length - 1; i > 0; i--) {
      const j = random.between(0, i);
      [copies[i], copies[j]] = [copies[j]!, copies[i]!];
    }
    return copies;
  }

  start(): void {
    this.ended = Promise.all(this.senders.map((sender) => this.drain(sender, Number.POSITIVE_INFINITY)));
  }

  /** Ends when all copies are sent. */
  async stop(): Promise<void> {
    await this.ended;
  }

  async settle(msMax: number): Promise<void> {
    const deadlineMs = performance.now() + msMax;
    for (;;) {
      const missing = this.fresh.filter(({n}) => !this.acked.has(n));
      if (missing.length === 0) break;
      if (performance.now() > deadlineMs) throw new Error(`${missing.length} events not acknowledged in ${msMax} ms`);
      this.copies.push(...missing);
      await this.drain(this.senders[0]!, deadlineMs);
    }
    this.remembered.add(this.fresh);
  }

  private async drain(sender: Sender, deadlineMs: number): Promise<void> {
    const {random} = this.workload;
    while (this.copies.length > 0 && performance.now() < deadlineMs) {
      const size = random.chance(0.6) ? 1 : random.between(2, batchEventsMax);
      const things = this.copies.splice(-size, size);
      const {outcomes} = await sender.send(things);
      for (const [index, {n}] of things.entries()) if (outcomes[index] === 'acked') this.acked.add(n);
      if (outcomes.includes('unknown')) await delay(pauseAfterFailureMs);
    }
  }
}
