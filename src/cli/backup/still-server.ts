// Holds the nats-server of a running service still for a moment, to look at its files as they are at one instant.
//   SV1. What is on the disk then is what a kill -9 of the server would leave: everything that was acked is in it, of all
//        streams at the same moment, and every start is used to that.
//   SV2. The server goes on whatever becomes of this process: a small shell waits for the end of a pipe that only we hold
//        open, and continues it.
//   SV3. It is still for less than the edge takes for silence (2.5 s, nats/client/pulse.ts): acks wait, none is refused.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../clock.js';
import {type Holder, isAlive} from '../../data-lock.js';
import {isStopped, processGroupOf} from '../../process-life.js';
import {BackupFault} from './backup-fault.js';

/** A flush that a slow disk is busy with is waited for; SV3. */
const stillMsMax = 1_500;
const triesMax = 5;
const betweenTriesMs = 1_000;
const lookAgainMs = 1;

const resumeScript = 'read -r _; kill -CONT "$1"';

/** Would stop or end this process between the server's stop and its continuation. */
const deferredSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGTSTP'] as const;

/** `guard`: leads the process group of the nats-server (nats/server/embedded.ts E1). `look` runs while the server is still. */
export async function whileStill<T>(
  dataDir: string,
  guard: Holder,
  look: () => T,
): Promise<{seen: T; stillMs: number}> {
  for (let tries = 1; ; tries++) {
    const held = await tryWhileStill(serverOf(dataDir, guard), look);
    if (held !== undefined) return held;
    if (tries === triesMax)
      throw new BackupFault(
        `nats-server did not pause within ${stillMsMax} ms, ${triesMax} times: its disk is too slow now`,
      );
    await pause(betweenTriesMs);
  }
}

/** Its number out of the file that it writes itself; no other process that has got it since. */
function serverOf(dataDir: string, guard: Holder): number {
  const name = readdirSync(join(dataDir, 'nats', 'ports')).find((entry) => entry.endsWith('.ports'));
  const pid = Number(/\d+/.exec(name ?? '')?.[0]);
  if (!isAlive(guard) || processGroupOf(pid) !== guard.pid)
    throw new BackupFault('nats-server is not running, or was just started again: try once more');
  return pid;
}

/** Undefined: it did not stand still in time. */
async function tryWhileStill<T>(pid: number, look: () => T): Promise<{seen: T; stillMs: number} | undefined> {
  const resumer = spawn('/bin/sh', ['-c', resumeScript, 'millrace-resume', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // Ctrl-C in a terminal must not end it before its work.
  });
  const resumed = once(resumer, 'exit');
  await once(resumer, 'spawn'); // SV2
  const defer = (): void => {};
  for (const signal of deferredSignals) process.on(signal, defer);
  const startMs = monotonicMs();
  try {
    process.kill(pid, 'SIGSTOP');
    while (!isStopped(pid)) {
      if (monotonicMs() - startMs > stillMsMax) return undefined;
      await pause(lookAgainMs);
    }
    const seen = look();
    return {seen, stillMs: monotonicMs() - startMs};
  } finally {
    resumer.stdin!.end();
    await resumed;
    for (const signal of deferredSignals) process.off(signal, defer);
  }
}
