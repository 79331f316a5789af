// Arrive entries: events of users who left other partitions for this one, once all pieces of their move are here.
import type {Events} from './events.js';
import {joinedIn, originOf} from './identity/joined.js';
import {must} from './invariant.js';
import {nameKey} from './log/entries.js';
import {type EntryView, MessageCursor} from './log/entry-view.js';
import type {PartitionActors} from './partition-actors.js';

export class Arrivals {
  constructor(
    private readonly of: PartitionActors,
    private readonly events: Events,
  ) {}

  /** Applies the arrive entry at the cursor, and leaves the entries behind it. */
  apply(cursor: MessageCursor, sequence: number): void {
    const {identity, users, deletions, changes} = this.of;
    const hashOf = (key: Uint8Array): string => this.of.hashOf(key);
    const arrival = must(cursor.entry.arrival, 'log: an arrive entry says what arrives');
    const messages = identity.moves.apply({arrival, bytes: cursor.bytes});
    const {tally} = this.events;
    const {counted} = tally;
    for (const bytes of messages ?? []) this.applyPiece(bytes, sequence);
    for (const joined of joinedIn(messages ?? [], users.table, hashOf))
      changes.apply({kind: 'joined', userHash: hashOf(users.table.bytesOf(joined.user)), ...joined});
    tally.arrived += tally.counted - counted;
    tally.counted = counted;
    cursor.skip(cursor.left, cursor.bytes.length);
    // These bytes may be of a user who was deleted since.
    if (messages === undefined && deletions.size > 0) deletions.noteErasedInLog(sequence);
  }

  private applyPiece(bytes: Uint8Array, sequence: number): void {
    const {deletions, changes} = this.of;
    const {events} = this;
    const cursor = new MessageCursor(bytes);
    cursor.next();
    while (this.next(cursor)) {
      const {entry} = cursor;
      const {counted} = events.tally;
      if (this.wasErased(entry)) deletions.noteErasedInLog(sequence);
      else events.apply(entry, sequence);
      if (events.tally.counted === counted) changes.apply({kind: 'removed', event: originOf(entry)});
    }
  }

  /** Events of a move one by one where a name was deleted, as some may be of this name; else in runs. */
  private next(cursor: MessageCursor): boolean {
    return this.of.deletions.hasNames ? cursor.next() : this.events.next(cursor);
  }

  /**
   * Whether an event that arrives was received before all events of its name were deleted here: it was on its way. The deletion counts
   * it, and its message id is remembered as an erased one.
   */
  private wasErased(entry: EntryView): boolean {
    const {time, dedupe, deletions} = this.of;
    if (!deletions.hasNames) return false;
    const deletion = deletions.newestOf(this.of.hashOf(nameKey(entry.text())));
    if (deletion?.receivedMs === undefined || entry.receivedMs > deletion.receivedMs) return false;
    if (entry.hasMessageId) dedupe.addErased([dedupe.fingerprintOf(entry)], time.logicalMs);
    deletions.apply({...deletion, eventsDeleted: deletion.eventsDeleted + 1});
    return true;
  }
}
