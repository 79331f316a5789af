// Rows parts of version 1: what stores hold that an older program wrote. Read, never written.
//
//   rows part = head u32[12]: 1 chunk count live baseLow baseHigh columns codes keyBytes dictionaryBytes flags 0
//     (padded to 64 bytes)  times f64[count]  users u32[count]  names u32[count]  order u16[live] ~4
//     columns * (codes u16[count] ~4)  keyOffsets u32[columns + 1]  dictionaryOffsets u32[codes + 2]
//     codeColumns u8[codes + 1] ~4  keys  dictionary                              (~4: padded to 4 bytes)
//
//   Codes count the values of all columns, in the order in which they came.
import {ColumnValues} from './column-values.js';
import {assert} from './invariant.js';
import type {RowsView} from './rows.js';

const headBytes = 64;
const flagKeysInBody = 1;
const noUser = 0xffffffff;
const codeInBody = 0xffff;

/** `bytes` must start at an address that 8 divides. */
export function rowsOfVersion1(bytes: Uint8Array): RowsView {
  const {buffer} = bytes;
  let at = bytes.byteOffset;
  const head = new Uint32Array(buffer, at, headBytes / 4);
  const [, chunk, count, live, baseLow, baseHigh, columnCount, codes, keyBytes, dictionaryBytes, flags] = head;
  at += headBytes;
  const take = (length: number): number => {
    const start = at;
    at += (length + 3) & ~3;
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
  take(codes + 1);
  const keys = new Uint8Array(buffer, take(keyBytes), keyBytes);
  const dictionary = new Uint8Array(buffer, take(dictionaryBytes), dictionaryBytes);
  assert(at <= bytes.byteOffset + bytes.length, 'rows: a part is as long as its head says');
  const values = new ColumnValues(codes, dictionary, dictionaryOffsets.subarray(1));
  return {
    chunk,
    baseOrdinal: baseHigh * 2 ** 32 + baseLow,
    count,
    timeBase: 0,
    times,
    users,
    noUser,
    names,
    order,
    columns: columnCodes.map((column, i) => ({
      key: keys.subarray(keyOffsets[i], keyOffsets[i + 1]),
      codes: column,
      inBody: codeInBody,
      values,
    })),
    keysInBody: (flags & flagKeysInBody) !== 0,
  };
}
