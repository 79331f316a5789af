// What the probe of stalls (loop-stalls.ts) wrote, on the side of the bench.

import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {StallLine} from './loop-stalls.js';

export class StallFile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'millrace-bench-stalls-'));
  readonly path = join(this.#folder, 'stalls.jsonl');
  #skipped = 0;

  constructor() {
    writeFileSync(this.path, ''); // The probe writes its first line after a second.
  }

  /** Forgets the seconds until now. */
  clear(): void {
    this.#skipped = this.#lines().length;
  }

  read(): StallLine[] {
    return this.#lines()
      .slice(this.#skipped)
      .map((line) => JSON.parse(line) as StallLine);
  }

  stop(): void {
    rmSync(this.#folder, {recursive: true, force: true});
  }

  #lines(): string[] {
    return readFileSync(this.path, 'utf8').split('\n').filter(Boolean);
  }
}
