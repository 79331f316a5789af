// Whole events in large numbers: the newest thousand of one user, asked of a service that has started and never computed a
// report, and an export of a million, read as fast as it comes. CPU is that of the service and its nats-server.

import type {Figure} from '../../src/bench-run.js';
import {monotonicMs} from '../../src/clock.js';
import {HttpClient} from '../../tools/http-client.js';
import type {Bench, Say} from '../bench.js';
import {HttpAsker} from '../engine/http-ask.js';
import {cacheEnv, cacheOption, openStore, startOver} from '../engine/store.js';
import type {Bounds} from '../figures.js';
import {MemoryWatch} from '../machine/memory-watch.js';
import {cpuSecondsOf} from '../machine/processes.js';
import {type BenchService, secretKey} from '../machine/service.js';
import {quieted} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {type Measure, playRounds, type Rounds, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical, dayMs, userId, type WorkloadOptions, zipfExponent} from '../workload/events.js';
import {zipfRankOf} from '../workload/weighted.js';

const contender = 'export';
const userEvents = 1_000;
/** Users who have more events than are asked for. */
const userEventsWanted = 1_100;
const mb = 1_000_000;
/** Bytes in which the last line is. */
const tailBytes = 100;

interface Sample {
  readonly bytes: number;
  readonly events: number;
  readonly elapsedMs: number;
  readonly cpuSeconds: number;
  /** MiB of the service and its nats-server before, and at most. */
  readonly restMib: number;
  readonly peakMib: number;
}

interface ExportReport {
  readonly workload: WorkloadOptions;
  /** MEMORY_CACHE_MIB of the service. */
  readonly cacheMib: number;
  /** Ms of each page of a user's newest events, in their order. */
  readonly userMs: readonly number[];
  /** Events of the smallest of these pages. */
  readonly userEventsMin: number;
  /** The first export, before the rounds. */
  readonly first: Sample;
  readonly rounds: Rounds<Sample, typeof contender>;
}

const bounds = {
  user: {reach: 50, limit: 15},
  rate: {reach: 300, limit: 600},
  memory: {reach: 64, limit: 32},
} as const satisfies Readonly<Record<string, Bounds>>;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<ExportReport> {
  const {
    events,
    users: asked,
    lines,
    cache,
  } = options.numbers as Record<'events' | 'users' | 'lines' | 'cache', number>;
  const workload = {...canonical, userCount: 100_000, eventCount: events};
  const store = await openStore(options, workload, owned, say);
  const service = await startOver(store, owned, cacheEnv(options));
  await quieted(service, options); // The start reads ahead as much as fits the cache; that is not part of the question.
  const {userMs, userEventsMin} = await askUsers(service, workload, asked);
  say(`users: ${fixed(spreadOf(userMs).median, 1)} ms, at most ${fixed(Math.max(...userMs), 1)}`);
  await quieted(service, options);
  const days = Math.max(1, Math.round((workload.dayCount * lines) / events));
  const measure: Measure<Sample> = () => exported(service, pathOf(workload, days));
  const first = await measure(0);
  say(`first export: ${fixed(first.elapsedMs, 0)} ms, ${fixed(first.cpuSeconds, 2)} s of CPU`);
  const rounds = await playRounds({[contender]: measure}, options, say);
  return {workload, cacheMib: cache, userMs, userEventsMin, first, rounds};
}

async function askUsers({baseUrl}: BenchService, {eventCount, userCount}: WorkloadOptions, count: number) {
  const http = new HttpAsker(baseUrl);
  const userMs: number[] = [];
  let userEventsMin = Number.POSITIVE_INFINITY;
  try {
    const rank = Math.max(count, zipfRankOf(userCount, zipfExponent, userEventsWanted / eventCount));
    for (let user = rank - count; user < rank; user++) {
      const {body, elapsedMs} = await http.ask(`/v1/events?limit=${userEvents}&userId=${userId(user)}`);
      userMs.push(elapsedMs);
      userEventsMin = Math.min(userEventsMin, (body as {data: unknown[]}).data.length);
    }
  } finally {
    http.close();
  }
  return {userMs, userEventsMin};
}

/** The events of the first days. */
function pathOf({startMs}: WorkloadOptions, days: number): string {
  const iso = (timeMs: number): string => encodeURIComponent(new Date(timeMs).toISOString());
  return `/v1/export?from=${iso(startMs)}&to=${iso(startMs + days * dayMs - 1)}`;
}

async function exported({baseUrl, pid}: BenchService, path: string): Promise<Sample> {
  const client = new HttpClient(baseUrl, {key: secretKey});
  const memory = new MemoryWatch(pid);
  const cpuBefore = cpuSecondsOf(pid);
  const startMs = monotonicMs();
  const read = await readWhole(client, path).finally(() => {
    memory.end();
    client.close();
  });
  const [elapsedMs, cpuSeconds] = [monotonicMs() - startMs, cpuSecondsOf(pid) - cpuBefore];
  const {startMib: restMib, peakMib} = memory.curve();
  return {...read, elapsedMs, cpuSeconds, restMib, peakMib};
}

/** Reads an export to its end. @throws Error unless it is whole */
async function readWhole(client: HttpClient, path: string): Promise<Pick<Sample, 'bytes' | 'events'>> {
  const answer = await client.open('GET', path);
  let bytes = 0;
  let tail = '';
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    tail = (tail + piece.subarray(-tailBytes).toString('latin1')).slice(-tailBytes);
  }
  const events = Number(/\n\{"end":true,"events":(\d+)\}\n$/.exec(tail)?.[1]);
  if (answer.statusCode === 200 && events > 0) return {bytes, events};
  throw new Error(`${path} was answered ${answer.statusCode}, and ends with ${tail}`);
}

const samplesOf = ({rounds}: ExportReport): readonly Sample[] => rounds.rounds.map(({samples}) => samples[contender]);
const rateOf = ({bytes, cpuSeconds}: Sample): number => bytes / mb / cpuSeconds;
const aboveRestOf = ({restMib, peakMib}: Sample): number => peakMib - restMib;

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

function figures(report: ExportReport): Figure[] {
  const samples = samplesOf(report);
  return [
    {
      id: 'user',
      name: `p99 of the newest ${userEvents} events of a user, after a start`,
      unit: 'ms',
      better: 'less',
      samples: [percentile(report.userMs, 0.99)],
      ...bounds.user,
    },
    {
      id: 'rate',
      name: 'MB of an export / CPU seconds',
      unit: 'MB/s',
      better: 'more',
      samples: samples.map(rateOf),
      ...bounds.rate,
    },
    {
      id: 'memory',
      name: 'memory of an export above rest',
      unit: 'MiB',
      better: 'less',
      samples: samples.map(aboveRestOf),
      ...bounds.memory,
    },
  ];
}

function text(report: ExportReport): string {
  const {workload, cacheMib, userMs, userEventsMin, first, rounds} = report;
  const samples = samplesOf(report);
  const row = (name: string, of: (sample: Sample) => number, digits: number): string[] => {
    const {median, min, max} = spreadOf(samples.map(of));
    return [name, fixed(of(first), digits), fixed(median, digits), fixed(min, digits), fixed(max, digits)];
  };
  return [
    `Of ${whole(workload.eventCount)} events, MEMORY_CACHE_MIB=${cacheMib}:`,
    `the newest events of each of ${userMs.length} users (${whole(userEventsMin)} or more), ms: the first ${fixed(userMs[0]!, 1)}, ` +
      `p50 ${fixed(percentile(userMs, 0.5), 1)}, p99 ${fixed(percentile(userMs, 0.99), 1)} (to reach: ${bounds.user.reach})`,
    tableText(
      ['', 'first', 'median', 'smallest', 'largest'],
      [
        row('export: events', ({events}) => events, 0),
        row('export: MB', ({bytes}) => bytes / mb, 1),
        row('export: s', ({elapsedMs}) => elapsedMs / 1_000, 2),
        row('export: CPU s', ({cpuSeconds}) => cpuSeconds, 2),
        row(`export: MB / CPU s (to reach: ${bounds.rate.reach})`, rateOf, 0),
        row('memory before it, MiB', ({restMib}) => restMib, 0),
        row(`memory above that, MiB (to reach: ${bounds.memory.reach})`, aboveRestOf, 0),
      ],
    ),
    roundsText(rounds),
  ].join('\n');
}

export const exportBench: Bench<ExportReport> = {
  name: 'export',
  summary: 'the newest thousand events of a user, and an export of a million, out of 10 million events',
  numbers: {
    events: {normal: 10_000_000, small: 20_000, help: 'events of the data set'},
    users: {normal: 100, small: 5, help: 'users whose events are asked for'},
    lines: {normal: 1_000_000, small: 20_000, help: 'events of the export, about'},
    cache: cacheOption,
  },
  run,
  figures,
  rounds: ({rounds}) => ({[contender]: rounds}),
  text,
};
