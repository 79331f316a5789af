// One run of some work for all who ask for its result meanwhile.
//   SR1. Who leaves gets no result. The run goes on for the others, and stops when the last one has left.
//   SR2. Nobody joins a run that was stopped.
import {newStop, unlessStopped} from './stop.js';

export class SharedRun<T> {
  private readonly stop = newStop();
  private readonly result: Promise<T>;
  private waiting = 0;
  private hasEnded = false;

  /** `work` stops once `stop` is aborted. */
  constructor(work: (stop: AbortSignal) => Promise<T>) {
    this.result = Promise.resolve().then(() => work(this.stop.signal));
    const ended = (): void => {
      this.hasEnded = true;
    };
    this.result.then(ended, ended); // A failure reaches those who wait.
  }

  /** SR2 */
  get isStopped(): boolean {
    return this.stop.signal.aborted;
  }

  /** `gone`: this caller has left. @throws Stopped, and what the work throws */
  async join(gone: AbortSignal): Promise<T> {
    this.waiting += 1;
    try {
      return await unlessStopped(this.result, gone);
    } finally {
      this.waiting -= 1;
      if (this.waiting === 0 && !this.hasEnded) this.stop.abort();
    }
  }
}
