// The files that were imported to the end: a list beside the service's data, or beside the files where the service is elsewhere.
//   IF1. Message ids are known for some days, a file's content for ever: a finished file is not imported again by accident.
//   IF2. A file is known by all of its bytes, at whatever path, and by the service that took it.

import {createHash} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {appendFile, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {jsonOrUndefined} from '../../json.js';

export const importedFilesName = 'imported-files.ndjson';

interface ImportedFile {
  readonly sha256: string;
  /** Fingerprint of the service (service-address.ts). */
  readonly target: string;
  readonly finishedAt: string;
  /** For people who read the list. */
  readonly path: string;
}

export class ImportedFiles {
  readonly path: string;

  constructor(
    folder: string,
    private readonly target: string,
  ) {
    this.path = join(folder, importedFilesName);
  }

  /** When the service took this content, as ISO text; undefined: it did not. The newest time counts. */
  async finishedAt(sha256: string): Promise<string | undefined> {
    const lines = (await this.#text()).split('\n').map((line) => jsonOrUndefined(line) as Partial<ImportedFile> | null);
    return lines.findLast((line) => line?.sha256 === sha256 && line.target === this.target)?.finishedAt;
  }

  async add(sha256: string, path: string, finishedAt: string): Promise<void> {
    const line: ImportedFile = {sha256, target: this.target, finishedAt, path};
    // A list that was cut in a line goes on in the next one.
    await appendFile(this.path, `\n${JSON.stringify(line)}`, {mode: 0o600, flush: true});
  }

  async #text(): Promise<string> {
    try {
      return await readFile(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, {highWaterMark: 1024 * 1024})) hash.update(piece as Buffer);
  return hash.digest('hex');
}
