// Reads JSON tokens in place, in bytes that are known to be UTF-8.
//   S1. A token that is not taken says nothing about the JSON: JSON.parse decides.

export const quote = 0x22;
export const backslash = 0x5c;

export const token = {
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
};

const empty = Buffer.alloc(0);

/** Each `take…` skips white space, and moves `at` to the end of what it took, or returns false. */
export class JsonScanner {
  bytes: Buffer = empty;
  at = 0;

  take(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at += 1;
    return true;
  }

  /** The next byte that is not white space; undefined at the end. */
  peek(): number | undefined {
    const {bytes} = this;
    let byte = bytes[this.at];
    while (byte! <= 0x20 && isSpace(byte!)) byte = bytes[++this.at];
    return byte;
  }

  /** `word` in ASCII: null, true, false. */
  takeWord(word: Uint8Array): boolean {
    if (this.peek() !== word[0]) return false;
    for (let i = 1; i < word.length; i++) if (this.bytes[this.at + i] !== word[i]) return false;
    this.at += word.length;
    return true;
  }
}

export const minus = 0x2d;
export const dot = 0x2e;
export const zero = 0x30;
export const upperE = 0x45;
export const lowerE = 0x65;

/** End of the value that begins at `start`, if it is a value: brackets are counted and not matched (S1). */
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

/** Place of the closing quote of the string that opens at `start`; the end of `bytes` when it has none. */
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
