// The newest position that a partition folded up to, noted in DATA_DIR beside whatever NATS keeps: a witness of another
// disk, or at least of another file.
//   A power cut can take log and manifests back together (an external NATS that syncs by a timer), and a backup that is
//   restored does: what is left agrees with itself, and nothing in it tells that acknowledged events are missing.
//   N1. Noted before the manifest of that position is written: what was ever published is noted.
//   N2. A note never goes back. One that is missing or cannot be read says nothing.
//   N3. It is of this machine: where another one had the partition since, the log may have been cut behind it (recovery-plan.ts V4).
import {mkdir, open, readFile, rename} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {Logger} from '../../observe.js';

export interface NotedPosition {
  readonly generation: number;
  readonly sequence: number;
  /** Producer and number of the message there. */
  readonly mark: string;
  /** Of the owner: a successor's must be higher. */
  readonly epoch: number;
  /** It came with a backup. The original went on from here, and a new generation tells positions of the two apart. */
  readonly isRestored?: true;
}

/** Where a partition's newest position is noted. */
export interface PositionNote {
  read(): Promise<NotedPosition | undefined>;
  /** Durable once it resolves; never fails: a full disk keeps the older note. */
  write(position: NotedPosition): Promise<void>;
}

/** For those who have no disk of their own. */
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

/** A new name is on disk when its folder is. */
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
