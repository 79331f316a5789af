// CPU of foreign processes: neighbours make figures that cannot be repeated.
//   Everything that a benchmark starts is its descendant, so "ours" is the tree below this process. Kernel threads (writing
//   back files, for one) are nobody's descendants and count as foreign, as does time that a hypervisor took.

import {readFileSync} from 'node:fs';
import {cpus} from 'node:os';
import {monotonicMs} from '../../src/clock.js';
import {cpuSecondsOf, ticksPerSecond} from './processes.js';

/** Starts to watch; the returned function gives the foreign share of the machine's CPU since then, 0-1. */
export function foreignCpuWatch(): () => number {
  const [startMs, machineBefore, oursBefore] = [monotonicMs(), machineCpuSeconds(), oursCpuSeconds()];
  return () => {
    const available = ((monotonicMs() - startMs) / 1_000) * cpus().length;
    const foreign = machineCpuSeconds() - machineBefore - (oursCpuSeconds() - oursBefore);
    // Ticks are counted at different moments: a short watch may be slightly below 0.
    return Math.min(1, Math.max(0, foreign / available));
  };
}

/** CPU of this process and its descendants, including ended ones. */
function oursCpuSeconds(): number {
  return cpuSecondsOf(process.pid);
}

/** CPU of all cores without idle and waiting time, with stolen time. */
function machineCpuSeconds(): number {
  const [user, nice, system, , , irq, softIrq, steal] = readFileSync('/proc/stat', 'utf8')
    .slice('cpu '.length, 400)
    .trimStart()
    .split(/\s+/, 8)
    .map(Number);
  return (user! + nice! + system! + irq! + softIrq! + steal!) / ticksPerSecond;
}
