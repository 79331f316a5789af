// One line of a file, or row of a table, and what makes lines of bytes.

/** 16 times the largest event (64 KiB of compact JSON): room for much white space. */
export const lineBytesMax = 1024 * 1024;

export interface Line {
  readonly number: number;
  /** The line without its end; null when it cannot be read. */
  readonly bytes: Buffer | null;
  /** Why it cannot be read; absent: it is longer than `lineBytesMax` (lines.ts L1). */
  readonly fault?: string;
}

/** Splits chunks of bytes; what a chunk begins waits for the next one. */
export interface Splitter {
  readonly lineCount: number;
  take(chunk: Buffer): readonly Line[] | Promise<readonly Line[]>;
  /** What the last chunk left. */
  end(): readonly Line[] | Promise<readonly Line[]>;
}
