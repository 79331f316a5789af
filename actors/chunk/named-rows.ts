// Rows of some names of a chunk, packed for memory: some five bytes for each of these rows, where a rows part has eleven for
// each row of the chunk.
//   Derived from rows parts, never stored.
//   NR1. Packed rows are numbered by (time, row), so rows of equal time stay in the order of the log. Their ordinals are lost.
//   NR2. A chunk whose times need 64 bits (rows.ts R2), or with a user whose code does not fit 32 bits, is not packed.
//
//   bytes = for each row: varint ms since the row before, varint user * names + position of the name

import {chunkRowsMax} from '../limits.js';
import {noUser, type RowsView} from './rows.js';

export interface NamedRows {
  readonly chunk: number;
  readonly baseOrdinal: number;
  /** Number of rows. */
  readonly count: number;
  /** Epoch ms before the first row's. */
  readonly timeBase: number;
  /** Name indexes, ascending: the rows are those of these names. */
  readonly names: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Bytes of a 32-bit varint. */
const varintBytesMax = 5;
const codeEnd = 2 ** 32;
const scratch = new Uint8Array(chunkRowsMax * varintBytesMax * 2);
/** Every packed row, by (time, row). NR1 */
const inOrder = Uint16Array.from({length: chunkRowsMax}, (_, row) => row);

/** `names`: name indexes, ascending. Undefined: the chunk is not packed (NR2). */
export function packNamedRows(rows: RowsView, names: readonly number[]): NamedRows | undefined {
  const {chunk, baseOrdinal, timeBase, times, users, order} = rows;
  if (times instanceof Float64Array) return undefined;
  const codeOf = codesOf(names);
  let [at, count, before] = [0, 0, 0];
  for (let place = 0; place < order.length; place++) {
    const row = order[place];
    const code = codeOf[rows.names[row]];
    if (code === undefined || code === 0) continue;
    const userCode = users[row] * names.length + code - 1;
    if (userCode >= codeEnd) return undefined;
    at = putVarint(scratch, at, times[row] - before);
    at = putVarint(scratch, at, userCode);
    before = times[row];
    count += 1;
  }
  return {chunk, baseOrdinal, count, timeBase, names, bytes: scratch.slice(0, at)};
}

/** Position + 1 of each name; 0, or undefined past the end, for the others. */
function codesOf(names: readonly number[]): Uint16Array {
  const codes = new Uint16Array((names.at(-1) ?? -1) + 1);
  for (const [i, name] of names.entries()) codes[name] = i + 1;
  return codes;
}

function putVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 0x7f) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

/** A view with these rows alone. NR1 */
export function unpackNamedRows({chunk, baseOrdinal, count, timeBase, names: packed, bytes}: NamedRows): RowsView {
  const times = new Uint32Array(count);
  const users = new Uint32Array(count);
  const names = (packed.at(-1) ?? 0) < 0xffff ? new Uint16Array(count) : new Uint32Array(count);
  const nameCount = packed.length;
  const nameOf = Uint32Array.from(packed);
  const varints = new Varints(bytes);
  let time = 0;
  for (let row = 0; row < count; row++) {
    time += varints.next();
    times[row] = time;
    const code = varints.next();
    const user = Math.floor(code / nameCount);
    users[row] = user;
    names[row] = nameOf[code - user * nameCount];
  }
  return {chunk, baseOrdinal, count, timeBase, times, users, noUser, names, order: inOrder.subarray(0, count)};
}

/** Reads 32-bit varints one after the other. */
class Varints {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  next(): number {
    const {bytes} = this;
    let {at} = this;
    let byte = bytes[at++];
    let value = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++];
      value |= (byte & 0x7f) << shift;
    }
    this.at = at;
    return value >>> 0;
  }
}
