// A seed with several workers that share the partitions: members that join, leave, are paused and crash, and a bucket of theirs that
// elects leaders. Judged as other seeds, and by these rules:
//   C1. A live read has all events of its user that were acknowledged before it was asked.
//   C2. An owner answers no live read that came after a successor's tick was stored.
//   C3. In the end each partition has one runner, at the member that owns it.
import {memberName, ownerIn, ownerName} from '../../actors/cluster/records.js';
import type {PartitionAnswer, PartitionQuestion} from '../../src/asks/partition.js';
import {partitionOfUser} from '../../src/edge/query/user-partition.js';
import {AckedSequences, newAckedSequences} from '../../src/ingest/acked-sequences.js';
import {bucketSubject} from '../../src/nats/topology.js';
import type {Started} from '../../src/partition/hand.js';
import type {Runner} from '../../src/partition/runner.js';
import {Clients, keyOf, tokenPattern} from './clients.js';
import {SimEdge} from './edge.js';
import {type FaultRates, Faults} from './faults.js';
import {judge} from './judge.js';
import type {LinkWorld} from './link.js';
import {Chance} from './random.js';
import type {SeedResult} from './seed.js';
import {Sentinel} from './sentinel.js';
import {SimServer} from './server.js';
import type {SimStream} from './store.js';
import {type SimProcess, Timeline} from './timeline.js';
import {Bus, SimWorker} from './worker.js';

const partitions = 2;
/** The end of a seed: everything must come to rest within this virtual time. */
const restMs = 10 * 60_000;
const eventsMax = 400_000;
/** An edge waits no longer for an answer. */
const askMsMax = 15_000;
/** A stop takes no longer (src/main.ts). */
const drainMsMax = 25_000;
const readEveryMs = 700;

interface Plan {
  readonly workers: number;
  readonly refreshMs: number;
  readonly durationMs: number;
  readonly requestCount: number;
  readonly rates: FaultRates;
  readonly crashes: number;
  readonly pauses: number;
  readonly cuts: number;
  readonly elections: number;
  readonly leaves: number;
  readonly joins: number;
  readonly serverRestarts: number;
  readonly erases: boolean;
  readonly links: boolean;
}

function planOf(chance: Chance): Plan {
  const rate = chance.pick([0, 0, 0.01, 0.04]);
  return {
    workers: chance.between(2, 3),
    refreshMs: chance.pick([2_000, 10_000, 60_000]),
    durationMs: chance.between(60, 150) * 1_000,
    requestCount: chance.between(10, 40),
    rates: {
      requestLost: rate,
      answerLost: rate,
      refused: rate,
      late: rate / 4,
      consumerReset: rate / 2,
      latencyMsMax: chance.pick([1, 20, 200]),
    },
    crashes: chance.between(0, 3),
    pauses: chance.between(0, 3),
    cuts: chance.between(0, 2),
    elections: chance.between(0, 2),
    leaves: chance.between(0, 2),
    joins: chance.between(0, 1),
    serverRestarts: chance.chance(0.2) ? 1 : 0,
    erases: chance.chance(0.25),
    links: chance.chance(0.4),
  };
}

export function runClusterSeed(seed: number, isVerbose = false): Promise<SeedResult> {
  return new ClusterWorld(seed, isVerbose).run();
}

class ClusterWorld {
  private readonly seed: number;
  private readonly chance: Chance;
  readonly plan: Plan & {readonly losesTail: false};
  private readonly timeline: Timeline;
  readonly sentinel: Sentinel;
  readonly server: SimServer;
  readonly lost = new Set<unknown>();
  private readonly faults: Faults;
  private readonly linkWorld: LinkWorld;
  private readonly bus: Bus;
  private readonly edge: SimEdge;
  readonly clients: Clients;
  private readonly workers: SimWorker[] = [];
  /** Nobody starts any more. */
  private isOver = false;
  private readonly failures: string[] = [];
  private readonly tally: Record<string, number> = {};

  constructor(seed: number, isVerbose: boolean) {
    this.seed = seed;
    this.chance = new Chance(seed, 5);
    this.plan = {...planOf(this.chance), losesTail: false};
    this.timeline = new Timeline(seed, isVerbose);
    this.timeline.trace(JSON.stringify(this.plan));
    const fail = (text: string): void => this.fail(text);
    this.sentinel = new Sentinel(partitions, () => this.server, fail, this.plan.links);
    this.server = new SimServer(partitions, this.sentinel, this.chance.chance(0.5));
    this.faults = new Faults(new Chance(seed, 6), this.plan.rates);
    const {timeline, server, faults} = this;
    this.linkWorld = {timeline, server, faults, kill: (process, why) => this.kill(process, why)};
    this.bus = new Bus(this.linkWorld);
    for (let i = 0; i < this.plan.workers; i++) this.startWorker(this.chance.within(0, 5_000));
    const acked = new AckedSequences(newAckedSequences(partitions));
    this.edge = new SimEdge('edge', this.linkWorld, acked, () => undefined);
    this.clients = new Clients(new Chance(seed, 7), timeline, {
      ...this.plan,
      partitions,
      isHeavy: false,
      sharesIds: false,
      ask: (edge, partition, question) => this.bus.ask(partition, question, askMsMax, edge.process),
      edge: () => this.edge,
      acked: () => undefined,
    });
    this.planNemeses();
    this.readOn();
  }

  private fail(text: string): void {
    this.timeline.trace(`FAULT ${text.split('\n')[0]}`);
    this.failures.push(text);
  }

  private count(what: string): void {
    this.tally[what] = (this.tally[what] ?? 0) + 1;
  }

  // ---- workers ----

  private startWorker(ms: number, formerId?: string): void {
    this.timeline.schedule(ms, undefined, () => {
      if (this.isOver) return;
      const worker: SimWorker = new SimWorker(`worker${this.workers.length + 1}`, this.linkWorld, {
        partitions,
        refreshMs: this.plan.refreshMs,
        bus: this.bus,
        formerId,
        watch: {
          started: (partition, started) => this.started(worker, partition, started),
          failed: (who, error) => this.failed(who, error),
        },
      });
      if (!this.faults.isCalm && this.chance.chance(0.3))
        worker.link.crash = {call: this.chance.between(1, 400), isAfter: this.chance.chance(0.5)};
      this.workers.push(worker);
      worker.start();
    });
  }

  private get living(): SimWorker[] {
    return this.workers.filter(({process}) => !process.isDead);
  }

  private failed(worker: SimWorker, error: Error): void {
    if (worker.process.isDead) return;
    this.fail(`${worker.process.name} ended: ${error.stack}`);
    this.kill(worker.process, 'it cannot go on');
  }

  /** Another one starts on its folder. */
  private kill(process: SimProcess, why: string): void {
    const worker = this.workers.find((one) => one.process === process);
    if (process.isDead || worker === undefined) return;
    process.state = 'dead';
    this.timeline.trace(`${process.name} is dead: ${why}`);
    this.count('workerDeaths');
    this.startWorker(
      this.chance.chance(0.5) ? this.chance.within(5, 3_000) : this.chance.within(10, 25) * 1_000,
      worker.memberId,
    );
  }

  private started(worker: SimWorker, partition: number, {runner, reads}: Started): Started {
    if (runner === undefined || runner === null) {
      this.fail(`${worker.process.name} halted partition ${partition}`);
      return {runner, reads};
    }
    this.count('takeOvers');
    return {
      runner,
      reads: {
        measures: () => reads.measures(),
        answer: async (question, seen, asker) => {
          const epochThen = this.sentinel.tickEpochOf(partition);
          const answer = await reads.answer(question, seen, asker);
          if (isRead(answer) && runner.view.ownership.epoch < epochThen)
            this.fail(
              `C2: ${worker.process.name} answers for ${partition} as ${runner.view.ownership.epoch} after a tick of ${epochThen}`,
            );
          return answer;
        },
      },
    };
  }

  // ---- nemeses ----

  private planNemeses(): void {
    const {plan, chance} = this;
    const often = (count: number, nemesis: () => void) => {
      for (let i = 0; i < count; i++)
        this.timeline.schedule(chance.within(3_000, plan.durationMs), undefined, () => {
          if (!this.faults.isCalm) nemesis();
        });
    };
    const some = (act: (worker: SimWorker) => void) => () => {
      if (this.living.length > 0) act(chance.pick(this.living));
    };
    often(
      plan.crashes,
      some(({process}) => this.kill(process, 'killed')),
    );
    often(
      plan.pauses,
      some(({process}) => this.pause(process)),
    );
    often(
      plan.cuts,
      some(({link}) => this.cut(() => link.disconnect(chance.within(5, 20_000)))),
    );
    often(plan.elections, () => this.elect());
    often(
      plan.leaves,
      some((worker) => this.leave(worker)),
    );
    often(plan.joins, () => this.startWorker(0));
    often(plan.serverRestarts, () => this.restartServer());
  }

  private pause(process: SimProcess): void {
    if (process.state !== 'running') return;
    this.count('pauses');
    process.state = 'paused';
    this.timeline.trace(`${process.name} is paused`);
    this.timeline.schedule(this.chance.within(1_000, 40_000), undefined, () => this.timeline.resume(process));
  }

  private cut(disconnect: () => void): void {
    this.count('cuts');
    disconnect();
  }

  private elect(): void {
    this.count('elections');
    this.server.isElecting = true;
    this.timeline.schedule(this.chance.within(500, 15_000), undefined, () => {
      this.server.isElecting = false;
    });
  }

  /** Another one starts on its folder once it has ended, which is locked until then. */
  private leave(worker: SimWorker): void {
    this.count('leaves');
    worker.leave(() => this.startWorker(this.chance.within(0, 10_000), worker.memberId));
    this.timeline.schedule(drainMsMax, undefined, () => this.kill(worker.process, 'it takes too long to end'));
  }

  private restartServer(): void {
    if (!this.server.isUp) return;
    this.count('serverRestarts');
    this.server.goDown();
    for (const {link} of [...this.living, this.edge]) link.disconnect(this.chance.within(5, 2_000));
    this.timeline.schedule(this.chance.within(50, 4_000), undefined, () => this.server.comeBack());
  }

  // ---- live reads ----

  private readOn(): void {
    this.timeline.schedule(this.chance.within(0, 2 * readEveryMs), undefined, () => {
      if (this.faults.isCalm) return;
      const users = [...this.clients.ackedOf.keys()];
      if (users.length > 0) void this.read(this.chance.pick(users));
      this.readOn();
    });
  }

  /** C1. Events of joined and erased users are elsewhere, or nowhere. */
  private async read(user: number): Promise<void> {
    const [kind, id] = keyOf(user);
    const ref = {kind: kind === 'u' ? 'user' : 'anonymous', id} as const;
    const partition = partitionOfUser(ref, partitions);
    const acked = [...(this.clients.ackedOf.get(user) ?? [])];
    const question: PartitionQuestion = {ask: 'history', user: ref, limit: 1_000, withEvents: true};
    const answer = await this.bus.ask(partition, question, askMsMax);
    this.count(`read_${answer?.kind ?? 'nothing'}`);
    if (answer?.kind !== 'history' || this.plan.links || this.plan.erases) return;
    const seen = new Set((answer.events ?? []).flatMap((text) => text?.match(tokenPattern) ?? []));
    const missing = acked.filter((token) => !seen.has(token));
    if (missing.length > 0) this.fail(`C1: a live read of ${id} lacks ${missing.length} of ${acked.length} events`);
  }

  // ---- a whole seed ----

  async run(): Promise<SeedResult> {
    const onRejection = (error: unknown) => this.fail(`unhandled: ${(error as Error).stack ?? error}`);
    process.on('unhandledRejection', onRejection);
    try {
      await this.live();
    } catch (error) {
      this.fail(`the simulation broke: ${(error as Error).stack}`);
    } finally {
      process.off('unhandledRejection', onRejection);
    }
    const {timeline, seed, failures, tally} = this;
    tally.accepted = this.sentinel.acceptedCount;
    tally.manifests = this.sentinel.manifestCount;
    tally.acked = this.clients.acked.size;
    tally.erasures = this.clients.erased.size;
    tally.joined = this.sentinel.joined;
    return {
      seed,
      faults: failures,
      traceHash: timeline.traceHash,
      events: timeline.eventCount,
      virtualMs: timeline.nowMs,
      tally,
      lines: timeline.lines,
    };
  }

  private async live(): Promise<void> {
    const {timeline, plan} = this;
    await timeline.runUntil(() => this.failures.length > 0, plan.durationMs, eventsMax);
    if (this.failures.length > 0) return;
    timeline.trace('calm');
    this.faults.isCalm = true;
    this.server.isElecting = false;
    for (const {link, process} of [...this.workers, this.edge]) {
      link.crash = undefined;
      timeline.resume(process);
    }
    if (this.living.length === 0) this.startWorker(0);
    const endMs = timeline.nowMs + restMs;
    if (!(await this.reach('everybody is done', endMs, () => this.isAtRest))) return;
    this.checkOwners();
    this.isOver = true;
    const owners = this.living;
    for (const worker of owners) worker.leave(() => undefined);
    if (!(await this.reach('the workers have left', endMs, () => owners.every(({phase}) => phase === 'left')))) return;
    for (const text of judge(this)) this.fail(text);
  }

  private get isAtRest(): boolean {
    if (!this.clients.isDone || this.edge.publisher.bytesPending > 0 || !this.server.isUp) return false;
    if (!this.living.every((worker) => this.isMember(worker))) return false;
    return this.server.logs.every((log, partition) => {
      const [owner, other] = this.runnersOf(partition);
      return owner !== undefined && other === undefined && this.isRunnerAtRest(owner, log, partition);
    });
  }

  /** Whether it stays, and its record was not ended by others: it would publish nothing more. */
  private isMember({link, phase, memberId}: SimWorker): boolean {
    if (!link.isConnected || phase !== 'up' || memberId === undefined) return false;
    const {cluster} = this.server;
    const subject = bucketSubject('cluster', memberName(memberId));
    return subject in cluster.subjectsUnder(subject) && cluster.lastOf(subject).data.length > 0;
  }

  private runnersOf(partition: number): Runner[] {
    return this.living.flatMap(({runners}) => runners.filter(({view}) => view.partition.partition === partition));
  }

  private isRunnerAtRest(runner: Runner, log: SimStream, number: number): boolean {
    const {partition, sweep} = runner.view;
    if (runner.phase !== 'live' || partition.appliedSequence < log.lastSeq) return false;
    const {candidates, pending} = partition.moves;
    const received = (to: number): number => this.runnersOf(to)[0]?.view.partition.moves.receivedFrom(number) ?? 0;
    if (candidates.size > 0 || !pending.every(({n, to}) => n <= received(to))) return false;
    return sweep.isIdle && partition.deletions.pending().length === 0 && !partition.deletions.hasErasedInLog;
  }

  /** C3 */
  private checkOwners(): void {
    for (const [partition] of this.server.logs.entries()) {
      const {data} = this.server.cluster.lastOf(bucketSubject('cluster', ownerName('partition', partition)));
      const owner = ownerIn(new TextDecoder().decode(data));
      const at = this.living.filter(({runners}) => runners.some(({view}) => view.partition.partition === partition));
      if (at.length !== 1 || at[0]!.memberId !== owner)
        this.fail(`C3: ${partition} is of ${owner}, and runs at ${at.map(({memberId}) => memberId)}`);
    }
  }

  private async reach(what: string, endMs: number, isThere: () => boolean): Promise<boolean> {
    const wasReached = await this.timeline.runUntil(() => this.failures.length > 0 || isThere(), endMs, eventsMax);
    if (!wasReached) this.fail(`never: ${what}`);
    return wasReached && this.failures.length === 0;
  }
}

/** Whether it is about what the log says. */
const isRead = ({kind}: PartitionAnswer): boolean => kind !== 'moved' && kind !== 'unavailable';
