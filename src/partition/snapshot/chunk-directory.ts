// Directory of a partition's closed chunks: entries by number, and in the orders in which pages of history search them.
//   CD1. The orders are maintained as chunks are added and replaced. A page reads few of thousands of chunks: sorting all of
//        them for each page took 1.2 ms of the folding thread, for a hundred million events in four partitions.
//   CD2. An order that was handed out never changes: a page walks it over several turns of the event loop.
import {newestChunkFirst} from '../../../actors/chunk/history.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import {firstPlace} from '../../../actors/order/search.js';

type Order = (a: ChunkEntry, b: ChunkEntry) => number;

const byOrdinal: Order = (a, b) => a.baseOrdinal - b.baseOrdinal;

export class ChunkDirectory {
  private readonly byNumber = new Map<number, ChunkEntry>();
  /** Entries in the order of `newestChunkFirst`. CD2 */
  newestFirst: readonly ChunkEntry[] = [];
  /** Entries in ascending order of ordinals. CD2 */
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

  /** Fills an empty directory, or replaces all entries. */
  restore(entries: readonly ChunkEntry[]): void {
    for (const entry of entries) this.byNumber.set(entry.chunk, entry);
    this.newestFirst = entries.toSorted(newestChunkFirst);
    this.byOrdinal = entries.toSorted(byOrdinal);
  }

  /** Adds an entry, or replaces the one with its number. */
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

/** Position of the entry in the order, or where it belongs. */
const placeOf = (entries: readonly ChunkEntry[], entry: ChunkEntry, order: Order): number =>
  firstPlace(0, entries.length, (place) => order(entries[place]!, entry) < 0);
