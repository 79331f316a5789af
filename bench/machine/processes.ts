// CPU time and memory of a process and all its descendants, from /proc (Linux only).

import {readdirSync} from 'node:fs';
import {readIfThere} from '../../src/system-file.js';

/** USER_HZ: the unit of /proc on every Linux that Node runs on. */
export const ticksPerSecond = 100;

/** Roots of a process tree; none is a descendant of another one. */
export type Roots = number | readonly number[];

interface ProcessStat {
  readonly pid: number;
  readonly parentPid: number;
  readonly name: string;
  readonly cpuSeconds: number;
  /** CPU of ended children that were waited for, with their descendants. */
  readonly endedCpuSeconds: number;
}

export interface ProcessMemory {
  readonly pid: number;
  readonly name: string;
  readonly rssMib: number;
  /** Peak of its memory. */
  readonly peakMib: number;
}

/** User and system time of all threads of all processes of the tree, including ended ones. */
export function cpuSecondsOf(roots: Roots): number {
  return treeOf(roots).reduce((sum, {cpuSeconds, endedCpuSeconds}) => sum + cpuSeconds + endedCpuSeconds, 0);
}

/**
 * User and system time of all threads of a process but its first: of a service all that is not the edge, nor its nats-server.
 * Threads that have ended are not counted.
 */
export function cpuSecondsBehindMain(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const threads = readdirSync(folder).filter((thread) => thread !== String(pid));
  const stats = threads.flatMap((thread) => textOf(`${folder}/${thread}/stat`).map(statOf));
  return stats.reduce((sum, {cpuSeconds}) => sum + cpuSeconds, 0);
}

/** Memory of each process, except those that end during the reading. */
export function memoryOf(roots: Roots): ProcessMemory[] {
  return treeOf(roots).flatMap(({pid, name}) => {
    const [status] = textOf(`/proc/${pid}/status`);
    const mib = (field: string): number =>
      Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status!)?.[1]) / 1024);
    // A process that has ended and was not waited for has no memory.
    return status?.includes('VmRSS') ? [{pid, name, rssMib: mib('VmRSS'), peakMib: mib('VmHWM')}] : [];
  });
}

function treeOf(roots: Roots): ProcessStat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readStat(Number(pid)));
  const rootPids = [roots].flat();
  const tree = all.filter(({pid}) => rootPids.includes(pid));
  // Children are found level by level; the list grows while it is walked.
  for (const parent of tree) tree.push(...all.filter(({parentPid}) => parentPid === parent.pid));
  return tree;
}

function readStat(pid: number): ProcessStat[] {
  return textOf(`/proc/${pid}/stat`).map(statOf);
}

/** `text`: of a process or of one of its threads. */
function statOf(text: string): ProcessStat {
  // The name is in parentheses and may contain anything, even parentheses.
  const nameEnd = text.lastIndexOf(')');
  const fields = text.slice(nameEnd + 2).split(' ');
  const seconds = (field: number): number => Number(fields[field]) / ticksPerSecond;
  const name = text.slice(text.indexOf('(') + 1, nameEnd);
  return {
    pid: Number.parseInt(text, 10),
    parentPid: Number(fields[1]),
    name,
    cpuSeconds: seconds(11) + seconds(12),
    endedCpuSeconds: seconds(13) + seconds(14),
  };
}

/** Empty when the process ended meanwhile. */
function textOf(path: string): string[] {
  const text = readIfThere(path);
  return text === undefined ? [] : [text];
}
