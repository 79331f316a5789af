// Tables as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it.
import type {Cell, Table} from './table.js';

export const csvType = 'text/csv; charset=utf-8';

export const tableCsv = ({columns, rows}: Table): string => csvOf([columns.map(([title]) => title), ...rows]);

export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
