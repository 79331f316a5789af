// A process that folds beside other ones: real membership, real partitions over one fake link, assembled as in src/main.ts and
// src/partition/worker.ts. Its questions and answers go over a fake bus.
import type {Msg, NatsConnection, Subscription} from 'nats';
import type {PartitionAnswer, PartitionQuestion} from '../../src/asks/partition.js';
import {askPartitionSubject} from '../../src/asks/subjects.js';
import {Membership} from '../../src/cluster/membership.js';
import {pack, unpack} from '../../src/nats/packed.js';
import {Hand, type Started} from '../../src/partition/hand.js';
import type {Runner} from '../../src/partition/runner.js';
import {Damage} from '../../src/parts/damage.js';
import type {ThreadVitals} from '../../src/thread-vitals.js';
import type {FromWorker} from '../../src/worker-messages.js';
import {SimBucket} from './bucket.js';
import {type LinkWorld, SimLink} from './link.js';
import {simPartition} from './owner.js';
import {SimProcess} from './timeline.js';

type Callback = (error: Error | null, message: Msg) => void;

interface Listener {
  readonly subject: string;
  readonly link: SimLink;
  readonly hear: Callback;
}

/** Questions over NATS: everybody who listens gets them, and the first answer is taken. */
export class Bus {
  private readonly world: LinkWorld;
  private readonly listeners = new Set<Listener>();

  constructor(world: LinkWorld) {
    this.world = world;
  }

  listen(listener: Listener): Subscription {
    this.listeners.add(listener);
    const drain = async (): Promise<void> => void this.listeners.delete(listener);
    return {drain} as Subscription;
  }

  /** Undefined: no answer came within `msMax`. The answer comes as code of `asker`. */
  ask(
    partition: number,
    question: PartitionQuestion,
    msMax: number,
    asker?: SimProcess,
  ): Promise<PartitionAnswer | undefined> {
    const {timeline, faults} = this.world;
    const subject = askPartitionSubject(partition);
    return new Promise((resolve) => {
      timeline.schedule(msMax, asker, () => resolve(undefined));
      for (const {link, hear, subject: heard} of this.listeners) {
        if (heard !== subject || link.process.isDead || !link.isConnected) continue;
        const respond = (data: Uint8Array): boolean => {
          if (link.isConnected) timeline.schedule(faults.latencyMs(), asker, () => resolve(unpack(data)));
          return true;
        };
        timeline.schedule(faults.latencyMs(), link.process, () => hear(null, {data: pack(question), respond} as Msg));
      }
    });
  }
}

export interface WorkerOptions {
  readonly partitions: number;
  readonly refreshMs: number;
  readonly bus: Bus;
  /** The member that an earlier process on its folder was. */
  readonly formerId: string | undefined;
  readonly watch: WorkerWatch;
}

/** Told of what a worker does. */
export interface WorkerWatch {
  /** A runner, before it starts; answers of it are those of `reads`. */
  started(partition: number, started: Started): Started;
  failed(worker: SimWorker, error: Error): void;
}

export class SimWorker {
  readonly process: SimProcess;
  readonly link: SimLink;
  /** The member that it is, as its folder notes it. */
  memberId: string | undefined;
  phase: 'up' | 'leaving' | 'left' = 'up';
  private readonly world: LinkWorld;
  private readonly options: WorkerOptions;
  private readonly log: object;
  private hand: Hand | undefined;
  private membership: Membership | undefined;

  constructor(name: string, world: LinkWorld, options: WorkerOptions) {
    this.process = new SimProcess(name);
    this.link = new SimLink(this.process, world);
    this.world = world;
    this.options = options;
    this.memberId = options.formerId;
    const say = (level: string) => (_fields: object, text: string) => world.timeline.trace(`${level}: ${text}`);
    this.log = {debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error')};
  }

  start(): void {
    this.world.timeline.schedule(0, this.process, () => {
      this.run().catch(this.fail);
    });
  }

  private readonly fail = (error: Error): void => this.options.watch.failed(this, error);

  /** Runners of the partitions that it owns. */
  get runners(): readonly Runner[] {
    return this.hand?.runners ?? [];
  }

  private async run(): Promise<void> {
    const {bus, partitions, formerId, watch} = this.options;
    const subscribe = (subject: string, {callback}: {callback: Callback}) =>
      bus.listen({subject, link: this.link, hear: callback});
    const hand = new Hand({
      nc: {subscribe} as unknown as NatsConnection,
      start: async (partition, onFatal) => watch.started(partition, await this.startPartition(partition, onFatal)),
      vitals: {} as ThreadVitals,
      damage: new Damage(this.log as never),
      log: this.log as never,
      tell: (message) => this.hear(message),
      fail: this.fail,
    });
    this.hand = hand;
    this.link.onDisconnect = () => {
      for (const {identity} of hand.runners) identity.disconnected();
    };
    const reconnected = new Set<() => void>();
    this.link.onReconnect = () => {
      for (const {identity} of hand.runners) identity.reconnected().catch(this.fail);
      for (const call of reconnected) call();
    };
    const membership = new Membership({
      role: 'partition',
      levels: [1, 1],
      openBucket: () => new SimBucket(this.link, reconnected),
      ensure: async () => undefined,
      partitionCount: partitions,
      name: this.process.name,
      note: {
        formerId,
        keep: (id) => {
          this.memberId = id;
        },
      },
      logger: this.log as never,
      onFatal: this.fail,
    });
    await membership.join();
    this.membership = membership;
    const own = (partition: number): void => void hand.own(partition).catch(this.fail);
    membership.serve({
      own,
      release: (partition) => void hand.release(partition).catch(this.fail),
      abandon: (partition) => hand.abandon(partition),
    });
    for (const partition of membership.owned) own(partition);
  }

  private hear(message: FromWorker): void {
    if (message.kind === 'released') this.membership?.released(message.partition);
    if (message.kind === 'lost') this.membership?.lost(message.partition);
  }

  private startPartition(partition: number, onFatal: (error: Error) => void): Promise<Started> {
    return simPartition(this.link, this.log, {
      partition,
      refreshMs: this.options.refreshMs,
      stagger: (partition + 1) / (this.options.partitions + 1),
      acked: undefined,
      renewHandOver: () => undefined,
      onFatal,
    });
  }

  /** As after a SIGTERM (src/main.ts): gives all partitions away, takes last snapshots of what is left, and ends. */
  leave(ended: () => void): void {
    const leave = async (): Promise<void> => {
      await this.membership?.leave();
      await this.hand?.drain();
      this.phase = 'left';
      this.process.state = 'dead';
      ended();
    };
    this.phase = 'leaving';
    this.world.timeline.schedule(0, this.process, () => {
      leave().catch(this.fail);
    });
  }
}
