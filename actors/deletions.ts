// Deletion records: each says what was deleted, and what was done and checked after it. Kept for 30 days of logical time.
//   DR1. A request for a deleted user returns its newest deletion, found by the user's hash. There may be hundreds of thousands
//        of records, and clients may ask for users that never existed.
//   DR2. A pending deletion does not expire.
//   DR3. A completed deletion is written once, with the next cut, and again only when small parts are merged: there may be as
//        many as users deleted within 30 days, and each deletion takes snapshots of its own.
//   DR4. Late copies name erased users in the log, after their erase entries: the log is cleaned of them once more.
import {type Actor, type FrozenPart, jsonOf, jsonPart, type Moment, type Payload} from './actor.js';
import {must} from './invariant.js';
import {Journal, type JournalBlock} from './journal.js';
import {type DeletionRecord, encodeDeletions} from './manifest.js';

/** Small state. `parts`: completed records, with the latest expiry of each part. */
export interface DeletionsState {
  readonly pending: readonly DeletionRecord[];
  readonly toTell: readonly string[];
  readonly erasedInLogSequence: number;
  readonly parts: readonly JournalBlock<number>[];
}

export class Deletions implements Actor<DeletionRecord> {
  readonly name = 'deletions';
  /** Records by id, the newest last. */
  private readonly byId = new Map<string, DeletionRecord>();
  /** Ids of a user's deletions by its hash, the newest last. Nearly all users have one. */
  private readonly idsOfUser = new Map<string, string[]>();
  /** Ids of pending deletions. */
  private readonly pendingIds = new Set<string>();
  /** Number of records of names. */
  private ofNames = 0;
  /** Records completed since the last snapshot. DR3 */
  private fresh: DeletionRecord[] = [];
  private readonly journal = new Journal<number>('deletions.completed');
  /** Completed deletions of users that not every endpoint is known to have been told of. */
  readonly toTell = new Set<string>();
  /** Last message that may hold entries of an erased user after its erase entry; 0: none in the log. DR4 */
  private erasedInLogSequence = 0;
  /** Whether records of a damaged part are missing: a deletion without a record may have been completed. */
  isIncomplete = false;

  get size(): number {
    return this.byId.size;
  }

  /** Whether all events of some name were deleted. */
  get hasNames(): boolean {
    return this.ofNames > 0;
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  get(id: string): DeletionRecord | undefined {
    return this.byId.get(id);
  }

  /** All records, the newest last. */
  values(): Iterable<DeletionRecord> {
    return this.byId.values();
  }

  /** The newest deletion of a user. DR1 */
  newestOf(userHash: string): DeletionRecord | undefined {
    const ids = this.idsOfUser.get(userHash);
    return ids === undefined ? undefined : this.byId.get(ids[ids.length - 1]);
  }

  pending(): DeletionRecord[] {
    return Array.from(this.pendingIds, (id) => must(this.byId.get(id), 'a pending deletion is on record'));
  }

  /** Keeps a record: a new one, or one of which more was done. */
  apply(record: DeletionRecord): void {
    this.keep(record);
    if (record.completed !== null) this.fresh.push(record);
  }

  private keep(record: DeletionRecord): void {
    const isKnown = this.byId.has(record.id);
    this.byId.set(record.id, record);
    if (record.completed === null) this.pendingIds.add(record.id);
    else this.pendingIds.delete(record.id);
    if (isKnown) return;
    if (record.isOfName) this.ofNames += 1;
    const ids = this.idsOfUser.get(record.userHash);
    if (ids === undefined) this.idsOfUser.set(record.userHash, [record.id]);
    else ids.push(record.id);
  }

  /** The next partition's log has the deletion: nothing here names its user any more. */
  wentOn(id: string): void {
    const {onward, ...record} = must(this.byId.get(id), 'a deletion that went on is on record');
    this.apply(record);
  }

  /** Records what was done and checked; the next snapshot has it. */
  complete(id: string, completed: NonNullable<DeletionRecord['completed']>): void {
    const record = must(this.byId.get(id), 'a deletion that was carried out is on record');
    this.apply({...record, completed});
    if (record.isOfName !== true) this.toTell.add(id); // Receivers are told of users.
  }

  /** Whether the log has a late entry that names an erased user, and must be cleaned again. DR4 */
  get hasErasedInLog(): boolean {
    return this.erasedInLogSequence > 0;
  }

  noteErasedInLog(sequence: number): void {
    this.erasedInLogSequence = sequence;
  }

  /** Notes that the log has no message up to `sequence` any more. */
  logCleaned(sequence: number): void {
    if (this.erasedInLogSequence <= sequence) this.erasedInLogSequence = 0;
  }

  freeze({logicalMs}: Moment): Iterable<FrozenPart> {
    const fresh = this.fresh.filter(({expiresLogicalMs}) => expiresLogicalMs >= logicalMs);
    this.fresh = [];
    const {erasedInLogSequence} = this;
    return this.frozen(fresh, {pending: this.pending(), toTell: [...this.toTell], erasedInLogSequence}, logicalMs);
  }

  private *frozen(
    fresh: readonly DeletionRecord[],
    state: Omit<DeletionsState, 'parts'>,
    logicalMs: number,
  ): Generator<FrozenPart> {
    const {journal} = this;
    yield* journal.drop(journal.blocks.filter(({note}) => note < logicalMs));
    if (fresh.length > 0)
      yield journal.append(contentOf(fresh), journal.blocks, (older) => {
        const held = older.flatMap((payload) => jsonOf<readonly DeletionRecord[]>(payload));
        return contentOf([...held.filter(({expiresLogicalMs}) => expiresLogicalMs >= logicalMs), ...fresh]);
      });
    yield jsonPart(this.name, {...state, parts: journal.blocks} satisfies DeletionsState);
  }

  restore(name: string, _block: number, payload: Payload): void {
    if (name !== this.name) {
      for (const record of jsonOf<readonly DeletionRecord[]>(payload))
        if (!this.pendingIds.has(record.id)) this.keep(record);
      for (const record of this.pending()) this.renew(record);
      return;
    }
    const {pending, toTell, erasedInLogSequence, parts} = jsonOf<DeletionsState>(payload);
    for (const record of pending) this.keep(record);
    for (const id of toTell) this.toTell.add(id);
    this.erasedInLogSequence = erasedInLogSequence;
    this.journal.restore(parts);
  }

  /** A list of past receipts does not refuse a start. */
  lost(): void {
    this.isIncomplete = true;
  }

  /** Drops expired records. DR2 */
  expireBefore(logicalMs: number): void {
    for (const record of this.byId.values()) {
      if (record.completed !== null && record.expiresLogicalMs < logicalMs) this.remove(record);
    }
  }

  /** A pending record is newer than all completed ones. */
  private renew(record: DeletionRecord): void {
    this.remove(record);
    this.keep(record);
  }

  private remove({id, userHash, isOfName}: DeletionRecord): void {
    this.byId.delete(id);
    if (isOfName) this.ofNames -= 1;
    const ids = must(this.idsOfUser.get(userHash), 'a deletion is found by its user').filter((other) => other !== id);
    if (ids.length > 0) this.idsOfUser.set(userHash, ids);
    else this.idsOfUser.delete(userHash);
  }
}

const contentOf = (records: readonly DeletionRecord[]) => ({
  count: records.length,
  note: records.reduce((last, {expiresLogicalMs}) => Math.max(last, expiresLogicalMs), 0),
  encode: () => encodeDeletions(records),
});
