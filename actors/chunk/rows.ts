// Rows of one chunk as columns: when, who, what, and codes of the top-level properties' values.
//   Rows keep arrival order, so a row's ordinal is baseOrdinal + row for ever; `order` lists the live rows by time.
//   Bytes are viewed in place, never decoded: little-endian typed arrays at aligned offsets, each as narrow as what the
//   chunk has in it allows (23 bytes an event of the benchmarks' workload where full widths took 52).
//
//   rows part = head u32[16]: version chunk count live baseLow baseHigh columns flags timeWidth userWidth nameWidth 0
//                             timeBase:f64 0 0
//     times f64|u32[count]  users u16|u32[count]  names u8|u16|u32[count]  order u16[live]  column*
//   column    = head u32[8]: keyBytes codeWidth values form valueWidth smallest storedBytes 0
//     key  codes u8|u16[count]  [offsets u16|u32[values + 1]]  stored                (column-values.ts: values and forms)
//   Each of these is padded to 4 bytes.
//
//   R1. An erased row is a zeroed slot: user `noUser`, time `timeBase`, codes 0, and not in `order`.
//   R2. Code 0 = the row has no such property; a column's `inBody` = it has, but only the body tells its value (nested,
//       long, or past the bounds of a dictionary); any other code stands for value bytes of the log format (entries.ts E2).
//   R3. `keysInBody`: properties past `chunkColumnsMax` columns exist, and only bodies tell them.
//   R4. In a part a column's codes count its own values, in the order in which rows have them first. Where each row of a
//       column has a value, and few of them are equal (sessions, amounts), the values stand row by row, equal ones again,
//       and no codes are held: the code of row r is r + 1.
//   R5. `times` are ms from `timeBase` on: 32 bits hold 49 days. What they do not hold (imports of years) is f64, from 0.
//   R6. What a part says depends on the rows alone, not on how their columns were numbered before: a chunk that was
//       restored, or converted, gives the same bytes again.

import {assert} from '../invariant.js';
import {chunkRowsMax} from '../limits.js';
import {sortPlaces} from '../order/radix-sort.js';
import {firstPlace} from '../order/search.js';
import {type ColumnValues, type StoredValues, storeValues, viewValues} from './column-values.js';

/** Of columns of 32 bits; narrower ones have as many set bits as they hold (`RowsView.noUser`). */
export const noUser = 0xffffffff;
export const noName = 0xffffffff;
export const codeAbsent = 0;
/** `inBody` of codes of 16 bits; it is 0xff in those of 8. */
export const codeInBody = 0xffff;

export const rowsVersion = 2;
const headBytes = 64;
const headTimeBaseAt = 48;
const columnHeadBytes = 32;
const flagKeysInBody = 1;

export interface RowColumn {
  /** WTF-8 bytes of the property's name. */
  readonly key: Uint8Array;
  /** One code a row. R2 */
  readonly codes: Uint8Array | Uint16Array;
  readonly inBody: number;
  readonly values: ColumnValues;
}

export interface RowsView {
  readonly chunk: number;
  readonly baseOrdinal: number;
  readonly count: number;
  /** The event time of row r is timeBase + times[r], epoch ms. R5 */
  readonly timeBase: number;
  readonly times: Uint32Array | Float64Array;
  readonly users: Uint16Array | Uint32Array;
  /** Above every user here. R1 */
  readonly noUser: number;
  readonly names: Uint8Array | Uint16Array | Uint32Array;
  /** Live rows by (time, row). */
  readonly order: Uint16Array;
  readonly columns: readonly RowColumn[];
  readonly keysInBody: boolean;
}

/** Epoch ms. */
export const timeOf = ({timeBase, times}: RowsView, row: number): number => timeBase + times[row];

const padded = (bytes: number): number => (bytes + 3) & ~3;

// ---- writing ----

export function encodeRows(rows: RowsView): Uint8Array<ArrayBuffer> {
  const {order, columns} = rows;
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
    columns.length,
    rows.keysInBody ? flagKeysInBody : 0,
    times.BYTES_PER_ELEMENT,
    users.BYTES_PER_ELEMENT,
    names.BYTES_PER_ELEMENT,
  ]);
  new DataView(head.buffer).setFloat64(headTimeBaseAt, timeBase, true);
  const ownOf = new Uint16Array(codeInBody + 1);
  const pieces = columns.flatMap((column) => columnPieces(column, rows.count, ownOf));
  return joined([head, times, users, names, order, ...pieces]);
}

type Piece = Float64Array | Uint32Array | Uint16Array | Uint8Array;

function joined(pieces: readonly Piece[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((sum, {byteLength}) => sum + padded(byteLength), 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength), at);
    at += padded(piece.byteLength);
  }
  return bytes;
}

/** R5 */
function narrowTimes(rows: RowsView): {readonly timeBase: number; readonly times: Uint32Array | Float64Array} {
  const {order, count} = rows;
  const timeBase = order.length === 0 ? 0 : timeOf(rows, order[0]);
  const narrow = new Uint32Array(count);
  if (Number.isInteger(timeBase) && fillTimes(narrow, rows, timeBase)) return {timeBase, times: narrow};
  const wide = new Float64Array(count);
  fillTimes(wide, rows, 0);
  return {timeBase: 0, times: wide};
}

/** Writes times as ms from `timeBase` on; false when `times` does not hold them. R1 */
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

/** What stands for erased rows has all bits set, and so has what is left of it. */
function narrowUsers(rows: RowsView): Uint16Array | Uint32Array {
  return highestOf(rows.users, rows) < 0xffff ? new Uint16Array(rows.users) : new Uint32Array(rows.users);
}

function narrowNames(rows: RowsView): Uint8Array | Uint16Array | Uint32Array {
  const highest = highestOf(rows.names, rows);
  if (highest < 0xff) return new Uint8Array(rows.names);
  return highest < 0xffff ? new Uint16Array(rows.names) : new Uint32Array(rows.names);
}

/** Of live rows. */
function highestOf(column: RowsView['names'], {users, noUser, count}: RowsView): number {
  let highest = 0;
  for (let row = 0; row < count; row++) if (column[row] > highest && users[row] !== noUser) highest = column[row];
  return highest;
}

/** Values row by row pay where at least so many of them are different. R4 */
const byRowShare = 3 / 4;
const narrowCodesMax = 0xfe;

function columnPieces(column: RowColumn, count: number, ownOf: Uint16Array): Piece[] {
  const {codes, valueCodes} = storedCodes(column, count, ownOf);
  const values = storeValues(column.values, valueCodes);
  const head = columnHead(column.key, codes?.BYTES_PER_ELEMENT ?? 0, valueCodes.length, values);
  return [head, column.key, codes ?? noCodes, values.offsets ?? noCodes, values.stored];
}

function columnHead(key: Uint8Array, codeWidth: number, valueCount: number, values: StoredValues): Uint32Array {
  const {form, width, smallest, stored} = values;
  return Uint32Array.of(key.length, codeWidth, valueCount, form, width, smallest, stored.length, 0);
}

const noCodes = new Uint8Array(0);

/** What a part holds of a column's codes, and which codes here its values have. R4 */
interface StoredCodes {
  /** Undefined: none. */
  readonly codes: Uint8Array | Uint16Array | undefined;
  readonly valueCodes: Uint8Array | Uint16Array;
}

function storedCodes(column: RowColumn, count: number, ownOf: Uint16Array): StoredCodes {
  const {codes, inBody} = column;
  if (isAscending(codes, inBody) && count > narrowCodesMax) return {codes: undefined, valueCodes: codes};
  const narrow = new Uint8Array(count);
  const few = ownCodes(column, narrow, narrowCodesMax, ownOf);
  if (few !== undefined) return {codes: narrow, valueCodes: few};
  const wide = new Uint16Array(count);
  const used = ownCodes(column, wide, count, ownOf) ?? wide;
  const isByRow = used.length >= count * byRowShare && !wide.includes(codeAbsent) && !wide.includes(codeInBody);
  return isByRow ? {codes: undefined, valueCodes: codes} : {codes: wide, valueCodes: used};
}

/** Whether each row has a value, and each its own; as it is where values get codes of their own when they come. */
function isAscending(codes: RowColumn['codes'], inBody: number): boolean {
  let last = codeAbsent;
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] <= last) return false;
    last = codes[row];
  }
  return last < inBody;
}

/**
 * Writes the places (from 1 on) of the rows' codes among those that occur, in the order of their first rows, and returns
 * these. Undefined when there are more than `valuesMax`. `ownOf` is scratch, a place by code: zeros before and after.
 */
function ownCodes(
  {codes, inBody}: RowColumn,
  own: Uint8Array | Uint16Array,
  valuesMax: number,
  ownOf: Uint16Array,
): Uint16Array | undefined {
  const used = new Uint16Array(valuesMax);
  let count = 0;
  ownOf[inBody] = codeInBody;
  for (let row = 0; row < own.length; row++) {
    const code = codes[row];
    if (ownOf[code] === 0 && code !== codeAbsent) {
      if (count === valuesMax) {
        count += 1;
        break;
      }
      used[count++] = code;
      ownOf[code] = count;
    }
    own[row] = ownOf[code];
  }
  ownOf[inBody] = 0;
  const occurring = used.subarray(0, count);
  for (let i = 0; i < occurring.length; i++) ownOf[occurring[i]] = 0;
  return count > valuesMax ? undefined : occurring;
}

// ---- viewing ----

/** Codes of columns whose values stand row by row: one array for all of them. R4 */
const rowCodes = Uint16Array.from({length: chunkRowsMax}, (_, row) => row + 1);

/** Whether the column holds no codes of its own. */
export const isByRow = ({codes}: RowColumn): boolean => codes.buffer === rowCodes.buffer;

/** `bytes` must start at an address that 8 divides (a buffer of its own does). */
export function viewRows(bytes: Uint8Array): RowsView {
  const [version] = new Uint32Array(bytes.buffer, bytes.byteOffset, 1);
  assert(version === rowsVersion, `rows: part version ${version} is unknown to this program`);
  return new PartReader(bytes).rows();
}

class PartReader {
  private readonly bytes: Uint8Array;
  private at: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.at = bytes.byteOffset;
  }

  rows(): RowsView {
    const head = this.u32(headBytes / 4);
    const [, chunk, count, live, baseLow, baseHigh, columnCount, flags, timeWidth, userWidth, nameWidth] = head;
    const rows = {
      chunk,
      baseOrdinal: baseHigh * 2 ** 32 + baseLow,
      count,
      timeBase: new DataView(head.buffer, head.byteOffset).getFloat64(headTimeBaseAt, true),
      times: timeWidth === 4 ? this.u32(count) : this.f64(count),
      users: userWidth === 2 ? this.u16(count) : this.u32(count),
      noUser: userWidth === 2 ? 0xffff : noUser,
      names: nameWidth === 1 ? this.u8(count) : nameWidth === 2 ? this.u16(count) : this.u32(count),
      order: this.u16(live),
      columns: Array.from({length: columnCount}, () => this.column(count)),
      keysInBody: (flags & flagKeysInBody) !== 0,
    };
    assert(this.at <= this.bytes.byteOffset + this.bytes.length, 'rows: a part is as long as its head says');
    return rows;
  }

  private column(count: number): RowColumn {
    const head = this.u32(columnHeadBytes / 4);
    const [keyBytes, codeWidth, valueCount, form, width, smallest, storedBytes, unused] = head;
    assert(unused === 0, 'rows: the head of a column ends with 0');
    const key = this.u8(keyBytes);
    const codes = codeWidth === 0 ? rowCodes.subarray(0, count) : codeWidth === 1 ? this.u8(count) : this.u16(count);
    const offsets = width > 0 || valueCount === 0 ? undefined : this.offsets(valueCount + 1, storedBytes);
    const stored: StoredValues = {form, width, smallest, offsets, stored: this.u8(storedBytes)};
    return {key, codes, inBody: codeWidth === 1 ? 0xff : codeInBody, values: viewValues(valueCount, stored)};
  }

  private offsets(count: number, storedBytes: number): Uint16Array | Uint32Array {
    return storedBytes <= 0xffff ? this.u16(count) : this.u32(count);
  }

  private take(length: number): number {
    const start = this.at;
    this.at += padded(length);
    return start;
  }

  private u8(count: number): Uint8Array {
    return new Uint8Array(this.bytes.buffer, this.take(count), count);
  }

  private u16(count: number): Uint16Array {
    return new Uint16Array(this.bytes.buffer, this.take(count * 2), count);
  }

  private u32(count: number): Uint32Array {
    return new Uint32Array(this.bytes.buffer, this.take(count * 4), count);
  }

  private f64(count: number): Float64Array {
    return new Float64Array(this.bytes.buffer, this.take(count * 8), count);
  }
}

// ---- searching and ordering ----

/** First place in `rows.order`, of [start, end), whose row is at or after `timeMs`. */
export function firstAt({timeBase, times, order}: RowsView, timeMs: number, start = 0, end = order.length): number {
  const time = timeMs - timeBase;
  return firstPlace(start, end, (place) => times[order[place]] < time);
}

/** `firstAt` in steps that double before they halve: for places near `start`, as the end of an hour or a bucket is. */
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

/** The rows, of which only those with a time in [startMs, lastMs] are listed. */
export function rowsWithin(rows: RowsView, startMs: number, lastMs: number): RowsView {
  const start = firstAt(rows, startMs);
  const end = firstAt(rows, lastMs + 1, start);
  return end - start === rows.order.length ? rows : {...rows, order: rows.order.subarray(start, end)};
}

/** Live rows by (time, row). */
export function timeOrder(times: Float64Array, users: Uint32Array, count: number): Uint16Array {
  // A loop a function: compiled in its midst, a loop knows nothing of what comes after it, and all is compiled again.
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

/** More late rows than one in so many are not worth sorting by themselves. */
const lateShare = 16;

/**
 * Rows come nearly in order: those that are earlier than one before them are sorted by themselves, and merged, which takes
 * less than a third of the time that sorting all of them takes. False, and nothing is changed, when they are many.
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

/** Writes both lists, each by (time, row), to `order`. */
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

/** False when 32 bits do not hold the times: they span more than 49 days, or are no whole ms. */
function sortByKeys(order: Uint16Array, times: Float64Array, earliest: number): boolean {
  const keys = new Uint32Array(chunkRowsMax);
  if (!fillKeys(keys, order, times, earliest)) return false;
  const places = new Uint32Array(order);
  sortPlaces(places, keys);
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
