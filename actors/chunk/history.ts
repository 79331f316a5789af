// The newest rows that match a filter, gathered chunk by chunk.
//   Order: newest first by (time, partition, ordinal); within a partition (time, ordinal).
//   N1. Rows of one user are found by a scan of the user column, which is contiguous. A scan by time would read three columns a
//       row at scattered addresses, for the few rows that a user has in a chunk.
//   N2. A chunk is read only if its newest possible row, by its outline, comes before the last row kept. Among equal times the
//       highest ordinals are newest: of thousands of chunks with the same newest time (imported days without a time of day)
//       only those of one page are read.
//   N3. Rows in memory are scanned in place, from the last one back: pages are read between two messages of the log, and
//       copying and sorting the rows for each would take three times as long.
//   N4. Of those rows, one that is nearly in order is inserted at once. Rows that belong far earlier are gathered and sorted a
//       page at a time: inserting each into a page of 1,000 blocked the folding thread for 75 ms when a chunk's rows had
//       arrived newest first.

import type {ChunkEntry} from '../manifest.js';
import type {RowsByOrdinal} from './chunk.js';
import {firstAt, type RowsView} from './rows.js';

export interface HistoryFilter {
  /** Index of the only user, and of the only name; undefined: any. */
  readonly user: number | undefined;
  /** Whether another partition has the events of a user: the rows here are left out. */
  readonly hasLeft?: ((user: number) => boolean) | undefined;
  readonly name: number | undefined;
  /** Inclusive, epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Rows from this ordinal on are left out. */
  readonly ordinalEnd: number;
  /** End of the page before: rows at `timeMs` match only below this ordinal. `toMs` is at most `timeMs`. */
  readonly before: {readonly timeMs: number; readonly ordinal: number} | undefined;
}

export interface FoundRow {
  readonly timeMs: number;
  readonly ordinal: number;
}

/** Positions from the end within which a row is inserted at once. N4 */
const nearMax = 64;

/** A chunk's outline from the directory: known without reading it. */
export type ChunkOutline = Pick<ChunkEntry, 'baseOrdinal' | 'count' | 'minTimeMs' | 'maxTimeMs' | 'names'>;

export interface ReachableChunk<C> {
  readonly chunk: C;
  /** Upper bound: no matching row of the chunk is newer. */
  readonly newest: FoundRow;
}

/** Orders chunks by their newest possible row; on ties by ordinal, the last one first. */
export const newestChunkFirst = (
  a: Pick<ChunkOutline, 'maxTimeMs' | 'baseOrdinal'>,
  b: Pick<ChunkOutline, 'maxTimeMs' | 'baseOrdinal'>,
): number => b.maxTimeMs - a.maxTimeMs || b.baseOrdinal - a.baseOrdinal;

/**
 * Chunks that pass `isAsked` and may hold a matching row, in reading order (N2), lazily. `chunks` must be sorted by
 * `newestChunkFirst`.
 */
export function* reachableChunks<C extends ChunkOutline>(
  chunks: readonly C[],
  filter: HistoryFilter,
  isAsked: (chunk: C) => boolean = () => true,
): Generator<ReachableChunk<C>, void, void> {
  const reach = (chunk: C): ReachableChunk<C>[] => {
    if (!isAsked(chunk)) return [];
    const newest = newestPossible(chunk, filter);
    return mayMatch(chunk, newest, filter) ? [{chunk, newest}] : [];
  };
  // All chunks with rows newer than `toMs` start at the same moment, so they are sorted again by ordinal.
  const older = chunks.findIndex(({maxTimeMs}) => maxTimeMs < filter.toMs);
  const end = older < 0 ? chunks.length : older;
  yield* chunks
    .slice(0, end)
    .flatMap(reach)
    .sort((a, b) => newestFirst(a.newest, b.newest));
  for (let at = end; at < chunks.length; at++) yield* reach(chunks[at]);
}

/** The newest row that a chunk may have. Ordinal -1: none at that time, but earlier ones are possible. */
function newestPossible({baseOrdinal, count, maxTimeMs}: ChunkOutline, filter: HistoryFilter): FoundRow {
  const {toMs, ordinalEnd, before} = filter;
  const timeMs = Math.min(maxTimeMs, toMs);
  const endBefore = before?.timeMs === timeMs ? before.ordinal : Number.POSITIVE_INFINITY;
  const end = Math.min(baseOrdinal + count, ordinalEnd, endBefore);
  return {timeMs, ordinal: end > baseOrdinal ? end - 1 : -1};
}

function mayMatch({baseOrdinal, minTimeMs, names}: ChunkOutline, newest: FoundRow, filter: HistoryFilter): boolean {
  const {name, fromMs, ordinalEnd} = filter;
  if (newest.timeMs < Math.max(fromMs, minTimeMs) || baseOrdinal >= ordinalEnd) return false;
  if (newest.ordinal < 0 && newest.timeMs === minTimeMs) return false;
  return name === undefined || names === null || names.includes(name);
}

/** Keeps the best `limit` rows of those offered. */
export class NewestRows {
  rows: FoundRow[] = [];
  private readonly limit: number;
  private readonly filter: HistoryFilter;
  private keptFromMs = 0;

  constructor(limit: number, filter: HistoryFilter) {
    this.limit = limit;
    this.filter = filter;
  }

  /** Whether a chunk whose newest row is at most `newest` can still add a row. N2 */
  wants(newest: FoundRow): boolean {
    return this.rows.length < this.limit || isNewer(newest, this.rows[this.limit - 1]);
  }

  /** `keptFromMs`: older rows of the chunk have expired. */
  offer(chunk: RowsView, keptFromMs = 0): void {
    const {user} = this.filter;
    this.keptFromMs = keptFromMs;
    this.keep(user === undefined ? this.scan(chunk) : this.scanOf(user, chunk));
  }

  /** Offers the rows of a chunk in memory, in arrival order. */
  offerByOrdinal(chunk: RowsByOrdinal): void {
    const {user} = this.filter;
    this.keptFromMs = 0;
    this.keep(user === undefined ? this.scanAll(chunk) : this.scanOf(user, chunk));
  }

  private keep(found: readonly FoundRow[]): void {
    if (found.length > 0) this.rows = mergeNewest(this.rows, found, this.limit);
  }

  /** Matches of one chunk, newest first, at most `limit`. */
  private scan(chunk: RowsView): FoundRow[] {
    const {name, toMs, hasLeft = hasNot} = this.filter;
    const earliestMs = this.earliestMs();
    const {timeBase, times, users, names, order, baseOrdinal} = chunk;
    const found: FoundRow[] = [];
    for (let at = firstAt(chunk, toMs + 1) - 1; at >= 0 && found.length < this.limit; at--) {
      const row = order[at];
      const timeMs = timeBase + times[row];
      if (timeMs < earliestMs) break;
      if (name !== undefined && names[row] !== name) continue;
      const ordinal = baseOrdinal + row;
      if (this.isInReach(timeMs, ordinal) && !hasLeft(users[row])) found.push({timeMs, ordinal});
    }
    return found;
  }

  /** Matches of a chunk in memory, scanned from the last ordinal back: among equal times a later find is older. N3 */
  private scanAll({count, timeBase, times, users, noUser, names, baseOrdinal}: RowsByOrdinal): readonly FoundRow[] {
    const {name, toMs, hasLeft = hasNot} = this.filter;
    let earliestMs = this.earliestMs();
    const page = new NearlyOrdered(this.limit);
    for (let row = count - 1; row >= 0; row--) {
      const timeMs = timeBase + times[row];
      if (timeMs < earliestMs || timeMs > toMs || users[row] === noUser) continue;
      const ordinal = baseOrdinal + row;
      if ((name !== undefined && names[row] !== name) || !this.isInReach(timeMs, ordinal)) continue;
      if (hasLeft(users[row])) continue;
      page.add({timeMs, ordinal});
      if (page.last !== undefined) earliestMs = Math.max(earliestMs, page.last.timeMs + 1);
    }
    return page.rows();
  }

  /** Matches of one user in a chunk. N1 */
  private scanOf(user: number, {timeBase, times, users, noUser, names, baseOrdinal}: RowsByOrdinal): FoundRow[] {
    const {name, toMs} = this.filter;
    const earliestMs = this.earliestMs();
    const found: FoundRow[] = [];
    if (user >= noUser) return found;
    for (let row = users.indexOf(user); row >= 0; row = users.indexOf(user, row + 1)) {
      if (name !== undefined && names[row] !== name) continue;
      const timeMs = timeBase + times[row];
      const ordinal = baseOrdinal + row;
      if (timeMs >= earliestMs && timeMs <= toMs && this.isInReach(timeMs, ordinal)) found.push({timeMs, ordinal});
    }
    found.sort(newestFirst);
    if (found.length > this.limit) found.length = this.limit;
    return found;
  }

  /** Older rows do not match, or newer ones fill the page already. */
  private earliestMs(): number {
    const fromMs = Math.max(this.filter.fromMs, this.keptFromMs);
    return this.rows.length < this.limit ? fromMs : Math.max(fromMs, this.rows[this.limit - 1].timeMs);
  }

  private isInReach(timeMs: number, ordinal: number): boolean {
    const {ordinalEnd, before} = this.filter;
    return ordinal < ordinalEnd && (before === undefined || timeMs !== before.timeMs || ordinal < before.ordinal);
  }
}

const hasNot = (): boolean => false;

/** The newest `limit` rows of a nearly sorted or unsorted stream. N4 */
class NearlyOrdered {
  private readonly limit: number;
  /** Rows in their place, newest first. */
  private placed: FoundRow[] = [];
  /** Rows that belong far earlier: unsorted, fewer than `limit`. */
  private ahead: FoundRow[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  /** The last row of a full page: older rows cannot enter it. */
  get last(): FoundRow | undefined {
    return this.placed[this.limit - 1];
  }

  add(row: FoundRow): void {
    const {placed, ahead, limit} = this;
    if (placed.length >= nearMax && isNewer(row, placed[placed.length - nearMax])) {
      ahead.push(row);
      if (ahead.length === limit) this.mergeAhead();
      return;
    }
    let at = placed.length;
    while (at > 0 && isNewer(row, placed[at - 1])) at -= 1;
    placed.splice(at, 0, row);
    if (placed.length > limit) placed.pop();
  }

  rows(): readonly FoundRow[] {
    if (this.ahead.length > 0) this.mergeAhead();
    return this.placed;
  }

  private mergeAhead(): void {
    this.placed = mergeNewest(this.placed, this.ahead.sort(newestFirst), this.limit);
    this.ahead = [];
  }
}

function mergeNewest(a: readonly FoundRow[], b: readonly FoundRow[], limit: number): FoundRow[] {
  const merged: FoundRow[] = [];
  for (let i = 0, j = 0; merged.length < limit && (i < a.length || j < b.length); ) {
    const takesA = j === b.length || (i < a.length && isNewer(a[i], b[j]));
    merged.push(takesA ? a[i++] : b[j++]);
  }
  return merged;
}

/** Compares two rows: newest first. */
const newestFirst = (a: FoundRow, b: FoundRow): number => b.timeMs - a.timeMs || b.ordinal - a.ordinal;

const isNewer = (a: FoundRow, b: FoundRow): boolean => newestFirst(a, b) < 0;
