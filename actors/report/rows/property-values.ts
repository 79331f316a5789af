// One property of a chunk's rows, as a key per row that stands for its value.
//   A literal top-level key wins over the path that its dots would spell, whatever its value. A path that begins with `context`
//   leads into the event's context if no property has that name.
//   PV1. Key 0: the row has no such property. Keys up to `codes` are codes of the literal key's column; later keys stand for
//        values that only bodies hold. Two keys may have equal values.
//   PV2. An `unsure` row has no key until `addBodies` has read its block.
//   PV3. In most chunks no row is unsure: keys are then codes, and loops over rows read them from the column.
import {ByteWriter, holds} from '../../bytes/bytes.js';
import {BodyBlock, type RowColumns} from '../../chunk/bodies.js';
import type {Integers} from '../../chunk/column-values.js';
import {codeAbsent, type PropertyColumns, type RowColumn} from '../../chunk/property-columns.js';
import {must} from '../../invariant.js';
import {chunkRowsMax} from '../../limits.js';
import {valueTag, writeValue} from '../../log/entries.js';
import {PropertyCursor} from '../../log/entry-view.js';
import type {Json} from '../../log/json.js';
import {inside} from './person-traits.js';
import {PropertyName} from './property-name.js';

/** The value of a property; undefined: the row has no such property. */
export type PropertyValue = Json | undefined;

/** Codes of a chunk in which no row has the property. */
const noCodes = new Uint8Array(chunkRowsMax).fill(codeAbsent);

export class PropertyValues {
  readonly property: PropertyName;
  private literal: RowColumn | undefined;
  private head: RowColumn | undefined;
  private context: readonly RowColumn[] = [];
  /** Whether rows without any of the columns may have the property in their bodies. */
  private isLiteralInBodies = false;
  private isHeadInBodies = false;
  private isContextInBodies = false;
  private codes = 0;
  private codeOfRow: Uint8Array | Uint16Array | undefined;
  /** Values of the codes, code 1 first, if all are stored as integers. */
  private integers: Integers | undefined;
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
  open(rows: PropertyColumns): void {
    const {property} = this;
    const {columns, keysInBody} = rows;
    this.literal = columns[property.columnIn(rows)];
    this.head = columns[property.headColumnIn(rows)];
    this.context = property.contextColumnsIn(rows);
    this.isLiteralInBodies = keysInBody && this.literal === undefined;
    this.isHeadInBodies = keysInBody && property.isPath && this.head === undefined;
    this.isContextInBodies = property.isContextInBodies(rows);
    this.codes = this.literal?.values.count ?? 0;
    const deciding = property.decidingColumn(rows);
    this.codeOfRow = deciding === undefined ? undefined : (columns[deciding]?.codes ?? noCodes);
    this.integers = this.literal?.values.integers();
    this.bodyKeys.clear();
    this.keysOfTexts.clear();
    this.bodyValues.length = 0;
  }

  /** Upper bound of the open chunk's keys; `addBodies` raises it. */
  get keyCount(): number {
    return this.codes + 1 + this.bodyValues.length;
  }

  /** The keys of all rows, if codes are keys; undefined: some rows are unsure, or were. PV3 */
  get keys(): Uint8Array | Uint16Array | undefined {
    return this.codeOfRow;
  }

  /** Whether the row's value is in its body alone, and the body was not read yet. PV2 */
  isUnsure(row: number): boolean {
    return this.codeOfRow === undefined && this.isOfBody(row) && !this.bodyKeys.has(row);
  }

  private isOfBody(row: number): boolean {
    const {literal, head, context, property} = this;
    if (literal === undefined ? this.isLiteralInBodies : literal.codes[row] === literal.inBody) return true;
    if (literal !== undefined && literal.codes[row] !== codeAbsent) return false;
    if (!property.isPath) return false;
    if (head === undefined ? this.isHeadInBodies : head.codes[row] === head.inBody) return true;
    if (head !== undefined && head.codes[row] !== codeAbsent) return false;
    return this.isContextInBodies || context.some(({codes}) => codes[row] !== codeAbsent);
  }

  /** The row's key. PV1 */
  keyOf(row: number): number {
    if (this.codeOfRow !== undefined) return this.codeOfRow[row];
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
    if (integers !== undefined) return integers.smallest + integers.above[code - 1];
    const {values} = must(this.literal, 'property values: a code is of the literal column');
    return this.reader.read((writer) => values.write(code, writer));
  }

  /** Adds the codes of a value, of which there may be several. `encoded`: its bytes. */
  findCodes(encoded: Uint8Array, into: number[]): void {
    const values = this.literal?.values;
    const stored = values?.storedForm(encoded);
    if (values !== undefined && stored !== undefined) values.find(stored, into);
  }

  /** The largest key of a code: later ones are of values in bodies. PV1 */
  get codeCount(): number {
    return this.codes;
  }

  /** The value of the key as a number; NaN for any other value. */
  numberOf(key: number): number {
    const {integers} = this;
    if (key > 0 && key <= this.codes && integers !== undefined) return integers.smallest + integers.above[key - 1];
    const value = this.valueOf(key);
    return typeof value === 'number' ? value : Number.NaN;
  }

  /**
   * Writes the numbers of these rows to `into`, NaN for those without one. Returns how many of these have another value.
   */
  readNumbers(rows: Uint16Array, into: Float64Array): number {
    const {keys, integers} = this;
    if (keys !== undefined && integers !== undefined) return readIntegers(rows, keys, integers, into);
    let others = 0;
    for (let i = 0; i < rows.length; i++) {
      const key = this.keyOf(rows[i]);
      into[i] = this.numberOf(key);
      if (key !== 0 && Number.isNaN(into[i])) others += 1;
    }
    return others;
  }

  /** Reads the unsure rows among `rows`, which ascend and are of one body block. PV2 */
  addBodies(columns: RowColumns, block: Uint8Array, rows: Uint16Array): void {
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
    let nested = isOfContext ? cursor.takeContext() : undefined;
    cursor.passOwn();
    while (cursor.next()) {
      const {keyStart, keyEnd} = cursor;
      if (holds(bytes, keyStart, keyEnd, key)) return cursor.json();
      if (isPath && holds(bytes, keyStart, keyEnd, pathHead))
        nested = cursor.tag === valueTag.json ? (cursor.value() as string) : undefined;
    }
    return nested === undefined ? undefined : inside(JSON.parse(nested) as Json, path);
  }
}

/** `integers`: of the keys from 1 on. */
function readIntegers(
  rows: Uint16Array,
  keys: Uint8Array | Uint16Array,
  {smallest, above}: Integers,
  into: Float64Array,
): number {
  for (let i = 0; i < rows.length; i++) {
    const key = keys[rows[i]];
    into[i] = key === 0 ? Number.NaN : smallest + above[key - 1];
  }
  return 0;
}

/** The values of a text: at most a text, a boolean and a number have it as theirs. Encoded, as columns and cells have them. */
export function valuesOfText(text: string): Uint8Array[] {
  const values: Json[] = [text];
  if (text === 'true' || text === 'false') values.push(text === 'true');
  const number = Number(text);
  if (Number.isFinite(number) && String(number) === text) values.push(number);
  if (text === '0') values.push(-0);
  return values.map((value) => {
    const writer = new ByteWriter(text.length * 3 + 16);
    writeValue(writer, value);
    return writer.finish();
  });
}

/** Decodes single values, tag included, in the bytes of the log format. */
export class ValueReader {
  private readonly scratch = new ByteWriter(256);

  read(write: (writer: ByteWriter) => void): Json {
    const {scratch} = this;
    scratch.position = 0;
    // A pair with an empty key, as a cursor reads it. The first byte keeps the position from being 0, which means no pairs.
    scratch.u8(0);
    scratch.u8(1);
    scratch.u8(0);
    write(scratch);
    const cursor = new PropertyCursor(scratch.bytes);
    cursor.open(1);
    cursor.next();
    return cursor.json();
  }
}
