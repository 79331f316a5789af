// What the records of the cluster tell a process that owns nothing: the members, what each of them owns, and what nobody serves.
//   OV1. A member that has not renewed its record for `silentMsMax` counts as silent, and what it owns as unowned: perhaps nobody is
//        left who could end its record. That is for people to know, and takes nothing from anybody (O1 in cluster-view.ts).
//   OV2. Before the first records nothing has an owner, and nobody has been missed yet: the time begins with the watch.
import {ClusterView} from './cluster-view.js';
import {cardIn, type MemberCard, type MemberState, memberOf, partitionOf, type StoredRecord} from './records.js';

/** A crash is noticed, and its partitions have owners again, in less. */
export const silentMsMax = 17_000;

interface NotedMember {
  readonly revision: number;
  readonly state: MemberState;
  readonly card: MemberCard;
  readonly renewedMs: number;
}

export interface OverviewMember extends MemberCard {
  readonly id: string;
  readonly state: MemberState | 'silent';
  readonly partitions: readonly number[];
  /** Ms since the newest of them came to it; undefined: they were there when the watch began. */
  readonly movedMs: number | undefined;
}

export class Overview {
  private readonly view: ClusterView;
  private readonly members = new Map<string, NotedMember>();
  /** Newest time at which each partition had an owner that renews. OV1 */
  private readonly ownedMs: number[];
  private readonly movedAtMs = new Map<number, number>();

  /** Times are monotonic. */
  constructor(partitionCount: number, nowMs: number) {
    this.view = new ClusterView('', partitionCount);
    this.ownedMs = new Array<number>(partitionCount).fill(nowMs);
  }

  /** A watch begins with these records. */
  begin(records: readonly StoredRecord[], nowMs: number): void {
    this.view.begin(records);
    for (const id of [...this.members.keys()]) if (this.view.member(id) === undefined) this.members.delete(id);
    for (const record of records) this.note(record, nowMs);
    this.movedAtMs.clear(); // When they moved is not known.
    this.noteOwned(nowMs);
  }

  /** The watch tells of a record. */
  tell(record: StoredRecord, nowMs: number): void {
    const partition = partitionOf(record.name);
    const before = partition === undefined ? undefined : this.view.ownerOf(partition);
    this.view.tell(record);
    this.note(record, nowMs);
    if (partition !== undefined && this.view.ownerOf(partition) !== before) this.movedAtMs.set(partition, nowMs);
    this.noteOwned(nowMs);
  }

  private note({name, revision, text}: StoredRecord, nowMs: number): void {
    const id = memberOf(name);
    if (id === undefined) return;
    const stored = this.view.member(id);
    if (stored === undefined) this.members.delete(id);
    else if (stored.revision === revision && this.members.get(id)?.revision !== revision)
      this.members.set(id, {revision, state: stored.state, card: cardIn(text), renewedMs: nowMs});
  }

  private noteOwned(nowMs: number): void {
    for (const [partition, owner] of this.view.ownersNow.entries()) {
      const renewedMs = owner === undefined ? undefined : this.members.get(owner)?.renewedMs;
      if (renewedMs !== undefined && nowMs - renewedMs < silentMsMax) this.ownedMs[partition] = renewedMs;
    }
  }

  /** Undefined: the partition is free. */
  ownerOf(partition: number): string | undefined {
    return this.view.ownerOf(partition);
  }

  /** Partitions that nobody who renews has owned for `silentMsMax`. OV1 */
  unowned(nowMs: number): number[] {
    return [...this.ownedMs.keys()].filter((partition) => nowMs - this.ownedMs[partition]! >= silentMsMax);
  }

  /** By name. */
  membersAt(nowMs: number): OverviewMember[] {
    const owners = this.view.ownersNow;
    const members = [...this.members].map(([id, {state, card, renewedMs}]): OverviewMember => {
      const partitions = [...owners.keys()].filter((partition) => owners[partition] === id);
      const moves = partitions.flatMap((partition) => this.movedAtMs.get(partition) ?? []);
      return {
        ...{id, ...card, partitions},
        state: nowMs - renewedMs >= silentMsMax ? 'silent' : state,
        movedMs: moves.length === 0 ? undefined : nowMs - Math.max(...moves),
      };
    });
    return members.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.sinceMs - b.sinceMs));
  }
}
