// Notices a nats-server that has stopped writing. After a write that failed (the disk was full) the server takes nothing
// more for that stream, also when there is room again, and answers no publish; only a start opens the stream anew. Its
// `/healthz` says so from 2.12 on (measured with 2.15.1); an older server says nothing, and an operator must restart it.

import {statfs} from 'node:fs/promises';
import {setTimeout as delay} from 'node:timers/promises';
import {throwBroken} from '../../../actors/invariant.js';

const pollMs = 500;
const answerMsMax = 2_000;
// Less room than this would be used up by the start itself.
const roomBytesMin = 4 * 1_048_576;

interface StoreWatch {
  readonly folder: string;
  /** Of the server that runs now; undefined while none does. */
  monitorUrl(): string | undefined;
  /** Told at every look: what keeps the server from writing, in its words, room or no room. */
  onLook(fault: string | undefined): void;
  /** The server cannot write any more, although there is room. Awaited: the next look comes after it. */
  onStuck(reason: string): Promise<void>;
}

/** Looks until `signal` is aborted; resolves then. */
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
    onLook(undefined); // Nothing is known of the server that comes next.
  }
}

/** Undefined when the server is well, or does not answer: its exit is seen elsewhere. */
async function readFault(monitorUrl: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${monitorUrl}/healthz`, {signal: AbortSignal.timeout(answerMsMax)});
    const text = await answer.text();
    // The wire has only text. Other complaints (a stream that is being restored) pass without a restart.
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
