// The values of one chunk's columns by their bytes, so that the code of a value is found without reading the other values.
//   Derived from a rows part, never stored. A column of many values is put into buckets by hash when somebody asks again and
//   again: a near-unique column has as many values as rows, and comparing all of them takes longer than the rows.
//   V1. A value may have several codes in a column (rows.ts R4): all of them are found.
//   V2. What is hashed and compared is what is stored of values (column-values.ts V2).
import {holds} from '../codec/bytes.js';
import type {ColumnValues} from '../column-values.js';
import {hashBytes} from '../hash.js';
import type {RowsView} from '../rows.js';
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

/** Codes of a column in the order of buckets: bucket b has codes[starts[b] .. starts[b + 1]). */
interface Buckets {
  readonly codes: Uint16Array;
  readonly starts: Uint16Array;
}

export class ValueCodes {
  private readonly rows: RowsView;
  private readonly reserve: Reserve;
  /** Of each column of many values, once it was asked for often. */
  private readonly buckets: (Buckets | undefined)[];
  /** Of each column of few values, once it was asked for: the hashes of its values. */
  private readonly hashes: (Uint32Array | undefined)[];
  /** How often each column of many values was asked for. */
  private readonly asks: Uint8Array;
  /** Of each column: whether rows of it are told by their bodies alone. */
  private readonly inBody: Uint8Array;

  private constructor(rows: RowsView, reserve: Reserve) {
    this.rows = rows;
    this.reserve = reserve;
    const {columns} = rows;
    this.buckets = columns.map(() => undefined);
    this.hashes = columns.map(() => undefined);
    this.asks = new Uint8Array(columns.length);
    this.inBody = new Uint8Array(columns.length);
  }

  /** Undefined when there is no room. */
  static of(rows: RowsView, reserve: Reserve): ValueCodes | undefined {
    return reserve(rows.columns.length * 18) ? new ValueCodes(rows, reserve) : undefined;
  }

  /** Appends the codes of these value bytes (tag included) in the column; none when no row has them. V1 */
  find(column: number, value: Uint8Array, found: number[]): void {
    const {values} = this.rows.columns[column];
    const stored = values.storedForm(value);
    if (stored === undefined) return;
    const hash = hashBytes(stored, 0, stored.length, valueSeed);
    if (values.count < hashedCodesMin) {
      this.findAmongFew(column, stored, hash, found);
      return;
    }
    const buckets = (this.buckets[column] ??= this.hashIfDue(column, values));
    if (buckets === undefined) {
      values.find(stored, found);
      return;
    }
    const {codes, starts} = buckets;
    const bucket = hash & (starts.length - 2);
    for (let at = starts[bucket]; at < starts[bucket + 1]; at++)
      if (holdsAt(values, codes[at], stored)) found.push(codes[at]);
  }

  private findAmongFew(column: number, stored: Uint8Array, hash: number, found: number[]): void {
    const {values} = this.rows.columns[column];
    const hashes = (this.hashes[column] ??= this.hashesOf(values));
    for (let code = 1; code <= values.count; code++) {
      const mayBe = hashes === undefined || hashes[code - 1] === hash;
      if (mayBe && holdsAt(values, code, stored)) found.push(code);
    }
  }

  /** Side by side: the values themselves lie far apart, and each that is compared is a cache miss or two. */
  private hashesOf(values: ColumnValues): Uint32Array | undefined {
    if (!this.reserve(values.count * 4)) return undefined;
    const hashes = new Uint32Array(values.count);
    for (let i = 0; i < hashes.length; i++)
      hashes[i] = hashBytes(values.stored, values.start(i + 1), values.end(i + 1), valueSeed);
    return hashes;
  }

  private hashIfDue(column: number, values: ColumnValues): Buckets | undefined {
    this.asks[column] += 1;
    return this.asks[column] < hashedAsks ? undefined : this.hashColumn(values);
  }

  /** Undefined when there is no room. */
  private hashColumn(values: ColumnValues): Buckets | undefined {
    const {count, stored} = values;
    let bucketCount = 1;
    while (bucketCount * bucketCodes < count) bucketCount *= 2;
    if (!this.reserve((count + bucketCount + 1) * 2)) return undefined;
    const bucketOf = new Uint16Array(count);
    const places = new Uint32Array(bucketCount + 1);
    for (let i = 0; i < count; i++) {
      const bucket = hashBytes(stored, values.start(i + 1), values.end(i + 1), valueSeed) & (bucketCount - 1);
      bucketOf[i] = bucket;
      places[bucket + 1] += 1;
    }
    for (let bucket = 1; bucket <= bucketCount; bucket++) places[bucket] += places[bucket - 1];
    const starts = new Uint16Array(places);
    const codes = new Uint16Array(count);
    for (let i = 0; i < count; i++) codes[places[bucketOf[i]]++] = i + 1;
    return {codes, starts};
  }

  /** Whether some row's value of the column is in its body alone (rows.ts R2). */
  hasInBody(column: number): boolean {
    if (this.inBody[column] === unknown) {
      const {codes, inBody} = this.rows.columns[column];
      this.inBody[column] = codes.includes(inBody) ? some : none;
    }
    return this.inBody[column] === some;
  }
}

const holdsAt = (values: ColumnValues, code: number, wanted: Uint8Array): boolean =>
  holds(values.stored, values.start(code), values.end(code), wanted);
