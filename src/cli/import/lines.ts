// The lines of a file, plain or gzip, in constant memory.
//   Owns:    splitting, gzip detection, the bound on a line. Does not own: the meaning of a line (source-event.ts).
//   L1. Memory is bounded by one chunk and one line: a longer line is reported by its number, and its bytes are dropped.
//   L2. Lines are numbered from 1, blank ones included, as in editors.

import {createReadStream, type ReadStream} from 'node:fs';
import {open} from 'node:fs/promises';
import {pipeline, type Readable} from 'node:stream';
import {createGunzip} from 'node:zlib';

/** 16 times the largest event (64 KiB of compact JSON): room for much white space. */
export const lineBytesMax = 1024 * 1024;
const chunkBytes = 256 * 1024;

export interface Line {
  readonly number: number;
  /** The line without its end; null when it is longer than `lineBytesMax` (L1). */
  readonly bytes: Buffer | null;
}

export interface LineSource {
  /** Arrays of lines, one for each chunk read: an async step for each line would cost more than sending it. */
  chunks(): AsyncGenerator<readonly Line[]>;
  /** Number of bytes read from the file, before decompression. */
  bytesRead(): number;
  close(): void;
}

/** A failure while reading; the message is a sentence for the operator. */
export class SourceFault extends Error {
  override name = 'SourceFault';
}

export async function openLines(path: string): Promise<LineSource> {
  const {file, content} = await openContent(path);
  return {
    chunks: () => splitLines(content),
    bytesRead: () => file.bytesRead,
    close: () => file.destroy(),
  };
}

/** Content of the file, decompressed if its first two bytes are those of gzip, whatever its name. */
export async function openContent(path: string): Promise<{file: ReadStream; content: Readable}> {
  const isCompressed = await startsWithGzipMagic(path);
  const file = createReadStream(path, {highWaterMark: chunkBytes});
  if (!isCompressed) return {file, content: file};
  const gunzip = createGunzip({chunkSize: chunkBytes});
  // Ignores nothing: an error of either stream destroys `gunzip`, and its reader gets the error.
  pipeline(file, gunzip, () => {});
  return {file, content: gunzip};
}

async function startsWithGzipMagic(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const {bytesRead, buffer} = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await handle.close();
  }
}

async function* splitLines(content: Readable): AsyncGenerator<readonly Line[]> {
  const splitter = new LineSplitter();
  try {
    for await (const chunk of content) yield splitter.take(chunk as Buffer);
  } catch (error) {
    throw new SourceFault(`reading stopped after line ${splitter.lineCount}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  yield splitter.end();
}

/** Splits chunks into lines; the rest of a chunk waits for the next one. */
export class LineSplitter {
  lineCount = 0;
  #rest: Buffer[] = [];
  #restBytes = 0;

  take(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      lines.push(this.#close(chunk.subarray(start, end)));
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** The last line may lack its line end. */
  end(): Line[] {
    return this.#restBytes === 0 ? [] : [this.#close(Buffer.alloc(0))];
  }

  #keep(piece: Buffer): void {
    this.#restBytes += piece.length;
    // Beyond the bound only the length is counted. L1
    if (this.#restBytes > lineBytesMax) this.#rest = [];
    else if (piece.length > 0) this.#rest.push(piece);
  }

  #close(lastPiece: Buffer): Line {
    this.#keep(lastPiece);
    const number = ++this.lineCount;
    const bytes = this.#restBytes > lineBytesMax ? null : withoutFraming(this.#joined(), number);
    this.#rest = [];
    this.#restBytes = 0;
    return {number, bytes};
  }

  #joined(): Buffer {
    return this.#rest.length === 1 ? this.#rest[0]! : Buffer.concat(this.#rest);
  }
}

/**
 * Removes framing that is not part of the event: a byte order mark before the first line, a carriage return before a line end.
 */
function withoutFraming(bytes: Buffer, number: number): Buffer {
  const start = number === 1 && bytes.length >= 3 && bytes.readUIntBE(0, 3) === 0xefbbbf ? 3 : 0;
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
  return bytes.subarray(start, Math.max(start, end));
}
