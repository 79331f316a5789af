// The elements of a JSON array, as lines of a file are: numbered from 1, each within a bound (lines.ts L1).

import {type Line, lineBytesMax, type Splitter} from './line.js';
import {SourceFault} from './source-fault.js';

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const space = 0x20;
const byteOrderMark = Buffer.from('\ufeff');

/** It finds brackets, strings and commas, and checks nothing else: the reader of an element checks its JSON. */
export class ArraySplitter implements Splitter {
  lineCount = 0;
  #depth = 0;
  #hasEnded = false;
  #isInString = false;
  #isEscaped = false;
  /** Bytes of the element that is being read; empty between elements. */
  #pieces: Buffer[] = [];
  #elementBytes = 0;

  take(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    /** Where the element begins in this chunk; -1: none has begun. */
    let start = this.#elementBytes > 0 ? 0 : -1;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) this.#isInString = false;
        continue;
      }
      if (byte <= space) continue;
      if (this.#depth === 0) {
        this.#begin(byte);
        continue;
      }
      if (this.#depth === 1 && (byte === comma || byte === closeBracket)) {
        if (start >= 0) this.#keep(chunk.subarray(start, at));
        if (this.#elementBytes > 0) lines.push(this.#close());
        start = -1;
        if (byte === closeBracket) this.#finish();
        continue;
      }
      if (start < 0) start = at;
      if (byte === quote) this.#isInString = true;
      else if (byte === openBrace || byte === openBracket) this.#depth += 1;
      else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1;
    }
    if (start >= 0) this.#keep(chunk.subarray(start));
    return lines;
  }

  end(): Line[] {
    if (this.#depth > 0) throw new SourceFault('the list does not end: the file is cut');
    return [];
  }

  /** Around the list is nothing but a byte order mark. */
  #begin(byte: number): void {
    if (this.lineCount === 0 && byteOrderMark.includes(byte)) return;
    if (byte !== openBracket || this.#hasEnded) throw new SourceFault('something follows the list');
    this.#depth = 1;
  }

  #finish(): void {
    this.#depth = 0;
    this.#hasEnded = true;
  }

  #keep(piece: Buffer): void {
    this.#elementBytes += piece.length;
    // Beyond the bound only the length is counted.
    if (this.#elementBytes > lineBytesMax) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  #close(): Line {
    const bytes = this.#elementBytes > lineBytesMax ? null : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#elementBytes = 0;
    return {number: ++this.lineCount, bytes};
  }
}
