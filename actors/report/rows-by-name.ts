// The live rows of one chunk by event name, and by time within a name: whoever asks for one name sees no other rows.
//   Derived from a rows part, never stored: a counting sort of `order`. What is read of each row lies in this order too:
//   with hundreds of chunks every row that is looked up elsewhere is a cache miss, which costs more than the work on it.
//   G1. A run is the rows of one name in one hour; buckets of reports begin and end on hours, so times are read only
//       where `from` or `to` cuts an hour.
import {hourMs} from '../limits.js';
import {lowerBound} from '../lower-bound.js';
import {type RowsView, timeOf} from '../rows.js';
import type {Reserve} from './derived-rows.js';

/** Counting takes 4 bytes an index up to the highest: past this one a chunk is not grouped. */
export const groupedNameMax = 0xffff;
/** From the second question on cells are made of what is asked for (value-cells.ts): most chunks are not asked a third time. */
const orderedAsks = 3;
const rowBytes = 2;
const runBytes = 6;

/** Rows of one name: places [start, end), runs [firstRun, runEnd). */
export interface NameGroup {
  readonly start: number;
  readonly end: number;
  readonly firstRun: number;
  readonly runEnd: number;
}

export class RowsByName {
  private readonly view: RowsView;
  private readonly reserve: Reserve;
  /** Place -> row. */
  readonly rows: Uint16Array;
  /** Of each run: its hour (epoch ms / 3,600,000), and its first place; one place more than runs. */
  readonly runHours: Uint32Array;
  readonly runStarts: Uint16Array;
  /** Name indexes that occur, ascending; the runs of names[i] begin at nameRuns[i]. */
  private readonly names: Uint32Array;
  private readonly nameRuns: Uint32Array;
  /** Of each column: how often it was asked for, and its codes by place from `orderedAsks` on. */
  private readonly asks: number[] = [];
  private readonly codes: (Uint16Array | undefined)[] = [];

  /** The rows of name n are at places [starts[n], starts[n + 1]). */
  private constructor(view: RowsView, rows: Uint16Array, starts: Uint32Array, reserve: Reserve) {
    this.view = view;
    this.reserve = reserve;
    this.rows = rows;
    const names: number[] = [];
    const nameRuns: number[] = [];
    const runs: Runs = {hours: [], starts: []};
    for (let name = 0; name + 1 < starts.length; name++) {
      if (starts[name] === starts[name + 1]) continue;
      names.push(name);
      nameRuns.push(runs.hours.length);
      addRuns(runs, view, rows, starts[name], starts[name + 1]);
    }
    nameRuns.push(runs.hours.length);
    runs.starts.push(rows.length);
    this.names = new Uint32Array(names);
    this.nameRuns = new Uint32Array(nameRuns);
    this.runHours = new Uint32Array(runs.hours);
    this.runStarts = new Uint16Array(runs.starts);
  }

  /** Undefined when a name's index is above `groupedNameMax`, or when there is no room. */
  static of(view: RowsView, reserve: Reserve): RowsByName | undefined {
    const {order, names} = view;
    const highest = highestOf(names, order);
    // As if every row were a run: what is too much is given back.
    const bytes = order.length * (rowBytes + runBytes);
    if (highest > groupedNameMax || !reserve(bytes)) return undefined;
    const starts = new Uint32Array(highest + 2);
    countNames(starts, names, order);
    for (let name = 1; name <= highest + 1; name++) starts[name] += starts[name - 1];
    const rows = new Uint16Array(order.length);
    placeByName(rows, starts.slice(), names, order);
    const grouped = new RowsByName(view, rows, starts, reserve);
    reserve(order.length * rowBytes + grouped.runHours.length * runBytes - bytes);
    return grouped;
  }

  /** Undefined when no live row has the name. */
  group(name: number): NameGroup | undefined {
    const {names, nameRuns, runStarts} = this;
    const place = lowerBound(names, name);
    if (names[place] !== name) return undefined;
    const firstRun = nameRuns[place];
    const runEnd = nameRuns[place + 1];
    return {start: runStarts[firstRun], end: runStarts[runEnd], firstRun, runEnd};
  }

  /** First run of the group at or after `hour`. */
  runAt({firstRun, runEnd}: NameGroup, hour: number): number {
    return lowerBound(this.runHours, hour, firstRun, runEnd);
  }

  /** First place of the group whose row is at or after `timeMs`. */
  placeAt(group: NameGroup, timeMs: number): number {
    const hour = Math.floor(timeMs / hourMs);
    const run = this.runAt(group, hour);
    let low = this.runStarts[run];
    if (run === group.runEnd || this.runHours[run] > hour) return low;
    let high = this.runStarts[run + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (timeOf(this.view, this.rows[middle]) < timeMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Codes of the column by place, for those who come again and again; undefined until then, and when there is no room.
   * All rows of 600 chunks take 25 ms: more than a single question gains, however few of them it asks for.
   */
  codesOf(column: number): Uint16Array | undefined {
    const held = this.codes[column];
    if (held !== undefined) return held;
    const asks = (this.asks[column] ?? 0) + 1;
    this.asks[column] = asks;
    if (asks < orderedAsks || !this.reserve(this.rows.length * rowBytes)) return undefined;
    const {codes} = this.view.columns[column];
    const byPlace = new Uint16Array(this.rows.length);
    for (let place = 0; place < byPlace.length; place++) byPlace[place] = codes[this.rows[place]];
    this.codes[column] = byPlace;
    return byPlace;
  }
}

interface Runs {
  readonly hours: number[];
  readonly starts: number[];
}

// A loop a function, over arrays that it was handed: the first chunks, which nothing is compiled for, take half as long so.

function highestOf(names: RowsView['names'], order: Uint16Array): number {
  let highest = 0;
  for (let at = 0; at < order.length; at++) {
    const name = names[order[at]];
    if (name > highest) highest = name;
  }
  return highest;
}

/** Of each name, at the place behind its own. */
function countNames(counts: Uint32Array, names: RowsView['names'], order: Uint16Array): void {
  for (let at = 0; at < order.length; at++) counts[names[order[at]] + 1] += 1;
}

/** `next`: where the next row of each name comes. */
function placeByName(rows: Uint16Array, next: Uint32Array, names: RowsView['names'], order: Uint16Array): void {
  for (let at = 0; at < order.length; at++) {
    const row = order[at];
    rows[next[names[row]]++] = row;
  }
}

/** Those of one name, at places [start, end). */
function addRuns(runs: Runs, {times, timeBase}: RowsView, rows: Uint16Array, start: number, end: number): void {
  // Of the hour, less `timeBase`, as times are.
  let hourEnd = Number.NEGATIVE_INFINITY;
  for (let place = start; place < end; place++) {
    const time = times[rows[place]];
    if (time < hourEnd) continue;
    const hour = Math.floor((timeBase + time) / hourMs);
    hourEnd = (hour + 1) * hourMs - timeBase;
    runs.hours.push(hour);
    runs.starts.push(place);
  }
}
