// One line of a file, and what makes lines of bytes.

/** 16 times the largest event (64 KiB of compact JSON): room for much white space. */
export const lineBytesMax = 1024 * 1024;

export interface Line {
  readonly number: number;
  /** The line without its end; null when it is longer than `lineBytesMax` (lines.ts L1). */
  readonly bytes: Buffer | null;
}

/** Splits chunks of bytes; what a chunk begins waits for the next one. */
export interface Splitter {
  readonly lineCount: number;
  take(chunk: Buffer): Line[];
  /** What the last chunk left. */
  end(): Line[];
}
