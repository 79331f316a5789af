// Asks for reports and pages at a fixed rate, whatever the answers: each latency counts from its planned time.

import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import {AnswerFault, HttpAsker} from '../engine/http-ask.js';
import {Latencies, type LatencyMs} from './latency.js';

export interface ReportLatency {
  readonly asked: number;
  /** Number of answers 503; their latency is not counted. */
  readonly unavailable: number;
  readonly latencyMs: LatencyMs;
  /** Latencies behind the summary. */
  readonly latencies: Latencies;
}

/** `paths` must not end. Throws for statuses other than 200 and 503, when all have been asked. */
export async function askAtRate(
  baseUrl: string,
  paths: Iterator<string>,
  reportsPerSecond: number,
  seconds: number,
): Promise<ReportLatency> {
  const startMs = monotonicMs();
  const latencies = new Latencies();
  const asker = new HttpAsker(baseUrl, Number.POSITIVE_INFINITY);
  const asks: Promise<unknown>[] = [];
  const count = Math.max(1, Math.round(reportsPerSecond * seconds));
  for (let i = 0; i < count; i++) {
    const plannedMs = startMs + (i * 1_000) / reportsPerSecond;
    await pause(Math.max(0, plannedMs - monotonicMs()));
    const asked = asker.ask(nextOf(paths)).then(() => latencies.record(monotonicMs() - plannedMs));
    // Awaited at the end: until then a fault must not become an unhandled rejection.
    asks.push(asked.catch((error: unknown) => error));
  }
  const faults = (await Promise.all(asks)).filter((fault) => fault !== undefined);
  asker.close();
  const other = faults.find((fault) => !(fault instanceof AnswerFault && fault.status === 503));
  if (other !== undefined) throw other;
  return {asked: count, unavailable: faults.length, latencyMs: latencies.summary(), latencies};
}

function nextOf(paths: Iterator<string>): string {
  const {done, value} = paths.next();
  if (done === true) throw new Error('every report was asked before: the workload has too few days');
  return value;
}
