// The property that a filter names: a literal top-level key, or the path that its dots spell (docs/api.md, Reports). A path
// that begins with `context` leads into the event's context if no property has that name.
import {wtf8} from '../../bytes/bytes.js';
import {isIdentityCoded, type PropertyColumns} from '../../chunk/property-columns.js';
import {contextKey} from '../../log/entries.js';

const contextHead = 'context';

export class PropertyName {
  readonly text: string;
  readonly key: Uint8Array;
  readonly path: readonly string[];
  readonly pathHead: Uint8Array;

  constructor(text: string) {
    this.text = text;
    this.key = wtf8(text);
    this.path = text.split('.');
    this.pathHead = wtf8(this.path[0]);
  }

  get isPath(): boolean {
    return this.path.length > 1;
  }

  /** The literal key's column, or -1. `likely`: its column in the chunk before, which is mostly the same. */
  columnIn({columns}: PropertyColumns, likely = -1): number {
    if (likely >= 0 && likely < columns.length && equals(columns[likely].key, this.key)) return likely;
    return columns.findIndex((column) => equals(column.key, this.key));
  }

  /** The column of the path's first key; -1 if there is none, or if the name is no path. */
  headColumnIn({columns}: PropertyColumns): number {
    return this.isPath ? columns.findIndex((column) => equals(column.key, this.pathHead)) : -1;
  }

  /** Whether the path leads into the event's context. */
  get isOfContext(): boolean {
    return this.isPath && this.path[0] === contextHead;
  }

  /** The context's column; -1 if there is none, or if the path does not lead there. */
  contextColumnIn({columns}: PropertyColumns): number {
    return this.isOfContext ? columns.findIndex((column) => equals(column.key, contextKey)) : -1;
  }

  /** Whether the column of this key may decide a row: the literal key, the path's first key or the context. */
  mayBeDecidedBy(key: Uint8Array): boolean {
    const isOf = (other: Uint8Array): boolean => equals(key, other);
    return isOf(this.key) || (this.isPath && isOf(this.pathHead)) || (this.isOfContext && isOf(contextKey));
  }

  /**
   * The column that decides all rows; -1 if no row has the property. Undefined: some rows need their bodies
   * (property-columns.ts PC1, PC2).
   */
  decidingColumn(rows: PropertyColumns): number | undefined {
    const column = this.columnIn(rows);
    const head = this.headColumnIn(rows);
    const context = this.contextColumnIn(rows);
    const mayBePastColumns = column < 0 || (this.isPath && head < 0) || (this.isOfContext && context < 0);
    if (rows.keysInBody && mayBePastColumns) return undefined;
    return [column, head, context].some((one) => isInBody(rows, one)) ? undefined : column;
  }
}

function isInBody({columns}: PropertyColumns, column: number): boolean {
  if (column < 0 || isIdentityCoded(columns[column])) return false;
  const {codes, inBody} = columns[column];
  return codes.includes(inBody);
}

function equals(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
