// The newest rows that match a filter, gathered chunk by chunk.
//   The one order is newest first by (time, partition, ordinal); within a partition that is (time, ordinal).
//   N1. Rows of one user are picked out of the column of users, which lies together: to go through a chunk by time would
//       look up three columns a row, all over the chunk, for the few rows that a user has there.
//   N2. A chunk is read only where it may add a row: the newest that it may hold, by what is known of it, comes before the
//       last one kept. Of equal times the highest ordinals are newest, so that of thousands of chunks with the same newest
//       time (days that were imported without a time of day) those of one page are read.
//   N3. Rows in memory are looked at where they stand, from the last one on: under load each page comes between two messages of
//       the log, and to sort them anew for it takes three times as long, after copying them.
//   N4. Of them, those that come nearly in order are put in their place, and those that belong far before it are gathered and
//       sorted by the page: rows that arrived newest first took 75 ms of a full chunk, in the thread that folds, where each was
//       put in its place of a page of 1,000.

import type {ChunkEntry} from '../manifest.js';
import type {RowsByOrdinal} from './chunk.js';
import {firstAt, type RowsView} from './rows.js';

export interface HistoryFilter {
  /** Index of the only user (the only name); undefined: any. */
  readonly user: number | undefined;
  /** Whose events are another partition's by now: they are left out. */
  readonly hasLeft?: ((user: number) => boolean) | undefined;
  readonly name: number | undefined;
  /** Inclusive, epoch ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Rows from this ordinal on are left out. */
  readonly ordinalEnd: number;
  /** Rows at `timeMs` count only below this ordinal: where the page before stopped. `toMs` is at most `timeMs`. */
  readonly before: {readonly timeMs: number; readonly ordinal: number} | undefined;
}

export interface FoundRow {
  readonly timeMs: number;
  readonly ordinal: number;
}

/** A row that belongs no further than this before the last one is put there at once. N4 */
const nearMax = 64;

/** What is known of a chunk without reading it. */
export type ChunkOutline = Pick<ChunkEntry, 'baseOrdinal' | 'count' | 'minTimeMs' | 'maxTimeMs' | 'names'>;

export interface ReachableChunk<C> {
  readonly chunk: C;
  /** No row of it that matches comes before this one. */
  readonly newest: FoundRow;
}

/** By the newest rows that chunks may hold; in between by ordinal, the last one first. */
export const newestChunkFirst = (
  a: Pick<ChunkOutline, 'maxTimeMs' | 'baseOrdinal'>,
  b: Pick<ChunkOutline, 'maxTimeMs' | 'baseOrdinal'>,
): number => b.maxTimeMs - a.maxTimeMs || b.baseOrdinal - a.baseOrdinal;

/**
 * Those of which `isAsked` that may hold a row that matches, in the order in which they are wanted (N2), as far as anybody goes
 * on. `chunks`: as `newestChunkFirst` has them.
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
  // Of all that have newer rows than are asked for, what is wanted begins at the same moment.
  const older = chunks.findIndex(({maxTimeMs}) => maxTimeMs < filter.toMs);
  const end = older < 0 ? chunks.length : older;
  yield* chunks
    .slice(0, end)
    .flatMap(reach)
    .sort((a, b) => newestFirst(a.newest, b.newest));
  for (let at = end; at < chunks.length; at++) yield* reach(chunks[at]);
}

/** Ordinal -1: it has no row of that time, but may have earlier ones. */
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

  constructor(limit: number, filter: HistoryFilter) {
    this.limit = limit;
    this.filter = filter;
  }

  /** Whether a chunk can still add something, of which no row comes before `newest`. N2 */
  wants(newest: FoundRow): boolean {
    return this.rows.length < this.limit || isNewer(newest, this.rows[this.limit - 1]);
  }

  offer(chunk: RowsView): void {
    const {user} = this.filter;
    this.keep(user === undefined ? this.scan(chunk) : this.scanOf(user, chunk));
  }

  /** The same of a chunk in memory, whose rows are in no order. */
  offerByOrdinal(chunk: RowsByOrdinal): void {
    const {user} = this.filter;
    this.keep(user === undefined ? this.scanAll(chunk) : this.scanOf(user, chunk));
  }

  private keep(found: readonly FoundRow[]): void {
    if (found.length > 0) this.rows = mergeNewest(this.rows, found, this.limit);
  }

  /** Matches of one chunk, newest first, no more than can be used. */
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

  /** The same by ordinal, the last one first: of equal times, what comes is older. N3 */
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

  /** The same of one user. N1 */
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

  /** Older rows do not match, or there are newer ones enough. */
  private earliestMs(): number {
    const {fromMs} = this.filter;
    return this.rows.length < this.limit ? fromMs : Math.max(fromMs, this.rows[this.limit - 1].timeMs);
  }

  private isInReach(timeMs: number, ordinal: number): boolean {
    const {ordinalEnd, before} = this.filter;
    return ordinal < ordinalEnd && (before === undefined || timeMs !== before.timeMs || ordinal < before.ordinal);
  }
}

const hasNot = (): boolean => false;

/** The newest `limit` of rows that come nearly newest first, or in any order. N4 */
class NearlyOrdered {
  private readonly limit: number;
  /** Newest first. */
  private placed: FoundRow[] = [];
  /** In no order, fewer than a page. */
  private ahead: FoundRow[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Of a page that is full: older rows are not in it. */
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

/** Newest first. */
const newestFirst = (a: FoundRow, b: FoundRow): number => b.timeMs - a.timeMs || b.ordinal - a.ordinal;

const isNewer = (a: FoundRow, b: FoundRow): boolean => newestFirst(a, b) < 0;
