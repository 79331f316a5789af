// Waits for the work that goes on after the last answer: folding and snapshots belong to the price of an event.

import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import type {BenchOptions} from '../options.js';
import {cpuSecondsOf} from './processes.js';

const sampleMs = 500;
const quietSamples = 2;
/** Of one core; an idle service with its broker stays below 3 %. */
const quietShare = 0.06;
const settleMsMax = 30_000;
/** A service that publishes every second is never quiet: its small form does not wait for that. */
const settleMsMaxSmall = 1_500;

/** Resolves with the CPU seconds of the process tree once it is quiet; bounded, and then `isQuiet` is false. */
export async function settled(
  pid: number,
  {isSmall}: Pick<BenchOptions, 'isSmall'>,
): Promise<{cpuSeconds: number; isQuiet: boolean}> {
  const endMs = monotonicMs() + (isSmall ? settleMsMaxSmall : settleMsMax);
  let [cpuSeconds, quiet, sampledMs] = [cpuSecondsOf(pid), 0, monotonicMs()];
  while (quiet < quietSamples && monotonicMs() < endMs) {
    await pause(sampleMs);
    const [cpuBefore, msBefore] = [cpuSeconds, sampledMs];
    [cpuSeconds, sampledMs] = [cpuSecondsOf(pid), monotonicMs()];
    const share = (cpuSeconds - cpuBefore) / ((sampledMs - msBefore) / 1_000);
    quiet = share < quietShare ? quiet + 1 : 0;
  }
  return {cpuSeconds, isQuiet: quiet >= quietSamples};
}
