// Clients that continue through every fault: single events, batches, identifies, and retries without a settling answer.

import {setTimeout as delay} from 'node:timers/promises';
import type {UserRef} from '../model/model.js';
import type {Outcome, Thing} from './journal.js';
import type {Sender} from './sender.js';
import type {Workload} from './workload.js';

export interface Traffic {
  start(): void;
  /** Resolves when the last request has its answer, or has lost it. */
  stop(): Promise<void>;
  /** Sends retries until all of them are acknowledged. */
  settle(msMax: number): Promise<void>;
}

const usersPerWorker = 12;
const devicesPerWorker = 4;
const deviceShare = 0.15;
const bothIdsShare = 0.1;
const batchEventsMax = 40;
const retryShare = 0.8;
const pauseMs = 2;
const slowPauseMs = 80;
const pauseAfterFailureMs = 15;

/** One client: one request at a time, for users that no other client touches. */
export class Worker implements Traffic {
  private readonly again: Thing[] = [];
  private readonly users: readonly UserRef[];
  /** Devices, of one user each. */
  private readonly devices: readonly {readonly id: string; readonly owner: UserRef}[];
  private isStopping = false;
  private made = 0;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly workload: Workload,
    private readonly sender: Sender,
    name: string,
    /** Whether some of its users have devices: anonymous users who join them. */
    hasDevices = true,
  ) {
    this.users = Array.from({length: usersPerWorker}, (_, i) => ({
      kind: i % 5 === 4 ? 'anonymous' : 'user',
      id: i % 7 === 6 ? `${name}/ü ${i}%+` : `${name}-u${i}`,
    }));
    // Two devices of the first user, and one of each of the next.
    this.devices = Array.from({length: hasDevices ? devicesPerWorker : 0}, (_, i) => ({
      id: `${name}/d${i}`,
      owner: this.users[Math.max(0, i - 1)]!,
    }));
  }

  start(): void {
    this.ended = this.run();
  }

  stop(): Promise<void> {
    this.isStopping = true;
    return this.ended;
  }

  async settle(msMax: number): Promise<void> {
    const deadlineMs = performance.now() + msMax;
    while (this.again.length > 0) {
      if (performance.now() > deadlineMs)
        throw new Error(`${this.again.length} retries not acknowledged in ${msMax} ms`);
      const outcomes = await this.send(this.takeRetries(), 1);
      if (outcomes.includes('unknown')) await delay(pauseAfterFailureMs);
    }
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      const outcomes = await this.send(this.next(), retryShare);
      await delay(outcomes.includes('unknown') ? pauseAfterFailureMs : this.hasSentEnough ? slowPauseMs : pauseMs);
    }
  }

  /** Bounds a round. The client then slows down and does not stop: only requests show how soon the service takes events again. */
  private get hasSentEnough(): boolean {
    return this.made >= this.workload.thingsMax;
  }

  private next(): Thing[] {
    const {random} = this.workload;
    if (this.again.length > 0 && random.chance(0.5)) return this.takeRetries();
    if (this.hasSentEnough) return [this.event()];
    const things = this.fresh();
    this.made += things.length;
    return things;
  }

  private fresh(): Thing[] {
    const {workload} = this;
    const {random} = workload;
    const kind = random.weighted({single: 10, batch: 3, identify: 2});
    if (kind === 'single') return [this.event()];
    if (kind === 'batch') return Array.from({length: random.between(2, batchEventsMax)}, () => this.event());
    return [workload.identify(random.pick(this.users.filter((user) => user.kind === 'user')).id)];
  }

  private event(): Thing {
    const {workload} = this;
    const {random} = workload;
    if (this.devices.length > 0 && random.chance(deviceShare + bothIdsShare)) {
      const {id, owner} = random.pick(this.devices);
      const isAlone = random.chance(deviceShare / (deviceShare + bothIdsShare));
      return isAlone ? workload.event({kind: 'anonymous', id}) : workload.event(owner, id);
    }
    const user = random.pick(this.users);
    return random.chance(0.03) ? workload.invalidEvent(user) : workload.event(user);
  }

  /** Retries in other batches than before, and sometimes twice in one. */
  private takeRetries(): Thing[] {
    const {random} = this.workload;
    const first = this.again.splice(random.between(0, this.again.length - 1), 1)[0]!;
    if (first.kind !== 'event') return [first];
    const things: Thing[] = [first];
    const size = random.between(1, batchEventsMax);
    for (let at = this.again.length - 1; at >= 0 && things.length < size; at--) {
      if (this.again[at]!.kind === 'event') things.push(...this.again.splice(at, 1));
    }
    if (random.chance(0.1)) things.push(first);
    return things;
  }

  private async send(things: readonly Thing[], share: number): Promise<readonly Outcome[]> {
    if (things.length === 0) return [];
    const {outcomes} = await this.sender.send(things);
    const missing = new Set(things.filter((_, index) => outcomes[index] === 'unknown').filter(isRepeatable));
    for (const thing of missing) if (this.workload.random.chance(share)) this.again.push(thing);
    return outcomes;
  }
}

/** Without a message id a second copy would count: such events are sent once. */
const isRepeatable = (thing: Thing): boolean =>
  thing.kind !== 'event' || (thing.body.messageId != null && thing.body.messageId !== '');

export class AllTraffic implements Traffic {
  constructor(private readonly parts: readonly Traffic[]) {}

  start(): void {
    for (const part of this.parts) part.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.parts.map((part) => part.stop()));
  }

  async settle(msMax: number): Promise<void> {
    await Promise.all(this.parts.map((part) => part.settle(msMax)));
  }
}
