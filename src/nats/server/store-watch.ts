// Notices a nats-server that has stopped writing. After a failed write (the disk was full) the server takes no more messages for
// that stream, even when there is room again, and answers no publish; only a restart opens the stream again. Its `/healthz`
// reports that from 2.12 on (measured with 2.15.1); with an older server an operator must notice and restart it.
//   SW1. Room on the disk ends a full one, so each of its faults is worth a restart. Any other fault (a damaged file) is worth
//        three: a fourth would not help either, and every restart is an outage.

import {statfs} from 'node:fs/promises';
import {setTimeout as delay} from 'node:timers/promises';
import {throwBroken} from '../../../actors/invariant.js';
import {monotonicMs} from '../../clock.js';
import {askMonitor} from './monitor.js';

const pollMs = 500;
const answerMsMax = 2_000;
// The restart itself would use up less room than this.
const roomBytesMin = 4 * 1_048_576;

/** Restarts for one fault of a damaged store, and the time without it after which it counts as a new one. SW1 */
const restartsMax = 3;
const forgottenMs = 3_600_000;

/** Whether a fault of the store is one that room on the disk ends. */
const isOfRoom = (fault: string): boolean => /no space left|quota|file too large/i.test(fault);

/** Decides which faults are worth a restart. SW1 */
export class RestartBudget {
  private readonly byFault = new Map<string, {count: number; seenMs: number}>();

  /** Counts the restart if there is one. */
  allows(fault: string, nowMs: number): boolean {
    if (isOfRoom(fault)) return true;
    for (const [each, {seenMs}] of this.byFault) if (nowMs - seenMs > forgottenMs) this.byFault.delete(each);
    const known = this.byFault.get(fault) ?? {count: 0, seenMs: nowMs};
    this.byFault.set(fault, known);
    known.seenMs = nowMs;
    if (known.count >= restartsMax) return false;
    known.count += 1;
    return true;
  }
}

interface StoreWatch {
  readonly folder: string;
  /** Monitoring address of the server that runs now; undefined while none does. */
  monitorUrl(): string | undefined;
  /** Called at every check with the reason why the server cannot write, in its words, whether there is room or not. */
  onLook(fault: string | undefined): void;
  /** The server cannot write, although there is room. The next check waits for the promise. */
  onStuck(reason: string): Promise<void>;
  /** Restarts do not help: called once a fault. SW1 */
  onGivenUp(reason: string): void;
}

/** Checks until `signal` is aborted; resolves then. */
export async function watchStore(
  {folder, monitorUrl, onLook, onStuck, onGivenUp}: StoreWatch,
  signal: AbortSignal,
): Promise<void> {
  const budget = new RestartBudget();
  let givenUp: string | undefined;
  while (!signal.aborted) {
    await delay(pollMs, undefined, {signal}).catch(() => {});
    const url = monitorUrl();
    const fault = url === undefined || signal.aborted ? undefined : await readFault(url);
    onLook(fault);
    if (fault === undefined || signal.aborted || !(await hasRoom(folder))) continue;
    if (!budget.allows(fault, monotonicMs())) {
      if (fault !== givenUp) onGivenUp(fault);
      givenUp = fault;
      continue;
    }
    await onStuck(fault);
    onLook(undefined); // The state of the next server is unknown.
  }
}

/** Undefined when the server is well, or does not answer: its exit is noticed elsewhere. */
async function readFault(monitorUrl: string): Promise<string | undefined> {
  try {
    const {status, text} = await askMonitor(`${monitorUrl}/healthz`, answerMsMax);
    // The text alone tells a write error from complaints that need no restart (a stream that is being restored).
    return status === 503 && text.includes('write error') ? text : undefined;
  } catch (error) {
    throwBroken(error);
    return undefined;
  }
}

async function hasRoom(folder: string): Promise<boolean> {
  const {bavail, bsize} = await statfs(folder);
  return bavail * bsize >= roomBytesMin;
}
