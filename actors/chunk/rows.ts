// Rows of one chunk as columns: time, user and name. Properties are in a part of their own (property-columns.ts): most readers
//   do not need them, and they are the larger half.
//   Rows keep arrival order, so a row's ordinal is baseOrdinal + row for ever; `order` lists the live rows by time.
//   Bytes are viewed in place, never decoded. Each column is as narrow as its values allow.
//
//   rows part = head u32[12]: version chunk count live baseLow baseHigh timeWidth userWidth nameWidth 0 timeBase:f64
//     times f64|u32[count]  users u16|u32[count]  names u8|u16|u32[count]  order u16[live]
//   Each of these is padded to 4 bytes (padded-arrays.ts).
//
//   R1. An erased row is a zeroed slot: user `noUser`, time `timeBase`, and not in `order`.
//   R2. `times` are ms from `timeBase`: 32 bits hold 49 days. Longer spans (imports of years) are f64, from 0.
//   R3. A part's bytes depend on the rows alone, not on earlier codes: a restored or converted chunk encodes to the same bytes.

import {assert} from '../invariant.js';
import {chunkRowsMax} from '../limits.js';
import {radixSortIndices} from '../order/radix-sort.js';
import {firstPlace} from '../order/search.js';
import {PaddedArrays, paddedBytes} from './padded-arrays.js';

/** Marks an erased row in a 32-bit column; in narrower columns `RowsView.noUser` is all ones, too. */
export const noUser = 0xffffffff;
export const noName = 0xffffffff;
export const rowsVersion = 3;
const headBytes = 48;
const headTimeBaseAt = 40;

export interface RowsView {
  readonly chunk: number;
  readonly baseOrdinal: number;
  readonly count: number;
  /** The event time of row r is timeBase + times[r], epoch ms. R2 */
  readonly timeBase: number;
  readonly times: Uint32Array | Float64Array;
  readonly users: Uint16Array | Uint32Array;
  /** Marks an erased row; above every user here. R1 */
  readonly noUser: number;
  readonly names: Uint8Array | Uint16Array | Uint32Array;
  /** Live rows by (time, row). */
  readonly order: Uint16Array;
}

/** Event time of a row, epoch ms. */
export const timeOf = ({timeBase, times}: RowsView, row: number): number => timeBase + times[row];

// ---- writing ----

export function encodeRows(rows: RowsView): Uint8Array<ArrayBuffer> {
  const {order} = rows;
  const {timeBase, times} = narrowTimes(rows);
  const users = narrowUsers(rows);
  const names = narrowNames(rows);
  const head = new Uint32Array(headBytes / 4);
  head.set([
    rowsVersion,
    rows.chunk,
    rows.count,
    order.length,
    rows.baseOrdinal % 2 ** 32,
    Math.floor(rows.baseOrdinal / 2 ** 32),
    times.BYTES_PER_ELEMENT,
    users.BYTES_PER_ELEMENT,
    names.BYTES_PER_ELEMENT,
  ]);
  new DataView(head.buffer).setFloat64(headTimeBaseAt, timeBase, true);
  return paddedBytes([head, times, users, names, order]);
}

/** The narrowest time column that holds the rows. R2 */
function narrowTimes(rows: RowsView): {readonly timeBase: number; readonly times: Uint32Array | Float64Array} {
  const {order, count} = rows;
  const timeBase = order.length === 0 ? 0 : timeOf(rows, order[0]);
  const narrow = new Uint32Array(count);
  if (Number.isInteger(timeBase) && fillTimes(narrow, rows, timeBase)) return {timeBase, times: narrow};
  const wide = new Float64Array(count);
  fillTimes(wide, rows, 0);
  return {timeBase: 0, times: wide};
}

/** Writes times as ms from `timeBase`; false when one does not fit the array. R1 */
function fillTimes(times: Uint32Array | Float64Array, rows: RowsView, timeBase: number): boolean {
  const {users, noUser, count} = rows;
  const shift = rows.timeBase - timeBase;
  for (let row = 0; row < count; row++) {
    if (users[row] === noUser) continue;
    const time = rows.times[row] + shift;
    times[row] = time;
    if (times[row] !== time) return false;
  }
  return true;
}

/** Narrowing keeps the mark of erased rows: all ones truncate to all ones. */
function narrowUsers(rows: RowsView): Uint16Array | Uint32Array {
  return highestOf(rows.users, rows) < 0xffff ? new Uint16Array(rows.users) : new Uint32Array(rows.users);
}

function narrowNames(rows: RowsView): Uint8Array | Uint16Array | Uint32Array {
  const highest = highestOf(rows.names, rows);
  if (highest < 0xff) return new Uint8Array(rows.names);
  return highest < 0xffff ? new Uint16Array(rows.names) : new Uint32Array(rows.names);
}

/** The highest value among live rows. */
function highestOf(column: RowsView['names'], {users, noUser, count}: RowsView): number {
  let highest = 0;
  for (let row = 0; row < count; row++) if (column[row] > highest && users[row] !== noUser) highest = column[row];
  return highest;
}

// ---- viewing ----

/** Views a part in place. `bytes` must start at an address divisible by 8 (a buffer of its own does). */
export function viewRows(bytes: Uint8Array): RowsView {
  const arrays = new PaddedArrays(bytes);
  const head = arrays.u32(headBytes / 4);
  const [version, chunk, count, live, baseLow, baseHigh, timeWidth, userWidth, nameWidth] = head;
  assert(version === rowsVersion, `rows: part version ${version} is unknown to this program`);
  const rows = {
    chunk,
    baseOrdinal: baseHigh * 2 ** 32 + baseLow,
    count,
    timeBase: new DataView(head.buffer, head.byteOffset).getFloat64(headTimeBaseAt, true),
    times: timeWidth === 4 ? arrays.u32(count) : arrays.f64(count),
    users: userWidth === 2 ? arrays.u16(count) : arrays.u32(count),
    noUser: userWidth === 2 ? 0xffff : noUser,
    names: nameWidth === 1 ? arrays.u8(count) : nameWidth === 2 ? arrays.u16(count) : arrays.u32(count),
    order: arrays.u16(live),
  };
  assert(arrays.areWithin, 'rows: a part is as long as its head says');
  return rows;
}

// ---- searching and ordering ----

/** First position in `rows.order`, of [start, end), whose row is at or after `timeMs`. */
export function firstAt({timeBase, times, order}: RowsView, timeMs: number, start = 0, end = order.length): number {
  const time = timeMs - timeBase;
  return firstPlace(start, end, (place) => times[order[place]] < time);
}

/** Number of the rows before a time: they are the first of `order`. `keptFromMs` 0: none. */
export const expiredRows = (rows: RowsView, keptFromMs: number): number =>
  keptFromMs === 0 ? 0 : firstAt(rows, keptFromMs);

/** `firstAt` by galloping from `start`: for results near it, such as the end of an hour or a bucket. */
export function firstAtNear(rows: RowsView, timeMs: number, start: number): number {
  const {timeBase, times, order} = rows;
  const time = timeMs - timeBase;
  let [low, step] = [start, 1];
  while (low + step <= order.length && times[order[low + step - 1]] < time) {
    low += step;
    step *= 2;
  }
  return firstAt(rows, timeMs, low, Math.min(low + step - 1, order.length));
}

/** A view of the chunk whose `order` has only the rows with times in [startMs, lastMs]. */
export function rowsWithin(rows: RowsView, startMs: number, lastMs: number): RowsView {
  const start = firstAt(rows, startMs);
  const end = firstAt(rows, lastMs + 1, start);
  return end - start === rows.order.length ? rows : {...rows, order: rows.order.subarray(start, end)};
}

/** Live rows by (time, row). */
export function timeOrder(times: Float64Array, users: Uint32Array, count: number): Uint16Array {
  // One loop a function: a loop that is compiled while it runs knows nothing of the code after it, so all is compiled again.
  const order = liveRows(users, count);
  const isSorted =
    isInOrder(times, order) || sortLate(order, times) || sortByKeys(order, times, earliestOf(times, order));
  return isSorted ? order : byTime(order, times);
}

function liveRows(users: Uint32Array, count: number): Uint16Array {
  const rows = new Uint16Array(count);
  let live = 0;
  for (let row = 0; row < count; row++) if (users[row] !== noUser) rows[live++] = row;
  return live === count ? rows : rows.slice(0, live);
}

function isInOrder(times: Float64Array, order: Uint16Array): boolean {
  for (let at = 1; at < order.length; at++) if (times[order[at]] < times[order[at - 1]]) return false;
  return true;
}

/** With more than one late row in this many, a full sort is faster. */
const lateShare = 16;

/**
 * Sorts nearly ordered rows: rows earlier than one before them are sorted by themselves and merged, in less than a third of the
 * time of a full sort. False, and nothing changed, when too many are late.
 */
function sortLate(order: Uint16Array, times: Float64Array): boolean {
  const late = new Uint16Array(Math.floor(order.length / lateShare));
  const inTime = new Uint16Array(order.length);
  let lateCount = 0;
  let inTimeCount = 0;
  let latest = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < order.length; at++) {
    const row = order[at];
    if (times[row] >= latest) {
      latest = times[row];
      inTime[inTimeCount++] = row;
    } else if (lateCount === late.length) return false;
    else late[lateCount++] = row;
  }
  mergeByTime(order, times, inTime.subarray(0, inTimeCount), byTime(late.subarray(0, lateCount), times));
  return true;
}

const byTime = (rows: Uint16Array, times: Float64Array): Uint16Array =>
  rows.sort((a, b) => times[a] - times[b] || a - b);

/** Merges two lists, each by (time, row), into `order`. */
function mergeByTime(order: Uint16Array, times: Float64Array, one: Uint16Array, other: Uint16Array): void {
  let [i, j] = [0, 0];
  for (let at = 0; at < order.length; at++) {
    const isOne =
      j === other.length ||
      (i < one.length && (times[one[i]] < times[other[j]] || (times[one[i]] === times[other[j]] && one[i] < other[j])));
    order[at] = isOne ? one[i++] : other[j++];
  }
}

function earliestOf(times: Float64Array, order: Uint16Array): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (let at = 0; at < order.length; at++) earliest = Math.min(earliest, times[order[at]]);
  return earliest;
}

/** Radix sort by 32-bit keys. False when the times do not fit: they span more than 49 days, or are fractional. */
function sortByKeys(order: Uint16Array, times: Float64Array, earliest: number): boolean {
  const keys = new Uint32Array(chunkRowsMax);
  if (!fillKeys(keys, order, times, earliest)) return false;
  const places = new Uint32Array(order);
  radixSortIndices(places, keys);
  order.set(places);
  return true;
}

function fillKeys(keys: Uint32Array, order: Uint16Array, times: Float64Array, earliest: number): boolean {
  for (let at = 0; at < order.length; at++) {
    const row = order[at];
    const key = times[row] - earliest;
    keys[row] = key;
    if (keys[row] !== key) return false;
  }
  return true;
}
