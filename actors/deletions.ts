// Deletion records: each says what was deleted, and what was done and checked after it. Kept for 30 days of logical time.
//   DR1. A request for a deleted user returns its newest deletion, found by the user's hash. There may be hundreds of thousands
//        of records, and clients may ask for users that never existed.
//   DR2. A pending deletion does not expire.
//   DR3. A completed deletion is written once, with the next cut, and again only when small parts are merged: there may be as
//        many as users deleted within 30 days, and each deletion takes snapshots of its own.
import {must} from './invariant.js';
import type {DeletionRecord} from './manifest.js';

export class Deletions {
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

  /** Adds a record: of the log, a completed one, or a pending one of a snapshot's index. */
  add(record: DeletionRecord): void {
    this.keep(record);
    if (record.completed !== null) this.fresh.push(record);
  }

  /** Restores completed records from a part. DR3 */
  restore(records: readonly DeletionRecord[]): void {
    for (const record of records) this.keep(record);
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
    this.add(record);
  }

  complete(id: string, completed: NonNullable<DeletionRecord['completed']>): void {
    const record = must(this.byId.get(id), 'a deletion that was carried out is on record');
    this.add({...record, completed});
  }

  /** Completed records that no part has yet. DR3 */
  takeCompleted(): readonly DeletionRecord[] {
    const {fresh} = this;
    this.fresh = [];
    return fresh;
  }

  /** Drops expired records. DR2 */
  expireBefore(logicalMs: number): void {
    for (const record of this.byId.values()) {
      if (record.completed !== null && record.expiresLogicalMs < logicalMs) this.remove(record);
    }
  }

  private remove({id, userHash, isOfName}: DeletionRecord): void {
    this.byId.delete(id);
    if (isOfName) this.ofNames -= 1;
    const ids = must(this.idsOfUser.get(userHash), 'a deletion is found by its user').filter((other) => other !== id);
    if (ids.length > 0) this.idsOfUser.set(userHash, ids);
    else this.idsOfUser.delete(userHash);
  }
}
