// A cluster without NATS: members over a bucket in memory, with latency, lost requests and answers, elections, pauses, crashes and
// watches that begin again; runners that are fenced by epochs, as manifests are. One seed is one course.
import {type Command, Member, type Outcome} from '../../../actors/cluster/member.js';
import {type MemberCard, ownerIn, partitionOf, type StoredRecord} from '../../../actors/cluster/records.js';
import {Random} from '../../../tools/random.js';

const stepMs = 250;
const card: MemberCard = {name: 'a node', sinceMs: 0, isBack: false, role: 'partition', levels: [1, 1]};
const requestMsMax = 2_000;
const publishMs = 1_000;

type Write = Extract<Command, {kind: 'write'}>;

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Whether `a` is nearer to the end of the list than `b`: later events come first. */
const isBefore = (a: Event, b: Event): boolean => a.atMs > b.atMs || (a.atMs === b.atMs && a.order > b.order);

export interface Rates {
  readonly latencyMsMax: number;
  readonly requestLost: number;
  readonly answerLost: number;
}

export class World {
  readonly chance: Random;
  readonly nodes: Node[] = [];
  /** Newest manifest by partition. */
  readonly manifests: {epoch: number; node: Node | undefined}[];
  readonly partitionCount: number;
  nowMs = 0;
  rates: Rates;
  /** Moves: a partition got a runner at another node than before. */
  moves = 0;
  readonly faults: string[] = [];
  private isUp = true;
  private revision = 0;
  private readonly records = new Map<string, StoredRecord>();
  /** The next one last. */
  private readonly events: Event[] = [];
  private order = 0;
  private ids = 0;

  constructor(seed: number, partitionCount: number, rates: Rates) {
    this.chance = new Random(seed);
    this.partitionCount = partitionCount;
    this.rates = rates;
    this.manifests = Array.from({length: partitionCount}, () => ({epoch: 0, node: undefined}));
  }

  at(ms: number, run: () => void): void {
    this.order += 1;
    const event = {atMs: this.nowMs + ms, order: this.order, run};
    let at = this.events.length;
    while (at > 0 && isBefore(event, this.events[at - 1]!)) at -= 1;
    this.events.splice(at, 0, event);
  }

  /** Lets this much time pass. */
  play(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const next = this.events.at(-1);
      if (next === undefined || next.atMs > endMs) break;
      this.events.pop();
      this.nowMs = next.atMs;
      next.run();
    }
    this.nowMs = endMs;
  }

  /** Plays until `isMet`; how long that took. */
  until(isMet: () => boolean, msMax: number): number {
    const startMs = this.nowMs;
    while (!isMet() && this.nowMs - startMs < msMax) this.play(50);
    if (!isMet()) this.faults.push(`not within ${msMax} ms`);
    return this.nowMs - startMs;
  }

  latencyMs(): number {
    return this.chance.next() * this.rates.latencyMsMax;
  }

  newId(): string {
    this.ids += 1;
    return `member${this.ids}`;
  }

  start(former?: Node): Node {
    const node = new Node(this, former?.member.id);
    this.nodes.push(node);
    return node;
  }

  get living(): Node[] {
    return this.nodes.filter((node) => node.isAlive);
  }

  /** Partitions by the node that runs them with the newest manifest. */
  get ownedBy(): (Node | undefined)[] {
    return this.manifests.map(({epoch, node}, partition) =>
      node?.isAlive && node.runners.get(partition)?.epoch === epoch ? node : undefined,
    );
  }

  get isWhole(): boolean {
    return this.ownedBy.every((node) => node !== undefined);
  }

  get isBalanced(): boolean {
    const members = this.living.filter(({member}) => member.phase === 'up');
    const counts = members.map((node) => this.ownedBy.filter((owner) => owner === node).length);
    return this.isWhole && Math.max(...counts) - Math.min(...counts) <= 1;
  }

  // -- the bucket --

  elect(ms: number): void {
    this.isUp = false;
    this.at(ms, () => {
      this.isUp = true;
    });
  }

  get takes(): boolean {
    return this.isUp;
  }

  write({name, text, revision}: Write): Outcome {
    if ((this.records.get(name)?.revision ?? 0) !== revision) return 'refused';
    this.revision += 1;
    const record = {name, text, revision: this.revision};
    this.judgeOwner(record);
    this.records.set(name, record);
    for (const node of this.nodes) node.watch.tell(record);
    return record.revision;
  }

  /** MB4 */
  private judgeOwner({name, text}: StoredRecord): void {
    const partition = partitionOf(name, 'partition');
    const owner = partition === undefined ? undefined : ownerIn(text);
    if (partition === undefined || owner === undefined) return;
    for (const {member, runners, isAlive} of this.nodes)
      if (isAlive && member.id !== owner && runners.has(partition) && member.isSure(this.nowMs))
        this.faults.push(`${member.id} is sure of partition ${partition}, which ${owner} owns`);
  }

  /** As a delete by sequence: no watch tells of it. */
  erase(name: string): void {
    if (this.records.get(name)?.text === '') this.records.delete(name);
  }

  names(): string[] {
    return [...this.records.keys()];
  }

  read(name: string): StoredRecord | undefined {
    return this.records.get(name);
  }

  nextEpoch(partition: number, node: Node): number {
    const manifest = this.manifests[partition]!;
    if (manifest.node !== undefined && manifest.node !== node) this.moves += 1;
    manifest.epoch += 1;
    manifest.node = node;
    return manifest.epoch;
  }
}

interface SimRunner {
  /** 0: it has not taken the partition over yet. */
  epoch: number;
  readonly startedMs: number;
}

export class Node {
  readonly runners = new Map<number, SimRunner>();
  member: Member;
  watch: Watch;
  isAlive = true;
  /** Memberships that it lost. */
  lost = 0;
  private readonly world: World;
  isPaused = false;
  private waiting: (() => void)[] = [];

  constructor(world: World, formerId: string | undefined) {
    this.world = world;
    this.member = new Member(world.newId(), world.partitionCount, card, formerId);
    this.watch = new Watch(world, this);
    this.watch.begin();
    this.beat();
  }

  /** Runs in this process: not while it is paused, never after its crash. */
  in(run: () => void): void {
    if (!this.isAlive) return;
    if (this.isPaused) this.waiting.push(run);
    else run();
  }

  crash(): void {
    this.isAlive = false;
  }

  pause(ms: number): void {
    if (this.isPaused) return;
    this.isPaused = true;
    this.world.at(ms, () => {
      this.isPaused = false;
      for (const run of this.waiting.splice(0)) this.in(run);
    });
  }

  leave(): void {
    this.in(() => {
      this.member.leave(this.world.nowMs);
      this.step();
    });
  }

  private beat(): void {
    if (!this.isAlive) return;
    this.in(() => this.step());
    this.world.at(stepMs, () => this.beat());
  }

  step(): void {
    for (const command of this.member.step(this.world.nowMs)) this.carryOut(command);
    if (this.member.phase === 'left') this.isAlive = false;
    if (this.member.phase !== 'lost') return;
    this.lost += 1;
    this.member = new Member(this.world.newId(), this.world.partitionCount, card);
    this.watch.stop();
    this.watch = new Watch(this.world, this);
    this.watch.begin();
  }

  private carryOut(command: Command): void {
    if (command.kind === 'write') this.write(command);
    else if (command.kind === 'erase') this.world.at(this.world.latencyMs(), () => this.world.erase(command.name));
    else if (command.kind === 'look') this.look(command.name);
    else if (command.kind === 'own') this.own(command.partition);
    else if (command.kind === 'release') this.release(command.partition);
    else this.runners.delete(command.partition);
  }

  private write(command: Write): void {
    const {world, member} = this;
    const isLost = world.chance.chance(world.rates.requestLost);
    let isAnswered = false;
    const answer = (outcome: Outcome): void => {
      if (isAnswered) return;
      isAnswered = true;
      this.in(() => {
        if (member !== this.member) return;
        member.written(command, outcome, world.nowMs);
        this.step();
      });
    };
    world.at(requestMsMax, () => answer('unknown'));
    world.at(world.latencyMs(), () => {
      if (isLost || !world.takes) return;
      const outcome = world.write(command);
      if (!world.chance.chance(world.rates.answerLost)) world.at(world.latencyMs(), () => answer(outcome));
    });
  }

  private look(name: string): void {
    const {world, member} = this;
    if (!world.takes || world.chance.chance(world.rates.answerLost)) return;
    world.at(world.latencyMs(), () => {
      const record = world.read(name);
      world.at(world.latencyMs(), () =>
        this.in(() => {
          if (member !== this.member) return;
          member.looked(name, record);
          this.step();
        }),
      );
    });
  }

  private own(partition: number): void {
    const {world} = this;
    if (this.runners.has(partition)) world.faults.push(`partition ${partition} has two runners at one member`);
    const runner: SimRunner = {epoch: 0, startedMs: world.nowMs};
    this.runners.set(partition, runner);
    const whileItRuns = (run: () => void): void =>
      this.in(() => {
        if (this.runners.get(partition) === runner) run();
      });
    const publish = (): void =>
      whileItRuns(() => {
        if (world.manifests[partition]!.epoch !== runner.epoch) this.lose(partition);
        else world.at(publishMs, publish);
      });
    world.at(20 + world.chance.next() * 300, () =>
      whileItRuns(() => {
        runner.epoch = world.nextEpoch(partition, this);
        world.at(publishMs, publish);
      }),
    );
  }

  private release(partition: number): void {
    const {world} = this;
    const runner = this.runners.get(partition);
    world.at(20 + world.chance.next() * 200, () =>
      this.in(() => {
        if (runner === undefined || this.runners.get(partition) !== runner) return;
        if (runner.epoch !== 0 && world.manifests[partition]!.epoch !== runner.epoch) {
          this.lose(partition);
          return;
        }
        this.runners.delete(partition);
        this.member.released(partition);
        this.step();
      }),
    );
  }

  private lose(partition: number): void {
    this.runners.delete(partition);
    this.member.lostRunner(partition, this.world.nowMs);
    this.step();
  }
}

/** One member's watch: what is stored comes in order, after the records that it began with, which are read one by one. */
export class Watch {
  private readonly world: World;
  private readonly node: Node;
  private isStopped = false;
  private hasBegun = false;
  private held: StoredRecord[] = [];
  private lastMs = 0;
  private run = 0;

  constructor(world: World, node: Node) {
    this.world = world;
    this.node = node;
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Also begins again, after a lost connection. */
  begin(): void {
    const {world, node} = this;
    this.run += 1;
    const {run} = this;
    this.hasBegun = false;
    this.held = [];
    const names = world.names();
    const records: StoredRecord[] = [];
    for (const name of names)
      world.at(world.latencyMs(), () => {
        const record = world.read(name);
        if (record !== undefined) records.push(record);
      });
    world.at(world.rates.latencyMsMax, () => {
      if (run !== this.run) return;
      this.in(() => {
        node.member.begin(records);
        node.step();
      });
      this.hasBegun = true;
      for (const record of this.held.splice(0)) this.bring(record);
    });
  }

  tell(record: StoredRecord): void {
    if (this.hasBegun) this.bring(record);
    else this.held.push(record);
  }

  private bring(record: StoredRecord): void {
    const {world, node, run} = this;
    this.lastMs = Math.max(this.lastMs, world.nowMs + world.latencyMs());
    world.at(this.lastMs - world.nowMs, () => {
      if (run !== this.run) return;
      // To one that stands still it may be sent later: then it is what is still stored.
      const isSentLater = node.isPaused && world.chance.chance(0.5);
      this.in(() => {
        if (isSentLater && world.read(record.name)?.revision !== record.revision) return;
        node.member.tell(record);
        node.step();
      });
    });
  }

  private in(run: () => void): void {
    this.node.in(() => {
      if (!this.isStopped) run();
    });
  }
}
