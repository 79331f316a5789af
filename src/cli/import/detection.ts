// Whose export a file looks like, by its first line: an import in the wrong form would refuse every line, or misread them all.

import {jsonOrUndefined} from '../../json.js';
import {ArraySplitter} from './array-splitter.js';
import {assertColumns} from './csv-export.js';
import {splitterOf} from './lines.js';
import {SourceFault} from './source-fault.js';
import {TableSplitter} from './table-splitter.js';
import {type FormatOptions, noEventsOfPlausible, type VendorName, vendorFormats, vendorOf} from './vendor-formats.js';

interface Asked extends FormatOptions {
  readonly from: VendorName | undefined;
}

/** @throws SourceFault when the first line of `head` is of another form than the one that is asked for. */
export async function assertForm(head: Buffer, asked: Asked, fileName: string): Promise<void> {
  const {from} = asked;
  if (/^imported_\w+\.csv/.test(fileName)) throw new SourceFault(noEventsOfPlausible);
  const looksLike = vendorOf(firstValue(head)) ?? (await vendorOfTable(head));
  if (looksLike !== undefined && looksLike !== from) {
    const {title} = vendorFormats[looksLike];
    throw new SourceFault(
      from === undefined
        ? `${fileName} looks like ${title}: add --from ${looksLike}.`
        : `${fileName} looks like ${title}, not ${vendorFormats[from].title}: say --from ${looksLike}.`,
    );
  }
  if (from === 'csv') assertColumns((await columnsOf(head)) ?? [], asked.columns ?? new Map());
  if (from === undefined && /\.csv(\.gz|\.br)?$/.test(fileName))
    throw new SourceFault(`${fileName} is a table: add --from csv, and --map for its columns.`);
}

/** The first line that is not blank, or element of a list, parsed; undefined: it is no JSON, or does not end within the head. */
function firstValue(head: Buffer): unknown {
  const splitter = splitterOf(head);
  const lines = splitter.take(head);
  const rest = splitter instanceof ArraySplitter ? [] : splitter.end();
  const first = [...lines, ...rest].find(({bytes}) => bytes === null || bytes.some((byte) => byte > 0x20));
  return jsonOrUndefined(first?.bytes?.toString('utf8') ?? '');
}

/** Undefined: nobody's that is known, or no table. */
async function vendorOfTable(head: Buffer): Promise<VendorName | undefined> {
  const columns = await columnsOf(head).catch(() => undefined); // Whoever reads the rows says what is wrong.
  return columns?.includes('website_id') && columns.includes('session_id') ? 'umami' : undefined;
}

/** Names of the columns of a table. */
async function columnsOf(head: Buffer): Promise<readonly string[] | undefined> {
  const splitter = new TableSplitter();
  await splitter.take(head.subarray(0, head.lastIndexOf(0x0a) + 1 || head.length));
  if (splitter.columns === undefined) await splitter.end();
  return splitter.columns;
}
