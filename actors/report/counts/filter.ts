// The property filter of an event count: `<property>=<value>` (docs/api/reports/README.md, As parameters).
//   A literal top-level key wins over the path that its dots would spell, whatever its value. Strings, numbers and booleans
//   compare by their JavaScript string form; null, objects and arrays equal nothing. A property `context`, whatever its value,
//   wins over the event's context.
//   PF1. A string form has at most three sources (text, boolean or number), so the filter compares bytes (entries.ts E2) and
//        decodes no dictionary entry.
//   PF2. A row that columns cannot decide (property-columns.ts PC1, PC2) is `unsure`: its body decides.

import {ByteWriter, holds} from '../../bytes/bytes.js';
import {BodyBlock} from '../../chunk/bodies.js';
import {
  codeAbsent,
  codeInBody,
  type PropertyColumns,
  type RowColumn,
  type WholeRows,
} from '../../chunk/property-columns.js';
import {valueTag, writeValue} from '../../log/entries.js';
import type {PropertyCursor} from '../../log/entry-view.js';
import type {Json} from '../../log/json.js';
import {PropertyName} from '../rows/property-name.js';

export const verdict = {no: 0, yes: 1, unsure: 2, byPath: 3} as const;
/** Shared: most filters never open a chunk. */
const noVerdicts = new Uint8Array(0);
type Verdict = (typeof verdict)[keyof typeof verdict];

export class PropertyFilter {
  readonly property: PropertyName;
  private readonly value: string;
  /** Value bytes that pass. PF1 */
  readonly equalValues: readonly Uint8Array[];
  /**
   * State of the open chunk: codes of the literal key or of the context's member (property-name.ts PN1), the verdict of each code,
   * columns of the path's first key and of the context (if the path leads there), and the verdict on a row without any of them.
   */
  private codes: RowColumn['codes'] | undefined;
  private head: RowColumn | undefined;
  private context: readonly RowColumn[] = [];
  private isContextInBodies = false;
  private absent: Verdict = verdict.no;
  private verdicts = noVerdicts;
  /** The literal key's column in the open chunk and its position, and the codes with the verdict `yes`. */
  private literal: RowColumn | undefined;
  private column = -1;
  private isMember = false;
  equalCodes: readonly number[] = [];
  /** Code of the literal key's column for rows whose value is in the body (property-columns.ts PC1). */
  private inBody = codeInBody;

  constructor(property: string, value: string) {
    this.property = new PropertyName(property);
    this.value = value;
    this.equalValues = valuesPrinting(value);
  }

  /** Opens a chunk for `judge` and `tellingColumn`; false when none of its rows can pass. */
  open(rows: PropertyColumns): boolean {
    const {isPath} = this.property;
    const column = this.property.columnIn(rows, this.column);
    const headColumn = this.property.headColumnIn(rows);
    this.codes = rows.columns[column]?.codes;
    this.head = rows.columns[headColumn];
    this.context = this.property.contextColumnsIn(rows);
    this.isContextInBodies = this.property.isContextInBodies(rows);
    this.absent = rows.keysInBody ? verdict.unsure : verdict.no; // PC2
    if (this.verdicts === noVerdicts) this.verdicts = new Uint8Array(codeInBody + 1);
    for (const code of this.equalCodes) this.verdicts[code] = verdict.no;
    this.verdicts[this.inBody] = verdict.no;
    this.inBody = rows.columns[column]?.inBody ?? codeInBody;
    this.verdicts[this.inBody] = verdict.unsure;
    this.equalCodes = column < 0 ? [] : this.readEqual(rows, column);
    for (const code of this.equalCodes) this.verdicts[code] = verdict.yes;
    const literalAbsent = isPath ? verdict.byPath : verdict.no;
    this.verdicts[codeAbsent] = column < 0 && rows.keysInBody ? verdict.unsure : literalAbsent;
    this.column = column;
    this.literal = rows.columns[column];
    this.isMember = this.property.isMemberOf(rows);
    return column >= 0 || headColumn >= 0 || this.context.length > 0 || rows.keysInBody;
  }

  private readEqual({columns}: PropertyColumns, column: number): number[] {
    const equal: number[] = [];
    const {values} = columns[column];
    for (const value of this.equalValues) {
      const stored = values.storedForm(value);
      if (stored !== undefined) values.find(stored, equal);
    }
    return equal;
  }

  /** The column of the open chunk whose codes decide every row or tell that it is unsure; undefined: call `judge`. */
  get tellingColumn(): RowColumn | undefined {
    return this.property.isPath && !this.isMember ? undefined : this.literal;
  }

  /** `yes`, `no` or `unsure` (PF2) for one row of the open chunk. */
  judge(row: number): Verdict {
    const literal = this.verdicts[this.codes === undefined ? codeAbsent : this.codes[row]];
    if (literal !== verdict.byPath) return literal as Verdict;
    const {head} = this;
    const isHeadAbsent = head === undefined || head.codes[row] === codeAbsent;
    if (!isHeadAbsent) return inside(head, row);
    if (head === undefined && this.absent === verdict.unsure) return verdict.unsure;
    const mayHave = this.isContextInBodies || this.context.some(({codes}) => codes[row] !== codeAbsent);
    return mayHave ? verdict.unsure : verdict.no;
  }

  /** The rows whose bodies pass. `rows` ascend and are of one body block. */
  passing(columns: WholeRows, block: Uint8Array, rows: Uint16Array): Uint16Array {
    const bodies = new BodyBlock(block, columns);
    const passing = new Uint16Array(rows.length);
    let count = 0;
    for (const row of rows) if (this.passes(bodies.properties(row))) passing[count++] = row;
    return passing.subarray(0, count);
  }

  private passes(cursor: PropertyCursor): boolean {
    const {bytes} = cursor;
    const {key, pathHead, isPath, isOfContext} = this.property;
    let nested = isOfContext ? cursor.takeContext() : undefined;
    while (cursor.next()) {
      const {keyStart, keyEnd} = cursor;
      if (holds(bytes, keyStart, keyEnd, key)) return this.equalsScalar(bytes, cursor);
      if (isPath && holds(bytes, keyStart, keyEnd, pathHead)) {
        nested = cursor.tag === valueTag.json ? (cursor.value() as string) : undefined;
      }
    }
    return nested !== undefined && this.equalsNested(JSON.parse(nested) as Json);
  }

  private equalsScalar(block: Uint8Array, cursor: PropertyCursor): boolean {
    return this.equalValues.some((value) => holds(block, cursor.valueStart, cursor.valueEnd, value));
  }

  private equalsNested(head: Json): boolean {
    let value: Json | undefined = head;
    for (const key of this.property.path.slice(1)) {
      if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, key))
        return false;
      value = value[key];
    }
    return value !== null && typeof value !== 'object' && String(value) === this.value;
  }
}

/** A value with a code is a scalar. Only a value in the body may have the path's next key. */
const inside = ({codes, inBody}: RowColumn, row: number): Verdict =>
  codes[row] === inBody ? verdict.unsure : verdict.no;

/** The encoded values whose string form is `text`. PF1 */
function valuesPrinting(text: string): Uint8Array[] {
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
