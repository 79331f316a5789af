// The lines of a file, the elements of its JSON array, or the rows of its table, in constant memory.
//   Owns:    splitting, the bound on a line. Does not own: compression (content.ts), the meaning of a line (source-event.ts).
//   L1. Memory is bounded by one chunk and one line: a longer line is reported by its number, and its bytes are dropped.
//   L2. Lines are numbered from 1, blank ones included, as in editors. In an archive the numbers go on from file to file.

import {ArraySplitter} from './array-splitter.js';
import {openContent, type Part} from './content.js';
import {type Line, lineBytesMax, type Splitter} from './line.js';
import {SourceFault} from './source-fault.js';
import {TableSplitter} from './table-splitter.js';

export interface LineSource {
  /** Arrays of lines, one for each chunk read: an async step for each line would cost more than sending it. */
  chunks(): AsyncGenerator<readonly Line[]>;
  /** Number of bytes read from the file, before decompression. */
  bytesRead(): number;
  close(): void;
}

/** `isTable`: rows of CSV (table-splitter.ts). */
export async function openLines(path: string, isTable = false): Promise<LineSource> {
  const content = await openContent(path, isTable);
  return {
    chunks: () => splitParts(content.parts(), isTable),
    bytesRead: content.bytesRead,
    close: content.close,
  };
}

/** Numbers go on from part to part. L2 */
async function* splitParts(parts: AsyncGenerator<Part>, isTable: boolean): AsyncGenerator<readonly Line[]> {
  let linesBefore = 0;
  let splitter: Splitter | undefined;
  const numbered = (lines: readonly Line[]): readonly Line[] =>
    linesBefore === 0 ? lines : lines.map((line) => ({...line, number: line.number + linesBefore}));
  try {
    for await (const {bytes} of parts) {
      linesBefore += splitter?.lineCount ?? 0;
      splitter = undefined;
      for await (const chunk of bytes) {
        splitter ??= isTable ? new TableSplitter() : splitterOf(chunk as Buffer);
        yield numbered(await splitter.take(chunk as Buffer));
      }
      if (splitter !== undefined) yield numbered(await splitter.end());
    }
  } catch (error) {
    const lineCount = linesBefore + (splitter?.lineCount ?? 0);
    throw new SourceFault(`reading stopped after line ${lineCount}: ${(error as Error).message}`, {cause: error});
  }
}

/** Of a list, whose first byte is its bracket, or of lines. */
export const splitterOf = (head: Buffer): ArraySplitter | LineSplitter =>
  /^(\xef\xbb\xbf)?\s*\[\s*(\{|$)/.test(head.toString('latin1', 0, 1024)) ? new ArraySplitter() : new LineSplitter();

/** Splits chunks into lines; the rest of a chunk waits for the next one. */
export class LineSplitter implements Splitter {
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
