// What tells work to stop, because nobody waits for its result any more: an AbortController, as Node has it.
import {setMaxListeners} from 'node:events';

/** Nobody waits for this work any more: what it has done is dropped. */
export class Stopped extends Error {
  override name = 'Stopped';
}

/** Node warns of more than ten listeners, and one client may wait for some hundred answers. */
export function newStop(): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  return stop;
}

/** Signal for work that always runs to its end. */
export const neverStops: AbortSignal = newStop().signal;

/** The result; rejects once `stop` is aborted, whichever comes first. @throws Stopped */
export function unlessStopped<T>(result: Promise<T>, stop: AbortSignal): Promise<T> {
  if (stop === neverStops) return result;
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new Stopped());
    if (stop.aborted) end();
    stop.addEventListener('abort', end);
    result.then(resolve, reject).finally(() => stop.removeEventListener('abort', end));
  });
}
