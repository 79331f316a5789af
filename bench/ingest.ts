// How many events the service takes, and at what price, beside floors that discard the same bytes in the same run.
// Rounds are interleaved (floors, ours, floors, ours): a machine that slows down slows down everybody.

import {startFloor} from './floor/floor-process.js';
import type {LoadResult} from './load/closed-loop.js';
import {LoadProcess} from './load/load-process.js';
import {cpuSecondsOf} from './machine/processes.js';
import {type ServiceSettings, startService, writeKey} from './machine/service.js';
import {settled} from './machine/settle.js';
import type {Target} from './machine/target.js';
import type {BenchOptions} from './options.js';
import type {Owned} from './owned.js';
import {type Spread, spreadOf} from './statistics.js';
import {fixed, tableText, whole} from './table.js';

type Shape = 'single' | 'batch';
type TargetName = 'floor: discard' | 'floor: parse' | 'millrace';

interface Sample extends LoadResult {
  readonly shape: Shape;
  readonly target: TargetName;
  readonly round: number;
  readonly eventsPerSecond: number;
  /** Of all processes of the target, until it is idle again. */
  readonly cpuSecondsPerMillion: number;
  readonly isQuiet: boolean;
}

export interface IngestReport {
  readonly bytesPerEvent: number;
  readonly samples: readonly Sample[];
}

const shapes: readonly Shape[] = ['single', 'batch'];
const targets: readonly TargetName[] = ['floor: discard', 'floor: parse', 'millrace'];
/** Events per second that the first release must reach on two cores, load generator included. */
const targetRate: Readonly<Record<Shape, number>> = {single: 30_000, batch: 400_000};

export async function benchIngest(
  options: BenchOptions,
  owned: Owned,
  say: (text: string) => void,
): Promise<IngestReport> {
  const load = owned.add(new LoadProcess());
  say('preparing requests …');
  const single = await load.prepare('single', options.singleWorkload, 1, writeKey);
  await load.prepare('batch', options.batchWorkload, options.batchEvents, writeKey);
  say('starting floors and service …');
  const running: Record<TargetName, Target> = {
    'floor: discard': owned.add(await startFloor('discard')),
    'floor: parse': owned.add(await startFloor('parse')),
    millrace: owned.add(await startService(serviceSettings(options))),
  };
  const samples: Sample[] = [];
  // Round 0 warms up: compilers, connections, files.
  for (let round = 0; round <= options.rounds; round++) {
    for (const shape of shapes) {
      for (const target of targets) {
        const sample = await measure(load, shape, target, running[target], round, options);
        say(sampleText(sample));
        if (round > 0) samples.push(sample);
      }
    }
  }
  await owned.stopAll();
  return {bytesPerEvent: single.bytesPerEvent, samples};
}

function serviceSettings({refreshSeconds, profileFolder}: BenchOptions): ServiceSettings {
  return {env: {REPORT_REFRESH_SECONDS: String(refreshSeconds)}, profileFolder};
}

async function measure(
  load: LoadProcess,
  shape: Shape,
  target: TargetName,
  {host, port, pid}: Target,
  round: number,
  options: BenchOptions,
): Promise<Sample> {
  const connections = shape === 'single' ? options.singleConnections : options.batchConnections;
  const seconds = round === 0 ? Math.min(2, options.seconds) : options.seconds;
  const cpuBefore = cpuSecondsOf(pid);
  const result = await load.run(shape, {host, port, connections, seconds});
  const {cpuSeconds, isQuiet} = await settled(pid);
  if (result.refusals > 0) throw new Error(`${target} refused ${result.refusals} requests: ${result.firstRefusal}`);
  return {
    ...result,
    shape,
    target,
    round,
    isQuiet,
    eventsPerSecond: result.events / (result.elapsedMs / 1_000),
    cpuSecondsPerMillion: (cpuSeconds - cpuBefore) / (result.events / 1e6),
  };
}

function sampleText(sample: Sample): string {
  const round = sample.round === 0 ? 'warm-up' : `round ${sample.round}`;
  const rate = `${whole(sample.eventsPerSecond)} events/s`;
  const cpu = `${fixed(sample.cpuSecondsPerMillion, 2)} CPU s per million`;
  return `${round} · ${sample.shape} · ${sample.target}: ${rate}, ${cpu}${sample.isQuiet ? '' : ' (still busy after 30 s)'}`;
}

export function ingestText(report: IngestReport, options: BenchOptions): string {
  const header = [
    '',
    'events/s',
    'min-max',
    'x parse floor',
    'CPU s/M',
    'min-max',
    'x parse floor',
    'p50 ms',
    'p99 ms',
    'target',
  ];
  const rows = shapes.flatMap((shape) => targets.map((target) => rowOf(report, shape, target)));
  return [
    `Ingestion: ${fixed(report.bytesPerEvent, 0)} B of JSON an event, ${options.singleConnections} connections single, ` +
      `${options.batchConnections} in batches of ${whole(options.batchEvents)}; medians of ${options.rounds} rounds of ${options.seconds} s`,
    tableText(header, rows),
  ].join('\n');
}

function rowOf(report: IngestReport, shape: Shape, target: TargetName): string[] {
  const {rate, cpu, p50, p99} = summaryOf(report, shape, target);
  const floor = summaryOf(report, shape, 'floor: parse');
  const goal =
    target === 'millrace' ? `${whole(targetRate[shape])}${rate.median >= targetRate[shape] ? ' ok' : ' MISSED'}` : '';
  return [
    `${shape}, ${target}`,
    whole(rate.median),
    `${whole(rate.min)}-${whole(rate.max)}`,
    fixed(rate.median / floor.rate.median, 2),
    fixed(cpu.median, 2),
    `${fixed(cpu.min, 2)}-${fixed(cpu.max, 2)}`,
    fixed(cpu.median / floor.cpu.median, 1),
    fixed(p50.median, 1),
    fixed(p99.median, 1),
    goal,
  ];
}

function summaryOf(
  report: IngestReport,
  shape: Shape,
  target: TargetName,
): Record<'rate' | 'cpu' | 'p50' | 'p99', Spread> {
  const samples = report.samples.filter((sample) => sample.shape === shape && sample.target === target);
  return {
    rate: spreadOf(samples.map((sample) => sample.eventsPerSecond)),
    cpu: spreadOf(samples.map((sample) => sample.cpuSecondsPerMillion)),
    p50: spreadOf(samples.map((sample) => sample.latencyMs.p50)),
    p99: spreadOf(samples.map((sample) => sample.latencyMs.p99)),
  };
}
