// Decides when the resume state is written: soon after a commit, at a bounded rate, one write at a time.

import type {Ledger} from './ledger.js';
import type {ResumeStateFile} from './resume-state.js';

/** Work that a crash may repeat. Each write is an fsync, which slows the log down if it is on the same disk. */
const intervalMs = 1_000;

export class Checkpoint {
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  #failure: unknown = null;

  constructor(private readonly state: ResumeStateFile) {}

  /** Called at every commit. Throws the failure of an earlier write, so that it does not stay unnoticed. */
  offer(ledger: Ledger): void {
    if (this.#failure !== null) throw this.#failure;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.write(ledger).catch((error: unknown) => {
        this.#failure = error;
      });
    }, intervalMs);
  }

  /** Resolves when the state of this moment is on disk. */
  write(ledger: Ledger): Promise<void> {
    const written = this.#writing.then(() => this.state.save(ledger.committedLine, ledger.committed));
    this.#writing = written.catch(() => {});
    return written;
  }

  /** Prevents further writes. Resolves when none is in progress: only then may the file be removed. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#writing;
  }
}
