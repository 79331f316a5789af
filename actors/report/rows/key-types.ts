// Keys of objects and the JSON types of their values: the properties of chosen rows, or the traits of users.
//   KT1. Columns answer for most rows. A row with a value or key that only its body holds is counted from its body alone.
//   KT2. The context and the origin of an event have columns, and are no properties.
import {ByteWriter, wtf8} from '../../bytes/bytes.js';
import {BodyBlock} from '../../chunk/bodies.js';
import {codeAbsent, type RowColumn, type WholeRows} from '../../chunk/property-columns.js';
import {contextKeyByte} from '../../log/context.js';
import {originKeyByte, valueTag} from '../../log/entries.js';
import type {Json} from '../../log/json.js';
import {InternedTable} from '../../table/interned.js';

export const jsonTypes = ['string', 'number', 'boolean', 'null', 'object', 'array'] as const;
type JsonType = (typeof jsonTypes)[number];
const typeCount = jsonTypes.length;
const [textType, numberType, booleanType, nullType, objectType, arrayType] = jsonTypes.keys() as Iterable<number>;

const closingBracket = 0x5d;

/** Type of an encoded value that begins with `tag` and ends with `last`. */
function typeOf(tag: number, last: number): number {
  if (tag === valueTag.text) return textType;
  if (tag === valueTag.int || tag === valueTag.double) return numberType;
  if (tag === valueTag.null) return nullType;
  if (tag === valueTag.json) return last === closingBracket ? arrayType : objectType;
  return booleanType;
}

function typeOfJson(value: Json): number {
  if (value === null) return nullType;
  if (typeof value === 'object') return Array.isArray(value) ? arrayType : objectType;
  return typeof value === 'string' ? textType : typeof value === 'number' ? numberType : booleanType;
}

/** A key, and the number of its values by type. */
export interface ListedKey {
  readonly key: string;
  readonly count: number;
  readonly types: Readonly<Partial<Record<JsonType, number>>>;
}

export class KeyTypes {
  /** Number of objects counted. */
  total = 0;
  private readonly keys = new InternedTable();
  private keyBytes = 0;
  /** Number of values by key and type. */
  private counts = new Float64Array(64 * typeCount);
  private readonly scratch = new ByteWriter(256);

  /** Estimated bytes of memory. */
  get bytes(): number {
    return this.keyBytes + this.counts.byteLength;
  }

  addObject(object: {readonly [key: string]: Json}): void {
    this.total += 1;
    for (const [key, value] of Object.entries(object)) {
      const bytes = wtf8(key);
      this.add(this.indexOf(bytes, 0, bytes.length), typeOfJson(value), 1);
    }
  }

  /** Counts rows from columns. @returns the rows that `addBodies` must count, ascending. KT1 */
  addRows(rows: WholeRows, chosen: Uint16Array): Uint16Array {
    this.total += chosen.length;
    const unsure = unsureRows(rows, chosen);
    const isUnsure = new Uint8Array(rows.count);
    for (const row of unsure) isUnsure[row] = 1;
    const sure = unsure.length === 0 ? chosen : chosen.filter((row) => isUnsure[row] === 0);
    if (sure.length > 0) for (const column of propertiesOf(rows)) this.addColumn(column, sure);
    return unsure;
  }

  private addColumn({key, codes, values}: RowColumn, rows: Uint16Array): void {
    const byCode = new Uint32Array(values.count + 1);
    for (let at = 0; at < rows.length; at++) byCode[codes[rows[at]]] += 1;
    if (byCode[codeAbsent] === rows.length) return;
    const index = this.indexOf(key, 0, key.length);
    const {scratch} = this;
    for (let code = 1; code < byCode.length; code++) {
      if (byCode[code] === 0) continue;
      scratch.position = 0;
      values.write(code, scratch);
      this.add(index, typeOf(scratch.bytes[0], scratch.bytes[scratch.position - 1]), byCode[code]);
    }
  }

  /** Counts rows of one body block; `rows` ascend. */
  addBodies(columns: WholeRows, block: Uint8Array, rows: Uint16Array): void {
    const bodies = new BodyBlock(block, columns);
    for (const row of rows) {
      const pairs = bodies.properties(row);
      pairs.passOwn(); // KT2
      while (pairs.next()) {
        const {bytes, keyStart, keyEnd, tag, valueEnd} = pairs;
        this.add(this.indexOf(bytes, keyStart, keyEnd), typeOf(tag, bytes[valueEnd - 1]), 1);
      }
    }
  }

  private indexOf(bytes: Uint8Array, start: number, end: number): number {
    const {keys} = this;
    const known = keys.count;
    const index = keys.intern(bytes, start, end);
    if (index < known) return index;
    this.keyBytes += end - start + 24;
    if (keys.count * typeCount > this.counts.length) {
      const grown = new Float64Array(this.counts.length * 2);
      grown.set(this.counts);
      this.counts = grown;
    }
    return index;
  }

  private add(key: number, type: number, count: number): void {
    this.counts[key * typeCount + type] += count;
  }

  /** Keys that begin with the prefix. */
  *listed(prefix: string): Generator<ListedKey, void, void> {
    const {keys, counts} = this;
    for (let index = 0; index < keys.count; index++) {
      const key = keys.text(index);
      if (!key.startsWith(prefix)) continue;
      const types: Partial<Record<JsonType, number>> = {};
      let count = 0;
      for (const [type, name] of jsonTypes.entries()) {
        const ofType = counts[index * typeCount + type];
        if (ofType > 0) types[name] = ofType;
        count += ofType;
      }
      yield {key, count, types};
    }
  }
}

/** Columns of properties. KT2 */
const propertiesOf = ({columns}: WholeRows): readonly RowColumn[] =>
  columns.filter(({key}) => key[0] !== contextKeyByte && key[0] !== originKeyByte);

/** Rows that must be counted from their bodies. KT1 */
function unsureRows(rows: WholeRows, chosen: Uint16Array): Uint16Array {
  if (rows.keysInBody) return chosen.toSorted();
  const isUnsure = new Uint8Array(rows.count);
  for (const {codes, inBody} of propertiesOf(rows))
    for (let at = 0; at < chosen.length; at++) if (codes[chosen[at]] === inBody) isUnsure[chosen[at]] = 1;
  return chosen.filter((row) => isUnsure[row] === 1).sort();
}
