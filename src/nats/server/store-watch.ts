// Notices a nats-server that has stopped writing. After a failed write (the disk was full) the server takes no more messages for
// that stream, even when there is room again, and answers no publish; only a restart opens the stream again. Its `/healthz`
// reports that from 2.12 on (measured with 2.15.1); with an older server an operator must notice and restart it.

import {statfs} from 'node:fs/promises';
import {setTimeout as delay} from 'node:timers/promises';
import {throwBroken} from '../../../actors/invariant.js';

const pollMs = 500;
const answerMsMax = 2_000;
// The restart itself would use up less room than this.
const roomBytesMin = 4 * 1_048_576;

interface StoreWatch {
  readonly folder: string;
  /** Monitoring address of the server that runs now; undefined while none does. */
  monitorUrl(): string | undefined;
  /** Called at every check with the reason why the server cannot write, in its words, whether there is room or not. */
  onLook(fault: string | undefined): void;
  /** The server cannot write, although there is room. The next check waits for the promise. */
  onStuck(reason: string): Promise<void>;
}

/** Checks until `signal` is aborted; resolves then. */
export async function watchStore(
  {folder, monitorUrl, onLook, onStuck}: StoreWatch,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await delay(pollMs, undefined, {signal}).catch(() => {});
    const url = monitorUrl();
    const fault = url === undefined || signal.aborted ? undefined : await readFault(url);
    onLook(fault);
    if (fault === undefined || signal.aborted || !(await hasRoom(folder))) continue;
    await onStuck(fault);
    onLook(undefined); // The state of the next server is unknown.
  }
}

/** Undefined when the server is well, or does not answer: its exit is noticed elsewhere. */
async function readFault(monitorUrl: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${monitorUrl}/healthz`, {signal: AbortSignal.timeout(answerMsMax)});
    const text = await answer.text();
    // The text alone tells a write error from complaints that need no restart (a stream that is being restored).
    return answer.status === 503 && text.includes('write error') ? text : undefined;
  } catch (error) {
    throwBroken(error);
    return undefined;
  }
}

async function hasRoom(folder: string): Promise<boolean> {
  const {bavail, bsize} = await statfs(folder);
  return bavail * bsize >= roomBytesMin;
}
