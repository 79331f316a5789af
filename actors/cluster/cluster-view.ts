// What the records of the cluster say, as one member hears of them through its watch.
//   O1. Nobody owns, and nobody is over, by time. A member is silent for an observer when `silentRenewals` of the observer's own renewals
//       in a row came back through its watch, and were acknowledged, and the member's record did not change in between. An observer
//       renews at least `renewMs` (member.ts) after the acknowledgement of its last renewal, and the watch has the order of the
//       writes: it has the renewals of a living member by then. While the bucket takes no writes, no renewal is acknowledged, and no
//       member counts as silent.
//   CV1. The first records are read one by one, so they are of different moments. They can be trusted once a renewal of the observer
//        came after them: by then it has everything that was stored before that renewal.
//   CV2. A record never goes back to an earlier revision. The watch may tell of an earlier one than a read or an acknowledged write.
//   CV3. A bucket has the newest record of each name: a watch that is behind may tell that a member owns something before it tells that
//        there is this member. So a partition is free once its owner's record is known to be over, and not before.
import {must} from '../invariant.js';
import {
  type MemberRole,
  type MemberState,
  memberName,
  memberOf,
  ownerIn,
  partitionOf,
  roleIn,
  type StoredRecord,
  stateIn,
} from './records.js';

export const silentRenewals = 4;

interface SeenMember {
  readonly revision: number;
  readonly state: MemberState;
  /** Own renewals since this record. O1 */
  renewals: number;
}

interface SeenOwner {
  readonly revision: number;
  readonly owner: string | undefined;
}

const noOwner: SeenOwner = {revision: 0, owner: undefined};

export class ClusterView {
  private readonly me: string;
  readonly role: MemberRole;
  readonly partitionCount: number;
  private members = new Map<string, SeenMember>();
  private owners: SeenOwner[];
  /** Newest revision of each member whose record is over, while the record may still be told of. CV2 */
  private readonly ended = new Map<string, number>();
  private isCurrentNow = false;
  private acknowledged = 0;
  /** Newest own renewal that came through the watch, and the newest that counted. O1 */
  private returned = 0;
  private counted = 0;

  /** `role`: that of the observer, which ignores members and partitions of another role. */
  constructor(me: string, role: MemberRole, partitionCount: number) {
    this.me = me;
    this.role = role;
    this.partitionCount = partitionCount;
    this.owners = new Array<SeenOwner>(partitionCount).fill(noOwner);
  }

  /** CV1 */
  get isCurrent(): boolean {
    return this.isCurrentNow;
  }

  /** A watch begins with these records. @returns names of records that are over and still stored. */
  begin(records: readonly StoredRecord[]): string[] {
    this.members = new Map();
    this.ended.clear();
    this.owners = new Array<SeenOwner>(this.partitionCount).fill(noOwner);
    this.isCurrentNow = false;
    for (const record of records) this.apply(record);
    return records.filter(({name, text}) => text === '' && memberOf(name) !== undefined).map(({name}) => name);
  }

  /** The watch tells of a record. */
  tell(record: StoredRecord): void {
    this.apply(record);
    if (record.name !== memberName(this.me)) return;
    this.isCurrentNow = true;
    this.returned = record.revision;
    this.count();
  }

  /** An own write was acknowledged. */
  acknowledge(record: StoredRecord): void {
    this.apply(record);
    if (record.name !== memberName(this.me)) return;
    this.acknowledged = record.revision;
    this.count();
  }

  /**
   * A member's record was read; undefined: nothing is stored, so it is over. That is no word of the watch (O1, CV1). @returns what was
   * found.
   */
  look(name: string, record: StoredRecord | undefined): StoredRecord {
    const found = record ?? {
      name,
      revision: this.knownRevision(must(memberOf(name), 'it is of a member')) + 1,
      text: '',
    };
    this.apply(found);
    return found;
  }

  private knownRevision(id: string): number {
    return this.members.get(id)?.revision ?? this.ended.get(id) ?? 0;
  }

  /** O1 */
  private count(): void {
    if (this.returned !== this.acknowledged || this.returned <= this.counted) return;
    this.counted = this.returned;
    for (const member of this.members.values()) member.renewals += 1;
  }

  private apply({name, revision, text}: StoredRecord): void {
    const member = memberOf(name);
    const partition = partitionOf(name, this.role);
    if (member !== undefined) {
      if (revision <= this.knownRevision(member)) return; // CV2
      if (text === '') {
        this.members.delete(member);
        this.ended.set(member, revision);
      } else if (roleIn(text) === this.role) this.members.set(member, {revision, state: stateIn(text), renewals: 0});
    } else if (partition !== undefined && partition < this.owners.length) {
      if (revision > this.owners[partition].revision) this.owners[partition] = {revision, owner: ownerIn(text)};
    }
  }

  /** Undefined: it has no record. */
  member(id: string): Pick<SeenMember, 'revision' | 'state'> | undefined {
    return this.members.get(id);
  }

  /** Members that stay. */
  get staying(): string[] {
    return [...this.members].filter(([, {state}]) => state === 'up').map(([id]) => id);
  }

  /** O1 */
  get silent(): string[] {
    return [...this.members]
      .filter(([id, {renewals}]) => id !== this.me && renewals >= silentRenewals)
      .map(([id]) => id);
  }

  /** The owner of each partition; undefined: the partition is free. CV3 */
  get ownersNow(): readonly (string | undefined)[] {
    return this.owners.map(({owner}) => (owner !== undefined && this.ended.has(owner) ? undefined : owner));
  }

  /** Owners of whom nothing is known. CV3 */
  get unknown(): string[] {
    const owners = this.owners.flatMap(({owner}) => owner ?? []);
    return [...new Set(owners)].filter((owner) => !this.members.has(owner) && !this.ended.has(owner));
  }

  ownerOf(partition: number): string | undefined {
    const {owner} = this.owners[partition];
    return owner !== undefined && this.members.has(owner) ? owner : undefined;
  }

  /** Revision of a partition's record; 0: there is none. */
  revisionOf(partition: number): number {
    return this.owners[partition].revision;
  }
}
