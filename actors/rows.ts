// Rows of one chunk as columns: when, who, what, and dictionary codes of the top-level properties.
//   Rows keep arrival order, so a row's ordinal is baseOrdinal + row for ever; `order` lists the live rows by time.
//   Bytes are viewed in place, never decoded: little-endian typed arrays at aligned offsets.
//
//   rows part = head u32[12]: version chunk count live baseLow baseHigh columns codes keyBytes dictionaryBytes flags 0
//     (padded to 64 bytes)  times f64[count]  users u32[count]  names u32[count]  order u16[live] ~4
//     columns * (codes u16[count] ~4)  keyOffsets u32[columns + 1]  dictionaryOffsets u32[codes + 2]
//     codeColumns u8[codes + 1] ~4  keys  dictionary                              (~4: padded to 4 bytes)
//
//   R1. An erased row is a zeroed slot: user `noUser`, name `noName`, time 0, codes 0, and not in `order`.
//   R2. Code 0 = the row has no such property; `codeInBody` = it has, but only the body tells its value (nested, long,
//       or past the dictionary's bound); any other code stands for the value bytes of the log format (entries.ts E2).
//   R3. `keysInBody`: properties past `chunkColumnsMax` columns exist, and only bodies tell them.
import {assert} from './invariant.js';
import {chunkRowsMax} from './limits.js';
import {sortPlaces} from './radix-sort.js';

export const noUser = 0xffffffff;
export const noName = 0xffffffff;
export const codeAbsent = 0;
export const codeInBody = 0xffff;

const rowsVersion = 1;
const headBytes = 64;
const flagKeysInBody = 1;

export interface RowColumn {
  /** WTF-8 bytes of the property's name. */
  readonly key: Uint8Array;
  /** One code a row. R2 */
  readonly codes: Uint16Array;
}

export interface RowsView {
  readonly chunk: number;
  readonly baseOrdinal: number;
  readonly count: number;
  /** Event times, epoch ms. */
  readonly times: Float64Array;
  readonly users: Uint32Array;
  readonly names: Uint32Array;
  /** Live rows by (time, row). */
  readonly order: Uint16Array;
  readonly columns: readonly RowColumn[];
  readonly keysInBody: boolean;
  /** Value bytes (tag included) of code c: dictionary[dictionaryOffsets[c] .. dictionaryOffsets[c + 1]); codes start at 1. */
  readonly dictionary: Uint8Array;
  readonly dictionaryOffsets: Uint32Array;
  /** Which column a code belongs to. */
  readonly codeColumns: Uint8Array;
}

const padded = (bytes: number): number => (bytes + 3) & ~3;

export function encodeRows(rows: RowsView): Uint8Array<ArrayBuffer> {
  const {count, columns} = rows;
  const live = rows.order.length;
  const codes = rows.codeColumns.length - 1;
  const keyBytes = columns.reduce((sum, column) => sum + column.key.length, 0);
  const size =
    headBytes +
    count * 16 +
    padded(live * 2) +
    columns.length * padded(count * 2) +
    (columns.length + 1) * 4 +
    (codes + 2) * 4 +
    padded(codes + 1) +
    padded(keyBytes) +
    padded(rows.dictionary.length);
  const bytes = new Uint8Array(size);
  const head = new Uint32Array(bytes.buffer, 0, headBytes / 4);
  head.set([
    rowsVersion,
    rows.chunk,
    count,
    live,
    rows.baseOrdinal % 2 ** 32,
    Math.floor(rows.baseOrdinal / 2 ** 32),
    columns.length,
    codes,
    keyBytes,
    rows.dictionary.length,
    rows.keysInBody ? flagKeysInBody : 0,
  ]);
  let at = headBytes;
  const put = (array: Float64Array | Uint32Array | Uint16Array | Uint8Array) => {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += padded(array.byteLength);
  };
  put(rows.times);
  put(rows.users);
  put(rows.names);
  put(rows.order);
  for (const column of columns) put(column.codes);
  const keyOffsets = new Uint32Array(columns.length + 1);
  columns.forEach((column, i) => {
    keyOffsets[i + 1] = keyOffsets[i] + column.key.length;
  });
  put(keyOffsets);
  put(rows.dictionaryOffsets);
  put(rows.codeColumns);
  for (const column of columns) {
    bytes.set(column.key, at);
    at += column.key.length;
  }
  at = padded(at);
  put(rows.dictionary);
  assert(at === size, 'rows: the size was computed right');
  return bytes;
}

/** `bytes` must start at an address that 8 divides (a buffer of its own does). */
export function viewRows(bytes: Uint8Array): RowsView {
  const buffer = bytes.buffer;
  let at = bytes.byteOffset;
  const head = new Uint32Array(buffer, at, headBytes / 4);
  assert(head[0] === rowsVersion, `rows: part version ${head[0]} is unknown to this program`);
  const [, chunk, count, live, baseLow, baseHigh, columnCount, codes, keyBytes, dictionaryBytes, flags] = head;
  at += headBytes;
  const take = (length: number): number => {
    const start = at;
    at += padded(length);
    return start;
  };
  const times = new Float64Array(buffer, take(count * 8), count);
  const users = new Uint32Array(buffer, take(count * 4), count);
  const names = new Uint32Array(buffer, take(count * 4), count);
  const order = new Uint16Array(buffer, take(live * 2), live);
  const columnCodes: Uint16Array[] = [];
  for (let i = 0; i < columnCount; i++) columnCodes.push(new Uint16Array(buffer, take(count * 2), count));
  const keyOffsets = new Uint32Array(buffer, take((columnCount + 1) * 4), columnCount + 1);
  const dictionaryOffsets = new Uint32Array(buffer, take((codes + 2) * 4), codes + 2);
  const codeColumns = new Uint8Array(buffer, take(codes + 1), codes + 1);
  const keys = new Uint8Array(buffer, take(keyBytes), keyBytes);
  const dictionary = new Uint8Array(buffer, take(dictionaryBytes), dictionaryBytes);
  assert(at <= bytes.byteOffset + bytes.length, 'rows: a part is as long as its head says');
  return {
    chunk,
    baseOrdinal: baseHigh * 2 ** 32 + baseLow,
    count,
    times,
    users,
    names,
    order,
    columns: columnCodes.map((column, i) => ({key: keys.subarray(keyOffsets[i], keyOffsets[i + 1]), codes: column})),
    keysInBody: (flags & flagKeysInBody) !== 0,
    dictionary,
    dictionaryOffsets,
    codeColumns,
  };
}

/** First place in `rows.order`, from `start` on, whose row is at or after `timeMs`. */
export function lowerBound(rows: RowsView, timeMs: number, start = 0): number {
  let low = start;
  let high = rows.order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows.times[rows.order[middle]] < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The same, in steps that double before they halve: for what is mostly near `start`, as the end of an hour or a bucket is. */
export function lowerBoundNear({times, order}: RowsView, timeMs: number, start: number): number {
  let low = start;
  let step = 1;
  while (low + step <= order.length && times[order[low + step - 1]] < timeMs) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step - 1, order.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[order[middle]] < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The same rows, of which only those with a time in [startMs, lastMs] are listed. */
export function rowsWithin(rows: RowsView, startMs: number, lastMs: number): RowsView {
  const start = lowerBound(rows, startMs);
  const end = lowerBound(rows, lastMs + 1, start);
  return end - start === rows.order.length ? rows : {...rows, order: rows.order.subarray(start, end)};
}

/** Live rows by (time, row). */
export function timeOrder(times: Float64Array, users: Uint32Array, count: number): Uint16Array {
  // A loop a function: compiled in its midst, a loop knows nothing of what comes after it, and all is compiled again.
  const order = liveRows(users, count);
  const isSorted = isInOrder(times, order) || sortByKeys(order, times, earliestOf(times, order));
  return isSorted ? order : order.sort((a, b) => times[a] - times[b] || a - b);
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
