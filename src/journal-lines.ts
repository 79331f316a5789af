// Lines of a journal that is kept outside of the data, so that a restored backup of the data does not bring an older one: JSON with
// the time of each.
//   JL1. A line is durable once `add` resolves. Any process may add.
//   JL2. A line is kept for 400 days: longer than any backup should be.
//   JL3. A crash may cut the last line of a file short. The next one closes it, and readers count it as unreadable.
import {existsSync, mkdirSync} from 'node:fs';
import {type FileHandle, open, readFile, rename} from 'node:fs/promises';
import {dirname} from 'node:path';
import {wallMs as clockMs, monotonicMs} from './clock.js';
import {jsonOrUndefined} from './json.js';

const dayMs = 86_400_000;
/** JL2 */
export const journalKeptMs = 400 * dayMs;
const ownerOnly = {file: 0o600, folder: 0o700};

export interface JournalLines {
  /** For people. */
  readonly place: string;
  /** In the order in which they were added, those too that are cut short; one may be there twice. */
  read(): Promise<readonly string[]>;
  /** JL1 */
  add(lines: readonly string[]): Promise<void>;
}

/** Lines of a text; the first one may be cut short if the text begins within a file. */
export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Time of a line, epoch ms; undefined: it is cut short, or damaged. */
export function lineTimeMs(line: string): number | undefined {
  const {timeMs} = (jsonOrUndefined(line) ?? {}) as {readonly timeMs?: unknown};
  return typeof timeMs === 'number' ? timeMs : undefined;
}

/** Lines in a file, which one process writes. */
export class FileLines implements JournalLines {
  readonly place: string;
  private readonly wallMs: () => number;
  private trimmedMs = Number.NEGATIVE_INFINITY;

  constructor(path: string, wallMs: () => number = clockMs) {
    this.place = path;
    this.wallMs = wallMs;
  }

  /** Also removes old lines from the file. JL2 */
  async read(): Promise<readonly string[]> {
    this.trimmedMs = monotonicMs();
    if (!existsSync(this.place)) return [];
    const lines = linesOf(await readFile(this.place, 'utf8'));
    const oldestMs = this.wallMs() - journalKeptMs;
    const kept = lines.filter((line) => (lineTimeMs(line) ?? oldestMs) >= oldestMs);
    if (kept.length < lines.length) await this.replace(kept.filter((line) => lineTimeMs(line) !== undefined));
    return kept;
  }

  async add(lines: readonly string[]): Promise<void> {
    if (monotonicMs() - this.trimmedMs > dayMs) await this.read();
    const isNew = !existsSync(this.place);
    mkdirSync(dirname(this.place), {recursive: true, mode: ownerOnly.folder});
    await this.write('a+', lines);
    if (isNew) await this.syncFolders();
  }

  private async replace(lines: readonly string[]): Promise<void> {
    const draft = `${this.place}.draft`;
    await this.write('w', lines, draft);
    await rename(draft, this.place);
    await this.syncFolders();
  }

  private async write(flag: 'a+' | 'w', lines: readonly string[], path = this.place): Promise<void> {
    const file = await open(path, flag, ownerOnly.file);
    try {
      const start = flag === 'w' || (await endsWhole(file)) ? '' : '\n'; // JL3
      await file.appendFile(start + lines.map((line) => `${line}\n`).join(''));
      await file.sync();
    } finally {
      await file.close();
    }
  }

  private async syncFolders(): Promise<void> {
    const folder = dirname(this.place);
    await syncFolder(folder);
    await syncFolder(dirname(folder));
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync();
  await folder.close();
}

async function endsWhole(file: FileHandle): Promise<boolean> {
  const {size} = await file.stat();
  if (size === 0) return true;
  const {buffer} = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}
