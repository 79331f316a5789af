// One seed: a small world, its faults, and the check of its end.

import type {Move} from '../../actors/manifest.js';
import type {PartitionAnswer} from '../../src/asks/partition.js';
import {partitionOfUser} from '../../src/edge/query/user-partition.js';
import {AckedSequences, newAckedSequences} from '../../src/ingest/acked-sequences.js';
import {Clients, keyOf} from './clients.js';
import type {AskPartition} from './deletion.js';
import {SimEdge} from './edge.js';
import {type FaultRates, Faults} from './faults.js';
import {judge} from './judge.js';
import type {LinkWorld, SimLink} from './link.js';
import {SimOwner} from './owner.js';
import {Chance} from './random.js';
import {Sentinel} from './sentinel.js';
import {SimServer} from './server.js';
import type {SimStream} from './store.js';
import {type SimProcess, Timeline} from './timeline.js';

/** The end of a seed: everything must come to rest within this virtual time. */
const restMs = 10 * 60_000;
const eventsMax = 200_000;
/** More connections than an edge has in a world. */
const connectionsMax = 1_000;
/** An edge waits no longer for an answer. */
const askMsMax = 15_000;

export interface SeedResult {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly traceHash: number;
  readonly events: number;
  readonly virtualMs: number;
  /** Counts of its events, for the figures. */
  readonly tally: Readonly<Record<string, number>>;
  readonly lines: readonly string[] | undefined;
}

interface Plan {
  /** Each has owners of its own. */
  readonly partitions: number;
  readonly refreshMs: number;
  readonly durationMs: number;
  readonly requestCount: number;
  readonly rates: FaultRates;
  /** Of each partition. */
  readonly ownerCrashes: number;
  readonly edgeCrashes: number;
  readonly serverRestarts: number;
  readonly cuts: number;
  readonly pauses: number;
  readonly losesTail: boolean;
  readonly erases: boolean;
  readonly links: boolean;
  readonly isHeavy: boolean;
  readonly forgetsIds: boolean;
  /** Moves are settled at the end, and not only where they went to. */
  readonly settles: boolean;
}

function planOf(chance: Chance): Plan {
  const refreshMs = chance.pick([500, 2_000, 20_000, 60_000]);
  const rate = chance.pick([0, 0, 0.02, 0.1]);
  const losesTail = chance.chance(0.15);
  const partitions = losesTail ? 1 : chance.pick([1, 2]);
  const isHeavy = partitions === 2 && chance.chance(0.06);
  return {
    partitions,
    isHeavy,
    refreshMs,
    durationMs: refreshMs * chance.between(3, 6),
    requestCount: isHeavy ? 90 : chance.between(8, 40),
    rates: {
      requestLost: rate,
      answerLost: rate,
      refused: rate,
      late: rate / 4,
      consumerReset: rate / 2,
      latencyMsMax: chance.pick([1, 20, 200]),
    },
    ownerCrashes: chance.between(0, 3),
    edgeCrashes: chance.chance(0.3) ? chance.between(1, 2) : 0,
    serverRestarts: losesTail ? chance.between(1, 2) : chance.chance(0.3) ? 1 : 0,
    cuts: chance.chance(0.3) ? chance.between(1, 2) : 0,
    pauses: chance.chance(0.25) ? 1 : 0,
    losesTail,
    erases: chance.chance(0.35),
    forgetsIds: chance.chance(0.5),
    links: !losesTail && (partitions === 2 || chance.chance(0.5)),
    settles: chance.chance(0.5),
  };
}

export async function runSeed(seed: number, isVerbose = false): Promise<SeedResult> {
  const world = new SeedWorld(seed, isVerbose);
  return world.run();
}

class SeedWorld {
  private readonly seed: number;
  private readonly chance: Chance;
  readonly plan: Plan;
  private readonly timeline: Timeline;
  readonly sentinel: Sentinel;
  readonly server: SimServer;
  private readonly faults: Faults;
  private readonly linkWorld: LinkWorld;
  readonly clients: Clients;
  /** By partition, the newest last. */
  private readonly owners: readonly SimOwner[][];
  private readonly edges: SimEdge[] = [];
  /** Acks of the only edge, as in a process with an edge and owners. */
  private readonly acked: AckedSequences;
  readonly lost = new Set<unknown>();
  private readonly failures: string[] = [];
  private readonly tally: Record<string, number> = {};

  constructor(seed: number, isVerbose: boolean) {
    this.seed = seed;
    this.chance = new Chance(seed, 2);
    this.plan = planOf(this.chance);
    this.timeline = new Timeline(seed, isVerbose);
    this.timeline.trace(JSON.stringify(this.plan));
    const {partitions} = this.plan;
    this.owners = Array.from({length: partitions}, () => []);
    this.acked = new AckedSequences(newAckedSequences(partitions));
    this.sentinel = new Sentinel(
      partitions,
      () => this.server,
      (text) => this.fail(text),
      this.plan.links,
    );
    this.server = new SimServer(partitions, this.sentinel, this.plan.forgetsIds);
    this.faults = new Faults(new Chance(seed, 3), this.plan.rates);
    const {timeline, server, faults} = this;
    this.linkWorld = {
      timeline,
      server,
      faults,
      kill: (process, why) => this.kill(process, why),
    };
    for (let partition = 0; partition < partitions; partition++) this.startOwner(partition);
    this.startEdge();
    this.clients = new Clients(new Chance(seed, 4), timeline, {
      ...this.plan,
      sharesIds: !this.plan.losesTail && !this.plan.links,
      ask: (edge, partition, question) => this.ask(edge, partition, question),
      edge: () => this.edge,
      acked: (user) => this.askLive(user),
    });
    this.planNemeses();
  }

  private fail(text: string): void {
    this.timeline.trace(`FAULT ${text.split('\n')[0]}`);
    this.failures.push(text);
  }

  private count(what: string): void {
    this.tally[what] = (this.tally[what] ?? 0) + 1;
  }

  // ---- processes ----

  private ownersOf(partition: number): SimOwner[] {
    return this.owners[partition] as SimOwner[];
  }

  private ownerOf(partition: number): SimOwner {
    return this.ownersOf(partition).at(-1) as SimOwner;
  }

  /** The newest of each partition. */
  private get newestOwners(): SimOwner[] {
    return this.owners.map((_, partition) => this.ownerOf(partition));
  }

  private isNewest(owner: SimOwner): boolean {
    return this.ownerOf(owner.partition) === owner;
  }

  private get edge(): SimEdge {
    return this.edges[this.edges.length - 1] as SimEdge;
  }

  /** In half of the worlds whose edge never dies an owner knows its acks; in the others it asks the log. */
  private get isEdgeAlone(): boolean {
    return this.plan.edgeCrashes === 0 && this.seed % 2 === 0;
  }

  private startOwner(partition: number): void {
    const owners = this.ownersOf(partition);
    const owner = new SimOwner(`owner${partition}.${owners.length + 1}`, this.linkWorld, {
      partition,
      refreshMs: this.plan.refreshMs,
      stagger: this.chance.within(0, 1),
      acked: this.isEdgeAlone ? this.acked : undefined,
      renewHandOver: () => {
        const {edge} = this;
        this.timeline.schedule(0, edge.process, () => edge.renewHandOver());
      },
      onFatal: (who, error) => this.ownerFailed(who, error),
    });
    if (!this.faults.isCalm && owners.length <= this.plan.ownerCrashes && this.chance.chance(0.6)) {
      owner.link.crash = {call: this.chance.between(1, 150), isAfter: this.chance.chance(0.5)};
    }
    owners.push(owner);
    owner.start();
  }

  private startEdge(): void {
    // Each process counts its connections from 1 on. Here owners outlive edges.
    const before = this.edges.length * connectionsMax;
    const edge = new SimEdge(`edge${this.edges.length + 1}`, this.linkWorld, this.acked, ({connection, messages}) => {
      for (const owner of this.newestOwners) owner.takeHanded(before + connection, messages);
    });
    if (this.edges.length < this.plan.edgeCrashes && this.chance.chance(0.7)) {
      edge.link.crash = {call: this.chance.between(1, 20), isAfter: this.chance.chance(0.5)};
    }
    this.edges.push(edge);
  }

  private ownerFailed(owner: SimOwner, error: Error): void {
    if (owner.process.isDead) return;
    this.timeline.trace(`${owner.process.name} ends: ${error.message}`);
    // A successor has swept parts that this owner still names.
    const isOutlived = !this.isNewest(owner) && /is gone$/.test(error.message);
    const isExpected =
      isOutlived || /another owner wrote|lost the newest manifest|^timeout|^no room/.test(error.message);
    if (!isExpected) this.fail(`${owner.process.name} ended: ${error.stack}`);
    this.count(isOutlived || /another owner/.test(error.message) ? 'fenced' : 'ended');
    this.kill(owner.process, 'it cannot go on');
  }

  private kill(process: SimProcess, why: string): void {
    if (process.isDead) return;
    process.state = 'dead';
    this.timeline.trace(`${process.name} is dead: ${why}`);
    this.count(process.name.startsWith('owner') ? 'ownerDeaths' : 'edgeDeaths');
    const downMs = this.chance.within(5, 3_000);
    this.timeline.schedule(downMs, undefined, () => {
      const owner = this.newestOwners.find((newest) => newest.process === process);
      if (owner !== undefined) this.startOwner(owner.partition);
      if (process === this.edge.process) this.startEdge();
    });
  }

  private get links(): SimLink[] {
    return [...this.owners.flat(), ...this.edges].map(({link}) => link).filter(({process}) => !process.isDead);
  }

  // ---- nemeses ----

  private planNemeses(): void {
    const {plan} = this;
    const often = (count: number, nemesis: () => void) => {
      for (let i = 0; i < count; i++) this.timeline.schedule(this.moment(), undefined, nemesis);
    };
    often(plan.partitions * plan.ownerCrashes, () => this.kill(this.chance.pick(this.newestOwners).process, 'killed'));
    often(plan.edgeCrashes, () => this.kill(this.edge.process, 'killed'));
    often(plan.cuts, () => this.cut());
    often(plan.partitions * plan.pauses, () => this.pause());
    often(plan.serverRestarts, () => this.restartServer());
  }

  private moment(): number {
    return this.chance.within(0, this.plan.durationMs);
  }

  private cut(): void {
    if (this.links.length === 0) return;
    this.count('cuts');
    this.chance.pick(this.links).disconnect(this.chance.within(5, 6_000));
  }

  /** Pauses an owner; mostly another one takes over in the meantime. */
  private pause(): void {
    const owner = this.chance.pick(this.newestOwners);
    const {process} = owner;
    if (process.state !== 'running') return;
    this.count('pauses');
    process.state = 'paused';
    this.timeline.trace(`${process.name} is paused`);
    if (this.chance.chance(0.75))
      this.timeline.schedule(this.chance.within(10, 5_000), undefined, () => this.takeOver(owner));
    this.timeline.schedule(this.chance.within(100, 20_000), undefined, () => this.wake(process));
  }

  private takeOver(paused: SimOwner): void {
    if (this.isNewest(paused) && !this.faults.isCalm) this.startOwner(paused.partition);
  }

  private wake(process: SimProcess): void {
    this.timeline.trace(`${process.name} wakes up`);
    this.timeline.resume(process);
  }

  private restartServer(): void {
    if (!this.server.isUp) return;
    this.count('serverRestarts');
    this.timeline.trace('the server goes down');
    this.server.goDown();
    for (const link of this.links) link.disconnect(this.chance.within(5, 2_000));
    this.timeline.schedule(this.chance.within(50, 4_000), undefined, () => this.serverReturns());
  }

  private serverReturns(): void {
    const log = this.server.logs[0] as SimStream;
    if (this.plan.losesTail && log.lastSeq > log.firstSeq) {
      const count = this.chance.between(1, Math.min(12, log.lastSeq - log.firstSeq));
      this.timeline.trace(`the log loses ${count} messages`);
      for (const message of log.loseTail(count)) this.lost.add(message);
      this.count('tailsLost');
    }
    this.server.comeBack();
    this.timeline.trace('the server is back');
  }

  // ---- live reads ----

  /** A live read must see every acked event, but of a shared device: its events may be its first user's. */
  private askLive(user: number | undefined): void {
    const isSafe = !this.plan.erases && !this.plan.losesTail;
    if (user === undefined || !isSafe) return;
    const [kind, id] = keyOf(user);
    const ref = {kind: kind === 'u' ? 'user' : 'anonymous', id} as const;
    const partition = partitionOfUser(ref, this.plan.partitions);
    const owner = this.ownerOf(partition);
    if (!owner.isLive || !this.chance.chance(0.2)) return;
    this.timeline.schedule(0, owner.process, () => {
      owner.reads?.answer({ask: 'exists', user: ref}).then(
        (answer) => {
          this.count(`live_${answer.kind}`);
          const isUnknown = answer.kind === 'unknown_user' && answer.linkedTo === undefined;
          if (isUnknown && !this.sentinel.isShared(partition, kind + id))
            this.fail(`an acked event of ${id} was not seen by a live read`);
        },
        () => this.count('live_failed'),
      );
    });
  }

  /** Sometimes an owner answers that has a successor. */
  private ask(
    edge: SimEdge,
    partition: number,
    question: Parameters<AskPartition>[2],
  ): Promise<PartitionAnswer | undefined> {
    const {timeline, faults, chance} = this;
    const owners = this.ownersOf(partition).filter(({isLive}) => isLive);
    const owner = chance.chance(0.2) && owners.length > 0 ? chance.pick(owners) : this.ownerOf(partition);
    return new Promise((resolve) => {
      const hear = (answer: PartitionAnswer | undefined): void => {
        timeline.schedule(faults.latencyMs(), edge.process, () => resolve(answer));
      };
      timeline.schedule(askMsMax, edge.process, () => resolve(undefined)); // It may die meanwhile.
      if (!owner.isLive || owner.reads === undefined) return hear(undefined);
      const {reads} = owner;
      timeline.schedule(faults.latencyMs(), owner.process, () => {
        reads.answer(question).then(hear, () => hear(undefined));
      });
    });
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
    tally.ofTwo = this.plan.partitions - 1;
    tally.moves = this.sentinel.moves;
    tally.joined = this.sentinel.joined;
    tally.sets = this.sentinel.sets;
    tally.tornSets = this.sentinel.tornSets;
    tally.manifests = this.sentinel.manifestCount;
    tally.acked = this.clients.acked.size;
    tally.erasures = this.clients.erased.size;
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
    this.calmDown();
    if (!(await this.comeToRest())) return;
    // A start that finds everything in order; it also sweeps what a fenced owner wrote in its last moments.
    if (plan.pauses > 0 || this.chance.chance(0.2)) {
      for (const owner of this.newestOwners) this.replace(owner);
      if (!(await this.comeToRest())) return;
    }
    for (const text of judge(this)) this.fail(text);
  }

  private replace(owner: SimOwner): void {
    owner.process.state = 'dead';
    this.startOwner(owner.partition);
  }

  private async comeToRest(): Promise<boolean> {
    const endMs = this.timeline.nowMs + restMs;
    for (;;) {
      if (!(await this.reach('everybody is done', endMs, () => this.isAtRest))) return false;
      const owners = this.newestOwners;
      for (const owner of owners) owner.drain();
      const isOver = (owner: SimOwner) => owner.phase === 'drained' || !this.isNewest(owner);
      if (!(await this.reach('the owners have drained', endMs, () => owners.every(isOver)))) return false;
      if (owners.every((owner) => this.isNewest(owner))) return true;
      // A crash that was on its way before the calm ended one: its successor drains, and what it moves goes somewhere.
      for (const owner of owners) if (this.isNewest(owner)) this.replace(owner);
    }
  }

  private calmDown(): void {
    this.timeline.trace('calm');
    this.faults.isCalm = true;
    for (const {link} of [...this.owners.flat(), ...this.edges]) link.crash = undefined;
    for (const {process} of this.owners.flat()) this.timeline.resume(process);
  }

  private get isAtRest(): boolean {
    if (!this.clients.isDone || this.edge.publisher.bytesPending > 0) return false;
    return this.newestOwners.every((owner) => this.isOwnerAtRest(owner));
  }

  private isOwnerAtRest({isLive, link, runner, partition: number}: SimOwner): boolean {
    if (!isLive || !link.isConnected || runner === undefined) return false;
    const {partition, sweep} = runner.view;
    if (partition.appliedSequence < (this.server.logs[number] as SimStream).lastSeq) return false;
    const {candidates, pending} = partition.moves;
    const isThere = ({n, to}: Move) => n <= (this.ownerOf(to).runner?.view.partition.moves.receivedFrom(number) ?? 0);
    if (candidates.size > 0 || !pending.every(isThere) || (this.plan.settles && pending.length > 0)) return false;
    // A stop leaves orphans to the next start.
    return sweep.isIdle && partition.deletions.pending().length === 0 && !partition.deletions.hasErasedInLog;
  }

  private async reach(what: string, endMs: number, isThere: () => boolean): Promise<boolean> {
    const wasReached = await this.timeline.runUntil(() => this.failures.length > 0 || isThere(), endMs, eventsMax);
    if (!wasReached) this.fail(`never: ${what}`);
    return wasReached && this.failures.length === 0;
  }
}
