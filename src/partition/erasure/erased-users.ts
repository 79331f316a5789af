// Rows as they leave the parts of a partition: those of the users of an erase entry, with their message ids, and expired ones.
import type {ErasedRow} from '../../../actors/aggregator/aggregator.js';
import {rowsOfUsers} from '../../../actors/chunk/left-rows.js';
import {type RowsView, timeOf} from '../../../actors/chunk/rows.js';
import type {EntryView} from '../../../actors/log/entry-view.js';
import type {UserSet} from '../../../actors/table/user-set.js';

/** Rows and message ids that are erased with one user. */
interface ErasedOfUser {
  readonly user: number;
  readonly rows: ErasedRow[];
  /** Fingerprints of the message ids of these rows, and of the user's identifies. */
  readonly fingerprints: Uint32Array[];
}

/** What leaves a chunk, and what is noted of it. */
export interface Leaving {
  /** Rows that leave, ascending. */
  rowsOf(rows: LeavingRows): number[];
  /** Notes these rows of a chunk. Those before `keptFromMs` have expired: they leave, and count no more. */
  addRows(rows: RowsView, found: readonly number[], keptFromMs: number): void;
  /** Notes the event of such a row. */
  addEvent(user: number, event: EntryView): void;
}

type LeavingRows = Pick<RowsView, 'timeBase' | 'times' | 'users' | 'names' | 'count' | 'noUser'>;

/** Erased rows and message ids by user. */
export class ErasedUsers implements Leaving {
  private readonly users: UserSet;
  private readonly fingerprintOf: (event: EntryView) => Uint32Array;
  private readonly byUser = new Map<number, ErasedOfUser>();

  constructor(users: UserSet, fingerprintOf: (event: EntryView) => Uint32Array) {
    this.users = users;
    this.fingerprintOf = fingerprintOf;
  }

  rowsOf(rows: LeavingRows): number[] {
    return rowsOfUsers(rows, this.users);
  }

  addEvent(user: number, event: EntryView): void {
    if (event.hasMessageId) this.of(user).fingerprints.push(this.fingerprintOf(event));
  }

  of(user: number): ErasedOfUser {
    let erased = this.byUser.get(user);
    if (erased === undefined) {
      erased = {user, rows: [], fingerprints: []};
      this.byUser.set(user, erased);
    }
    return erased;
  }

  /** Adds these rows of a chunk. */
  addRows(rows: RowsView, found: readonly number[], keptFromMs: number): void {
    for (const row of found) this.of(rows.users[row]).rows.push(erasedRow(rows, row, keptFromMs));
  }

  get rows(): ErasedRow[] {
    return [...this.byUser.values()].flatMap(({rows}) => rows);
  }
}

function erasedRow(rows: RowsView, row: number, keptFromMs: number): ErasedRow {
  const timeMs = timeOf(rows, row);
  const {chunk, names, baseOrdinal} = rows;
  const erased = {timeMs, name: names[row], chunk, ordinal: baseOrdinal + row};
  return timeMs < keptFromMs ? {...erased, isExpired: true} : erased;
}

/** Expired rows (actors/retention.ts). */
export class ExpiredRows implements Leaving {
  readonly rows: ErasedRow[] = [];

  /** Rows before this time have expired. */
  constructor(private readonly keptFromMs: number) {}

  rowsOf({timeBase, times, users, noUser, count}: LeavingRows): number[] {
    const end = this.keptFromMs - timeBase;
    const found: number[] = [];
    for (let row = 0; row < count; row++) if (times[row] < end && users[row] !== noUser) found.push(row);
    return found;
  }

  addRows(rows: RowsView, found: readonly number[]): void {
    for (const row of found) this.rows.push(erasedRow(rows, row, this.keptFromMs));
  }

  addEvent(): void {
    // Their message ids are those of events that were counted.
  }
}
