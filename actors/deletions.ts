// What was deleted, and what was done and checked behind it: a record for each deletion, kept for 30 days of logical time.
//   DR1. Whoever asks for a user that is gone is told of its newest deletion. It is found by the user's hash: there may be
//        hundreds of thousands of records, and anybody may ask for users that nobody knows.
//   DR2. A deletion that is pending does not expire.
//   DR3. Those that are completed are put once, with the cut behind that, and again only where small parts are joined: there
//        may be as many as users that were deleted within 30 days, and each deletion has snapshots of its own.
import {must} from './invariant.js';
import type {DeletionRecord} from './manifest.js';

export class Deletions {
  /** The newest last. */
  private readonly byId = new Map<string, DeletionRecord>();
  /** Ids of a user's deletions by its hash, the newest last. Nearly all have one. */
  private readonly idsOfUser = new Map<string, string[]>();
  /** Ids of those that are pending. */
  private readonly pendingIds = new Set<string>();
  /** Completed since the last cut. DR3 */
  private fresh: DeletionRecord[] = [];
  /** Records of a damaged part are missing: one that is not here may have been completed. */
  isIncomplete = false;

  get size(): number {
    return this.byId.size;
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  get(id: string): DeletionRecord | undefined {
    return this.byId.get(id);
  }

  /** The newest last. */
  values(): Iterable<DeletionRecord> {
    return this.byId.values();
  }

  /** DR1 */
  newestOf(userHash: string): DeletionRecord | undefined {
    const ids = this.idsOfUser.get(userHash);
    return ids === undefined ? undefined : this.byId.get(ids[ids.length - 1]);
  }

  pending(): DeletionRecord[] {
    return Array.from(this.pendingIds, (id) => must(this.byId.get(id), 'a pending deletion is on record'));
  }

  /** A record of the log, a completed one, or a pending one of a snapshot's index. */
  add(record: DeletionRecord): void {
    this.keep(record);
    if (record.completed !== null) this.fresh.push(record);
  }

  /** Completed ones as they were put. DR3 */
  restore(records: readonly DeletionRecord[]): void {
    for (const record of records) this.keep(record);
  }

  private keep(record: DeletionRecord): void {
    const isKnown = this.byId.has(record.id);
    this.byId.set(record.id, record);
    if (record.completed === null) this.pendingIds.add(record.id);
    else this.pendingIds.delete(record.id);
    if (isKnown) return;
    const ids = this.idsOfUser.get(record.userHash);
    if (ids === undefined) this.idsOfUser.set(record.userHash, [record.id]);
    else ids.push(record.id);
  }

  complete(id: string, completed: NonNullable<DeletionRecord['completed']>): void {
    const record = must(this.byId.get(id), 'a deletion that was carried out is on record');
    this.add({...record, completed});
  }

  /** Those that are completed and in no part yet. DR3 */
  takeCompleted(): readonly DeletionRecord[] {
    const {fresh} = this;
    this.fresh = [];
    return fresh;
  }

  /** DR2 */
  expireBefore(logicalMs: number): void {
    for (const record of this.byId.values()) {
      if (record.completed !== null && record.expiresLogicalMs < logicalMs) this.remove(record);
    }
  }

  private remove({id, userHash}: DeletionRecord): void {
    this.byId.delete(id);
    const ids = must(this.idsOfUser.get(userHash), 'a deletion is found by its user').filter((other) => other !== id);
    if (ids.length > 0) this.idsOfUser.set(userHash, ids);
    else this.idsOfUser.delete(userHash);
  }
}
