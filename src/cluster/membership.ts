// The membership of this process in the cluster: its watch of the bucket, its clock, its writes. What follows is decided in
// actors/cluster/member.ts, whose invariants are named here.
//   ME1. Partitions that it owns before its threads run are `owned`: the threads begin with them.
//   ME2. A missing bucket is created again. All members then find that their records are gone, and join as new members.
import {randomBytes} from 'node:crypto';
import {type Command, Member, type Outcome} from '../../actors/cluster/member.js';
import type {MemberCard, MemberRole} from '../../actors/cluster/records.js';
import {throwBroken} from '../../actors/invariant.js';
import {monotonicMs, wallMs} from '../clock.js';
import {BucketFault} from '../keys/key-bucket.js';
import type {NatsKeyBucket} from '../nats/key-bucket.js';
import type {Logger} from '../observe.js';

const stepMs = 250;
/** Less than the renewals after which a member counts as silent: one lost answer ends nobody. */
const writeMsMax = 2_000;
const ensureMs = 5_000;

/** Those who do the work of a role for its partitions. */
export interface Runners {
  own(partition: number): void;
  /** Calls `released` or `lost`, unless the partition is abandoned before. */
  release(partition: number): void;
  abandon(partition: number): void;
}

export type MemberBucket = Pick<NatsKeyBucket, 'watch' | 'write' | 'read' | 'erase' | 'stop'>;

/** Which member this process is, noted for its next start. O8 */
interface MemberNote {
  /** The member that an earlier process on this folder was. */
  readonly formerId: string | undefined;
  keep(id: string): void;
}

export interface MembershipOptions {
  readonly role: MemberRole;
  readonly partitionCount: number;
  /** Opens the bucket of the cluster: once for each membership. */
  readonly openBucket: () => MemberBucket;
  /** Makes the bucket if it is missing. */
  readonly ensure: () => Promise<void>;
  readonly note: MemberNote;
  /** Name of this process, for people. */
  readonly name: string;
  readonly levels: MemberCard['levels'];
  readonly logger: Logger;
  readonly onFatal: (error: Error) => void;
}

/** What is lost with a membership, by role. O7 */
const lostLines: Readonly<Record<MemberRole, string>> = {
  partition:
    'alarm: other processes took this one for dead, and own its partitions: it was paused, or could not reach NATS; it joins again',
  report: 'other report processes took this one for dead: it was paused, or could not reach NATS; it joins again',
  edge: 'other processes took this edge for dead: it was paused, or could not reach NATS; it joins again',
  deliver:
    'other processes took this one for dead, and deliver in its place: it was paused, or could not reach NATS; it joins again',
};

export class Membership implements Runners {
  private readonly options: MembershipOptions;
  private member: Member;
  private bucket: MemberBucket;
  private runners: Runners = this;
  private readonly first = new Set<number>();
  private beats: NodeJS.Timeout | undefined;
  private ensuredMs = Number.NEGATIVE_INFINITY;
  private settled: () => void = () => undefined;
  private left: () => void = () => undefined;
  private isStopped = false;

  constructor(options: MembershipOptions) {
    this.options = options;
    this.bucket = options.openBucket();
    this.member = this.newMember(false, options.note.formerId);
  }

  /** Resolves once this process owns what it should own now. */
  async join(): Promise<void> {
    await this.options.ensure();
    if (this.isStopped) return;
    await new Promise<void>((resolve) => {
      this.settled = resolve;
      this.beats = setInterval(() => this.step(), stepMs);
      this.watch();
    });
  }

  /** Changes when the membership is lost. O7 */
  get id(): string {
    return this.member.id;
  }

  /** MB4 (actors/cluster/member.ts) */
  get isSure(): boolean {
    return this.member.isSure(monotonicMs());
  }

  /** What it owns while nobody serves it. ME1 */
  get owned(): readonly number[] {
    return [...this.first].sort((a, b) => a - b);
  }

  /** Live members of the same role. */
  get peers(): readonly string[] {
    return this.member.peers;
  }

  /** From now on these run the partitions; they run `owned` already. */
  serve(runners: Runners): void {
    this.runners = runners;
  }

  // ---- before the threads run ----

  own(partition: number): void {
    this.first.add(partition);
  }

  release(partition: number): void {
    this.first.delete(partition);
    this.released(partition);
  }

  abandon(partition: number): void {
    this.first.delete(partition);
  }

  // ---- what becomes of runners ----

  released(partition: number): void {
    this.member.released(partition);
    this.step();
  }

  lost(partition: number): void {
    this.member.lostRunner(partition, monotonicMs());
    this.step();
  }

  /** Gives all partitions away. Resolves when others may have them. */
  async leave(): Promise<void> {
    const {phase} = this.member;
    if (this.beats !== undefined && phase !== 'left') {
      await new Promise<void>((resolve) => {
        this.left = resolve;
        this.member.leave(monotonicMs());
        this.step();
      });
    }
    this.stop();
  }

  private stop(): void {
    this.isStopped = true;
    clearInterval(this.beats);
    this.bucket.stop();
  }

  private newMember(isBack: boolean, formerId?: string): Member {
    const {note, name, partitionCount, role, levels} = this.options;
    const id = randomBytes(8).toString('hex');
    note.keep(id);
    return new Member(id, partitionCount, {name, sinceMs: wallMs(), isBack, role, levels}, formerId);
  }

  private watch(): void {
    const {member, bucket} = this;
    const ofNow = (tell: () => void): void => {
      if (member !== this.member) return;
      tell();
      this.step();
    };
    bucket
      .watch({
        returned: () => undefined,
        all: (records) => ofNow(() => member.begin(records)),
        changed: (record) => ofNow(() => member.tell(record)),
      })
      .catch((error: Error) => {
        if (!this.isStopped && bucket === this.bucket) this.options.onFatal(error);
      });
  }

  private step(): void {
    const {member} = this;
    const nowMs = monotonicMs();
    for (const command of member.step(nowMs)) this.carryOut(command);
    if (member !== this.member) return;
    if (member.isSettled) this.settled();
    if (member.phase === 'left') this.left();
    if (member.phase === 'lost') this.joinAnew();
  }

  private carryOut(command: Command): void {
    switch (command.kind) {
      case 'write':
        void this.write(command);
        return;
      case 'erase':
        this.bucket.erase(command.name).catch(throwUnlessAway); // What stays is told of again when a watch begins.
        return;
      case 'look':
        void this.look(command.name);
        return;
      case 'own':
        this.runners.own(command.partition);
        return;
      case 'release':
        this.runners.release(command.partition);
        return;
      case 'abandon':
        this.runners.abandon(command.partition);
    }
  }

  private async write(command: Extract<Command, {kind: 'write'}>): Promise<void> {
    const {member, bucket} = this;
    const {name, text, revision} = command;
    let outcome: Outcome;
    try {
      outcome = (await bucket.write(name, text, revision, writeMsMax)) ?? 'refused';
    } catch (error) {
      throwUnlessAway(error);
      outcome = 'unknown';
      this.ensure();
    }
    if (member !== this.member) return;
    member.written(command, outcome, monotonicMs());
    this.step();
  }

  /** A bucket that does not answer is asked again. */
  private async look(name: string): Promise<void> {
    const {member, bucket} = this;
    try {
      const record = await bucket.read(name);
      if (member !== this.member) return;
      member.looked(name, record);
      this.step();
    } catch (error) {
      throwUnlessAway(error);
    }
  }

  /** ME2 */
  private ensure(): void {
    if (this.isStopped || monotonicMs() - this.ensuredMs < ensureMs) return;
    this.ensuredMs = monotonicMs();
    this.options.ensure().catch(throwBroken);
  }

  /** O7 */
  private joinAnew(): void {
    const {logger, role} = this.options;
    if (role === 'partition') logger.error({alarm: 'membership_lost'}, lostLines[role]);
    else logger.warn(lostLines[role]);
    this.bucket.stop();
    this.bucket = this.options.openBucket();
    this.member = this.newMember(true);
    this.watch();
  }
}

function throwUnlessAway(error: unknown): void {
  if (!(error instanceof BucketFault)) throw error;
}
