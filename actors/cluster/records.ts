// The records of the cluster's bucket: `m-<id>` of a member, `o-<role>-<p>` of the owner of a partition in a role.
//   RE1. Each role has owners of its own, and its members know of no other role. `partition`: who folds a partition. `deliver`: who
//        sends its stored events to webhooks. `report`: who evaluates alerts, which is its only partition. `edge` owns nothing.

/** A record as it was stored. The revisions of one bucket ascend in the order of its writes. */
export interface StoredRecord {
  readonly name: string;
  readonly revision: number;
  /** Empty: the record is over. */
  readonly text: string;
}

/** `leaving`: it owns nothing new, and gives away what it has. */
export type MemberState = 'up' | 'leaving';

/** What a member does. RE1 */
export const memberRoles = ['partition', 'report', 'deliver', 'edge'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** What a process says of itself. */
export interface MemberCard {
  /** Its machine and process. */
  readonly name: string;
  /** Epoch ms at which it joined. */
  readonly sinceMs: number;
  /** It is the same process as a member whose membership was lost. */
  readonly isBack: boolean;
  readonly role: MemberRole;
  /** The oldest and the newest level that it reads and writes (level.ts). */
  readonly levels: readonly [oldest: number, newest: number];
}

const memberPrefix = 'm-';
const ownerPrefix = 'o-';

export const memberName = (id: string): string => memberPrefix + id;
export const ownerName = (role: MemberRole, partition: number): string => `${ownerPrefix}${role}-${partition}`;

/** Undefined: the record is of no member. */
export const memberOf = (name: string): string | undefined =>
  name.startsWith(memberPrefix) ? name.slice(memberPrefix.length) : undefined;

/** Undefined: the record is of no partition in this role. */
export function partitionOf(name: string, role: MemberRole): number | undefined {
  const prefix = ownerName(role, 0).slice(0, -1);
  return name.startsWith(prefix) ? Number(name.slice(prefix.length)) : undefined;
}

/** `beat`: differs between two renewals. */
export const memberText = (state: MemberState, beat: number, card: MemberCard): string =>
  JSON.stringify({v: 1, state, beat, ...card});
export const ownerText = (owner: string | undefined): string => JSON.stringify({v: 1, owner: owner ?? null});

export const roleIn = (text: string): MemberRole => (JSON.parse(text) as MemberCard).role;
export const stateIn = (text: string): MemberState =>
  (JSON.parse(text) as {readonly state: MemberState}).state === 'leaving' ? 'leaving' : 'up';
export const ownerIn = (text: string): string | undefined =>
  (JSON.parse(text) as {readonly owner: string | null}).owner ?? undefined;
export const cardIn = (text: string): MemberCard => {
  const {name, sinceMs, isBack, role, levels} = JSON.parse(text) as MemberCard;
  return {name, sinceMs, isBack, role, levels};
};
