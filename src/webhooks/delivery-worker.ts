// Serves every endpoint: its triggers, and its tails of the partitions that this process owns. Any number of processes may run it.
//   DE1. A process that has not heard of an endpoint's deletion may still queue triggers for it, or create its consumer again: a
//        sweep deletes them. The bucket decides whether an endpoint is deleted, because this process may not have heard of a new one
//        yet. Another sweep deletes its records (record-sweep.ts).
//        The owner of partition 0 sweeps.
//   DE2. Tails run while the endpoint's rule, or an earlier one, takes events. When the stored cursors of all partitions have passed
//        the rows of earlier rules, the owner of partition 0 drops these from the definition (row-rules.ts).
import {setTimeout as pause} from 'node:timers/promises';
import {throwBroken} from '../../actors/invariant.js';
import {recordSweepEveryMs, sweepRecords} from '../kept/record-sweep.js';
import type {RecordBucket} from '../keys/key-bucket.js';
import {CursorRecord} from './cursor.js';
import type {DeliveryQueue} from './delivery-queue.js';
import type {Endpoint} from './endpoint.js';
import type {Heads} from './heads.js';
import {hasEventRule, RowRules} from './row-rules.js';
import {Recipient, type SenderWorld, savedEveryMs, sharedSockets} from './sender.js';
import {attemptsEndMsMax, TailRun, type TailWorld} from './tail-run.js';
import {TriggerRun, type TriggerWorld} from './trigger-run.js';

const againMs = 1_000;
const sweepEveryMs = 60_000;

type DeliveryWorld = SenderWorld &
  Omit<TailWorld, 'placeIn'> &
  Omit<TriggerWorld, 'source'> & {
    readonly bucket: Pick<RecordBucket, 'read' | 'write' | 'names' | 'purge'>;
    readonly deliveryQueue: DeliveryQueue;
    readonly heads: Heads;
  };

/** An endpoint with its running triggers and tails. */
class Service {
  readonly recipient: Recipient;
  private readonly world: DeliveryWorld;
  /** By partition. */
  private readonly tails = new Map<number, TailRun>();
  /** Stops under way, by partition: a tail that begins again waits for them. */
  private readonly stopping = new Map<number, Promise<void>>();
  private readonly owned: ReadonlySet<number>;
  private isLoaded = false;
  private isStopped = false;

  /** `owned`: the partitions that this process owns, which may change. */
  constructor(recipient: Recipient, owned: ReadonlySet<number>, world: DeliveryWorld) {
    this.recipient = recipient;
    this.owned = owned;
    this.world = world;
  }

  /** Starts once the endpoint's health is read. */
  async begin(): Promise<void> {
    for (;;) {
      try {
        await this.recipient.load();
        break;
      } catch (error) {
        throwBroken(error);
        await pause(againMs);
      }
      if (this.isStopped) return;
    }
    if (this.isStopped) return;
    const {recipient, world} = this;
    this.isLoaded = true;
    void this.keepTails();
    await new TriggerRun(recipient, {...world, source: world.deliveryQueue.source(recipient.id)}).run();
  }

  take(endpoint: Endpoint): void {
    this.recipient.take(endpoint);
    void this.keepTails();
  }

  /** Starts and stops tails. Resolves when no tail is about to stop. DE2 */
  async keepTails(): Promise<void> {
    const {recipient, owned, tails, world} = this;
    const isWanted = (partition: number): boolean =>
      !this.isStopped && owned.has(partition) && hasEventRule(recipient.endpoint);
    for (const [partition, tail] of tails) {
      if (isWanted(partition)) continue;
      tails.delete(partition);
      this.stopping.set(partition, tail.stop());
    }
    const placeIn = (partition: number) => tails.get(partition)?.place;
    for (const partition of this.isLoaded ? owned : []) {
      if (!isWanted(partition) || tails.has(partition)) continue;
      const tail = new TailRun(recipient, partition, {...world, placeIn});
      tails.set(partition, tail);
      void (this.stopping.get(partition) ?? Promise.resolve()).then(() => tail.run());
    }
    await Promise.all(this.stopping.values());
  }

  get hasTails(): boolean {
    return this.tails.size > 0;
  }

  async save(): Promise<void> {
    this.recipient.noteWaits(
      Object.fromEntries(
        [...this.tails].flatMap(([partition, {wait}]) => (wait === undefined ? [] : [[partition, wait]])),
      ),
    );
    await this.recipient.save();
  }

  /** Drops the earlier rules once they are past. Rejects if the bucket or an owner does not answer. DE2 */
  async dropRules(): Promise<void> {
    const {endpoint} = this.recipient;
    if (endpoint.earlier === undefined || !(await this.arePast(new RowRules(endpoint)))) return;
    const text = JSON.stringify(endpoint.earlier);
    await this.world.store.endpoints.change(endpoint.id, (one) => {
      const {earlier, ...rest} = one;
      return JSON.stringify(earlier) === text ? rest : one;
    });
  }

  private async arePast(rules: RowRules): Promise<boolean> {
    const {bucket, heads, partitionCount} = this.world;
    for (let partition = 0; partition < partitionCount; partition++) {
      const found = await new CursorRecord(bucket, this.recipient.id, partition).read();
      if (found === undefined) return false;
      if (!rules.arePast(found.cursor, partition, await heads.generationsOf(partition))) return false;
    }
    return true;
  }

  /** Resolves when no delivery is under way, or that takes too long. */
  async stop(): Promise<void> {
    this.isStopped = true;
    const {gate} = this.recipient;
    gate.stop();
    await Promise.all([this.keepTails(), gate.idle(attemptsEndMsMax)]);
  }
}

export class DeliveryWorker {
  private readonly world: DeliveryWorld;
  private readonly owned = new Set<number>();
  private readonly services = new Map<string, Service>();
  private readonly places = sharedSockets();
  private saving: NodeJS.Timeout | undefined;
  private sweeping: NodeJS.Timeout | undefined;
  private sweepingRecords: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(world: DeliveryWorld) {
    this.world = world;
  }

  start(): void {
    const {store, heads, partitionCount} = this.world;
    store.onChange(() => this.follow());
    this.follow();
    const hasTails = (): boolean => [...this.services.values()].some((service) => service.hasTails);
    heads.follow(partitionCount, (partition) => this.owned.has(partition) && hasTails());
    this.saving = setInterval(() => void this.saveAll().then(() => this.dropRules()), savedEveryMs);
    this.sweeping = setInterval(() => void this.sweep(), sweepEveryMs);
    this.sweepingRecords = setInterval(() => void this.sweepRecords(), recordSweepEveryMs);
  }

  /** Tails a partition from now on. */
  own(partition: number): void {
    this.owned.add(partition);
    for (const service of this.services.values()) void service.keepTails();
    if (partition !== 0 || this.isStopped) return;
    void this.sweep();
    void this.sweepRecords();
  }

  /** Tails a partition no longer. Resolves when another process may. */
  async release(partition: number): Promise<void> {
    this.owned.delete(partition);
    await Promise.all(Array.from(this.services.values(), (service) => service.keepTails()));
  }

  /** Deletes the triggers and consumers of deleted endpoints. Never rejects: the next sweep tries again. DE1 */
  private async sweep(): Promise<void> {
    if (!this.owned.has(0)) return;
    const {store, deliveryQueue, bucket} = this.world;
    try {
      for (const id of await deliveryQueue.addressees()) {
        if (store.endpoints.get(id) !== undefined) continue;
        const entry = await bucket.read(id);
        if (entry === undefined || entry.text === '') await deliveryQueue.forget(id);
      }
    } catch (error) {
      throwBroken(error);
    }
  }

  /** Deletes the records of deleted endpoints. Never rejects: the next sweep tries again. DE1 */
  private async sweepRecords(): Promise<void> {
    if (!this.owned.has(0)) return;
    const {store, bucket} = this.world;
    try {
      for (const pattern of ['c.*.*', 'w.*'])
        await sweepRecords(bucket, pattern, (id) => store.endpoints.get(id) !== undefined);
    } catch (error) {
      throwBroken(error);
    }
  }

  /** Serves the endpoints that exist now. */
  private follow(): void {
    if (this.isStopped) return;
    const {store, logger} = this.world;
    const endpoints = store.endpoints.list();
    const ids = new Set(endpoints.map(({id}) => id));
    for (const [id, service] of this.services) {
      if (ids.has(id)) continue;
      this.services.delete(id);
      void service.stop();
    }
    for (const endpoint of endpoints) {
      const known = this.services.get(endpoint.id);
      if (known !== undefined) known.take(endpoint);
      else {
        const service = new Service(new Recipient(endpoint, this.world, this.places), this.owned, this.world);
        this.services.set(endpoint.id, service);
        service.begin().catch((error: Error) => logger.error({err: error}, 'a webhook is no longer served'));
      }
    }
  }

  /** Earlier rules that are not dropped now are with the next call. */
  private async dropRules(): Promise<void> {
    if (!this.owned.has(0)) return;
    await Promise.all(Array.from(this.services.values(), (service) => service.dropRules().catch(throwBroken)));
  }

  /** Saves all at once: while the bucket does not answer, a stop waits for one timeout and not for one per endpoint. */
  private async saveAll(): Promise<void> {
    await Promise.all(Array.from(this.services.values(), (service) => service.save().catch(throwBroken)));
  }

  /** Stops. Deliveries that take too long to end are unnoted: they are sent again, under the same ids. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.saving);
    clearInterval(this.sweeping);
    clearInterval(this.sweepingRecords);
    this.world.heads.stop();
    await Promise.all(Array.from(this.services.values(), (service) => service.stop()));
    await this.saveAll();
  }
}
