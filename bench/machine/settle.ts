// Waits for work after the last answer: folding and snapshots are part of the cost of an event.

import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs, wallMs} from '../../src/clock.js';
import type {BenchOptions} from '../options.js';
import {readMetrics} from './metrics.js';
import {cpuSecondsOf} from './processes.js';
import type {Target} from './target.js';

const sampleMs = 500;
const quietSamples = 2;
/** Share of one core; an idle service with its broker stays below 3 %. */
const quietShare = 0.06;
const settleMsMax = 60_000;
const buildMsMax = 300_000;
/** The small form does not wait: a service that publishes every second is never quiet. */
const settleMsMaxSmall = 100;

export interface Settled {
  readonly cpuSeconds: number;
  /** Whether it became quiet, and its reports include everything if they were awaited. */
  readonly isQuiet: boolean;
  /** Ms of the wait for the next snapshot, in which it was otherwise idle. */
  readonly idleMs: number;
}

type Settling = Pick<Target, 'pid' | 'covers'>;

/**
 * Resolves with the CPU seconds of the target's processes once its reports, if it has any, include everything that it received,
 * and it is quiet; after a bound `isQuiet` is false.
 */
export async function settled(target: Settling, options: Pick<BenchOptions, 'isSmall'>): Promise<Settled> {
  const endMs = deadlineOf(options);
  const lastEventMs = wallMs();
  const folded = await untilQuiet(target, endMs);
  if (target.covers === undefined) return folded;
  const foldedMs = monotonicMs();
  let isCovered = await target.covers(lastEventMs);
  while (!isCovered && monotonicMs() < endMs) {
    await pauseBefore(endMs);
    isCovered = await target.covers(lastEventMs);
  }
  const published = await untilQuiet(target, endMs);
  return {...published, isQuiet: published.isQuiet && isCovered, idleMs: monotonicMs() - foldedMs};
}

/** CPU in cores of each target without requests. */
export async function idleShares(
  targets: Readonly<Record<string, Settling>>,
  seconds: number,
): Promise<Readonly<Record<string, number>>> {
  const before = Object.values(targets).map(({pid}) => cpuSecondsOf(pid));
  await pause(seconds * 1_000);
  return Object.fromEntries(
    Object.entries(targets).map(([name, {pid}], i) => [name, (cpuSecondsOf(pid) - before[i]!) / seconds]),
  );
}

/** As `settled` without waiting for reports: folded events may be published during the next measurement. */
export function quieted(target: Settling, options: Pick<BenchOptions, 'isSmall'>): Promise<Settled> {
  return untilQuiet(target, deadlineOf(options));
}

/**
 * Resolves once reports have built the indexes for what was asked: on a machine that others use, a service that builds may look
 * quiet.
 */
export async function indexesBuilt(baseUrl: string, {isSmall}: Pick<BenchOptions, 'isSmall'>): Promise<void> {
  const endMs = monotonicMs() + (isSmall ? settleMsMaxSmall : buildMsMax);
  while (monotonicMs() < endMs) if ((await readMetrics(baseUrl)).sum('millrace_report_index_builds') === 0) return;
}

const deadlineOf = ({isSmall}: Pick<BenchOptions, 'isSmall'>): number =>
  monotonicMs() + (isSmall ? settleMsMaxSmall : settleMsMax);

const pauseBefore = (endMs: number): Promise<void> => pause(Math.min(sampleMs, endMs - monotonicMs()));

async function untilQuiet({pid}: Settling, endMs: number): Promise<Settled> {
  let [cpuSeconds, quiet, sampledMs] = [cpuSecondsOf(pid), 0, monotonicMs()];
  while (quiet < quietSamples && monotonicMs() < endMs) {
    await pauseBefore(endMs);
    const [cpuBefore, msBefore] = [cpuSeconds, sampledMs];
    [cpuSeconds, sampledMs] = [cpuSecondsOf(pid), monotonicMs()];
    const share = (cpuSeconds - cpuBefore) / ((sampledMs - msBefore) / 1_000);
    quiet = share < quietShare ? quiet + 1 : 0;
  }
  return {cpuSeconds, isQuiet: quiet >= quietSamples, idleMs: 0};
}
