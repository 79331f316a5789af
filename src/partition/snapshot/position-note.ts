// The newest position of a partition, noted in DATA_DIR beside the data of NATS: a witness on another disk, or at least in
// another file.
//   A power cut may take back log and manifests together (an external NATS that syncs by a timer), and so does restoring a
//   backup: the rest is consistent, and nothing in it tells that acknowledged events are missing.
//   N1. The note is written before the manifest of its position: every published position was noted.
//   N2. A note never goes back. A missing or unreadable note says nothing.
//   N3. A note is this machine's: if another machine had the partition since, it may have truncated the log (recovery-plan.ts
//       V4).
//   N4. A generation is noted before anything of it is folded, because a manifest has it by then (log-identity.ts LI4, recovery.ts
//       V7).
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {mkdir, open, readFile, rename} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {jsonOrUndefined} from '../../json.js';
import type {Logger} from '../../observe.js';

export interface NotedPosition {
  readonly generation: number;
  readonly sequence: number;
  /** Producer and number of the message there. */
  readonly mark: string;
  /** Epoch of the owner: a successor's must be higher. */
  readonly epoch: number;
  /** The note came with a backup. The original continued from here, so a new generation tells the positions of the two apart. */
  readonly isRestored?: true;
}

/** Store of a partition's newest position. */
export interface PositionNote {
  read(): Promise<NotedPosition | undefined>;
  /** Durable once it resolves. Never fails: on a full disk the older note stays. */
  write(position: NotedPosition): Promise<void>;
}

/** Note of an owner without a disk. */
export const noNote: PositionNote = {read: async () => undefined, write: async () => undefined};

export class PositionFile implements PositionNote {
  private readonly folder: string;
  private readonly path: string;
  private readonly log: Logger;

  constructor(dataDir: string, partition: number, log: Logger) {
    this.folder = join(dataDir, 'positions');
    this.path = join(this.folder, `partition-${partition}.json`);
    this.log = log;
  }

  async read(): Promise<NotedPosition | undefined> {
    try {
      return readNote(JSON.parse(await readFile(this.path, 'utf8')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.log.warn({err: error}, 'the note of the newest position cannot be read: it is not compared with the log');
      }
      return undefined;
    }
  }

  async write(position: NotedPosition): Promise<void> {
    const draft = `${this.path}.draft`;
    try {
      const made = await mkdir(this.folder, {recursive: true, mode: 0o700});
      if (made !== undefined) await syncFolder(dirname(this.folder));
      const file = await open(draft, 'w', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(position)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.path);
      await syncFolder(this.folder);
    } catch (error) {
      this.log.warn({err: error}, 'the newest position cannot be noted in DATA_DIR');
    }
  }
}

/** Whether `dataDir` is a backup that has published nothing since it was restored. */
export function isRestoredBackup(dataDir: string): boolean {
  const folder = join(dataDir, 'positions');
  if (!existsSync(folder)) return false;
  const notes = readdirSync(folder).map((name) => jsonOrUndefined(readFileSync(join(folder, name), 'utf8')));
  return notes.some((note) => (note as Partial<NotedPosition> | null | undefined)?.isRestored === true);
}

/** A new file name is durable once its folder is synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function readNote(value: unknown): NotedPosition {
  const {generation, sequence, mark, epoch, isRestored} = value as NotedPosition;
  const isWhole = [generation, sequence, epoch].every(Number.isSafeInteger) && typeof mark === 'string';
  if (!isWhole) throw new Error('it is not a position');
  return {generation, sequence, mark, epoch, ...(isRestored === true ? {isRestored} : {})};
}
