// Reads JSON tokens where they stand, in bytes that are known to be UTF-8.
//   S1. Only what needs no decoding: a string with an escape (or DEL, which names must not hold) is not taken.
//   S2. What is not taken says nothing about the JSON: JSON.parse judges it.

import type {ByteWriter} from '../../actors/bytes/bytes.js';
import {eventBytesMax} from '../../actors/limits.js';

export const quote = 0x22;
export const backslash = 0x5c;
const del = 0x7f;

export const token = {
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
};

/** 1 for every byte that stands for itself inside a string (S1): one look-up costs less than four comparisons. */
const isPlain = Uint8Array.from({length: 256}, (_, byte) =>
  byte < 0x20 || byte === quote || byte === backslash || byte === del ? 0 : 1,
);
/** Shorter ones have a length of one byte. */
const shortStringBytes = 0x80;
const empty = Buffer.alloc(0);

/** Each `take…` skips white space, moves `at` behind what it took, or answers false. */
export class JsonScanner {
  bytes: Buffer = empty;
  at = 0;
  /** Of the newest string, without its quotes. */
  stringStart = 0;
  stringEnd = 0;
  /** The newest number. */
  number = 0;

  take(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at += 1;
    return true;
  }

  /** The next byte that is no white space; undefined at the end. */
  peek(): number | undefined {
    const {bytes} = this;
    let byte = bytes[this.at];
    while (byte! <= 0x20 && isSpace(byte!)) byte = bytes[++this.at];
    return byte;
  }

  takeString(): boolean {
    if (!this.take(quote)) return false;
    const {bytes} = this;
    let at = this.at;
    while (isPlain[bytes[at]!] === 1) at += 1;
    if (bytes[at] !== quote) return false;
    this.stringStart = this.at;
    this.stringEnd = at;
    this.at = at + 1;
    return true;
  }

  /**
   * Takes a string and appends it, length-prefixed: one loop for both, as most strings are short. A longer one may not
   * fit: what the loop then writes past the end is lost, and it is copied again.
   */
  takeStringInto(writer: ByteWriter): boolean {
    if (!this.take(quote)) return false;
    const {bytes} = this;
    writer.reserve(shortStringBytes);
    const target = writer.bytes;
    const start = this.at;
    let at = start;
    let to = writer.position + 1;
    while (isPlain[bytes[at]!] === 1) target[to++] = bytes[at++]!;
    if (bytes[at] !== quote) return false;
    this.stringStart = start;
    this.stringEnd = at;
    this.at = at + 1;
    if (at - start < shortStringBytes) {
      target[writer.position] = at - start;
      writer.position = to;
      return true;
    }
    if (at - start > eventBytesMax) return false; // Or a body of 10 MiB would make the writer grow for good.
    writer.stringBytes(bytes, start, at);
    return true;
  }

  /** `word` in ASCII: null, true, false. */
  takeWord(word: Uint8Array): boolean {
    if (this.peek() !== word[0]) return false;
    if (!equals(this.bytes, this.at, this.at + word.length, word)) return false;
    this.at += word.length;
    return true;
  }

  /** Takes a number without an exponent, and no unsafe integer: a double may change it (inexact-integers.ts). */
  takeNumber(): boolean {
    const isNegative = this.take(minus);
    const start = this.at;
    const integer = this.digits();
    const digitCount = this.at - start;
    if (digitCount === 0 || (digitCount > 1 && this.bytes[start] === zero)) return false;
    const next = this.bytes[this.at];
    if (next === dot) return this.decimal(isNegative ? start - 1 : start);
    if (digitCount > safeDigitsMax || !Number.isSafeInteger(integer)) return false;
    this.number = isNegative ? -integer : integer;
    return next !== lowerE && next !== upperE;
  }

  private decimal(start: number): boolean {
    const fractionStart = ++this.at;
    this.digits();
    if (this.at === fractionStart) return false;
    this.number = Number(this.bytes.toString('latin1', start, this.at));
    const next = this.bytes[this.at];
    return Number.isFinite(this.number) && next !== lowerE && next !== upperE;
  }

  /** Exact where it is a safe integer of at most `safeDigitsMax` digits. */
  private digits(): number {
    const {bytes} = this;
    let value = 0;
    for (let digit = bytes[this.at]! - zero; digit >= 0 && digit <= 9; digit = bytes[++this.at]! - zero) {
      value = value * 10 + digit;
    }
    return value;
  }
}

export const minus = 0x2d;
export const dot = 0x2e;
export const zero = 0x30;
export const upperE = 0x45;
export const lowerE = 0x65;
/** Some integers of 16 digits are safe. */
const safeDigitsMax = 16;

export function equals(bytes: Uint8Array, start: number, end: number, expected: Uint8Array): boolean {
  if (end - start !== expected.length) return false;
  for (let i = 0; i < expected.length; i++) if (bytes[start + i] !== expected[i]) return false;
  return true;
}

/** Where the value that begins at `start` ends, if it is a value: brackets are counted and not matched (S2). */
export function valueEnd(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = stringEnd(bytes, at);
    else if (byte === token.openBrace || byte === token.openBracket) depth += 1;
    else if (byte === token.closeBrace || byte === token.closeBracket) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === token.comma && depth === 0) return at;
  }
  return bytes.length;
}

/** Where the string that opens at `start` has its closing quote; the end of `bytes` when it has none. */
export function stringEnd(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
  }
  return bytes.length;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
