// Reads what the service prints from now on.

import {closeSync, fstatSync, openSync, readSync} from 'node:fs';
import {setTimeout as delay} from 'node:timers/promises';

export interface LogLine {
  readonly msg?: string;
  readonly level?: number;
  readonly partition?: number;
  readonly step?: string;
  readonly [field: string]: unknown;
}

// A step of an erasure may take no longer than one flush of the disk.
const pollMs = 1;
const chunkBytes = 65_536;

export class ServiceLog {
  private readonly file: number;
  private position: number;
  private rest = '';

  /** `from`: undefined for the end of the file. */
  constructor(path: string, from?: number) {
    this.file = openSync(path, 'r');
    this.position = from ?? fstatSync(this.file).size;
  }

  close(): void {
    closeSync(this.file);
  }

  /** Lines since the last call; a line that is not JSON (the welcome) is left out. */
  next(): LogLine[] {
    const chunk = Buffer.alloc(chunkBytes);
    const lines: LogLine[] = [];
    for (;;) {
      const length = readSync(this.file, chunk, 0, chunkBytes, this.position);
      if (length === 0) return lines;
      this.position += length;
      const texts = (this.rest + chunk.toString('utf8', 0, length)).split('\n');
      this.rest = texts.pop()!;
      for (const text of texts) if (text.startsWith('{')) lines.push(JSON.parse(text) as LogLine);
    }
  }

  /** The first line that `isWanted`; undefined when none comes in time. */
  async until(isWanted: (line: LogLine) => boolean, msMax: number): Promise<LogLine | undefined> {
    const deadlineMs = performance.now() + msMax;
    while (performance.now() < deadlineMs) {
      const line = this.next().find(isWanted);
      if (line !== undefined) return line;
      await delay(pollMs);
    }
    return undefined;
  }
}
