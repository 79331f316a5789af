// Queues the effects of a fold as triggers.
//   EF1. An effect follows from the log, and so do its id and its endpoints (those that existed at the time of its message). An effect
//        that is folded again after a crash is queued again under the same id. A process hears of a new endpoint with a delay of some
//        ms: then the latest effects are queued again, and the stream drops second copies.
//   EF2. A snapshot is published once the effects of all messages that it has are queued: effects that a crash loses are folded again.
//   EF3. Folding does not wait for the queue. Effects that wait are in memory.
//   EF4. A trigger names users only by numbers of this partition: the payload is made at each attempt (reads/effect-data.ts).

import {noUserKey} from '../../actors/log/entries.js';
import type {Effect, Partition} from '../../actors/partition.js';
import {monotonicMs} from '../clock.js';
import type {SubscribedType} from '../effects/endpoint.js';
import type {SavedFunnel} from '../effects/saved-funnel.js';
import type {Trigger} from '../effects/trigger.js';
import {Semaphore} from '../pacing/semaphore.js';
import {type RetryLog, retryForever} from './retry.js';

/** The port to the queue of triggers. */
export interface Outbox {
  /** Endpoints that subscribe to a type and existed at this time of the log. `names`: names of the subject, any of which must match. */
  endpointsOf(type: SubscribedType, names: readonly string[], logMs: number): readonly string[];
  /** Queues a trigger. Resolves when it is queued; a retry is safe. */
  publish(endpoint: string, trigger: Trigger): Promise<void>;
  /** The id of a trigger, derived from these parts. */
  idOf(...parts: readonly (string | number)[]): string;
  /** Reference of a user for clients. `userHash`: the partition's hash of the user. */
  userRefOf(userHash: string): string;
  /** The newest definitions. */
  funnels(): readonly SavedFunnel[];
}

/** An outbox without endpoints. */
export const noOutbox: Outbox = {
  endpointsOf: () => [],
  publish: async () => undefined,
  idOf: () => '',
  userRefOf: () => '',
  funnels: () => [],
};

const underWayMax = 256;
/** EF1: longer than a watch takes, and shorter than the time for which the stream knows ids. */
const lateMsMax = 30_000;
const recentMax = 4_096;

/** Reference of an effect, as it was queued. */
export interface UserEffect {
  readonly partition: number;
  readonly generation: number;
  readonly user: number;
  readonly funnel?: string;
}

/** Reference of a stall, which alerts queue (src/alerts/stalls.ts). */
export interface StallEffect extends UserEffect {
  readonly funnel: string;
  readonly alert: string;
  /** The step, from 1. */
  readonly reached: number;
  readonly reachedMs: number;
  readonly enteredMs: number;
}

/** A queued effect. `toldMs`: when it was queued, by the monotonic clock. */
interface Told {
  readonly effect: Effect;
  readonly generation: number;
  readonly sequence: number;
  readonly logMs: number;
  readonly toldMs: number;
}

export class Effects {
  private readonly partition: Partition;
  private readonly outbox: Outbox;
  private readonly retries: RetryLog | undefined;
  private readonly slots = new Semaphore(underWayMax);
  private readonly underWay = new Set<Promise<void>>();
  private recent: Told[] = [];

  constructor(partition: Partition, outbox: Outbox, retries?: RetryLog) {
    this.partition = partition;
    this.outbox = outbox;
    this.retries = retries;
  }

  /** Queues the effects of a message. EF1 */
  tell(effects: readonly Effect[], sequence: number, logMs: number): void {
    if (effects.length === 0) return;
    const {generation} = this.partition;
    for (const effect of effects) {
      const told = {effect, generation, sequence, logMs, toldMs: monotonicMs()};
      this.recent.push(told);
      this.tellOf(told);
    }
    if (this.recent.length > 2 * recentMax) this.recent = this.recent.slice(-recentMax);
  }

  /** Effects of recent messages again, since an endpoint may be new. EF1 */
  tellAgain(): void {
    const fromMs = monotonicMs() - lateMsMax;
    this.recent = this.recent.filter(({toldMs}) => toldMs >= fromMs);
    for (const told of this.recent) this.tellOf(told);
  }

  private tellOf({effect, generation, sequence, logMs}: Told): void {
    const {partition} = this.partition;
    const {type, entry, user} = effect;
    const funnel = effect.type === 'funnel.completed' ? effect.funnel : undefined;
    const endpoints = this.outbox.endpointsOf(type, funnel === undefined ? [] : this.namesOf(funnel), logMs);
    if (endpoints.length === 0) return;
    const of: UserEffect = {partition, generation, user, ...(funnel === undefined ? {} : {funnel})};
    const id = this.outbox.idOf(type, partition, generation, sequence, entry, funnel ?? '', user);
    this.queue(endpoints, {v: 1, id, type, timestampMs: logMs, of: {...of}});
  }

  private namesOf(id: string): readonly string[] {
    const funnel = this.outbox.funnels().find((one) => one.id === id);
    return funnel === undefined ? [id] : [id, funnel.name];
  }

  /**
   * Queues the completion of a deletion: a trigger for each anonymous user whom a join here made this one, since events before the
   * join named that reference, and in the last partition one for the user. Resolves when that is done. `deletionsToTell` of the
   * partition keeps it until then, so that a start queues it again.
   */
  async notifyDeleted(id: string): Promise<void> {
    const {deletions, deletionsToTell} = this.partition;
    const record = deletions.get(id);
    if (record === undefined) deletionsToTell.delete(id); // Its time on record is over.
    if (record?.completed == null) return;
    const {userHash, deviceHashes, stepsLeft = 0, completed} = record;
    const type = 'user.deleted';
    const endpoints = this.outbox.endpointsOf(type, [], completed.timeMs);
    const queueFor = (hash: string, ...idParts: readonly string[]): Promise<unknown> => {
      const data = {deletion_id: id, user_ref: this.outbox.userRefOf(hash)};
      const triggerId = this.outbox.idOf(type, id, ...idParts);
      return this.queue(endpoints, {v: 1, id: triggerId, type, timestampMs: completed.timeMs, data});
    };
    const queued = deviceHashes.map((hash) => queueFor(hash, hash));
    const isNamed = userHash !== this.partition.hashOf(noUserKey); // LD2 (erasure/lacking-deletions.ts)
    if (stepsLeft === 0 && isNamed) queued.push(queueFor(userHash));
    await Promise.all(queued);
    deletionsToTell.delete(id);
  }

  private queue(endpoints: readonly string[], trigger: Trigger): Promise<unknown> {
    return Promise.all(endpoints.map((endpoint) => this.publish(endpoint, trigger)));
  }

  private publish(endpoint: string, trigger: Trigger): Promise<void> {
    const published = this.slots
      .run(() => retryForever(() => this.outbox.publish(endpoint, trigger), this.retries))
      .finally(() => this.underWay.delete(published));
    this.underWay.add(published);
    return published;
  }

  /** Resolves when all that was told so far is queued. EF2 */
  async whenQueued(): Promise<void> {
    await Promise.all(this.underWay);
  }
}
