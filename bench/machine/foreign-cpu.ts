// How much CPU goes to processes that are none of the benchmark's: neighbours make figures that nobody can repeat.
//   Everything that a benchmark starts is a descendant of it, so "ours" is the tree below this process. The kernel's own
//   threads (writing back files, for one) are nobody's descendants and count as foreign, as does time that a hypervisor took.

import {readFileSync} from 'node:fs';
import {cpus} from 'node:os';
import {monotonicMs} from '../../src/clock.js';
import {cpuSecondsOf, ticksPerSecond} from './processes.js';

/** Starts to watch; the function returned tells the foreign share of all CPU of the machine since then, 0-1. */
export function foreignCpuWatch(): () => number {
  const [startMs, machineBefore, oursBefore] = [monotonicMs(), machineCpuSeconds(), oursCpuSeconds()];
  return () => {
    const available = ((monotonicMs() - startMs) / 1_000) * cpus().length;
    const foreign = machineCpuSeconds() - machineBefore - (oursCpuSeconds() - oursBefore);
    // Ticks are counted at different moments: a short watch may come out slightly below nothing.
    return Math.min(1, Math.max(0, foreign / available));
  };
}

/** Processes that ended are counted, too. */
function oursCpuSeconds(): number {
  return cpuSecondsOf(process.pid);
}

/** Of all cores, idle and waiting time excepted, stolen time included. */
function machineCpuSeconds(): number {
  const [user, nice, system, , , irq, softIrq, steal] = readFileSync('/proc/stat', 'utf8')
    .slice('cpu '.length, 400)
    .trimStart()
    .split(/\s+/, 8)
    .map(Number);
  return (user! + nice! + system! + irq! + softIrq! + steal!) / ticksPerSecond;
}
