// The rows of a table (CSV, as RFC 4180 has it) as lines of JSON: an object by column for each, with every value a text.
//   TA1. Lines have the numbers of the file's lines: a row that goes over several has that of its last one. The header is no row.
//   TA2. A row that does not fit the header is a line that cannot be read; what follows it is. A quote that does not end, or a row
//        beyond the bound, ends the reading: nothing after it is certain.
//   TA3. An empty field is as good as none: CSV tells them apart in no way that exporters agree on.

import {type CsvError, type Parser, parse} from 'csv-parse';
import {type Line, lineBytesMax, type Splitter} from './line.js';
import {SourceFault} from './source-fault.js';

/** Tried in this order: of equal counts in the header the first wins. */
const delimiters = [',', ';', '\t'] as const;
const faultsOfRow: ReadonlySet<string> = new Set([
  ...['CSV_RECORD_INCONSISTENT_FIELDS_LENGTH', 'CSV_INVALID_CLOSING_QUOTE', 'INVALID_OPENING_QUOTE'],
]);

export class TableSplitter implements Splitter {
  /** Number of the last line that was read. */
  lineCount = 0;
  readonly #decoder = new TextDecoder('utf-8', {fatal: true}); // It takes a byte order mark away.
  /** Made with the first piece of text, which has the header. */
  #parser: Parser | undefined;
  /** Names in the header; undefined: it was not read yet. */
  columns: readonly string[] | undefined;
  #lines: Line[] = [];

  async take(chunk: Buffer): Promise<readonly Line[]> {
    await this.#write(this.#decoded(chunk));
    return this.#taken();
  }

  async end(): Promise<readonly Line[]> {
    await this.#write(this.#decoded());
    await written((done) => this.#parser!.end(done));
    return this.#taken();
  }

  #decoded(chunk?: Buffer): string {
    try {
      return this.#decoder.decode(chunk, {stream: chunk !== undefined});
    } catch (cause) {
      throw new SourceFault('the table is not UTF-8', {cause});
    }
  }

  async #write(text: string): Promise<void> {
    const parser = (this.#parser ??= this.#parserFor(text));
    await written((done) => parser.write(text, done));
  }

  #parserFor(head: string): Parser {
    const parser = parse({
      delimiter: delimiterOf(head),
      max_record_size: lineBytesMax,
      skip_empty_lines: true,
      skip_records_with_error: true,
      on_skip: (fault) => this.#skip(fault),
      on_record: (record: string[], {lines}) => this.#add(record, lines),
    });
    parser.on('error', () => {}); // Whoever writes hears of it.
    return parser.resume();
  }

  #taken(): readonly Line[] {
    const lines = this.#lines;
    this.#lines = [];
    this.lineCount = lines.at(-1)?.number ?? this.lineCount;
    return lines;
  }

  /** @returns null: the parser keeps no record. */
  #add(record: readonly string[], number: number): null {
    if (this.columns === undefined) {
      this.columns = columnsOf(record);
      return null;
    }
    const row: Record<string, string> = {};
    for (const [at, column] of this.columns.entries()) {
      const text = record[at]!;
      if (column !== '' && text !== '') row[column] = text; // TA3
    }
    this.#lines.push({number, bytes: Buffer.from(JSON.stringify(row))});
    return null;
  }

  /** TA2 */
  #skip(fault: CsvError | undefined): undefined {
    if (fault === undefined) return;
    if (this.columns === undefined || !faultsOfRow.has(fault.code)) throw fault;
    const number = Number(fault.lines);
    if (number <= (this.#lines.at(-1)?.number ?? this.lineCount)) return; // A row may have several faults.
    this.#lines.push({number, bytes: null, fault: fault.message});
  }
}

const written = (write: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => write((error) => (error ? reject(error) : resolve())));

/** Names of columns; one without a name, which some programs number the rows in, is left out. */
function columnsOf(header: readonly string[]): readonly string[] {
  const twice = header.find((name, at) => name !== '' && header.indexOf(name) < at);
  if (twice !== undefined) throw new SourceFault(`two columns of the table are named "${twice}"`);
  if (header.includes('__proto__')) throw new SourceFault('a column of the table is named "__proto__"');
  return header;
}

function delimiterOf(head: string): string {
  const header = head.slice(0, (head.indexOf('\n') + 1 || head.length + 1) - 1);
  const counts = delimiters.map((delimiter) => header.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))]!;
}
