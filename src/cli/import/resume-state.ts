// State from which an interrupted import continues: a small file beside the imported one, which exists only while the import is
// unfinished.
//   R1. It is written atomically (rename), and only after the service has acknowledged the lines.
//   R2. It is valid only for the same file content, read in the same way, and the same service. Otherwise the import begins at the first line, which
//       is safe (every event has a messageId), only slower.

import {open, readFile, rename, rm} from 'node:fs/promises';
import {jsonOrUndefined} from '../../json.js';
import type {FileIdentity} from './file-identity.js';
import type {Tally} from './tally.js';

const formatVersion = 3;

/** What an import sends, and where. R2 */
interface Sending {
  readonly file: FileIdentity;
  /** Fingerprint of service and key, without secrets. */
  readonly target: string;
  /** What decides what a line means. */
  readonly reading: string;
}

export interface ResumeState extends Sending {
  readonly formatVersion: number;
  /** All lines up to this one are settled. */
  readonly line: number;
  readonly tally: Tally;
}

/** The message is a sentence for the operator. */
export class StateFault extends Error {
  override name = 'StateFault';
}

export class ResumeStateFile {
  constructor(
    readonly path: string,
    private readonly sending: Sending,
  ) {}

  /** Null: there was no earlier run, or it was of another file or service (R2). */
  async load(): Promise<ResumeState | null> {
    const state = await readState(this.path);
    const isOurs =
      state !== null &&
      state.formatVersion === formatVersion &&
      state.file.bytes === this.sending.file.bytes &&
      state.file.headSha256 === this.sending.file.headSha256 &&
      state.target === this.sending.target &&
      state.reading === this.sending.reading;
    return isOurs ? state : null;
  }

  async save(line: number, tally: Tally): Promise<void> {
    const state: ResumeState = {formatVersion, ...this.sending, line, tally};
    const text = JSON.stringify(state); // Now: the tally changes while the disk works.
    const draft = `${this.path}.draft`;
    try {
      await writeSynced(draft, text);
      await rename(draft, this.path); // R1
    } catch (error) {
      const reason = (error as Error).message;
      throw new StateFault(`The progress of the import cannot be stored (--state chooses another file): ${reason}`, {
        cause: error,
      });
    }
  }

  async remove(): Promise<void> {
    await rm(this.path, {force: true});
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readState(path: string): Promise<ResumeState | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return asState(jsonOrUndefined(text)); // R2
}

function asState(value: unknown): ResumeState | null {
  const state = value as Partial<ResumeState> | null | undefined;
  const isWhole =
    Number.isSafeInteger(state?.line) &&
    typeof state?.file?.bytes === 'number' &&
    typeof state?.tally?.accepted === 'number';
  return isWhole ? (state as ResumeState) : null;
}
