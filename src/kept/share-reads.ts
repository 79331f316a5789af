// Reads of links: counted here and stored about once a minute, so that a read writes nothing.
import type {KeptStore} from './kept-store.js';
import {type Share, sharesOf} from './share.js';

export class ShareReads {
  /** Reads since they were stored last, by id of the link. */
  private readonly counted = new Map<string, {reads: number; lastReadMs: number}>();

  constructor(private readonly store: KeptStore) {}

  add({id}: Share, atMs: number): void {
    const counted = this.counted.get(id) ?? {reads: 0, lastReadMs: 0};
    counted.reads += 1;
    counted.lastReadMs = atMs;
    this.counted.set(id, counted);
  }

  /** With those that are not stored yet. `lastReadMs` null: there was none. */
  of({id, reads, lastReadMs}: Share): Pick<Share, 'reads' | 'lastReadMs'> {
    const here = this.counted.get(id);
    return {reads: reads + (here?.reads ?? 0), lastReadMs: latest(lastReadMs, here?.lastReadMs)};
  }

  /** A failure keeps the counts for the next time. Rejects with a `BucketFault`. */
  async save(): Promise<void> {
    for (const [id, counted] of this.counted) {
      const {reads, lastReadMs} = counted;
      if (reads === 0) continue;
      await sharesOf(this.store).change(id, (share) => ({
        ...share,
        reads: share.reads + reads,
        lastReadMs: latest(share.lastReadMs, lastReadMs),
      }));
      counted.reads -= reads;
    }
    for (const id of this.counted.keys()) if (sharesOf(this.store).get(id) === undefined) this.counted.delete(id);
  }
}

const latest = (one: number | null, other = 0): number | null => Math.max(one ?? 0, other) || null;
