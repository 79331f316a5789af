// Queues the effects of a fold as triggers.
//   EF1. An effect follows from the log, and so do its id and its endpoints (those that existed at the time of its message). An effect
//        that is folded again after a crash is queued again under the same id. A process hears of a new endpoint with a delay of some
//        ms: then the latest effects are queued for it.
//   EF2. A snapshot is published once the effects of all messages that it has are queued: effects that a crash loses are folded again.
//   EF3. Folding waits for the queue only while more than `triggersWaitingMax` triggers (runner.ts) wait in memory. Triggers of a
//        message are published side by side, in pieces that are large enough to wait as one.
//   EF4. A trigger names users only by numbers of this partition: the payload is made at each attempt (reads/effect-data.ts).

import {noUserKey} from '../../actors/log/entries.js';
import type {Effect, Partition} from '../../actors/partition.js';
import {monotonicMs} from '../clock.js';
import type {SavedFunnel} from '../kept/saved-funnel.js';
import {ConditionVariable} from '../pacing/condition-variable.js';
import {Semaphore} from '../pacing/semaphore.js';
import type {SubscribedType} from '../webhooks/endpoint.js';
import type {Trigger} from '../webhooks/trigger.js';
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

/** Triggers of one piece; one more effect may exceed it. */
const pieceTriggersMin = 32;
/** A thousand triggers under way keep nats-server busy, and are a tenth of what it takes in without an answer. */
const piecesUnderWayMax = 32;
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
  /** Endpoints for which it was queued. */
  endpoints: readonly string[];
}

/** A trigger for each of these endpoints. It is made when it is published. */
interface EffectTriggers {
  readonly endpoints: readonly string[];
  readonly trigger: () => Trigger;
}

export class Effects {
  private readonly partition: Partition;
  private readonly outbox: Outbox;
  private readonly retries: RetryLog | undefined;
  /** Triggers that are not queued yet. EF3 */
  waiting = 0;
  private readonly slots = new Semaphore(piecesUnderWayMax);
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly settled = new ConditionVariable();
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
    const toldMs = monotonicMs();
    const told = effects.map((effect): Told => ({effect, generation, sequence, logMs, toldMs, endpoints: []}));
    for (const one of told) this.recent.push(one);
    if (this.recent.length > 2 * recentMax) this.recent = this.recent.slice(-recentMax);
    void this.queue(told.map((one) => this.dueOf(one)));
  }

  /** Queues effects of recent messages for endpoints that are new. EF1 */
  tellAgain(): void {
    const fromMs = monotonicMs() - lateMsMax;
    this.recent = this.recent.filter(({toldMs}) => toldMs >= fromMs);
    void this.queue(this.recent.map((told) => this.dueOf(told)));
  }

  private dueOf(told: Told): EffectTriggers {
    const {effect, logMs} = told;
    const names = effect.type === 'funnel.completed' ? this.namesOf(effect.funnel) : [];
    const all = this.outbox.endpointsOf(effect.type, names, logMs);
    const endpoints = all.filter((endpoint) => !told.endpoints.includes(endpoint));
    told.endpoints = all;
    return {endpoints, trigger: () => this.triggerOf(told)};
  }

  private triggerOf({effect, generation, sequence, logMs}: Told): Trigger {
    const {partition} = this.partition;
    const {type, entry, user} = effect;
    const funnel = effect.type === 'funnel.completed' ? effect.funnel : undefined;
    const of: UserEffect = {partition, generation, user, ...(funnel === undefined ? {} : {funnel})};
    const id = this.outbox.idOf(type, partition, generation, sequence, entry, funnel ?? '', user);
    return {v: 1, id, type, timestampMs: logMs, of: {...of}};
  }

  private namesOf(id: string): readonly string[] {
    const funnel = this.outbox.funnels().find((one) => one.id === id);
    return funnel === undefined ? [id] : [id, funnel.name];
  }

  /**
   * Queues the completion of a deletion: a trigger for each anonymous user whom a join here made this one, since events before the
   * join named that reference, and in the last partition one for the user. Resolves when that is done. `deletions.toTell` of the
   * partition keeps it until then, so that a start queues it again.
   */
  async notifyDeleted(id: string): Promise<void> {
    const {deletions} = this.partition;
    const record = deletions.get(id);
    if (record === undefined) deletions.toTell.delete(id); // Its time on record is over.
    if (record?.completed == null) return;
    const {userHash, deviceHashes, stepsLeft = 0, completed} = record;
    const type = 'user.deleted';
    const endpoints = this.outbox.endpointsOf(type, [], completed.timeMs);
    const dueOf = (hash: string, ...idParts: readonly string[]): EffectTriggers => {
      const data = {deletion_id: id, user_ref: this.outbox.userRefOf(hash)};
      const triggerId = this.outbox.idOf(type, id, ...idParts);
      return {endpoints, trigger: () => ({v: 1, id: triggerId, type, timestampMs: completed.timeMs, data})};
    };
    const due = deviceHashes.map((hash) => dueOf(hash, hash));
    const isNamed = userHash !== this.partition.hashOf(noUserKey); // LD2 (erasure/lacking-deletions.ts)
    if (stepsLeft === 0 && isNamed) due.push(dueOf(userHash));
    await this.queue(due);
    deletions.toTell.delete(id);
  }

  /** Resolves when all are queued. */
  private queue(due: readonly EffectTriggers[]): Promise<unknown> {
    return Promise.all(piecesOf(due).map((piece) => this.publish(piece)));
  }

  private publish(piece: readonly EffectTriggers[]): Promise<unknown> {
    const count = countOf(piece);
    this.waiting += count;
    const published = this.slots
      .run(() => Promise.all(piece.map((due) => this.publishOne(due))))
      .finally(() => {
        this.underWay.delete(published);
        this.waiting -= count;
        this.settled.notify();
      });
    this.underWay.add(published);
    return published;
  }

  private publishOne({endpoints, trigger}: EffectTriggers): Promise<unknown> {
    const made = trigger();
    const publish = (endpoint: string): Promise<void> =>
      retryForever(() => this.outbox.publish(endpoint, made), this.retries);
    return Promise.all(endpoints.map(publish));
  }

  /** Resolves when at most `waitingMax` triggers are not queued. EF3 */
  async settle(waitingMax: number): Promise<void> {
    await this.settled.until(() => this.waiting <= waitingMax, Number.POSITIVE_INFINITY);
  }

  /** Resolves when all that was told so far is queued. EF2 */
  async whenQueued(): Promise<void> {
    await Promise.all(this.underWay);
  }
}

const countOf = (due: readonly EffectTriggers[]): number => due.reduce((sum, {endpoints}) => sum + endpoints.length, 0);

/** Effects that wait, in pieces of at least `pieceTriggersMin` triggers; the last may have fewer. */
function piecesOf(due: readonly EffectTriggers[]): EffectTriggers[][] {
  const pieces: EffectTriggers[][] = [];
  let triggers = Number.POSITIVE_INFINITY;
  for (const one of due) {
    if (one.endpoints.length === 0) continue;
    if (triggers >= pieceTriggersMin) {
      pieces.push([]);
      triggers = 0;
    }
    pieces.at(-1)!.push(one);
    triggers += one.endpoints.length;
  }
  return pieces;
}
