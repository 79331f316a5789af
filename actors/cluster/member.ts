// One member of the cluster: what it writes, and which partitions it owns. The shell (src/cluster/) carries out its commands.
//   Owns:    the member's own record, the runners that should be there. Does not own: what the bucket says (cluster-view.ts), the fence
//            that makes a wrong owner harmless (src/partition/snapshot/recovery.ts V6).
//   O1 is in cluster-view.ts.
//   O2. Every change is a compare-and-set. A member whose record is over owns nothing, and never returns under its id. Whoever finds a
//       member silent ends that member's record. The record of a partition is changed by its owner, which gives it back, and by
//       anybody while the partition is free.
//   O7. A partition that is lost ends its runner. A membership that is lost ends all runners of the process, which goes on as
//       another member.
//   O8. A start that holds the lock of its DATA_DIR knows that the member noted there is over. It joins first: what that member owned
//       would otherwise go to others, and come back.
//   MB1. A move gives a partition back and leaves it to its next owner, which is the same for all who have the same view. So nothing is
//        promised that a crash could break: a free partition that its next owner does not take within `freeMsMax` is taken by anybody.
//   MB2. A free partition is taken at once. Moves between members that stay wait until the members have been the same for `stillMs`, and
//        are one at a time. A member that leaves gives `leavingAtOnce`, all after `leavingMsMax`, and all at once if nobody stays.
//   MB3. A write without an answer may have been stored. A member that cannot tell waits for its watch, which tells.
//   MB4. A member is sure of what it owns for `sureMsMax` after it sent a renewal that was stored. Others find it silent two seconds
//        later at the soonest (O1), by clocks that run alike. What no compare-and-set fences, such as a delivery, begins only then.
//   MB5. A watch passes over a record that was ended and erased before it came, as when its process stood still. So who is refused a
//        write of a member's record looks at what is stored, until it knows, and so does who knows nothing of an owner (CV3).
import {must} from '../invariant.js';
import {assign} from './assignment.js';
import {ClusterView, silentRenewals} from './cluster-view.js';
import {
  type MemberCard,
  type MemberState,
  memberName,
  memberOf,
  memberText,
  ownerName,
  ownerText,
  type StoredRecord,
} from './records.js';

export const renewMs = 2_000;
/** The renewals that make a member silent take one period less than their number. MB4 */
const sureMsMax = (silentRenewals - 2) * renewMs;
/** A look that was not answered is repeated. */
const lookMs = 1_000;
const stillMs = 3_000;
const freeMsMax = 3_000;
const leavingAtOnce = 4;
const leavingMsMax = 15_000;
/** Pause before a partition that was lost is owned again, if it is still this member's. */
const againMs = 1_000;

export type Command =
  /** Write by compare-and-set on `revision`, and tell the outcome (`written`). */
  | {readonly kind: 'write'; readonly name: string; readonly text: string; readonly revision: number}
  /** Remove a record that is over. */
  | {readonly kind: 'erase'; readonly name: string}
  /** Read a record, and tell what is stored (`looked`). */
  | {readonly kind: 'look'; readonly name: string}
  /** Start a runner. */
  | {readonly kind: 'own'; readonly partition: number}
  /** Publish a last snapshot, end the runner, and say so (`released`). */
  | {readonly kind: 'release'; readonly partition: number}
  /** End the runner at once: the partition is another member's. */
  | {readonly kind: 'abandon'; readonly partition: number};

type Write = Extract<Command, {kind: 'write'}>;

/** Revision of a write; `refused`: another write was faster; `unknown`: it may have been stored. */
export type Outcome = number | 'refused' | 'unknown';

/** `lost`: another one ended its record. O7 */
type MemberPhase = MemberState | 'left' | 'lost';

type RunnerState = 'running' | 'releasing' | 'released';

export class Member {
  readonly id: string;
  private readonly card: MemberCard;
  private readonly formerId: string | undefined;
  private readonly view: ClusterView;
  private now: MemberPhase = 'up';
  private beat = 0;
  /** Revision of the own record; 0: it is not stored yet. */
  private revision = 0;
  private isInDoubt = false; // MB3
  /** When a record was looked at last. MB5 */
  private readonly lookedMs = new Map<string, number>();
  private writtenState: MemberState | undefined;
  private renewedMs = Number.NEGATIVE_INFINITY;
  /** When the newest renewal was sent, and the newest that was stored. MB4 */
  private sentMs = Number.NEGATIVE_INFINITY;
  private sureSinceMs = Number.NEGATIVE_INFINITY;
  private leavingMs = 0;
  private readonly underWay = new Map<string, Write>();
  private readonly runners = new Map<number, RunnerState>();
  private readonly lostMs = new Map<number, number>();
  private readonly freeSinceMs = new Map<number, number>();
  private sinceMs = 0;
  private membersThen = '';
  private due: Command[] = [];

  /** `formerId`: the member that this process was before its start. O8 */
  constructor(id: string, partitionCount: number, card: MemberCard, formerId?: string) {
    this.id = id;
    this.card = card;
    this.formerId = formerId;
    this.view = new ClusterView(id, card.role, partitionCount);
  }

  get phase(): MemberPhase {
    return this.now;
  }

  /** MB4 */
  isSure(nowMs: number): boolean {
    return (this.now === 'up' || this.now === 'leaving') && nowMs - this.sureSinceMs < sureMsMax;
  }

  /** Members of its role that stay; empty until the view can be trusted. */
  get peers(): readonly string[] {
    return this.view.isCurrent ? this.view.staying : [];
  }

  /** Whether it has joined, and all partitions that it should own have runners. */
  get isSettled(): boolean {
    if (!this.view.isCurrent) return false;
    const targets = assign(this.view.staying, this.view.ownersNow);
    return targets.every((target, partition) => target !== this.id || this.runners.has(partition));
  }

  // ---- what happens ----

  /** A watch begins with these records. */
  begin(records: readonly StoredRecord[]): void {
    const over = this.view.begin(records);
    this.due.push(...over.map((name): Command => ({kind: 'erase', name})));
    const own = this.view.member(this.id);
    if (own === undefined) {
      if (this.isInDoubt && this.revision > 0) this.lose();
      return;
    }
    this.revision = Math.max(this.revision, own.revision);
    this.isInDoubt = false;
  }

  /** The watch tells of a record. */
  tell(record: StoredRecord): void {
    this.view.tell(record);
    this.hear(record);
  }

  private hear({name, text, revision}: StoredRecord): void {
    if (name !== memberName(this.id)) return;
    if (text === '') this.lose();
    else if (revision > this.revision) {
      this.revision = revision;
      this.isInDoubt = false;
    }
  }

  /** What became of a write. `nowMs`: monotonic. */
  written({name, text, revision: expected}: Write, outcome: Outcome, nowMs: number): void {
    this.underWay.delete(name);
    if (outcome === 'unknown') return;
    const isOwn = name === memberName(this.id);
    if (outcome === 'refused') {
      if (isOwn && expected === this.revision) this.refused();
      else if (!isOwn && memberOf(name) !== undefined) this.look(name, nowMs);
      return;
    }
    this.view.acknowledge({name, revision: outcome, text});
    if (!isOwn) {
      if (text === '') this.due.push({kind: 'erase', name});
      return;
    }
    if (text === '') {
      this.due.push({kind: 'erase', name});
      if (this.now === 'leaving') this.now = 'left';
      return;
    }
    this.revision = Math.max(this.revision, outcome);
    this.isInDoubt = false;
    this.renewedMs = nowMs;
    this.sureSinceMs = this.sentMs;
  }

  /** MB3. Without a record in the view it is over: the first one alone may come later. */
  private refused(): void {
    if (this.revision > 0 && this.view.member(this.id) === undefined) this.lose();
    else this.isInDoubt = true;
  }

  /** What is stored of a member's record; undefined: nothing. MB5 */
  looked(name: string, record: StoredRecord | undefined): void {
    this.lookedMs.delete(name);
    this.hear(this.view.look(name, record));
  }

  /** A runner that was to be released has published its last snapshot, and ended. */
  released(partition: number): void {
    if (this.runners.get(partition) === 'releasing') this.runners.set(partition, 'released');
  }

  /** A runner has ended because another owner wrote the manifest. */
  lostRunner(partition: number, nowMs: number): void {
    if (!this.runners.delete(partition)) return;
    this.lostMs.set(partition, nowMs);
  }

  leave(nowMs: number): void {
    if (this.now !== 'up') return;
    this.now = 'leaving';
    this.leavingMs = nowMs;
    if (this.revision === 0 && !this.underWay.has(memberName(this.id))) this.now = 'left';
  }

  private lose(): void {
    if (this.now === 'left' || this.now === 'lost') return;
    this.now = this.now === 'leaving' ? 'left' : 'lost';
    for (const partition of this.runners.keys()) this.due.push({kind: 'abandon', partition});
    this.runners.clear();
  }

  // ---- what follows ----

  /** Call it after each of the above, and several times a second. `nowMs`: monotonic. */
  step(nowMs: number): Command[] {
    if (this.now === 'up' || this.now === 'leaving') {
      this.renew(nowMs);
      this.followOwners(nowMs);
      if (this.view.isCurrent) this.decide(nowMs); // CV1 (cluster-view.ts)
    }
    const {due} = this;
    this.due = [];
    return due;
  }

  private renew(nowMs: number): void {
    const state: MemberState = this.now === 'leaving' ? 'leaving' : 'up';
    if (this.isInDoubt) {
      this.look(memberName(this.id), nowMs);
      return;
    }
    if (nowMs - this.renewedMs < renewMs && this.writtenState === state) return;
    if (!this.write(memberName(this.id), memberText(state, this.beat, this.card), this.revision)) return;
    this.sentMs = nowMs;
    this.beat += 1;
    this.writtenState = state;
  }

  /** MB5 */
  private look(name: string, nowMs: number): void {
    if (nowMs - (this.lookedMs.get(name) ?? Number.NEGATIVE_INFINITY) < lookMs) return;
    this.lookedMs.set(name, nowMs);
    this.due.push({kind: 'look', name});
  }

  /** @returns false while another write of the record is under way. */
  private write(name: string, text: string, revision: number): boolean {
    if (this.underWay.has(name)) return false;
    const command: Write = {kind: 'write', name, text, revision};
    this.underWay.set(name, command);
    this.due.push(command);
    return true;
  }

  private followOwners(nowMs: number): void {
    for (const [partition, state] of [...this.runners]) {
      if (this.view.ownerOf(partition) === this.id) continue;
      this.runners.delete(partition);
      if (state !== 'released') this.due.push({kind: 'abandon', partition});
    }
    for (let partition = 0; partition < this.view.partitionCount; partition++) {
      if (this.view.ownerOf(partition) !== this.id || this.runners.has(partition)) continue;
      if (this.now === 'leaving') this.giveBack(partition);
      else if (nowMs - (this.lostMs.get(partition) ?? Number.NEGATIVE_INFINITY) >= againMs) {
        this.runners.set(partition, 'running');
        this.due.push({kind: 'own', partition});
      }
    }
  }

  private giveBack(partition: number): void {
    this.write(ownerName(this.view.role, partition), ownerText(undefined), this.view.revisionOf(partition));
  }

  private decide(nowMs: number): void {
    if (this.now === 'up') this.endOthers(); // Renewals of one that leaves are less far apart. O1
    for (const id of this.view.unknown) this.look(memberName(id), nowMs);
    const {staying, ownersNow: owners} = this.view;
    this.noteTimes(staying, owners, nowMs);
    const targets = assign(staying, owners);
    for (const [partition, state] of this.runners) if (state === 'released') this.giveBack(partition);
    if (this.now === 'leaving') {
      this.leaveOn(staying.length > 0, owners, nowMs);
      return;
    }
    this.take(targets, owners, nowMs);
    this.moveOne(targets, owners, nowMs);
  }

  /** Ends the records of members that are over. O2, O8 */
  private endOthers(): void {
    const former = this.formerId !== undefined && this.view.member(this.formerId) ? [this.formerId] : [];
    for (const id of [...this.view.silent, ...former]) {
      const {revision} = must(this.view.member(id), 'a silent member has a record');
      this.write(memberName(id), '', revision);
    }
  }

  private noteTimes(staying: readonly string[], owners: readonly (string | undefined)[], nowMs: number): void {
    const members = [...staying].sort().join(' ');
    if (members !== this.membersThen) this.sinceMs = nowMs;
    this.membersThen = members;
    for (const [partition, owner] of owners.entries()) {
      if (owner !== undefined) this.freeSinceMs.delete(partition);
      else if (!this.freeSinceMs.has(partition)) this.freeSinceMs.set(partition, nowMs);
    }
  }

  /** MB1, MB2 */
  private take(targets: readonly (string | undefined)[], owners: readonly (string | undefined)[], nowMs: number): void {
    for (const [partition, owner] of owners.entries()) {
      if (owner !== undefined) continue;
      const isLeft = nowMs - (this.freeSinceMs.get(partition) ?? nowMs) >= freeMsMax;
      if (targets[partition] !== this.id && !isLeft) continue;
      this.write(ownerName(this.view.role, partition), ownerText(this.id), this.view.revisionOf(partition));
    }
  }

  /** MB2 */
  private moveOne(
    targets: readonly (string | undefined)[],
    owners: readonly (string | undefined)[],
    nowMs: number,
  ): void {
    if (nowMs - this.sinceMs < stillMs || this.isGiving || owners.includes(undefined)) return;
    for (const [partition, state] of this.runners) {
      if (state !== 'running' || targets[partition] === this.id) continue;
      this.release(partition);
      return;
    }
  }

  private get isGiving(): boolean {
    return [...this.runners.values()].some((state) => state !== 'running');
  }

  private release(partition: number): void {
    this.runners.set(partition, 'releasing');
    this.due.push({kind: 'release', partition});
  }

  /** MB2 */
  private leaveOn(hasOthers: boolean, owners: readonly (string | undefined)[], nowMs: number): void {
    const isPatient = hasOthers && nowMs - this.leavingMs < leavingMsMax;
    const giving = [...this.runners.values()].filter((state) => state !== 'running').length;
    const free = owners.filter((owner) => owner === undefined).length;
    let lanes = isPatient ? leavingAtOnce - giving - free : Number.POSITIVE_INFINITY;
    for (const [partition, state] of this.runners) {
      if (lanes <= 0) break;
      if (state !== 'running') continue;
      this.release(partition);
      lanes -= 1;
    }
    const hasAny = this.runners.size > 0 || owners.includes(this.id);
    if (!hasAny && this.writtenState === 'leaving') this.write(memberName(this.id), '', this.revision);
  }
}
