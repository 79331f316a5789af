// Changes of the aggregator's windows since the last snapshot, and the merging of runs.

import {dayMs, hourMs} from '../limits.js';
import {PairSums, type SortedPairs} from '../order/pair-sums.js';
import {lowerBound} from '../order/search.js';
import type {UserSet} from '../table/user-set.js';
import {type DaySet, DaySets} from './day-sets.js';
import {hoursPerDay, type WindowsView} from './windows.js';

/** Bytes at which a block is closed; a single day may exceed it (windows.ts W2). */
export const windowBlockBytes = 256 * 1024;

export class WindowDeltas {
  private readonly cells = new PairSums(); // (hour, name) -> count
  private readonly members = new DaySets();
  // Counts of each name's newest hour, beside the table: most events of a name fall into the hour of the one before.
  private pendingHours = new Uint32Array(64);
  private pendingCounts = new Uint32Array(64);

  /** Adds one event of an active user. `isNewDay` may be false only if the user was added for this day before. */
  add(timeMs: number, name: number, user: number, isNewDay: boolean): void {
    const hour = Math.floor(timeMs / hourMs);
    if (name >= this.pendingHours.length) this.growPending(name);
    if (this.pendingHours[name] !== hour) {
      this.flush(name);
      this.pendingHours[name] = hour;
    }
    this.pendingCounts[name] += 1;
    if (isNewDay) this.members.add(Math.floor(timeMs / dayMs), user);
  }

  private growPending(name: number): void {
    const hours = new Uint32Array(Math.max(name + 1, this.pendingHours.length * 2));
    hours.set(this.pendingHours);
    this.pendingHours = hours;
    const counts = new Uint32Array(hours.length);
    counts.set(this.pendingCounts);
    this.pendingCounts = counts;
  }

  /** Subtracts one event of an erased user. W1 (windows.ts). Its day set is cleaned through `erasedUsers`. */
  subtract(timeMs: number, name: number): void {
    this.cells.add(Math.floor(timeMs / hourMs), name, -1);
  }

  /** Subtracts `count` events of users who left. W1 */
  subtractCell(hour: number, name: number, count: number): void {
    this.cells.add(hour, name, -count);
  }

  /** Takes users out of day sets: none of their events of these days is left. */
  removeMembers(gone: ReadonlyMap<number, UserSet>): void {
    for (const [day, users] of gone) this.members.remove(day, users);
  }

  /** Adds the counts by day of events before a day. */
  addDaysBefore(day: number, counts: Map<number, number>): void {
    for (let name = 0; name < this.pendingCounts.length; name++) this.flush(name);
    const {first: hours, values} = this.cells.sorted();
    addDays(hours, values, day, counts);
  }

  private flush(name: number): void {
    if (this.pendingCounts[name] > 0) this.cells.add(this.pendingHours[name], name, this.pendingCounts[name]);
    this.pendingCounts[name] = 0;
  }

  /**
   * The blocks of one run from `fromDay` on, in order of days, encoded lazily, without members that `isErased`. Nothing may be added
   * any more.
   */
  *encode(isErased: (user: number) => boolean, fromDay: number): Generator<WindowsView> {
    for (let name = 0; name < this.pendingCounts.length; name++) this.flush(name);
    const sets = this.members.sorted().filter(({day}) => day >= fromDay);
    yield* blocksOf(this.cells.sorted(), sets, isErased, fromDay);
  }
}

/** Adds the counts by day of cells before a day. Hours ascend. */
export function addDays(
  hours: ArrayLike<number>,
  values: ArrayLike<number>,
  endDay: number,
  counts: Map<number, number>,
): void {
  for (let cell = 0; cell < hours.length && hours[cell] < endDay * hoursPerDay; cell++) {
    const day = Math.floor(hours[cell] / hoursPerDay);
    counts.set(day, (counts.get(day) ?? 0) + values[cell]);
  }
}

function* blocksOf(
  cells: SortedPairs,
  sets: readonly DaySet[],
  isErased: (user: number) => boolean,
  fromDay: number,
): Generator<WindowsView> {
  const builder = new WindowsBuilder();
  let cell = lowerBound(cells.first, fromDay * hoursPerDay);
  let set = 0;
  while (cell < cells.first.length || set < sets.length) {
    const cellDay = cell < cells.first.length ? Math.floor(cells.first[cell] / hoursPerDay) : Infinity;
    const day = Math.min(cellDay, set < sets.length ? sets[set].day : Infinity);
    if (builder.bytes >= windowBlockBytes) yield builder.finish();
    cell = addCells(builder, cells, cell, (day + 1) * hoursPerDay);
    if (set < sets.length && sets[set].day === day) {
      builder.daySet(day, without(sets[set].users, isErased));
      set += 1;
    }
  }
  if (!builder.isEmpty) yield builder.finish();
}

/** Filters in place. A loop: `filter` of typed arrays gathers its result in a list first. */
function without(users: Uint32Array, isErased: (user: number) => boolean): Uint32Array {
  let kept = 0;
  for (let i = 0; i < users.length; i++) if (!isErased(users[i])) users[kept++] = users[i];
  return users.subarray(0, kept);
}

/** Adds the cells from `start` that lie before `hourEnd`; returns the position of the first that does not. */
function addCells(
  builder: WindowsBuilder,
  {first, second, values}: SortedPairs,
  start: number,
  hourEnd: number,
): number {
  let cell = start;
  for (; cell < first.length && first[cell] < hourEnd; cell++) {
    if (values[cell] !== 0) builder.cell(first[cell], second[cell], values[cell]);
  }
  return cell;
}

/** Builds one block from cells by (hour, name) and day sets by day. */
export class WindowsBuilder {
  private hours: number[] = [];
  private names: number[] = [];
  private counts: number[] = [];
  private days: number[] = [];
  private sets: Uint32Array[] = [];
  private memberCount = 0;

  get bytes(): number {
    return this.hours.length * 16 + this.days.length * 8 + this.memberCount * 4;
  }

  get isEmpty(): boolean {
    return this.hours.length === 0 && this.days.length === 0;
  }

  cell(hour: number, name: number, count: number): void {
    this.hours.push(hour);
    this.names.push(name);
    this.counts.push(count);
  }

  daySet(day: number, members: Uint32Array): void {
    if (members.length === 0) return;
    this.days.push(day);
    this.sets.push(members);
    this.memberCount += members.length;
  }

  finish(): WindowsView {
    const members = new Uint32Array(this.memberCount);
    const memberOffsets = new Uint32Array(this.days.length + 1);
    this.sets.forEach((set, i) => {
      members.set(set, memberOffsets[i]);
      memberOffsets[i + 1] = memberOffsets[i] + set.length;
    });
    const cellDays = this.hours.map((hour) => Math.floor(hour / hoursPerDay));
    const touched = [cellDays.at(0), cellDays.at(-1), this.days.at(0), this.days.at(-1)].filter(
      (day) => day !== undefined,
    );
    const view: WindowsView = {
      firstDay: Math.min(...touched),
      lastDay: Math.max(...touched),
      counts: Float64Array.from(this.counts),
      hours: Uint32Array.from(this.hours),
      names: Uint32Array.from(this.names),
      days: Uint32Array.from(this.days),
      memberOffsets,
      members,
    };
    this.hours = [];
    this.names = [];
    this.counts = [];
    this.days = [];
    this.sets = [];
    this.memberCount = 0;
    return view;
  }
}

/**
 * Merges one day of several runs into a block: adds counts, unites day sets. Drops zero cells only if `isWhole`: all runs are
 * here.
 */
export function mergeDay(
  builder: WindowsBuilder,
  day: number,
  views: readonly WindowsView[],
  isErased: (user: number) => boolean,
  isWhole: boolean,
): void {
  const stretches = views.map((view) => ({
    view,
    start: lowerBound(view.hours, day * hoursPerDay),
    end: lowerBound(view.hours, (day + 1) * hoursPerDay),
  }));
  const cells = new PairSums(stretches.reduce((sum, {start, end}) => sum + end - start, 0));
  for (const {view, start, end} of stretches) {
    for (let i = start; i < end; i++) cells.add(view.hours[i], view.names[i], view.counts[i]);
  }
  const sorted = cells.sorted();
  for (let i = 0; i < sorted.first.length; i++) {
    if (sorted.values[i] !== 0 || !isWhole) builder.cell(sorted.first[i], sorted.second[i], sorted.values[i]);
  }
  builder.daySet(day, uniteDay(day, views, isErased));
}

function uniteDay(day: number, views: readonly WindowsView[], isErased: (user: number) => boolean): Uint32Array {
  const sets: Uint32Array[] = [];
  for (const view of views) {
    const at = lowerBound(view.days, day);
    if (view.days[at] === day) sets.push(view.members.subarray(view.memberOffsets[at], view.memberOffsets[at + 1]));
  }
  const all = new Uint32Array(sets.reduce((sum, set) => sum + set.length, 0));
  let count = 0;
  for (const set of sets) {
    all.set(set, count);
    count += set.length;
  }
  if (sets.length > 1) all.sort();
  let kept = 0;
  let previous = -1;
  for (const user of all) {
    if (user !== previous && !isErased(user)) all[kept++] = user;
    previous = user;
  }
  return all.slice(0, kept);
}

/** Days that a block mentions, ascending. */
export function daysOf(view: WindowsView): number[] {
  const days = new Set<number>(view.days);
  for (const hour of view.hours) days.add(Math.floor(hour / hoursPerDay));
  return [...days].sort((a, b) => a - b);
}

/** The block without these members of days. Cells stay. */
export function withoutMembers(view: WindowsView, gone: ReadonlyMap<number, UserSet>): WindowsView {
  const builder = new WindowsBuilder();
  for (let i = 0; i < view.counts.length; i++) builder.cell(view.hours[i], view.names[i], view.counts[i]);
  for (let i = 0; i < view.days.length; i++) {
    const members = view.members.slice(view.memberOffsets[i], view.memberOffsets[i + 1]);
    const users = gone.get(view.days[i]);
    builder.daySet(view.days[i], users === undefined ? members : without(members, (user) => users.has(user)));
  }
  return {...builder.finish(), firstDay: view.firstDay, lastDay: view.lastDay}; // The block keeps its place in its run.
}
