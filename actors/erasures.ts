// Erase entries: what every actor of a partition forgets with a user, or with the events of a name.
//   Owns:    the order of it, and the records of deletions and changes that it leaves.
//   Does not own: parts. The shell takes users and events out of them first (src/partition/erasure).

import type {ErasedRow} from './aggregator/aggregator.js';
import {partitionOf} from './bytes/hash.js';
import {leftByte} from './identity/identity.js';
import {tombstoneMs} from './limits.js';
import {anonymousByte, nameByte} from './log/entries.js';
import type {EntryView} from './log/entry-view.js';
import type {PartitionActors} from './partition-actors.js';
import type {UserSet} from './table/user-set.js';

/** What an erase entry needs from the shell. */
export type AwaitedErasure =
  /** The entry at the cursor erases these users: erase them from all parts, then `applyUsers`, then continue the fold. */
  | {kind: 'erasure'; users: readonly number[]}
  /**
   * The entry at the cursor erases all events of a name (-1: there are none here): erase them from all parts, then `applyName`, then
   * continue the fold.
   */
  | {kind: 'name_erasure'; name: number};

/** A user whose rows were erased from all parts. */
interface ErasedUser {
  readonly user: number;
  readonly rows: readonly ErasedRow[];
  /** Fingerprints of the message ids of these rows, and of the user's identifies. */
  readonly fingerprints: readonly Uint32Array[];
  /** Whether its events are in the log of the partition that it leaves for: they are deleted, and counted, there. */
  readonly isSent: boolean;
}

export interface CorrectedUser {
  readonly user: number;
  readonly createdMs: number;
  readonly lastEventMs: number | undefined;
  readonly isIdentified: boolean;
}

/** Events of a name that were erased from all parts. */
export interface NameErasure {
  readonly name: number;
  /** Number of events that are deleted here: those of users whose events are sent to another partition are counted there. */
  readonly events: number;
  /** Number of events by epoch hour, without those of users who left. */
  readonly cells: ReadonlyMap<number, number>;
  /** Users by the epoch days of which none of their events is left. */
  readonly inactive: ReadonlyMap<number, UserSet>;
  /** Users of whom neither an event nor an identify is left. */
  readonly gone: readonly number[];
  /** What the other users of these events are without them; times in epoch ms. */
  corrected(): Iterable<CorrectedUser>;
  /** Rows of users in moves. */
  readonly rowsInMoves: ReadonlyMap<number, readonly ErasedRow[]>;
  /** Fingerprints of the events' message ids. */
  readonly fingerprints: readonly Uint32Array[];
  /** Ids of the events that came from other partitions. */
  readonly arrived: readonly string[];
}

export class Erasures {
  /** `generation`: of the folded log. */
  constructor(
    private readonly setup: {readonly partition: number; readonly partitions: number},
    private readonly of: PartitionActors,
    private readonly generation: () => number,
  ) {}

  /** Whether this step of the deletion was folded: an owner appends again a step that its predecessor may have appended. */
  isRepeated(entry: EntryView): boolean {
    const held = this.of.deletions.get(entry.text());
    if (held === undefined || held.userHash !== this.hashIn(entry)) return false;
    return (held.stepsLeft ?? 0) <= entry.onward().length;
  }

  private hashIn({bytes, keyStart, keyEnd}: EntryView): string {
    return this.of.hashOf(bytes.subarray(keyStart, keyEnd));
  }

  awaited(entry: EntryView): AwaitedErasure {
    const {bytes, keyStart, keyEnd} = entry;
    return bytes[keyStart] === nameByte && keyEnd > keyStart
      ? {kind: 'name_erasure', name: this.of.aggregator.names.find(bytes, keyStart + 1, keyEnd)}
      : {kind: 'erasure', users: this.of.identity.usersOf(entry)};
  }

  /**
   * Applies the erase entry at the cursor, after the shell erased its users' rows from all parts. The open chunk has none of
   * them.
   */
  applyUsers(sequence: number, entry: EntryView, erased: readonly ErasedUser[]): void {
    const {identity, changes} = this.of;
    const {links} = identity;
    const {partition, partitions} = this.setup;
    const {bytes, keyStart, keyEnd} = entry;
    for (const one of erased) this.noteErased(one);
    // The user's own partition records the erasure, before any later event of that user.
    const isHere = partitionOf(bytes, keyStart, keyEnd, partitions) === partition;
    if (isHere && keyEnd > keyStart && bytes[keyStart] !== anonymousByte)
      changes.apply({kind: 'erased', userHash: this.hashIn(entry)});
    let eventsDeleted = 0;
    for (const one of erased) eventsDeleted += this.forget(one);
    const deviceHashes = identity.deviceKeysOf(bytes, keyStart, keyEnd).map((key) => this.of.hashOf(key));
    links.forgetOwner(bytes, keyStart, keyEnd);
    this.forgetBytes();
    this.record(sequence, entry, eventsDeleted, deviceHashes);
  }

  /** Applies the erase entry of a name at the cursor, after the shell erased its events from all parts; undefined: there were none. */
  applyName(sequence: number, entry: EntryView, erased: NameErasure | undefined): void {
    const {chunks, changes} = this.of;
    if (erased !== undefined) {
      // A copy deletes what it has of this name up to here. Events that came from other partitions have ids of these.
      changes.apply({
        kind: 'erased',
        eventHash: this.hashIn(entry),
        through: `${this.setup.partition}-${chunks.nextOrdinal - 1}`,
      });
      for (const event of erased.arrived) changes.apply({kind: 'removed', event});
      this.forgetName(erased);
    }
    this.forgetBytes();
    this.record(sequence, entry, erased?.events ?? 0, [], true);
  }

  private forgetName(erased: NameErasure): void {
    const {time, users, aggregator, dedupe, identity} = this.of;
    aggregator.eraseName(erased.name, erased.cells, erased.inactive);
    dedupe.addErased(erased.fingerprints, time.logicalMs);
    for (const [user, rows] of erased.rowsInMoves) identity.moves.eraseRows(user, rows);
    for (const {user, createdMs, lastEventMs, isIdentified} of erased.corrected()) {
      users.deltas.correct(user, createdMs, lastEventMs);
      if (isIdentified) users.deltas.tellAgain(user);
    }
    for (const user of erased.gone) {
      identity.moves.erase(user, []);
      users.forget(user, false);
    }
  }

  /** Takes an erased user out of the state. @returns the number of events that are deleted here. */
  private forget({user, rows, fingerprints, isSent}: ErasedUser): number {
    const {time, users, aggregator, dedupe, identity} = this.of;
    const hasLeft = identity.moves.leftOut.has(user);
    const kept = rows.filter(({isExpired}) => !isExpired);
    identity.moves.erase(user, kept);
    aggregator.subtract(rows, hasLeft);
    dedupe.addErased(fingerprints, time.logicalMs);
    users.forget(user, kept.length > 0 && !hasLeft);
    return hasLeft || isSent ? 0 : kept.length;
  }

  /** Clears what memory may still hold of erased entries. */
  private forgetBytes(): void {
    this.of.identity.moves.forgetArriving();
    this.of.chunks.forget();
  }

  /**
   * The deletion has two steps in the user's partition if that has devices of the user, too: the last step follows the events of
   * those devices, and adds to the record of the first.
   */
  private record(
    sequence: number,
    entry: EntryView,
    eventsDeleted: number,
    deviceHashes: string[],
    isOfName = false,
  ): void {
    const id = entry.text();
    const held = this.of.deletions.get(id);
    const partitions = entry.onward();
    this.of.deletions.apply({
      id,
      userHash: held?.userHash ?? this.hashIn(entry),
      ...(isOfName && {isOfName, receivedMs: entry.receivedMs}),
      deviceHashes: [...(held?.deviceHashes ?? []), ...deviceHashes],
      position: {generation: this.generation(), sequence},
      eventsDeleted: eventsDeleted + (held?.eventsDeleted ?? 0),
      ...(partitions.length > 0 && {onward: {key: entry.userKey(), partitions}, stepsLeft: partitions.length}),
      completed: null,
      expiresLogicalMs: this.of.time.logicalMs + tombstoneMs,
    });
  }

  /** Notes an erasure. For an anonymous user it names the range of events: others under the same key may be another user's. */
  private noteErased({user, rows}: ErasedUser): void {
    const {users, identity, changes} = this.of;
    const [kind] = users.table.bytesOf(user);
    if ((kind !== anonymousByte && kind !== leftByte) || rows.length === 0 || identity.moves.leftOut.has(user)) return;
    const ordinals = rows.map(({ordinal}) => ordinal);
    const idOf = (ordinal: number): string => `${this.setup.partition}-${ordinal}`;
    const from = idOf(ordinals.reduce((a, b) => Math.min(a, b)));
    const through = idOf(ordinals.reduce((a, b) => Math.max(a, b)));
    changes.apply({kind: 'erased', userHash: this.of.hashOf(identity.deviceKeyOf(user)), from, through});
  }
}
