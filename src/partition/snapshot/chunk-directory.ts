// Entries of the closed chunks of a partition by their number, and in the orders in which pages of history look for them.
//   CD1. The orders are kept as chunks come and are replaced. A page looks at few of thousands of chunks: putting all of them in
//        order for each page took 1.2 ms of the thread that folds, of a hundred million events in four partitions.
//   CD2. An order that somebody was given stays as it was: a page goes through it over several turns.
import {newestChunkFirst} from '../../../actors/chunk/history.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import {firstPlace} from '../../../actors/order/search.js';

type Order = (a: ChunkEntry, b: ChunkEntry) => number;

const byOrdinal: Order = (a, b) => a.baseOrdinal - b.baseOrdinal;

export class ChunkDirectory {
  private readonly byNumber = new Map<number, ChunkEntry>();
  /** As `newestChunkFirst` has them. CD2 */
  newestFirst: readonly ChunkEntry[] = [];
  /** Ascending. CD2 */
  byOrdinal: readonly ChunkEntry[] = [];

  get size(): number {
    return this.byNumber.size;
  }

  has(chunk: number): boolean {
    return this.byNumber.has(chunk);
  }

  get(chunk: number): ChunkEntry | undefined {
    return this.byNumber.get(chunk);
  }

  values(): Iterable<ChunkEntry> {
    return this.byNumber.values();
  }

  /** Of a directory without any. */
  restore(entries: readonly ChunkEntry[]): void {
    for (const entry of entries) this.byNumber.set(entry.chunk, entry);
    this.newestFirst = entries.toSorted(newestChunkFirst);
    this.byOrdinal = entries.toSorted(byOrdinal);
  }

  /** Takes the place of an entry with the same number. */
  set(entry: ChunkEntry): void {
    const old = this.byNumber.get(entry.chunk);
    this.byNumber.set(entry.chunk, entry);
    this.newestFirst = replaced(this.newestFirst, old, entry, newestChunkFirst);
    this.byOrdinal = replaced(this.byOrdinal, old, entry, byOrdinal);
  }
}

function replaced(
  entries: readonly ChunkEntry[],
  old: ChunkEntry | undefined,
  entry: ChunkEntry,
  order: Order,
): readonly ChunkEntry[] {
  const left = old === undefined ? entries : entries.toSpliced(placeOf(entries, old, order), 1);
  return left.toSpliced(placeOf(left, entry, order), 0, entry);
}

/** Where the entry stands, or belongs. */
const placeOf = (entries: readonly ChunkEntry[], entry: ChunkEntry, order: Order): number =>
  firstPlace(0, entries.length, (place) => order(entries[place]!, entry) < 0);
