// Changes of users between two snapshots, other than new events: erased users, events that became another user's, identified users.
// Readers that keep a copy of the data get them (src/report/rows/changes.ts).
//   Owns:    facts since the last snapshot, and the records of earlier ones. Does not own: which users were identified.
//
//   CG1. Facts are in the order of the log. They name users by keyed hashes, as they outlive their users.
//   CG2. An identified user is named by its index: a reader gets the profile as it is when it reads.
//   CG3. A record is kept for `changesMs` of logical time, and less than twice as long where newer ones are stored with it. A
//        user is in the newest of the records that are stored together.
//   CG4. A part of more than `changesJoinedMax` is joined with no other: a reader reads one part for a page.
//   CG5. A part is kept as long as the newest of its records. A join leaves out expired records: otherwise repeated joins would keep
//        them for ever.
import {type Actor, type FrozenPart, jsonOf, jsonPart, type Moment, type Payload} from './actor.js';
import {must} from './invariant.js';
import {Journal, type JournalBlock} from './journal.js';
import {changesMs} from './limits.js';
import type {Position} from './manifest.js';

/** Half a megabyte of users. CG4 */
const changesJoinedMax = 65_536;

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

/** What is known of a part of records: the position of the newest, and when the last one expires. */
export interface ChangesNote {
  readonly position: Position;
  readonly expiresLogicalMs: number;
}

export interface ChangesState {
  /** Changes up to this position were dropped; null: none were. */
  readonly dropped: Position | null;
  readonly parts: readonly JournalBlock<ChangesNote>[];
}

export class Changes implements Actor<Fact> {
  readonly name = 'changes';
  private facts: Fact[] = [];
  private dropped: Position | null = null;
  readonly unread = 'changes.records';
  private readonly journal = new Journal<ChangesNote>(this.unread);

  /** `identified`: users with an identify entry since the last snapshot, ascending. */
  constructor(private readonly identified: () => readonly number[]) {}

  apply(fact: Fact): void {
    this.facts.push(fact);
  }

  freeze({generation, sequence, logicalMs}: Moment): Iterable<FrozenPart> {
    const {facts} = this;
    this.facts = [];
    const expiresLogicalMs = logicalMs + changesMs;
    return this.frozen({generation, sequence, expiresLogicalMs, facts, identified: this.identified()}, logicalMs);
  }

  private *frozen(fresh: ChangesRecord, logicalMs: number): Generator<FrozenPart> {
    const {journal} = this;
    const expired = journal.blocks.filter(({note}) => note.expiresLogicalMs < logicalMs);
    this.dropped = expired.at(-1)?.note.position ?? this.dropped;
    yield* journal.drop(expired);
    if (changesIn(fresh) > 0) yield this.append(fresh, logicalMs);
    yield jsonPart(this.name, {dropped: this.dropped, parts: journal.blocks} satisfies ChangesState);
  }

  private append(fresh: ChangesRecord, logicalMs: number): FrozenPart {
    const {blocks} = this.journal;
    const small = blocks.slice(blocks.findLastIndex(({count}) => count > changesJoinedMax) + 1); // CG4
    return this.journal.append(contentOf([fresh]), small, (older) => {
      const held = older.flatMap((payload) => jsonOf<readonly ChangesRecord[]>(payload));
      const records = held.filter(({expiresLogicalMs}) => expiresLogicalMs >= logicalMs); // CG5
      const newestDropped = held[held.length - records.length - 1];
      if (newestDropped !== undefined) this.dropped = positionOf(newestDropped);
      return contentOf(joinRecords([...records, fresh]));
    });
  }

  restore(_name: string, _block: number, payload: Payload): void {
    const {dropped, parts} = jsonOf<ChangesState>(payload);
    this.dropped = dropped;
    this.journal.restore(parts);
  }
}

const positionOf = ({generation, sequence}: ChangesRecord): Position => ({generation, sequence});

/** `records`: the newest is the fresh one, which joins keep. */
const contentOf = (records: readonly ChangesRecord[]) => {
  const newest = must(records.at(-1), 'a part has records');
  return {
    count: records.reduce((sum, record) => sum + changesIn(record), 0),
    note: {position: positionOf(newest), expiresLogicalMs: newest.expiresLogicalMs},
    encode: () => encodeChanges(records),
  };
};

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

const encodeChanges = (records: readonly ChangesRecord[]): Uint8Array => encoder.encode(JSON.stringify(records));
