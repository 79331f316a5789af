// What the records of the cluster tell a process that owns nothing: the members, what each of them owns, and what nobody folds.
//   OV1. A member that has not renewed its record for `silentMsMax` counts as silent, and what it owns as unowned: perhaps nobody is
//        left who could end its record. That is for people to know, and takes nothing from anybody (O1 in cluster-view.ts).
//   OV2. Before the first records nothing has an owner, and nobody has been missed yet: the time begins with the watch.
import {ClusterView} from './cluster-view.js';
import {
  cardIn,
  type MemberCard,
  type MemberRole,
  type MemberState,
  memberOf,
  memberRoles,
  ownerName,
  partitionOf,
  type StoredRecord,
} from './records.js';

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
  private readonly views: Readonly<Record<MemberRole, ClusterView>>;
  private readonly members = new Map<string, NotedMember>();
  /** Newest time at which each partition had an owner that renews. OV1 */
  private readonly ownedMs: number[];
  /** By name of the owner's record. */
  private readonly movedAtMs = new Map<string, number>();

  /** Times are monotonic. */
  constructor(partitionCount: number, nowMs: number) {
    const viewOf = (role: MemberRole, count = partitionCount): ClusterView => new ClusterView('', role, count);
    this.views = {
      ...{partition: viewOf('partition'), deliver: viewOf('deliver')},
      ...{report: viewOf('report', 1), edge: viewOf('edge', 0)},
    };
    this.ownedMs = new Array<number>(partitionCount).fill(nowMs);
  }

  /** A watch begins with these records. */
  begin(records: readonly StoredRecord[], nowMs: number): void {
    for (const role of memberRoles) this.views[role].begin(records);
    for (const [id, {card}] of this.members)
      if (this.views[card.role].member(id) === undefined) this.members.delete(id);
    for (const record of records) this.note(record, nowMs);
    this.movedAtMs.clear(); // When they moved is not known.
    this.noteOwned(nowMs);
  }

  /** The watch tells of a record. */
  tell(record: StoredRecord, nowMs: number): void {
    for (const role of memberRoles) {
      const view = this.views[role];
      const partition = partitionOf(record.name, role);
      const before = partition === undefined ? undefined : view.ownerOf(partition);
      view.tell(record);
      if (partition !== undefined && view.ownerOf(partition) !== before) this.movedAtMs.set(record.name, nowMs);
    }
    this.note(record, nowMs);
    this.noteOwned(nowMs);
  }

  private note({name, revision, text}: StoredRecord, nowMs: number): void {
    const id = memberOf(name);
    if (id === undefined) return;
    const stored = memberRoles.map((role) => this.views[role].member(id)).find((member) => member !== undefined);
    if (stored === undefined) this.members.delete(id);
    else if (stored.revision === revision && this.members.get(id)?.revision !== revision)
      this.members.set(id, {revision, state: stored.state, card: cardIn(text), renewedMs: nowMs});
  }

  private noteOwned(nowMs: number): void {
    for (const [partition, owner] of this.views.partition.ownersNow.entries()) {
      const renewedMs = owner === undefined ? undefined : this.members.get(owner)?.renewedMs;
      if (renewedMs !== undefined && nowMs - renewedMs < silentMsMax) this.ownedMs[partition] = renewedMs;
    }
  }

  /** The member that folds a partition; undefined: the partition is free. */
  ownerOf(partition: number): string | undefined {
    return this.views.partition.ownerOf(partition);
  }

  /** Partitions that nobody who renews has folded for `silentMsMax`. OV1 */
  unowned(nowMs: number): number[] {
    return [...this.ownedMs.keys()].filter((partition) => nowMs - this.ownedMs[partition]! >= silentMsMax);
  }

  /** By name. */
  membersAt(nowMs: number): OverviewMember[] {
    const members = [...this.members].map(([id, {state, card, renewedMs}]): OverviewMember => {
      const owners = this.views[card.role].ownersNow;
      const partitions = [...owners.keys()].filter((partition) => owners[partition] === id);
      const moves = partitions.flatMap((partition) => this.movedAtMs.get(ownerName(card.role, partition)) ?? []);
      return {
        ...{id, ...card, partitions},
        state: nowMs - renewedMs >= silentMsMax ? 'silent' : state,
        movedMs: moves.length === 0 ? undefined : nowMs - Math.max(...moves),
      };
    });
    return members.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.sinceMs - b.sinceMs));
  }
}
