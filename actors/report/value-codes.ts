// The dictionary of one chunk column by column, so that the code of a value is found without reading the other values.
//   Derived from a rows part, never stored. A column of many values is put into buckets by hash when somebody asks again and
//   again: a near-unique column has as many values as rows, and comparing all of them takes longer than the rows.
//   V1. A value may have several codes in a column (dictionary.ts D1): all of them are found.
import {hashBytes} from '../hash.js';
import {codeInBody, type RowsView} from '../rows.js';
import type {Reserve} from './derived-rows.js';

/** Columns of fewer values are gone through one by one. */
const hashedCodesMin = 32;
/** From the second question on cells are made of what is asked for (value-cells.ts): most chunks are not asked a third time. */
const hashedAsks = 3;
/** Values that share a bucket, on average at most. */
const bucketCodes = 4;
const valueSeed = 0x76616c75; // 'valu'

const unknown = 0;
const none = 1;
const some = 2;

export class ValueCodes {
  private readonly rows: RowsView;
  private readonly reserve: Reserve;
  /** Codes of column c: codes[starts[c] .. starts[c + 1]), ascending, or bucket by bucket once it has any. */
  private readonly starts: Uint32Array;
  private readonly codes: Uint16Array;
  /** Of each column, once it was asked for often: bucket b begins at starts[c] + buckets[c][b]. */
  private readonly buckets: (Uint16Array | undefined)[];
  /** Of each column of few values, once it was asked for: the hashes of its values. */
  private readonly hashes: (Uint32Array | undefined)[];
  /** How often each column of many values was asked for. */
  private readonly asks: Uint8Array;
  /** Of each column: whether rows of it are told by their bodies alone. */
  private readonly inBody: Uint8Array;

  private constructor(rows: RowsView, reserve: Reserve) {
    this.rows = rows;
    this.reserve = reserve;
    const {codeColumns, columns} = rows;
    this.starts = new Uint32Array(columns.length + 1);
    for (let code = 1; code < codeColumns.length; code++) this.starts[codeColumns[code] + 1] += 1;
    for (let column = 0; column < columns.length; column++) this.starts[column + 1] += this.starts[column];
    const places = this.starts.slice();
    this.codes = new Uint16Array(Math.max(codeColumns.length - 1, 0));
    for (let code = 1; code < codeColumns.length; code++) this.codes[places[codeColumns[code]]++] = code;
    this.buckets = columns.map(() => undefined);
    this.hashes = columns.map(() => undefined);
    this.asks = new Uint8Array(columns.length);
    this.inBody = new Uint8Array(columns.length);
  }

  /** Undefined when there is no room. */
  static of(rows: RowsView, reserve: Reserve): ValueCodes | undefined {
    const bytes = rows.codeColumns.length * 2 + rows.columns.length * 6 + 4;
    return reserve(bytes) ? new ValueCodes(rows, reserve) : undefined;
  }

  /** Appends the codes of these value bytes (tag included) in the column; none when no row has them. V1 */
  find(column: number, value: Uint8Array, found: number[]): void {
    let start = this.starts[column];
    let end = this.starts[column + 1];
    const hash = hashBytes(value, 0, value.length, valueSeed);
    if (end - start < hashedCodesMin) {
      this.findAmongFew(column, value, hash, found);
      return;
    }
    const buckets = (this.buckets[column] ??= this.hashIfDue(column, start, end));
    if (buckets !== undefined) {
      const bucket = hash & (buckets.length - 2);
      end = start + buckets[bucket + 1];
      start += buckets[bucket];
    }
    for (let at = start; at < end; at++) if (this.holds(this.codes[at], value)) found.push(this.codes[at]);
  }

  private findAmongFew(column: number, value: Uint8Array, hash: number, found: number[]): void {
    const start = this.starts[column];
    const end = this.starts[column + 1];
    const hashes = (this.hashes[column] ??= this.hashesOf(start, end));
    for (let at = start; at < end; at++) {
      const mayBe = hashes === undefined || hashes[at - start] === hash;
      if (mayBe && this.holds(this.codes[at], value)) found.push(this.codes[at]);
    }
  }

  /** Side by side: the values themselves lie far apart, and each that is compared is a cache miss or two. */
  private hashesOf(start: number, end: number): Uint32Array | undefined {
    if (!this.reserve((end - start) * 4)) return undefined;
    const {dictionary, dictionaryOffsets} = this.rows;
    return Uint32Array.from(this.codes.subarray(start, end), (code) =>
      hashBytes(dictionary, dictionaryOffsets[code], dictionaryOffsets[code + 1], valueSeed),
    );
  }

  private holds(code: number, value: Uint8Array): boolean {
    const {dictionary, dictionaryOffsets} = this.rows;
    const start = dictionaryOffsets[code];
    if (dictionaryOffsets[code + 1] - start !== value.length) return false;
    for (let i = 0; i < value.length; i++) if (dictionary[start + i] !== value[i]) return false;
    return true;
  }

  private hashIfDue(column: number, start: number, end: number): Uint16Array | undefined {
    this.asks[column] += 1;
    return this.asks[column] < hashedAsks ? undefined : this.hashColumn(start, end);
  }

  /** Puts codes [start, end) into the order of buckets; undefined when there is no room for where they begin. */
  private hashColumn(start: number, end: number): Uint16Array | undefined {
    const {dictionary, dictionaryOffsets} = this.rows;
    let bucketCount = 1;
    while (bucketCount * bucketCodes < end - start) bucketCount *= 2;
    if (!this.reserve((bucketCount + 1) * 2)) return undefined;
    const codes = this.codes.slice(start, end);
    const hashes = new Uint16Array(codes.length);
    const places = new Uint32Array(bucketCount + 1);
    for (let i = 0; i < codes.length; i++) {
      const bucket =
        hashBytes(dictionary, dictionaryOffsets[codes[i]], dictionaryOffsets[codes[i] + 1], valueSeed) &
        (bucketCount - 1);
      hashes[i] = bucket;
      places[bucket + 1] += 1;
    }
    for (let bucket = 1; bucket <= bucketCount; bucket++) places[bucket] += places[bucket - 1];
    const buckets = new Uint16Array(places);
    for (let i = 0; i < codes.length; i++) this.codes[start + places[hashes[i]]++] = codes[i];
    return buckets;
  }

  /** Whether some row's value of the column is in its body alone (rows.ts R2). */
  hasInBody(column: number): boolean {
    if (this.inBody[column] === unknown)
      this.inBody[column] = this.rows.columns[column].codes.includes(codeInBody) ? some : none;
    return this.inBody[column] === some;
  }
}
