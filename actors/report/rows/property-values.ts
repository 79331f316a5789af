// One property of a chunk's rows, as a key per row that stands for its value.
//   A literal top-level key wins over the path that its dots would spell, whatever its value. A path that begins with `context`
//   leads into the event's context if no property has that name (as in counts/filter.ts).
//   PV1. Key 0: the row has no such property. Keys up to `codes` are codes of the literal key's column; later keys stand for
//        values that only bodies hold. Two keys may have equal values.
//   PV2. An `unsure` row has no key until `addBodies` has read its block.
import {ByteWriter, holds} from '../../bytes/bytes.js';
import {BodyBlock} from '../../chunk/bodies.js';
import {codeAbsent, type RowColumn, type WholeRows} from '../../chunk/property-columns.js';
import {must} from '../../invariant.js';
import {type Json, valueTag} from '../../log/entries.js';
import {PropertyCursor} from '../../log/entry-view.js';
import {PropertyName} from './property-name.js';

/** The value of a property; undefined: the row has no such property. */
export type PropertyValue = Json | undefined;

export class PropertyValues {
  readonly property: PropertyName;
  private literal: RowColumn | undefined;
  private head: RowColumn | undefined;
  private context: RowColumn | undefined;
  /** Whether rows without any of the columns may have the property in their bodies. */
  private isLiteralInBodies = false;
  private isHeadInBodies = false;
  private isContextInBodies = false;
  private codes = 0;
  /** Values of the codes, code 1 first, if all are stored as integers. */
  private integers: Float64Array | undefined;
  /** Keys of the rows whose bodies were read. */
  private readonly bodyKeys = new Map<number, number>();
  /** Keys of values in bodies, by their JSON text; then those values, from key `codes + 1`. */
  private readonly keysOfTexts = new Map<string, number>();
  private readonly bodyValues: Json[] = [];
  private readonly reader = new ValueReader();

  constructor(property: string) {
    this.property = new PropertyName(property);
  }

  /** Opens a chunk. */
  open(rows: WholeRows): void {
    const {property} = this;
    const {columns, keysInBody} = rows;
    this.literal = columns[property.columnIn(rows)];
    this.head = columns[property.headColumnIn(rows)];
    this.context = columns[property.contextColumnIn(rows)];
    this.isLiteralInBodies = keysInBody && this.literal === undefined;
    this.isHeadInBodies = keysInBody && property.isPath && this.head === undefined;
    this.isContextInBodies = keysInBody && property.isOfContext && this.context === undefined;
    this.codes = this.literal?.values.count ?? 0;
    this.integers = this.literal?.values.integers();
    this.bodyKeys.clear();
    this.keysOfTexts.clear();
    this.bodyValues.length = 0;
  }

  /** Upper bound of the open chunk's keys; `addBodies` raises it. */
  get keyCount(): number {
    return this.codes + 1 + this.bodyValues.length;
  }

  /** Whether the row's value is in its body alone, and the body was not read yet. PV2 */
  isUnsure(row: number): boolean {
    return this.isOfBody(row) && !this.bodyKeys.has(row);
  }

  private isOfBody(row: number): boolean {
    const {literal, head, context, property} = this;
    if (literal === undefined ? this.isLiteralInBodies : literal.codes[row] === literal.inBody) return true;
    if (literal !== undefined && literal.codes[row] !== codeAbsent) return false;
    if (!property.isPath) return false;
    if (head === undefined ? this.isHeadInBodies : head.codes[row] === head.inBody) return true;
    if (head !== undefined && head.codes[row] !== codeAbsent) return false;
    if (!property.isOfContext) return false;
    return context === undefined ? this.isContextInBodies : context.codes[row] === context.inBody;
  }

  /** The row's key. PV1 */
  keyOf(row: number): number {
    const {literal} = this;
    const code = literal === undefined ? codeAbsent : literal.codes[row];
    if (literal !== undefined && code !== codeAbsent && code !== literal.inBody) return code;
    return this.bodyKeys.get(row) ?? 0;
  }

  valueOf(key: number): PropertyValue {
    if (key === 0) return undefined;
    return key <= this.codes ? this.valueOfCode(key) : this.bodyValues[key - this.codes - 1];
  }

  private valueOfCode(code: number): Json {
    const {integers} = this;
    if (integers !== undefined) return integers[code - 1];
    const {values} = must(this.literal, 'property values: a code is of the literal column');
    return this.reader.read((writer) => values.write(code, writer));
  }

  /** The value of the key as a number; NaN for any other value. */
  numberOf(key: number): number {
    if (key > 0 && key <= this.codes && this.integers !== undefined) return this.integers[key - 1];
    const value = this.valueOf(key);
    return typeof value === 'number' ? value : Number.NaN;
  }

  /** Reads the unsure rows among `rows`, which ascend and are of one body block. PV2 */
  addBodies(columns: WholeRows, block: Uint8Array, rows: Uint16Array): void {
    const bodies = new BodyBlock(block, columns);
    for (const row of rows) {
      if (!this.isUnsure(row)) continue;
      const value = this.valueIn(bodies.properties(row));
      this.bodyKeys.set(row, value === undefined ? 0 : this.keyOfBodyValue(value));
    }
  }

  private keyOfBodyValue(value: Json): number {
    const text = JSON.stringify(value);
    const known = this.keysOfTexts.get(text);
    if (known !== undefined) return known;
    this.bodyValues.push(value);
    const key = this.codes + this.bodyValues.length;
    this.keysOfTexts.set(text, key);
    return key;
  }

  /** The value of the property among an event's pairs. */
  valueIn(cursor: PropertyCursor): PropertyValue {
    const {bytes} = cursor;
    const {key, path, pathHead, isPath, isOfContext} = this.property;
    let nested: string | undefined;
    if (isOfContext && cursor.isAtContext && cursor.next()) nested = cursor.value() as string;
    cursor.passOwn();
    while (cursor.next()) {
      const {keyStart, keyEnd} = cursor;
      if (holds(bytes, keyStart, keyEnd, key)) return jsonOf(cursor);
      if (isPath && holds(bytes, keyStart, keyEnd, pathHead))
        nested = cursor.tag === valueTag.json ? (cursor.value() as string) : undefined;
    }
    return nested === undefined ? undefined : inside(JSON.parse(nested) as Json, path);
  }
}

/** Decodes single values, tag included, in the bytes of the log format. */
export class ValueReader {
  private readonly scratch = new ByteWriter(256);

  read(write: (writer: ByteWriter) => void): Json {
    const {scratch} = this;
    scratch.position = 0;
    // One pair with an empty key, as a cursor reads it. The first byte keeps the position from being 0, which means no pairs.
    scratch.u8(0);
    scratch.u8(1);
    scratch.u8(0);
    write(scratch);
    const cursor = new PropertyCursor(scratch.bytes);
    cursor.open(1);
    cursor.next();
    return jsonOf(cursor);
  }
}

const jsonOf = (cursor: PropertyCursor): Json => {
  const value = cursor.value();
  return cursor.tag === valueTag.json ? (JSON.parse(value as string) as Json) : value;
};

/** The value at the path's keys after the first; undefined where a key is missing. */
export function inside(head: Json, path: readonly string[]): PropertyValue {
  let value: Json = head;
  for (const key of path.slice(1)) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    if (!Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The text of a text, number or boolean, for conditions, breakdowns and lists; undefined for other values. */
export const textOf = (value: PropertyValue): string | undefined =>
  value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
