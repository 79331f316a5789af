// The rows of Umami's tables as lines: each event with its data, all by time, in constant memory. The tables are in no order, and larger
// than memory.
//   UT1. Rows are spread over files by the hash of what joins them, each file is joined and sorted alone, and all are merged by time.
//        What is held is one such file, then a chunk of each.
//   UT2. The same tables give the same lines in the same order: an import that was killed resumes at one of them.
//   UT3. Tables may have several websites. One is imported: it is named, or the only one there is.

import {hash} from 'node:crypto';
import {closeSync, mkdirSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {readdir} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import type {Readable} from 'node:stream';
import {openContent} from './content.js';
import type {Line} from './line.js';
import {type LineSource, LineSplitter} from './lines.js';
import {SourceFault} from './source-fault.js';
import {TableSplitter} from './table-splitter.js';

/** Unpacked, and as objects, they are some ten times as large. */
const bytesPerFileUsual = 1024 * 1024;
const filesMax = 256;
const writtenAtOnce = 64 * 1024;
const readAtOnce = 64 * 1024;
const linesAtOnce = 1_000;
const websitesShownMax = 20;

const tables = {event: 'website_event', data: 'event_data', session: 'session_data'} as const;
type Table = keyof typeof tables;
const tableOf = (name: string): Table | undefined =>
  (Object.keys(tables) as Table[]).find((table) =>
    new RegExp(`^${tables[table]}[^/]*\\.csv(\\.gz|\\.br)?$`).test(basename(name)),
  );

export const isUmamiSource = (name: string): boolean => name.endsWith('.zip') || tableOf(name) === 'event';

export interface UmamiOptions {
  readonly website: string | undefined;
  /** Where the files of rows are while they are read; it is removed. */
  readonly folder: string;
  /** Of packed tables, in one file of rows. */
  readonly bytesPerFile?: number;
}

type Row = Record<string, unknown>;

/** `path`: an archive of tables, or `website_event.csv`, whose other tables are beside it. */
export async function openUmamiTables(
  path: string,
  {website, folder, bytesPerFile = bytesPerFileUsual}: UmamiOptions,
): Promise<LineSource> {
  const files = await filesOf(path);
  const packedBytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const ownBytes = statSync(path).size;
  let sorted: SortedRows | undefined;
  const close = (): void => {
    sorted?.close();
    rmSync(folder, {recursive: true, force: true});
  };
  async function* chunks(): AsyncGenerator<readonly Line[]> {
    rmSync(folder, {recursive: true, force: true}); // Of an import that was killed.
    const spread = new SpreadRows(folder, Math.min(filesMax, Math.ceil(packedBytes / bytesPerFile) || 1));
    for (const file of files) await spread.addAll(file, website);
    spread.assertOneWebsite(website, basename(path));
    sorted = spread.sorted();
    yield* sorted.chunks();
    close();
  }
  return {chunks, bytesRead: () => Math.round((sorted?.fractionRead ?? 0) * ownBytes), close};
}

async function filesOf(path: string): Promise<readonly string[]> {
  if (tableOf(path) !== 'event') return [path];
  const beside = await readdir(dirname(path));
  const others = beside.filter((name) => ['data', 'session'].includes(tableOf(name) ?? '')).sort();
  return [path, ...others.map((name) => join(dirname(path), name))];
}

/** Files of rows, each a line: the table, and the row. UT1 */
class SpreadRows {
  readonly #pending: string[][];
  readonly #pendingChars: Uint32Array;
  readonly #websites = new Map<string, number>();

  constructor(
    private readonly folder: string,
    private readonly fileCount: number,
  ) {
    mkdirSync(folder, {mode: 0o700});
    this.#pending = Array.from({length: fileCount}, () => []);
    this.#pendingChars = new Uint32Array(fileCount);
    for (let file = 0; file < fileCount; file++) writeFileSync(this.#pathOf(file), '', {mode: 0o600});
  }

  async addAll(path: string, website: string | undefined): Promise<void> {
    const content = await openContent(path, true);
    try {
      for await (const {name, bytes} of content.parts()) {
        const table = tableOf(name);
        if (table !== undefined) await this.#addTable(table, name, bytes, website);
      }
    } finally {
      content.close();
    }
  }

  /** UT3 */
  assertOneWebsite(website: string | undefined, fileName: string): void {
    for (let file = 0; file < this.fileCount; file++) this.#write(file);
    const all = [...this.#websites].sort(([, a], [, b]) => b - a);
    const shown = all.slice(0, websitesShownMax).map(([id, events]) => `${id} (${events} events)`);
    if (website === undefined && all.length > 1)
      throw new SourceFault(`${fileName} has several websites: choose one by --website: ${shown.join(', ')}.`);
    if (website !== undefined && !this.#websites.has(website))
      throw new SourceFault(
        `${fileName} has no events of the website ${website}; it has ${shown.join(', ') || 'none'}.`,
      );
  }

  sorted(): SortedRows {
    const paths = Array.from({length: this.fileCount}, (_, file) => this.#pathOf(file));
    for (const path of paths) writeFileSync(path, joined(readFileSync(path, 'utf8')));
    return new SortedRows(paths);
  }

  async #addTable(table: Table, name: string, bytes: Readable, website: string | undefined): Promise<void> {
    const splitter = new TableSplitter();
    const add = (lines: readonly Line[]): void => {
      for (const line of lines) {
        if (line.bytes === null) throw new SourceFault(`${name}, line ${line.number}: ${line.fault}`);
        this.#add(table, line.bytes.toString('utf8'), website);
      }
    };
    for await (const chunk of bytes) add(await splitter.take(chunk as Buffer));
    if (splitter.columns !== undefined) add(await splitter.end());
  }

  #add(table: Table, text: string, website: string | undefined): void {
    const row = JSON.parse(text) as Row;
    const ofWebsite = String(row.website_id);
    if (table === 'event') this.#websites.set(ofWebsite, (this.#websites.get(ofWebsite) ?? 0) + 1);
    if (website !== undefined && ofWebsite !== website) return;
    const file = Number.parseInt(hash('sha256', keyOf(table, row), 'hex').slice(0, 8), 16) % this.fileCount;
    this.#pending[file]!.push(`${table}\t${text}\n`);
    this.#pendingChars[file]! += text.length;
    if (this.#pendingChars[file]! > writtenAtOnce) this.#write(file);
  }

  #write(file: number): void {
    writeFileSync(this.#pathOf(file), this.#pending[file]!.join(''), {flag: 'a'});
    this.#pending[file] = [];
    this.#pendingChars[file] = 0;
  }

  #pathOf(file: number): string {
    return join(this.folder, `${file}.rows`);
  }
}

/** What joins the rows of tables. A table of a database names it otherwise. */
const keyOf = (table: Table, row: Row): string =>
  String(table === 'session' ? row.session_id : (row.event_id ?? row.website_event_id));

/** The events of a file with their data, and what is said of sessions, by time: a line each, the time before it. UT2 */
function joined(text: string): string {
  const data = new Map<string, Row>();
  const rows: {readonly at: string; readonly key: string; readonly row: Row}[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const tab = line.indexOf('\t');
    const table = line.slice(0, tab) as Table;
    const row = JSON.parse(line.slice(tab + 1)) as Row;
    const key = keyOf(table, row);
    if (table !== 'data') {
      rows.push({at: String(row.created_at), key: `${key} ${row.data_key ?? ''}`, row});
      continue;
    }
    const {data_key, event_key, string_value, number_value, date_value, data_type} = row;
    const ofEvent = data.get(key) ?? {};
    data.set(key, ofEvent);
    ofEvent[String(data_key ?? event_key)] = {string_value, number_value, date_value, data_type};
  }
  rows.sort((a, b) => (a.at === b.at ? (a.key < b.key ? -1 : 1) : a.at < b.at ? -1 : 1));
  return rows
    .map(({at, row}) => {
      const ofEvent = 'data_key' in row ? undefined : data.get(keyOf('event', row));
      return `${at}\t${JSON.stringify(ofEvent === undefined ? row : {...row, data: ofEvent})}\n`;
    })
    .join('');
}

/** Sorted files, merged. */
class SortedRows {
  readonly #files: SortedFile[];
  readonly #bytes: number;

  constructor(paths: readonly string[]) {
    this.#files = paths.map((path) => new SortedFile(path));
    this.#bytes = this.#files.reduce((sum, {bytes}) => sum + bytes, 0);
  }

  get fractionRead(): number {
    return this.#bytes === 0 ? 1 : this.#files.reduce((sum, {bytesRead}) => sum + bytesRead, 0) / this.#bytes;
  }

  *chunks(): Generator<readonly Line[]> {
    let lines: Line[] = [];
    for (let number = 1; ; number++) {
      let first: SortedFile | undefined;
      // Linear scan: there is a file for each MiB of packed tables, and few exports have a hundred.
      for (const file of this.#files)
        if (file.at !== undefined && (first?.at === undefined || file.at < first.at)) first = file;
      if (first === undefined) break;
      lines.push({number, bytes: first.take()});
      if (lines.length < linesAtOnce) continue;
      yield lines;
      lines = [];
    }
    yield lines;
  }

  close(): void {
    for (const file of this.#files) file.close();
  }
}

class SortedFile {
  readonly bytes: number;
  bytesRead = 0;
  /** Time of the next row; undefined: there is none. */
  at: string | undefined;
  readonly #splitter = new LineSplitter();
  readonly #chunk = Buffer.alloc(readAtOnce);
  #file: number | undefined;
  #lines: readonly Line[] = [];
  #next = 0;

  constructor(path: string) {
    this.bytes = statSync(path).size;
    this.#file = openSync(path, 'r');
    this.#show();
  }

  /** The next row. */
  take(): Buffer | null {
    const {bytes} = this.#lines[this.#next++]!;
    this.#show();
    return bytes === null ? null : bytes.subarray(bytes.indexOf(0x09) + 1);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #show(): void {
    while (this.#next === this.#lines.length) {
      const read = this.#file === undefined ? 0 : readSync(this.#file, this.#chunk);
      if (read === 0) {
        this.at = undefined;
        this.close();
        return;
      }
      this.bytesRead += read;
      // A copy: lines keep pieces of their chunk.
      this.#lines = this.#splitter.take(Buffer.from(this.#chunk.subarray(0, read)));
      this.#next = 0;
    }
    const {bytes} = this.#lines[this.#next]!;
    this.at = bytes === null ? '' : bytes.toString('latin1', 0, bytes.indexOf(0x09));
  }
}
