// Serves every endpoint: its triggers, and its tails of all partitions. Any number of processes may run it.
//   DE1. A process that has not heard of an endpoint's deletion may still queue triggers for it, or create its consumer again: a
//        sweep deletes them. The bucket decides whether an endpoint is deleted, because this process may not have heard of a new one
//        yet. Another sweep deletes its records (record-sweep.ts).
//   DE2. Tails run while the endpoint's rule, or an earlier one, takes events. When the stored cursors of all partitions have passed
//        the rows of earlier rules, these are dropped from the definition (row-rules.ts).
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
import {TailRun, type TailWorld} from './tail-run.js';
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
  private tails: readonly TailRun[] = [];
  private isStopped = false;

  constructor(recipient: Recipient, world: DeliveryWorld) {
    this.recipient = recipient;
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
    this.keepTails();
    await new TriggerRun(recipient, {...world, source: world.deliveryQueue.source(recipient.id)}).run();
  }

  take(endpoint: Endpoint): void {
    this.recipient.take(endpoint);
    this.keepTails();
  }

  /** Starts or stops the tails. DE2 */
  private keepTails(): void {
    const isWanted = hasEventRule(this.recipient.endpoint);
    if (isWanted === this.tails.length > 0) return;
    if (!isWanted) {
      for (const tail of this.tails) void tail.stop();
      this.tails = [];
      return;
    }
    const placeIn = (partition: number) => this.tails[partition]?.place;
    const count = this.world.partitionCount;
    this.tails = Array.from(
      {length: count},
      (_, partition) => new TailRun(this.recipient, partition, {...this.world, placeIn}),
    );
    for (const tail of this.tails) void tail.run();
  }

  get hasTails(): boolean {
    return this.tails.length > 0;
  }

  async save(): Promise<void> {
    this.recipient.noteWaits(
      Object.fromEntries(this.tails.flatMap(({wait}, partition) => (wait === undefined ? [] : [[partition, wait]]))),
    );
    await this.recipient.save();
  }

  /** Drops the earlier rules once they are past. Rejects with a `BucketFault`. DE2 */
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
      const generations = heads.get(partition)?.generations;
      const found = await new CursorRecord(bucket, this.recipient.id, partition).read();
      if (generations === undefined || found === undefined) return false;
      if (!rules.arePast(found.cursor, partition, generations)) return false;
    }
    return true;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.recipient.gate.stop();
    await Promise.all(this.tails.map((tail) => tail.stop()));
  }
}

export class DeliveryWorker {
  private readonly world: DeliveryWorld;
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
    heads.follow(partitionCount, () => [...this.services.values()].some(({hasTails}) => hasTails));
    this.saving = setInterval(() => void this.saveAll().then(() => this.dropRules()), savedEveryMs);
    this.sweeping = setInterval(() => void this.sweep(), sweepEveryMs);
    this.sweepingRecords = setInterval(() => void this.sweepRecords(), recordSweepEveryMs);
    void this.sweep();
    void this.sweepRecords();
  }

  /** Deletes the triggers and consumers of deleted endpoints. Never rejects: the next sweep tries again. DE1 */
  private async sweep(): Promise<void> {
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
        const service = new Service(new Recipient(endpoint, this.world, this.places), this.world);
        this.services.set(endpoint.id, service);
        service.begin().catch((error: Error) => logger.error({err: error}, 'a webhook is no longer served'));
      }
    }
  }

  /** Earlier rules that are not dropped now are with the next call. */
  private async dropRules(): Promise<void> {
    await Promise.all(Array.from(this.services.values(), (service) => service.dropRules().catch(throwBroken)));
  }

  /** Saves all at once: while the bucket does not answer, a stop waits for one timeout and not for one per endpoint. */
  private async saveAll(): Promise<void> {
    await Promise.all(Array.from(this.services.values(), (service) => service.save().catch(throwBroken)));
  }

  /** Stops. Deliveries under way may end unnoted: they are sent again, under the same ids. */
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
