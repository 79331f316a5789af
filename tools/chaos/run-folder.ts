// The folder of a run after its end: once no process writes to it, it is removed as a whole.
//   A process of the run has the folder in its command line or as its DATA_DIR: service, guard shell, nats-server.

import {existsSync, readdirSync, rmSync} from 'node:fs';
import {setTimeout as delay} from 'node:timers/promises';
import {readIfReadable} from '../../src/system-file.js';
import {sendSignal} from '../service-process.js';

// The nats-server of a killed service closes its store first.
const endMsMax = 15_000;
const removeMsMax = 15_000;
const pollMs = 50;

/** Waits for the processes of this run to end; kills those that do not, and returns what they were. */
export async function outlivers(folder: string): Promise<string[]> {
  const deadlineMs = performance.now() + endMsMax;
  while (processesOf(folder).length > 0 && performance.now() < deadlineMs) await delay(pollMs);
  const late = processesOf(folder);
  for (const {pid} of late) sendSignal(pid, 'SIGKILL');
  return late.map(({pid, commandLine}) => `${pid}: ${commandLine}`);
}

interface Process {
  readonly pid: number;
  readonly commandLine: string;
}

/** Only where the system lists them (/proc). */
function processesOf(folder: string): Process[] {
  if (!existsSync('/proc/self/environ')) return [];
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
  return pids.flatMap((pid) => {
    const commandLine = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    const isOfRun = commandLine.includes(`${folder}/`) || read(`/proc/${pid}/environ`).includes(`DATA_DIR=${folder}/`);
    return isOfRun ? [{pid, commandLine}] : [];
  });
}

/** Empty for a process that has ended, or is not ours. */
const read = (path: string): string => readIfReadable(path) ?? '';

/** @throws with the reason when the folder still exists after 15 s. */
export async function removeFolder(folder: string): Promise<void> {
  const deadlineMs = performance.now() + removeMsMax;
  for (;;) {
    try {
      rmSync(folder, {recursive: true, force: true});
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
    }
    if (!existsSync(folder)) return;
    if (performance.now() > deadlineMs) throw new Error(`${folder} was removed and is there again`);
    await delay(pollMs);
  }
}
