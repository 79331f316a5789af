// Reports asked at a fixed rate, whatever the answers: each counts from the moment at which it was to be asked.

import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import {ask} from '../reports.js';
import {Latencies, type LatencyMs} from './latency.js';

export interface ReportLatency {
  readonly asked: number;
  readonly latencyMs: LatencyMs;
}

/** `paths` must not end. Anything but 200 fails. */
export async function askAtRate(
  baseUrl: string,
  paths: Iterator<string>,
  reportsPerSecond: number,
  seconds: number,
): Promise<ReportLatency> {
  const startMs = monotonicMs();
  const latencies = new Latencies();
  const asks: Promise<void>[] = [];
  const count = Math.max(1, Math.round(reportsPerSecond * seconds));
  for (let i = 0; i < count; i++) {
    const plannedMs = startMs + (i * 1_000) / reportsPerSecond;
    await pause(Math.max(0, plannedMs - monotonicMs()));
    asks.push(ask(baseUrl, nextOf(paths)).then(() => latencies.record(monotonicMs() - plannedMs)));
  }
  await Promise.all(asks);
  return {asked: count, latencyMs: latencies.summary()};
}

function nextOf(paths: Iterator<string>): string {
  const {done, value} = paths.next();
  if (done === true) throw new Error('every report was asked before: the workload has too few days');
  return value;
}
