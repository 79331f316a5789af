// History on a fresh service: the rate of importing a million events, the time until every report counts them, the speed of
// reports afterwards, and the memory of the service, with a large and a small cache.

import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import type {Bench, Say} from '../bench.js';
import {HttpAsker} from '../engine/http-ask.js';
import type {LoadResult} from '../load/closed-loop.js';
import {LoadProcess} from '../load/load-process.js';
import {cpuSecondsOf, memoryOf, type ProcessMemory} from '../machine/processes.js';
import {type BenchService, envOf, startService, writeKey} from '../machine/service.js';
import {settled} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {type ReportQuestion, variedReports, wholeReports} from '../reports.js';
import {type Spread, spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical, type WorkloadOptions} from '../workload/events.js';

export interface ImportSample {
  readonly cacheMib: number;
  readonly load: LoadResult;
  readonly eventsPerSecond: number;
  /** Ms from the last 200 until every report was exact. */
  readonly queryableMs: number;
  readonly cpuSecondsPerMillion: number;
  readonly memory: readonly ProcessMemory[];
  /** Ms by kind of report, over new ranges. */
  readonly reportMs: readonly (readonly [kind: string, spread: Spread])[];
}

export interface ImportReport {
  readonly eventCount: number;
  readonly refreshSeconds: number;
  readonly samples: readonly ImportSample[];
}

/** MEMORY_CACHE_MIB of the services, one after the other. */
const cachesMib = [512, 64];
const batchEvents = 1_000;
const batchConnections = 12;
const pollMs = 25;
const wrapperMibMax = 8;
/** Far beyond the promise of one refresh: a miss is measured and does not end the run. */
const queryableRefreshesMax = 6;
const queryableMsMin = 30_000;
const timingsPerReport = 15;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<ImportReport> {
  const workload = {...canonical, eventCount: options.numbers.events!};
  const load = owned.add(new LoadProcess());
  say(`preparing ${whole(workload.eventCount)} events …`);
  const {expected} = await load.prepare('import', workload, batchEvents, writeKey);
  const questions = wholeReports(workload, expected);
  const samples: ImportSample[] = [];
  for (const cacheMib of options.isSmall ? cachesMib.slice(-1) : cachesMib) {
    say(`starting a service with MEMORY_CACHE_MIB=${cacheMib} …`);
    const env = {...envOf(options), MEMORY_CACHE_MIB: String(cacheMib)};
    const service = owned.add(await startService({env, profileFolder: options.profileFolder}));
    samples.push(await measure(service, load, workload, questions, cacheMib, options, say));
    await service.stop();
  }
  await owned.stopAll();
  return {eventCount: workload.eventCount, refreshSeconds: options.refreshSeconds, samples};
}

async function measure(
  service: BenchService,
  load: LoadProcess,
  workload: WorkloadOptions,
  questions: readonly ReportQuestion[],
  cacheMib: number,
  options: BenchOptions,
  say: Say,
): Promise<ImportSample> {
  const {host, port, pid, baseUrl} = service;
  const cpuBefore = cpuSecondsOf(pid);
  const plan = {host, port, connections: options.isSmall ? 2 : batchConnections, seconds: null};
  const result = await load.run('import', plan, (events) => say(`${whole(events)} events imported`));
  if (result.refusals > 0) throw new Error(`the service refused ${result.refusals} batches: ${result.firstRefusal}`);
  say(`all imported in ${fixed(result.elapsedMs / 1_000, 2)} s; waiting for the reports …`);
  const limitMs = Math.max(queryableMsMin, queryableRefreshesMax * options.refreshSeconds * 1_000);
  const asker = new HttpAsker(baseUrl);
  const queryableMs = await untilExact(asker, questions, limitMs);
  const {cpuSeconds} = await settled(service, options);
  say(`every report exact after ${fixed(queryableMs / 1_000, 2)} s; timing reports …`);
  const reportMs = await timeReports(asker, workload);
  asker.close();
  return {
    cacheMib,
    load: result,
    eventsPerSecond: result.events / (result.elapsedMs / 1_000),
    queryableMs,
    cpuSecondsPerMillion: (cpuSeconds - cpuBefore) / (result.events / 1e6),
    // Wrapper processes have no row.
    memory: memoryOf(pid).filter(({peakMib}) => peakMib >= wrapperMibMax),
    reportMs,
  };
}

/** Ms until every question was answered exactly; questions are repeated until they are, one after the other. */
async function untilExact(asker: HttpAsker, questions: readonly ReportQuestion[], limitMs: number): Promise<number> {
  const startMs = monotonicMs();
  for (const question of questions) {
    let difference = question.difference((await asker.ask(question.path)).body);
    while (difference !== null) {
      if (monotonicMs() - startMs > limitMs) {
        throw new Error(`${question.name} is not exact after ${limitMs / 1_000} s: ${difference}`);
      }
      await pause(pollMs);
      difference = question.difference((await asker.ask(question.path)).body);
    }
  }
  return monotonicMs() - startMs;
}

async function timeReports(asker: HttpAsker, workload: WorkloadOptions): Promise<(readonly [string, Spread])[]> {
  const timed: (readonly [string, Spread])[] = [];
  for (const [kind, paths] of variedReports(workload, timingsPerReport)) {
    const elapsed: number[] = [];
    for (const path of paths) elapsed.push((await asker.ask(path)).elapsedMs);
    timed.push([kind, spreadOf(elapsed)]);
  }
  return timed;
}

function text(report: ImportReport): string {
  const {eventCount, refreshSeconds, samples} = report;
  const column = (title: string, value: (sample: ImportSample) => string): string[] => [title, ...samples.map(value)];
  const rows = [
    column('import, events/s', (sample) => whole(sample.eventsPerSecond)),
    column('import, CPU s per million', (sample) => fixed(sample.cpuSecondsPerMillion, 2)),
    column('every report exact after, s', (sample) => fixed(sample.queryableMs / 1_000, 2)),
    column(`  in refreshes of ${refreshSeconds} s (target 1)`, (sample) => refreshesText(sample, refreshSeconds)),
    ...(samples[0]?.memory ?? []).flatMap(({name}, index) => [
      column(`memory of ${name}, MiB`, ({memory}) => String(memory[index]?.rssMib ?? '?')),
      column('  its peak, MiB', ({memory}) => String(memory[index]?.peakMib ?? '?')),
    ]),
    ...(samples[0]?.reportMs ?? []).map(([kind], index) =>
      column(`${kind}, ms`, ({reportMs}) => {
        const {median, max} = reportMs[index]![1];
        return `${fixed(median, 1)} (max ${fixed(max, 1)})`;
      }),
    ),
  ];
  const header = ['', ...samples.map(({cacheMib}) => `MEMORY_CACHE_MIB=${cacheMib}`)];
  return `Import of ${whole(eventCount)} events on a fresh service\n${tableText(header, rows)}`;
}

function refreshesText({queryableMs}: ImportSample, refreshSeconds: number): string {
  const refreshes = queryableMs / 1_000 / refreshSeconds;
  return `${fixed(refreshes, 2)} ${refreshes <= 1 ? 'ok' : 'MISSED'}`;
}

export const importBench: Bench<ImportReport> = {
  name: 'import',
  summary: 'a million events through batches, and the time until every report counts them all',
  numbers: {events: {normal: 1_000_000, small: 20_000, help: 'events to import'}},
  run,
  text,
};
