// The records of the cluster's bucket: `m-<id>` of a member, `o-<p>` of the owner of a partition.

/** A record as it was stored. The revisions of one bucket ascend in the order of its writes. */
export interface StoredRecord {
  readonly name: string;
  readonly revision: number;
  /** Empty: the record is over. */
  readonly text: string;
}

/** `leaving`: it owns nothing new, and gives away what it has. */
export type MemberState = 'up' | 'leaving';

/** What a member does. Members ignore those of another role. */
export type MemberRole = 'partition' | 'report';

/** What a process says of itself. */
export interface MemberCard {
  /** Its machine and process. */
  readonly name: string;
  /** Epoch ms at which it joined. */
  readonly sinceMs: number;
  /** It is the same process as a member whose membership was lost. */
  readonly isBack: boolean;
  /** It answers reports, and owns nothing; absent: it folds. */
  readonly role?: MemberRole;
}

const memberPrefix = 'm-';
const ownerPrefix = 'o-';

export const memberName = (id: string): string => memberPrefix + id;
export const ownerName = (partition: number): string => ownerPrefix + partition;

/** Undefined: the record is of no member. */
export const memberOf = (name: string): string | undefined =>
  name.startsWith(memberPrefix) ? name.slice(memberPrefix.length) : undefined;

/** Undefined: the record is of no partition. */
export const partitionOf = (name: string): number | undefined =>
  name.startsWith(ownerPrefix) ? Number(name.slice(ownerPrefix.length)) : undefined;

/** `beat`: differs between two renewals. */
export const memberText = (state: MemberState, beat: number, card: MemberCard): string =>
  JSON.stringify({v: 1, state, beat, ...card});
export const ownerText = (owner: string | undefined): string => JSON.stringify({v: 1, owner: owner ?? null});

export const roleIn = (text: string): MemberRole => (JSON.parse(text) as MemberCard).role ?? 'partition';
export const stateIn = (text: string): MemberState =>
  (JSON.parse(text) as {readonly state: MemberState}).state === 'leaving' ? 'leaving' : 'up';
export const ownerIn = (text: string): string | undefined =>
  (JSON.parse(text) as {readonly owner: string | null}).owner ?? undefined;
export const cardIn = (text: string): MemberCard => {
  const {name, sinceMs, isBack} = JSON.parse(text) as MemberCard;
  return {name, sinceMs, isBack};
};
