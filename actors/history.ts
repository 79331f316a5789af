// The newest rows that match a filter, gathered chunk by chunk.
//   The one order is newest first by (time, partition, ordinal); within a partition that is (time, ordinal).
//   N1. Rows of one user are picked out of the column of users, which lies together: to go through a chunk by time would
//       look up three columns a row, all over the chunk, for the few rows that a user has there.
import {lowerBound, type RowsView} from './rows.js';

export interface HistoryFilter {
  /** Index of the only user (the only name); undefined: any. */
  readonly user: number | undefined;
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

/** Keeps the best `limit` rows of those offered. */
export class NewestRows {
  rows: FoundRow[] = [];
  private readonly limit: number;
  private readonly filter: HistoryFilter;

  constructor(limit: number, filter: HistoryFilter) {
    this.limit = limit;
    this.filter = filter;
  }

  /** Whether a chunk whose newest row is at `maxTimeMs` can still add something. */
  wants(maxTimeMs: number): boolean {
    return this.rows.length < this.limit || maxTimeMs >= this.rows[this.limit - 1].timeMs;
  }

  offer(chunk: RowsView): void {
    const {user} = this.filter;
    const found = user === undefined ? this.scan(chunk) : this.scanOf(user, chunk);
    if (found.length > 0) this.rows = mergeNewest(this.rows, found, this.limit);
  }

  /** Matches of one chunk, newest first, no more than can be used. */
  private scan(chunk: RowsView): FoundRow[] {
    const {name, toMs} = this.filter;
    const earliestMs = this.earliestMs();
    const {timeBase, times, names, order, baseOrdinal} = chunk;
    const found: FoundRow[] = [];
    for (let at = lowerBound(chunk, toMs + 1) - 1; at >= 0 && found.length < this.limit; at--) {
      const row = order[at];
      const timeMs = timeBase + times[row];
      if (timeMs < earliestMs) break;
      if (name !== undefined && names[row] !== name) continue;
      const ordinal = baseOrdinal + row;
      if (this.isInReach(timeMs, ordinal)) found.push({timeMs, ordinal});
    }
    return found;
  }

  /** The same of one user. N1 */
  private scanOf(user: number, {timeBase, times, users, noUser, names, baseOrdinal}: RowsView): FoundRow[] {
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
    found.sort((a, b) => (isNewer(a, b) ? -1 : 1));
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

function mergeNewest(a: readonly FoundRow[], b: readonly FoundRow[], limit: number): FoundRow[] {
  const merged: FoundRow[] = [];
  for (let i = 0, j = 0; merged.length < limit && (i < a.length || j < b.length); ) {
    const takesA = j === b.length || (i < a.length && isNewer(a[i], b[j]));
    merged.push(takesA ? a[i++] : b[j++]);
  }
  return merged;
}

const isNewer = (a: FoundRow, b: FoundRow): boolean =>
  a.timeMs > b.timeMs || (a.timeMs === b.timeMs && a.ordinal > b.ordinal);
