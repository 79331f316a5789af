// What a tool answers: a table as text, and the same as structured content, of at most `resultBytesMax` together.
//   TR1. Nothing is cut without a word: the result says how many rows it left out, and a long cell how long it is.
//   TR2. Texts of clients are in quotes, as JSON: a line break or a command in one is part of a value.

/** An assistant reads all of a result. */
export const resultBytesMax = 8 * 1_024;
const cellCharsMax = 300;
const columnCharsMax = 100;
/** A longer one is neither repeated nor part of the command. */
export const questionCharsMax = 1_500;

export type Cell = string | number | boolean | null;

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows that stay where not all fit. Of buckets the last ones matter most. */
  readonly keeps: 'first' | 'last';
  /** Sentences below the table. */
  readonly notes: readonly string[];
}

/** What a result says of its question. */
export interface Asked {
  /** The question in its normal form; absent for what is no question. */
  readonly question?: object;
  readonly asOf?: string;
  readonly logPosition?: string;
  readonly hint?: string | null;
  /** The command that asks the same again. */
  readonly curl: string;
}

export interface ToolResult {
  readonly content: readonly {readonly type: 'text'; readonly text: string}[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

const bytesOf = (result: ToolResult): number => Buffer.byteLength(JSON.stringify(result));

export function resultOf(table: Table, asked: Asked): ToolResult {
  const {rows} = table;
  let [fits, tooMany] = [0, rows.length + 1];
  if (bytesOf(withRows(table, asked, rows.length)) <= resultBytesMax) return withRows(table, asked, rows.length);
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (bytesOf(withRows(table, asked, middle)) <= resultBytesMax) fits = middle;
    else tooMany = middle;
  }
  return withRows(table, asked, fits);
}

/** The result with so many of the rows. */
function withRows({title, columns: names, rows, keeps, notes}: Table, asked: Asked, count: number): ToolResult {
  const columns = names.map((name) => bounded(name, columnCharsMax));
  const shown = (keeps === 'first' ? rows.slice(0, count) : rows.slice(rows.length - count)).map((row) =>
    row.map((cell) => bounded(cell)),
  );
  const leftOut = rows.length - count;
  const {question, asOf, logPosition, hint, curl} = asked;
  const leftOutNote =
    leftOut === 0
      ? []
      : [`The ${keeps === 'first' ? 'last' : 'first'} ${leftOut} of ${rows.length} rows are left out: ask for less.`];
  const lines = [
    title,
    ...(rows.length === 0
      ? ['(no rows)']
      : [columns.join(' | '), ...shown.map((row) => row.map(cellText).join(' | '))]),
    ...leftOutNote,
    ...notes,
    ...(hint == null ? [] : [`Hint: ${hint}`]),
    ...(asOf === undefined ? [] : [`As of ${asOf}, log position ${logPosition}.`]),
    `Again: ${curl}`,
  ];
  return {
    content: [{type: 'text', text: lines.join('\n')}],
    structuredContent: {
      columns,
      rows: shown,
      ...(leftOut > 0 && {rows_left_out: leftOut}),
      ...(notes.length > 0 && {notes}),
      ...(hint != null && {hint}),
      ...(asOf !== undefined && {as_of: asOf, at: logPosition}),
      ...(question !== undefined && JSON.stringify(question).length <= questionCharsMax && {question}),
    },
  };
}

/** A text of at most so many characters; a longer one says how long it is. TR1 */
function bounded<Value extends Cell>(cell: Value, charsMax = cellCharsMax): Value | string {
  if (typeof cell !== 'string' || cell.length <= charsMax) return cell;
  return `${cell.slice(0, charsMax).toWellFormed()}… (${cell.length} characters)`;
}

/** TR2 */
const cellText = (cell: Cell): string =>
  cell === null ? '' : typeof cell === 'string' ? JSON.stringify(cell) : String(cell);

export const errorResult = (message: string): ToolResult => ({content: [{type: 'text', text: message}], isError: true});
