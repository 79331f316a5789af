// Worker thread that writes Parquet files (parquet-thread.ts): a row group takes a tenth of a second, in which the edge thread
// would answer nobody. A work that fails is answered with its error: the file is cut, and the thread goes on.
import {parentPort} from 'node:worker_threads';
import type {ReportQuery} from '../../asks/report.js';
import {tableOf} from '../tables/report-table.js';
import type {Cell, Column} from '../tables/table.js';
import {columnsOf, eventColumns} from './event-columns.js';
import {type FileColumn, type FileType, type FileValue, ParquetFile} from './parquet-file.js';

type Facts = Readonly<Record<string, string>>;

/** The next rows of a file of events. */
export interface EventRows {
  readonly file: number;
  readonly isFirst: boolean;
  readonly lines: Uint8Array<ArrayBuffer>;
  /** Facts of the footer, with the last rows. */
  readonly facts?: Facts;
}

export interface ReportTable {
  readonly query: ReportQuery;
  /** JSON text of the answer. */
  readonly body: string;
  readonly facts: Facts;
}

export type ParquetWork = EventRows | ReportTable;

/** Without an id: the file will not be continued. */
export type ToParquet = {readonly id: number; readonly work: ParquetWork} | {readonly forget: number};

export type FromParquet = {readonly id: number} & ({readonly bytes: Uint8Array<ArrayBuffer>} | {readonly error: Error});

const port = parentPort!;
const files = new Map<number, ParquetFile>();

port.on('message', (message: ToParquet) => {
  if ('forget' in message) {
    files.delete(message.forget);
    return;
  }
  const {id, work} = message;
  try {
    const bytes = 'lines' in work ? withRows(work) : reportFile(work);
    port.postMessage({id, bytes} satisfies FromParquet, [bytes.buffer]);
  } catch (error) {
    port.postMessage({id, error: error as Error} satisfies FromParquet);
  }
});

function withRows({file: number, isFirst, lines, facts}: EventRows): Uint8Array<ArrayBuffer> {
  if (isFirst) files.set(number, new ParquetFile(eventColumns));
  const file = files.get(number);
  if (file === undefined) throw new Error('the thread with the beginning of the file has ended');
  file.add(columnsOf(lines));
  if (facts !== undefined) file.end(facts);
  return file.take();
}

// -- reports --

function reportFile({query, body, facts}: ReportTable): Uint8Array<ArrayBuffer> {
  const {columns, rows} = tableOf(query, body);
  const cells = columns.map((_, at) => rows.map((row) => row[at]!));
  const ofFile = columns.map(([name, type], at): FileColumn => ({name, type: fileType(type, cells[at]!)}));
  const file = new ParquetFile(ofFile);
  file.add(cells.map((column, at) => column.map((cell) => fileValue(cell, ofFile[at]!.type))));
  file.end(facts);
  return file.take();
}

const dateCharacters = 'YYYY-MM-DD'.length;
const dayMs = 24 * 60 * 60 * 1_000;

/** Buckets are dates, or hours, which have a time and an offset. */
const fileType = (type: Column[1], cells: readonly Cell[]): FileType =>
  type !== 'bucket' ? type : cells.every((cell) => (cell as string).length === dateCharacters) ? 'date' : 'time';

function fileValue(cell: Cell, type: FileType): FileValue {
  if (cell === null) return null;
  if (type === 'count') return BigInt(cell);
  if (type === 'time') return BigInt(Date.parse(cell as string));
  return type === 'date' ? Date.parse(cell as string) / dayMs : cell;
}
