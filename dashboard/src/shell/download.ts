// Files that the browser makes of what a page has.
import {type Cell, csvOf} from '../charts/csv';

/** `rows`: the first of them has the names of the columns. */
export const downloadCsv = (file: string, rows: readonly (readonly Cell[])[]): void =>
  download(`${file}.csv`, 'text/csv;charset=utf-8', csvOf(rows));

export function download(file: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const link = document.createElement('a');
  link.href = address;
  link.download = file;
  link.click();
  // The browser has begun to read it by then; the text would stay in memory as long as the page.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
