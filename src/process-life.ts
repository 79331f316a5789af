// The state of a process on this machine, by its id.

import {readdirSync} from 'node:fs';
import {readIfReadable} from './system-file.js';

/** @param startTicks an earlier result of `startTicksOf`: a later process with the same id is another one. */
export function isRunning(pid: number, startTicks: string | null = null): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const fields = statOf(pid);
  // A zombie has ended, and waits for its parent (for ever, under an init that does not reap).
  return fields?.[0] !== 'Z' && (startTicks === null || fields?.[19] === startTicks);
}

/** Start of the process, in clock ticks since the boot; null without /proc or without the process. */
export const startTicksOf = (pid: number): string | null => statOf(pid)?.[19] ?? null;

/** Undefined without /proc or without the process. */
export function processGroupOf(pid: number): number | undefined {
  const group = statOf(pid)?.[2];
  return group === undefined ? undefined : Number(group);
}

/** Whether every thread of the process is stopped (SIGSTOP): a thread finishes its write to a disk first. */
export function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((task) => statOf(`${pid}/task/${task}`)?.[0] === 'T');
}

/** /proc/<pid>/stat from its third field on; the command name before it may contain spaces. */
function statOf(pid: number | string): string[] | undefined {
  const stat = readIfReadable(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}
