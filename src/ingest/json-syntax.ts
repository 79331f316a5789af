// Whether bytes are JSON, however deep they nest: for what JSON.parse is not given whole (json-text.ts).
//   X1. The same bytes are JSON here as for JSON.parse; that they are UTF-8 is known before.

import {backslash, dot, JsonScanner, lowerE, minus, quote, token, upperE, zero} from './json-scanner.js';

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

class JsonSyntax extends JsonScanner {
  private depth = 0;
  /** What closes each container that is open. */
  private closers = new Uint8Array(1_024);

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

  /** A value, or the beginning of one: down to the first that holds no other. */
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
    return words.some((word) => this.takeWord(word)) || this.takeAnyNumber();
  }

  /** Closes what ends here. Whether another value is to follow. */
  private takeNext(): boolean {
    while (this.depth > 0) {
      const closer = this.closers[this.depth - 1]!;
      if (this.take(token.comma)) return closer === token.closeBracket || this.takeKey();
      if (!this.take(closer)) return false;
      this.depth -= 1;
    }
    return false;
  }

  private open(closer: number): void {
    if (this.depth === this.closers.length) {
      const longer = new Uint8Array(2 * this.depth);
      longer.set(this.closers);
      this.closers = longer;
    }
    this.closers[this.depth++] = closer;
  }

  private takeKey(): boolean {
    return this.takeText() && this.take(token.colon);
  }

  /** A string, whatever it holds. */
  private takeText(): boolean {
    if (!this.take(quote)) return false;
    const {bytes} = this;
    for (let byte = bytes[this.at++]; byte !== quote; byte = bytes[this.at++]) {
      if (byte === undefined || byte < space) return false;
      if (byte === backslash && !this.passEscape()) return false;
    }
    return true;
  }

  private passEscape(): boolean {
    const byte = this.bytes[this.at++]!;
    if (byte !== lowerU) return escapes.has(byte);
    for (const end = this.at + 4; this.at < end; this.at++) if (!hexDigits.has(this.bytes[this.at]!)) return false;
    return true;
  }

  private takeAnyNumber(): boolean {
    this.take(minus);
    const {bytes} = this;
    const start = this.at;
    if (!this.passDigits() || (bytes[start] === zero && this.at > start + 1)) return false;
    if (this.passOne(dot) && !this.passDigits()) return false;
    if (!this.passOne(lowerE) && !this.passOne(upperE)) return true;
    if (!this.passOne(plus)) this.passOne(minus);
    return this.passDigits();
  }

  /** Without white space before it. */
  private passOne(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false;
    this.at += 1;
    return true;
  }

  /** Whether there is one. */
  private passDigits(): boolean {
    const {bytes, at: start} = this;
    while (bytes[this.at]! >= zero && bytes[this.at]! <= nine) this.at += 1;
    return this.at > start;
  }
}
