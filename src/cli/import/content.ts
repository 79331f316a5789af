// The content of a file: plain, gzip, brotli, or a zip archive of files, each of which may be gzip.
//   C1. The first bytes tell the form, whatever the name; of brotli, which has none of its own, the name does.

import {createReadStream, type ReadStream} from 'node:fs';
import {open} from 'node:fs/promises';
import {pipeline, Readable} from 'node:stream';
import {createBrotliDecompress, createGunzip, createInflateRaw} from 'node:zlib';
import {SourceFault} from './source-fault.js';
import {noEventsOfPlausible} from './vendor-formats.js';
import {contentAt, type ZipEntry, zipEntries} from './zip-entries.js';

const chunkBytes = 256 * 1024;

export interface Part {
  /** Of the file, or of the file in the archive. */
  readonly name: string;
  /** Decompressed. */
  readonly bytes: Readable;
}

export interface FileContent {
  /** One, or one for each file of an archive, in the order of their names. */
  parts(): AsyncGenerator<Part>;
  /** Number of bytes read from the file, before decompression. */
  bytesRead(): number;
  close(): void;
}

/** `isTable`: an archive may have tables, and nothing else. */
export async function openContent(path: string, isTable = false): Promise<FileContent> {
  const form = formOf(await firstBytes(path), path);
  let bytesBefore = 0;
  let stream: ReadStream | undefined;
  const read = (range: {start?: number; end?: number} = {}): ReadStream => {
    bytesBefore += stream?.bytesRead ?? 0;
    stream = createReadStream(path, {highWaterMark: chunkBytes, ...range});
    return stream;
  };
  return {
    parts: form === 'zip' ? () => partsOfZip(path, isTable, read) : () => onePart(form, path, read),
    bytesRead: () => bytesBefore + (stream?.bytesRead ?? 0),
    close: () => void stream?.destroy(),
  };
}

type Form = 'plain' | 'gzip' | 'brotli' | 'zip';

function formOf(head: Buffer, path: string): Form {
  const first = head.toString('latin1');
  if (isGzip(head)) return 'gzip';
  if (first.startsWith('PK\x03\x04')) return 'zip';
  if (first === 'PAR1') throw new SourceFault(`${path} is Parquet, which is not imported: export JSON lines.`);
  if (first === '\x28\xb5\x2f\xfd')
    throw new SourceFault(
      `${path} is compressed by zstd, which Node 20 does not read: zstd -d makes a plain file of it.`,
    );
  return path.endsWith('.br') ? 'brotli' : 'plain';
}

async function* onePart(form: Exclude<Form, 'zip'>, name: string, read: () => ReadStream): AsyncGenerator<Part> {
  const unpack = {plain: undefined, gzip: createGunzip, brotli: createBrotliDecompress}[form];
  // Ignores nothing: an error of either stream destroys the unpacked one, and its reader gets the error.
  const bytes = unpack === undefined ? read() : pipeline(read(), unpack({chunkSize: chunkBytes}), () => {});
  yield {name, bytes};
}

async function* partsOfZip(
  path: string,
  isTable: boolean,
  read: (range: {start: number; end: number}) => ReadStream,
): AsyncGenerator<Part> {
  const file = await open(path);
  try {
    const entries = await zipEntries(file, (await file.stat()).size);
    assertForm(entries, path, isTable);
    for (const entry of entries) {
      const start = await contentAt(file, entry);
      const packed = read({start, end: start + entry.packedBytes - 1});
      const content = entry.isDeflated ? pipeline(packed, createInflateRaw({chunkSize: chunkBytes}), () => {}) : packed;
      yield {name: entry.name, bytes: await gunzipped(content)};
    }
  } finally {
    await file.close();
  }
}

function assertForm(entries: readonly ZipEntry[], path: string, isTable: boolean): void {
  const isOfTable = ({name}: ZipEntry): boolean => /\.csv(\.gz)?$/.test(name);
  const table = entries.find(isOfTable)?.name;
  if (table !== undefined && /(^|\/)imported_\w+\.csv$/.test(table)) throw new SourceFault(noEventsOfPlausible);
  const other = entries.find((entry) => isOfTable(entry) !== isTable)?.name;
  if (other === undefined) return;
  if (isTable) throw new SourceFault(`${other} in ${path} is no table.`);
  const from = entries.some(({name}) => /(^|\/)website_event[^/]*$/.test(name)) ? 'umami' : 'csv';
  throw new SourceFault(`${path} has tables (${other}): say --from ${from}.`);
}

/** What is gzip within an archive, decompressed. */
async function gunzipped(content: Readable): Promise<Readable> {
  const pieces = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first = await pieces.next();
  const whole = Readable.from(
    (async function* () {
      if (first.done) return;
      yield first.value;
      yield* {[Symbol.asyncIterator]: () => pieces};
    })(),
    {objectMode: false, highWaterMark: chunkBytes},
  );
  return first.done || !isGzip(first.value) ? whole : pipeline(whole, createGunzip({chunkSize: chunkBytes}), () => {});
}

const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const {bytesRead, buffer} = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
