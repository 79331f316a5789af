// Changes of users between two snapshots, other than new events: erased users, events that became another user's, identified users.
// Readers that keep a copy of the data get them (src/report/rows/changes.ts).
//   Owns:    facts since the last snapshot, and the bytes of records. Does not own: how records are kept (src/partition/snapshot).
//
//   CG1. Facts are in the order of the log. They name users by keyed hashes, as they outlive their users.
//   CG2. An identified user is named by its index: a reader gets the profile as it is when it reads.
//   CG3. A record is kept for `changesMs` of logical time, and less than twice as long where newer ones are stored with it. A
//        user is in the newest of the records that are stored together.

/** The id of an event: `<partition>-<ordinal>`. Of events that one partition took, a later one has a higher ordinal. */
type EventIdText = string;

export type Fact =
  /**
   * Events of an anonymous user are this user's, whose index in the partition is `user`. `from` and `through`: the first and the
   * last of them. Earlier events of the device may be those of another user, whose record a reader gets later.
   */
  | {
      readonly kind: 'joined';
      readonly anonymousHash: string;
      readonly userHash: string;
      readonly user: number;
      readonly from: EventIdText;
      readonly through: EventIdText;
    }
  | {readonly kind: 'erased'; readonly userHash: string}
  /** `from` and `through`: the first and the last deleted event of an anonymous user. */
  | {readonly kind: 'erased'; readonly userHash: string; readonly from: EventIdText; readonly through: EventIdText}
  /** All events of a name were deleted, up to `through` of those that this partition took. `eventHash`: of the name's key. */
  | {readonly kind: 'erased'; readonly eventHash: string; readonly through: EventIdText}
  /** An event turned out to be a copy of another one of its user, or is of a deleted name and came from another partition. */
  | {readonly kind: 'removed'; readonly event: EventIdText};

/** The changes of one snapshot. */
export interface ChangesRecord {
  /** Position of the snapshot. */
  readonly generation: number;
  readonly sequence: number;
  readonly expiresLogicalMs: number;
  /** CG1 */
  readonly facts: readonly Fact[];
  /** Indexes of users, ascending. CG2 */
  readonly identified: readonly number[];
}

/** How many things a record tells. */
export const changesIn = ({facts, identified}: ChangesRecord): number => facts.length + identified.length;

/** Facts since the last snapshot. */
export class Changes {
  private facts: Fact[] = [];

  add(fact: Fact): void {
    this.facts.push(fact);
  }

  take(): readonly Fact[] {
    const {facts} = this;
    this.facts = [];
    return facts;
  }
}

/** These records, in their order, as one part holds them. CG3 */
export function joinRecords(records: readonly ChangesRecord[]): readonly ChangesRecord[] {
  const told = new Set<number>();
  const joined: ChangesRecord[] = [];
  for (const record of records.toReversed()) {
    const identified = record.identified.filter((user) => !told.has(user));
    for (const user of identified) told.add(user);
    if (record.facts.length + identified.length > 0) joined.push({...record, identified});
  }
  return joined.reverse();
}

/** Read by src/parts/stored-state.ts. */
const encoder = new TextEncoder();

export const encodeChanges = (records: readonly ChangesRecord[]): Uint8Array => encoder.encode(JSON.stringify(records));
