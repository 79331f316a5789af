// Property columns of one chunk: for each top-level property, the code of each row's value.
//
//   properties part = head u32[8]: version chunk count columns flags 0 0 0  column*
//   column          = head u32[8]: keyBytes codeWidth values form valueWidth smallest storedBytes 0
//     key  codes u8|u16[count]  [offsets u16|u32[values + 1]]  stored                (column-values.ts: values and forms)
//   Each array is padded to 4 bytes (padded-arrays.ts). As with rows, a part's bytes depend on the rows alone (rows.ts R3), and
//   an erased row has code 0 in each column.
//
//   PC1. Code 0 = the row has no such property. `inBody` = it has one, but only the body holds its value (nested, long, or past
//        the bounds of a dictionary). Any other code stands for value bytes of the log format (entries.ts E2).
//   PC2. `keysInBody`: the chunk has properties past `chunkColumnsMax` columns; only bodies hold them.
//   PC3. In a part a column's codes number its own values, in the order of their first rows. Where every row has a value and
//        few are equal (sessions, amounts), the part stores the values row by row, repeats included, and no codes: the code of
//        row r is r + 1.

import {assert} from '../invariant.js';
import {chunkRowsMax} from '../limits.js';
import {type ColumnValues, type StoredValues, storeValues, viewValues} from './column-values.js';
import {type NumberArray, PaddedArrays, paddedBytes} from './padded-arrays.js';
import type {RowsView} from './rows.js';

export const codeAbsent = 0;
/** The `inBody` of 16-bit codes; 0xff in 8-bit codes. */
export const codeInBody = 0xffff;

export const propertiesVersion = 1;
const headBytes = 32;
const columnHeadBytes = 32;
const flagKeysInBody = 1;

export interface RowColumn {
  /** WTF-8 bytes of the property's name. */
  readonly key: Uint8Array;
  /** One code a row. PC1 */
  readonly codes: Uint8Array | Uint16Array;
  readonly inBody: number;
  readonly values: ColumnValues;
}

export interface PropertyColumns {
  readonly chunk: number;
  /** Number of rows. */
  readonly count: number;
  readonly columns: readonly RowColumn[];
  /** Whether some properties are in bodies alone. PC2 */
  readonly keysInBody: boolean;
}

/** Rows and their property columns. */
export interface WholeRows extends RowsView, PropertyColumns {}

/** Joins both parts of one chunk. */
export function wholeRows(rows: RowsView, properties: PropertyColumns): WholeRows {
  const isOneChunk = rows.chunk === properties.chunk && rows.count === properties.count;
  assert(isOneChunk, 'properties: a chunk names parts of the same rows');
  return {...rows, columns: properties.columns, keysInBody: properties.keysInBody};
}

// ---- writing ----

export function encodeProperties({chunk, count, columns, keysInBody}: PropertyColumns): Uint8Array<ArrayBuffer> {
  const head = new Uint32Array(headBytes / 4);
  head.set([propertiesVersion, chunk, count, columns.length, keysInBody ? flagKeysInBody : 0]);
  const ownOf = new Uint16Array(codeInBody + 1);
  return paddedBytes([head, ...columns.flatMap((column) => arraysOf(column, count, ownOf))]);
}

/** Share of different values from which a column is stored row by row. PC3 */
const byRowShare = 3 / 4;
const narrowCodesMax = 0xfe;

function arraysOf(column: RowColumn, count: number, ownOf: Uint16Array): NumberArray[] {
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

/** A column's codes as a part stores them, and the chunk's code of each stored value. PC3 */
interface StoredCodes {
  /** Undefined: stored row by row. */
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
  const isIdentityCoded = used.length >= count * byRowShare && !wide.includes(codeAbsent) && !wide.includes(codeInBody);
  return isIdentityCoded ? {codes: undefined, valueCodes: codes} : {codes: wide, valueCodes: used};
}

/** Whether every row has a value of its own, as in columns that are not deduplicated (event-rows.ts D1). */
function isAscending(codes: RowColumn['codes'], inBody: number): boolean {
  let last = codeAbsent;
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] <= last) return false;
    last = codes[row];
  }
  return last < inBody;
}

/**
 * Renumbers the codes that occur, from 1, in the order of their first rows; writes the new codes to `own` and returns the old
 * ones. Undefined when there are more than `valuesMax`. `ownOf` is scratch, indexed by code: all zeros before and after.
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

/** Codes of every column whose values are stored row by row: one shared array. PC3 */
const rowCodes = Uint16Array.from({length: chunkRowsMax}, (_, row) => row + 1);

/** Whether the column is stored row by row. */
export const isIdentityCoded = ({codes}: RowColumn): boolean => codes.buffer === rowCodes.buffer;

/** Views a part in place. `bytes` must start at an address divisible by 4. */
export function viewProperties(bytes: Uint8Array): PropertyColumns {
  const arrays = new PaddedArrays(bytes);
  const {columnCount, ...head} = viewHead(arrays);
  const columns = Array.from({length: columnCount}, () => viewColumn(arrays, head.count));
  assert(arrays.areWithin, 'properties: a part is as long as its head says');
  return {...head, columns};
}

function viewHead(arrays: PaddedArrays) {
  const [version, chunk, count, columnCount, flags] = arrays.u32(headBytes / 4);
  assert(version === propertiesVersion, `properties: part version ${version} is unknown to this program`);
  return {chunk, count, columnCount, keysInBody: (flags & flagKeysInBody) !== 0};
}

/** Some columns of a part: absent columns are not in `columns`, and their names are in `leftOut`. */
export interface SomeColumns extends PropertyColumns {
  readonly leftOut: readonly Uint8Array[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** `bytes`: of the column in the part, which has `count` rows. */
export type IsWanted = (key: Uint8Array, bytes: number, count: number) => boolean;

/** The wanted columns of a part, in memory of their own. */
export function someColumns(part: Uint8Array<ArrayBuffer>, isWanted: IsWanted): SomeColumns {
  const arrays = new PaddedArrays(part);
  const {columnCount, ...head} = viewHead(arrays);
  const wanted: Uint8Array[] = [];
  const leftOut: Uint8Array[] = [];
  for (let i = 0; i < columnCount; i++) {
    const start = arrays.position;
    const column = viewColumn(arrays, head.count);
    if (isWanted(column.key, arrays.position - start, head.count)) wanted.push(part.subarray(start, arrays.position));
    else leftOut.push(column.key.slice());
  }
  assert(arrays.areWithin, 'properties: a part is as long as its head says');
  const bytes = paddedBytes(wanted);
  const own = new PaddedArrays(bytes);
  return {...head, columns: wanted.map(() => viewColumn(own, head.count)), leftOut, bytes};
}

function viewColumn(arrays: PaddedArrays, count: number): RowColumn {
  const head = arrays.u32(columnHeadBytes / 4);
  const [keyBytes, codeWidth, valueCount, form, width, smallest, storedBytes, unused] = head;
  assert(unused === 0, 'properties: the head of a column ends with 0');
  const key = arrays.u8(keyBytes);
  const codes = codeWidth === 0 ? rowCodes.subarray(0, count) : codeWidth === 1 ? arrays.u8(count) : arrays.u16(count);
  const areOffset = width === 0 && valueCount > 0;
  const offsets = areOffset ? viewOffsets(arrays, valueCount + 1, storedBytes) : undefined;
  const stored: StoredValues = {form, width, smallest, offsets, stored: arrays.u8(storedBytes)};
  return {key, codes, inBody: codeWidth === 1 ? 0xff : codeInBody, values: viewValues(valueCount, stored)};
}

const viewOffsets = (arrays: PaddedArrays, count: number, storedBytes: number): Uint16Array | Uint32Array =>
  storedBytes <= 0xffff ? arrays.u16(count) : arrays.u32(count);
