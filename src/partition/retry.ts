// Work that must happen: tried again while the world is down.
import {setTimeout as pause} from 'node:timers/promises';

const firstPauseMs = 50;
const pauseMsMax = 2_000;

/** Errors that trying again cannot mend end the partition: they are thrown on. */
export class Final extends Error {
  override name = 'Final';
}

/** Repeats until it succeeds or throws `Final`; pauses double up to 2 s. */
export async function retryForever<T>(work: () => Promise<T>): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Final) throw error;
      await pause(pauseMs);
    }
  }
}
