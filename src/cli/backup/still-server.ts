// Stops the nats-server of a running service for a moment, to capture its files at one instant.
//   SV1. At that instant the disk has what a kill -9 of the server would leave: everything that was acked, of all streams at
//        the same moment. Every start can recover from that.
//   SV2. The server continues whatever happens to this process: a small shell waits for the end of a pipe that only this
//        process holds open, and continues the server.
//   SV3. The server stands still for less than the silence that the edge notices (2.5 s, nats/client/pulse.ts): acks wait, and
//        none is refused.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../clock.js';
import {type Holder, isAlive} from '../../data-lock.js';
import {isStopped, processGroupOf} from '../../process-life.js';
import {BackupFault} from './backup-fault.js';

/** Bound of the stop, within SV3. A slow disk may have to finish a flush first. */
const stillMsMax = 1_500;
const triesMax = 5;
const betweenTriesMs = 1_000;
const lookAgainMs = 1;

const resumeScript = 'read -r _; kill -CONT "$1"';

/** Signals that would stop or end this process before the server continues. */
const deferredSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGTSTP'] as const;

/** `guard`: leader of the nats-server's process group (nats/server/embedded.ts E1). `look` runs while the server is stopped. */
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

/** Pid of the server, from the file that it writes itself, unless a later process has that pid. */
function serverOf(dataDir: string, guard: Holder): number {
  const name = readdirSync(join(dataDir, 'nats', 'ports')).find((entry) => entry.endsWith('.ports'));
  const pid = Number(/\d+/.exec(name ?? '')?.[0]);
  if (!isAlive(guard) || processGroupOf(pid) !== guard.pid)
    throw new BackupFault('nats-server is not running, or was just restarted: try again');
  return pid;
}

/** Undefined: it did not stop in time. */
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
