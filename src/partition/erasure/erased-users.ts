// The users of an erase entry, as they leave the parts of a partition: their rows, and their message ids.
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
  /** Notes these rows of a chunk. */
  addRows(rows: RowsView, found: readonly number[]): void;
  /** Notes the event of such a row. */
  addEvent(user: number, event: EntryView): void;
}

type LeavingRows = Pick<RowsView, 'users' | 'names' | 'count'> & Partial<Pick<RowsView, 'noUser'>>;

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
  addRows(rows: RowsView, found: readonly number[]): void {
    const {chunk, names, users, baseOrdinal} = rows;
    for (const row of found)
      this.of(users[row]).rows.push({timeMs: timeOf(rows, row), name: names[row], chunk, ordinal: baseOrdinal + row});
  }

  get rows(): ErasedRow[] {
    return [...this.byUser.values()].flatMap(({rows}) => rows);
  }
}
