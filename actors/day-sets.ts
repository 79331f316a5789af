// Who was active on which day: sets of users by day, gathered user by user.
//   A user is appended to its day's list, and equal ones are found when there is no room or the set is asked for. A day by
//   itself sorts within a core's cache: 60 ns an addition in all, where pairs of day and user, sorted together, cost 200.
//
//   DS1. What a day holds once takes at most half of its list when users start to wait for the next time: looking for equal
//        ones costs each user a constant, and memory stays in proportion to the sets.
import {sortNumbers} from './radix-sort.js';

const initialCapacity = 16;

export interface DaySet {
  readonly day: number;
  /** Ascending, each once. */
  readonly users: Uint32Array;
}

export class DaySets {
  private readonly lists = new Map<number, DayList>();
  /** The list that was added to last: most events are of the day of the one before. */
  private last: DayList | undefined;

  /** Adds a user to a day; it may be there already. */
  add(day: number, user: number): void {
    const list = this.last?.day === day ? this.last : this.listOf(day);
    if (list.count === list.users.length) list.makeRoom();
    list.users[list.count++] = user;
  }

  private listOf(day: number): DayList {
    let list = this.lists.get(day);
    if (list === undefined) {
      list = new DayList(day);
      this.lists.set(day, list);
    }
    this.last = list;
    return list;
  }

  /** By day. */
  sorted(): DaySet[] {
    return [...this.lists.values()]
      .sort((a, b) => a.day - b.day)
      .map((list) => ({day: list.day, users: list.distinct()}));
  }
}

class DayList {
  readonly day: number;
  count = 0;
  users = new Uint32Array(initialCapacity);

  constructor(day: number) {
    this.day = day;
  }

  /** DS1 */
  makeRoom(): void {
    const distinct = this.distinct();
    this.users = new Uint32Array(Math.max(this.users.length, distinct.length * 2));
    this.users.set(distinct);
    this.count = distinct.length;
  }

  /** A copy. */
  distinct(): Uint32Array {
    const sorted = this.users.slice(0, this.count);
    sortNumbers(sorted);
    return sorted.subarray(0, dropEqual(sorted));
  }
}

/** Moves what differs from the one before to the front; returns how many these are. */
function dropEqual(sorted: Uint32Array): number {
  let kept = 0;
  for (let i = 0; i < sorted.length; i++) {
    const value = sorted[i];
    if (kept === 0 || sorted[kept - 1] !== value) sorted[kept++] = value;
  }
  return kept;
}
