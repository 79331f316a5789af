// The property that a filter names: a literal top-level key, or the path that its dots spell (docs/api/reports/README.md,
// Conditions). A path that begins with `context` leads into the event's context if no property has that name.
//   PN1. A member of the context that has a pair of its own (actors/log/context.ts) has a column. Where a chunk has no property that
//        wins over it, its codes are the values of the name, as those of a literal key are.
import {wtf8} from '../../bytes/bytes.js';
import {codeAbsent, isIdentityCoded, type PropertyColumns, type RowColumn} from '../../chunk/property-columns.js';
import {contextKey, contextMemberKeys} from '../../log/context.js';

const contextHead = 'context';

export class PropertyName {
  readonly text: string;
  readonly key: Uint8Array;
  readonly path: readonly string[];
  readonly pathHead: Uint8Array;
  /** Key of the member of the context at this path. PN1 */
  private readonly member: Uint8Array | undefined;
  private readonly contextKeys: readonly Uint8Array[];

  constructor(text: string) {
    this.text = text;
    this.key = wtf8(text);
    this.path = text.split('.');
    this.pathHead = wtf8(this.path[0]);
    const {isOfContext} = this;
    this.member = isOfContext ? contextMemberKeys.get(text.slice(contextHead.length + 1)) : undefined;
    this.contextKeys = isOfContext ? contextKeysOf(this.path) : [];
  }

  get isPath(): boolean {
    return this.path.length > 1;
  }

  /**
   * The column whose codes are values of the name: the literal key's, or that of the context's member (PN1); -1 if there is none.
   * `likely`: its number in the chunk before, which is mostly the same.
   */
  columnIn(rows: PropertyColumns, likely = -1): number {
    const {columns} = rows;
    if (likely >= 0 && likely < columns.length && equals(columns[likely].key, this.key)) return likely;
    const literal = numberOf(rows, this.key);
    return literal < 0 && this.isMemberOf(rows) ? numberOf(rows, this.member!) : literal;
  }

  /** Whether the member's column has all values of the name in this chunk. PN1 */
  isMemberOf(rows: PropertyColumns): boolean {
    if (this.member === undefined || rows.keysInBody) return false;
    return numberOf(rows, this.key) < 0 && numberOf(rows, this.pathHead) < 0;
  }

  /** The column of the path's first key; -1 if there is none, or if the name is no path. */
  headColumnIn(rows: PropertyColumns): number {
    return this.isPath ? numberOf(rows, this.pathHead) : -1;
  }

  /** Whether the path leads into the event's context. */
  get isOfContext(): boolean {
    return this.isPath && this.path[0] === contextHead;
  }

  /** Columns with what may be the value in the context, or a part of it; only a row's body tells. None where `isMemberOf`. */
  contextColumnsIn(rows: PropertyColumns): readonly RowColumn[] {
    if (this.isMemberOf(rows)) return [];
    return this.contextKeys.flatMap((key) => rows.columns[numberOf(rows, key)] ?? []);
  }

  /** Whether bodies alone may have the value in the context for rows without any of those columns. */
  isContextInBodies(rows: PropertyColumns): boolean {
    return rows.keysInBody && this.contextKeys.some((key) => numberOf(rows, key) < 0);
  }

  /** Whether the column of this key may decide a row: the literal key, the path's first key or the context. */
  mayBeDecidedBy(key: Uint8Array): boolean {
    const isOf = (other: Uint8Array): boolean => equals(key, other);
    return isOf(this.key) || (this.isPath && isOf(this.pathHead)) || this.contextKeys.some(isOf);
  }

  /**
   * The column that decides all rows; -1 if no row has the property. Undefined: some rows need their bodies
   * (property-columns.ts PC1, PC2).
   */
  decidingColumn(rows: PropertyColumns): number | undefined {
    const column = this.columnIn(rows);
    const head = this.headColumnIn(rows);
    const mayBePastColumns = column < 0 || (this.isPath && head < 0) || this.isContextInBodies(rows);
    if (rows.keysInBody && mayBePastColumns) return undefined;
    if (this.contextColumnsIn(rows).some(hasValues)) return undefined;
    return [column, head].some((one) => isInBody(rows, one)) ? undefined : column;
  }
}

/** Number of the key's column, or -1. */
const numberOf = ({columns}: PropertyColumns, key: Uint8Array): number =>
  columns.findIndex((column) => equals(column.key, key));

/** Whether a row that is not erased has a value in the column. */
const hasValues = (column: RowColumn): boolean =>
  isIdentityCoded(column) || column.codes.some((code) => code !== codeAbsent);

/** Keys of the context that have the value at a path, or parts of it. A path inside a member leads to the member's. */
function contextKeysOf(path: readonly string[]): readonly Uint8Array[] {
  const below = path.slice(1).join('.');
  const keys: Uint8Array[] = [];
  let isMember = false;
  for (const [member, key] of contextMemberKeys) {
    isMember ||= below === member || below.startsWith(`${member}.`);
    if (below === member || below.startsWith(`${member}.`) || member.startsWith(`${below}.`)) keys.push(key);
  }
  return isMember ? keys : [contextKey, ...keys];
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
