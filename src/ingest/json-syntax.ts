// Whether bytes are JSON at any depth, and the place of a byte in it: for texts that JSON.parse does not get whole
// (json-text.ts), for the place of a fault, which it does not report, and for digits that it loses.
//   X1. The same bytes are JSON here as for JSON.parse; the caller has checked that they are UTF-8.

import {jsonOrUndefined} from '../json.js';
import {backslash, dot, JsonScanner, lowerE, minus, quote, stringEnd, token, upperE, zero} from './json-scanner.js';

const space = 0x20;
const plus = 0x2b;
const nine = 0x39;
const lowerU = 0x75;

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const words = [ascii('true'), ascii('false'), ascii('null')];
const escapes = new Set(ascii('"\\/bfnrt'));
const hexDigits = new Set(ascii('0123456789abcdefABCDEF'));

/** X1 */
export function isJson(bytes: Buffer): boolean {
  return new JsonSyntax(bytes).isJson();
}

export class JsonSyntax extends JsonScanner {
  protected depth = 0;
  /** Closing bracket of each open container. */
  private closers = new Uint8Array(1_024);
  /** Start of the newest key, or index of the newest item, of each open container. */
  private places = new Uint32Array(1_024);
  /** Start of a broken value, or place of a character that a string must not have. */
  private brokenAt: number | undefined;

  constructor(bytes: Buffer) {
    super();
    this.bytes = bytes;
  }

  isJson(): boolean {
    do {
      if (!this.takeValue()) return false;
    } while (this.takeNext());
    return this.depth === 0 && this.peek() === undefined;
  }

  /** Place where it stops being JSON. */
  get faultAt(): number {
    if (this.brokenAt !== undefined) return this.brokenAt;
    this.peek();
    return Math.min(this.at, this.bytes.length);
  }

  /** The index of the newest item of the container at `level`, from 0; undefined: it is not an array, or not open. */
  indexAt(level: number): number | undefined {
    return level < this.depth && this.closers[level] === token.closeBracket ? this.places[level] : undefined;
  }

  /** The newest key of the container at `level`; undefined: it is not an object, not open, or its key is broken or long. */
  keyAt(level: number, bytesMax = Number.POSITIVE_INFINITY): string | undefined {
    if (level >= this.depth || this.closers[level] !== token.closeBrace) return undefined;
    const start = this.places[level]!;
    const end = stringEnd(this.bytes.subarray(0, start + bytesMax), start);
    if (this.bytes[end] !== quote) return undefined;
    return jsonOrUndefined(this.bytes.toString('utf8', start, end + 1)) as string | undefined;
  }

  /** The newest value is a number, in `bytes[start, end)`. */
  protected tookNumber(_start: number, _end: number): void {}

  /** Takes a value, or its beginning: down to the first value that contains no other. */
  private takeValue(): boolean {
    for (;;) {
      if (this.take(token.openBracket)) {
        if (this.take(token.closeBracket)) return true;
        this.open(token.closeBracket);
      } else if (this.take(token.openBrace)) {
        if (this.take(token.closeBrace)) return true;
        this.open(token.closeBrace);
        if (!this.takeKey()) return false;
      } else return this.takeScalar();
    }
  }

  private takeScalar(): boolean {
    if (this.peek() === quote) return this.takeText();
    const start = this.at;
    return words.some((word) => this.takeWord(word)) || this.takeAnyNumber() || this.breaksAt(start);
  }

  /** Closes the containers that end here. @returns whether another value follows. */
  private takeNext(): boolean {
    while (this.depth > 0) {
      const closer = this.closers[this.depth - 1]!;
      if (this.take(token.comma)) {
        if (closer === token.closeBrace) return this.takeKey();
        this.places[this.depth - 1]! += 1;
        return true;
      }
      if (!this.take(closer)) return false;
      this.depth -= 1;
    }
    return false;
  }

  private open(closer: number): void {
    if (this.depth === this.closers.length) {
      this.closers = longer(this.closers);
      this.places = longer(this.places);
    }
    this.places[this.depth] = 0;
    this.closers[this.depth++] = closer;
  }

  private takeKey(): boolean {
    this.peek();
    this.places[this.depth - 1] = this.at;
    return this.takeText() && this.take(token.colon);
  }

  /** Takes a string of any content. */
  private takeText(): boolean {
    if (!this.take(quote)) return false;
    const {bytes} = this;
    for (let byte = bytes[this.at++]; byte !== quote; byte = bytes[this.at++]) {
      const start = this.at - 1;
      if (byte === undefined || byte < space) return this.breaksAt(start);
      if (byte === backslash && !this.passEscape()) return this.breaksAt(start);
    }
    return true;
  }

  private breaksAt(start: number): false {
    this.brokenAt = start;
    return false;
  }

  private passEscape(): boolean {
    const byte = this.bytes[this.at++]!;
    if (byte !== lowerU) return escapes.has(byte);
    for (const end = this.at + 4; this.at < end; this.at++) if (!hexDigits.has(this.bytes[this.at]!)) return false;
    return true;
  }

  private takeAnyNumber(): boolean {
    const begin = this.at;
    this.take(minus);
    const {bytes} = this;
    const start = this.at;
    if (!this.passDigits() || (bytes[start] === zero && this.at > start + 1)) return false;
    if (this.passOne(dot) && !this.passDigits()) return false;
    if (this.passOne(lowerE) || this.passOne(upperE)) {
      if (!this.passOne(plus)) this.passOne(minus);
      if (!this.passDigits()) return false;
    }
    this.tookNumber(begin, this.at);
    return true;
  }

  /** Takes one byte, without white space before it. */
  private passOne(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false;
    this.at += 1;
    return true;
  }

  /** @returns whether there is a digit. */
  private passDigits(): boolean {
    const {bytes, at: start} = this;
    while (bytes[this.at]! >= zero && bytes[this.at]! <= nine) this.at += 1;
    return this.at > start;
  }
}

function longer<T extends Uint8Array | Uint32Array>(array: T): T {
  const grown = new (array.constructor as new (length: number) => T)(2 * array.length);
  grown.set(array);
  return grown;
}
