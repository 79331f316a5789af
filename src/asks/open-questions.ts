// Questions that a thread answers at this moment, and who waits for each.
//   OQ1. A question's asker is gone once it says so, or once its time is over: an asker that ended with its process says nothing.
import {newStop} from '../pacing/stop.js';
import {type AskedBy, type Asker, ofService} from './asker.js';

export class OpenQuestions {
  private readonly open = new Map<number | string, AbortController>();

  /** Runs `answer` for an asker that can leave by this number; `by` undefined: one that says nothing of itself. OQ1 */
  async during<T>(number: number | string, by: AskedBy | undefined, answer: (asker: Asker) => Promise<T>): Promise<T> {
    if (by === undefined) return answer(ofService);
    const {caller, msMax} = by;
    const stop = newStop();
    const timer = setTimeout(() => stop.abort(), msMax);
    this.open.set(number, stop);
    try {
      return await answer({caller, gone: stop.signal});
    } finally {
      clearTimeout(timer);
      this.open.delete(number);
    }
  }

  /** Nobody waits for the answer any more. */
  left(number: number | string): void {
    this.open.get(number)?.abort();
  }
}
