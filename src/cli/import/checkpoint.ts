// Decides when the resume state is written: soon after a commit, not more often than the disk should be asked, one write
// at a time.

import type {Ledger} from './ledger.js';
import type {ResumeStateFile} from './resume-state.js';

/** A crash repeats at most so much work; every write is an fsync, which the log on the same disk pays for too. */
const intervalMs = 1_000;

export class Checkpoint {
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  #failure: unknown = null;

  constructor(private readonly state: ResumeStateFile) {}

  /** Called at every commit; throws what an earlier write met, for a state that cannot be written must not go unseen. */
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

  /** No write follows. Resolves when none is under way: only then the file may be removed. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#writing;
  }
}
