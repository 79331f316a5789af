// How many events the service takes, and at what price, beside floors that discard the same bytes in the same rounds.

import type {Bench, Say} from '../bench.js';
import {startFloor} from '../floor/floor-process.js';
import type {LoadResult} from '../load/closed-loop.js';
import {LoadProcess} from '../load/load-process.js';
import {cpuSecondsOf} from '../machine/processes.js';
import {startService, writeKey} from '../machine/service.js';
import {settled} from '../machine/settle.js';
import type {Target} from '../machine/target.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {type Measure, playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical} from '../workload/events.js';

type Shape = 'single' | 'batch';
type TargetName = 'floor: discard' | 'floor: parse' | 'millrace';

interface Sample extends LoadResult {
  readonly eventsPerSecond: number;
  /** Of all processes of the target, until it is idle again. */
  readonly cpuSecondsPerMillion: number;
  readonly isQuiet: boolean;
}

interface ShapeReport {
  readonly shape: Shape;
  readonly connections: number;
  readonly rounds: Rounds<Sample, TargetName>;
  /** CPU of the parse floor / CPU of the target: 1 is the floor itself. */
  readonly cpuRatio: Readonly<Record<TargetName, Ratio>>;
}

export interface IngestReport {
  readonly bytesPerEvent: number;
  readonly refreshSeconds: number;
  readonly shapes: readonly ShapeReport[];
}

const targetNames: readonly TargetName[] = ['floor: discard', 'floor: parse', 'millrace'];
const shapes: readonly Shape[] = ['single', 'batch'];
const batchEvents = 1_000;
const warmUpSecondsMax = 2;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<IngestReport> {
  const {isSmall, refreshSeconds, profileFolder} = options;
  const load = owned.add(new LoadProcess());
  say('preparing requests …');
  const single = await load.prepare('single', {...canonical, eventCount: isSmall ? 500 : 20_000}, 1, writeKey);
  await load.prepare('batch', {...canonical, eventCount: isSmall ? 5_000 : 200_000}, batchEvents, writeKey);
  say('starting floors and service …');
  const env = {REPORT_REFRESH_SECONDS: String(refreshSeconds)};
  const targets: Record<TargetName, Target> = {
    'floor: discard': owned.add(await startFloor('discard')),
    'floor: parse': owned.add(await startFloor('parse')),
    millrace: owned.add(await startService({env, profileFolder})),
  };
  const reports: ShapeReport[] = [];
  for (const shape of shapes) reports.push(await runShape(shape, load, targets, options, say));
  return {bytesPerEvent: single.bytesPerEvent, refreshSeconds, shapes: reports};
}

async function runShape(
  shape: Shape,
  load: LoadProcess,
  targets: Readonly<Record<TargetName, Target>>,
  options: BenchOptions,
  say: Say,
): Promise<ShapeReport> {
  const connections = connectionsOf(shape, options);
  const measureOf =
    (name: TargetName): Measure<Sample> =>
    async (round) => {
      const seconds = round === 0 ? Math.min(warmUpSecondsMax, options.seconds) : options.seconds;
      const sample = await measure(load, shape, targets[name], connections, seconds, options);
      say(sampleText(shape, name, round, sample));
      return sample;
    };
  const contenders = Object.fromEntries(targetNames.map((name) => [name, measureOf(name)]));
  const rounds = await playRounds(contenders as Record<TargetName, Measure<Sample>>, options, say);
  const cpuRatio = (name: TargetName): Ratio =>
    ratioOf(rounds, (samples) => samples['floor: parse'].cpuSecondsPerMillion / samples[name].cpuSecondsPerMillion);
  const ratios = Object.fromEntries(targetNames.map((name) => [name, cpuRatio(name)]));
  return {shape, connections, rounds, cpuRatio: ratios as Record<TargetName, Ratio>};
}

function connectionsOf(shape: Shape, {isSmall}: BenchOptions): number {
  if (shape === 'single') return isSmall ? 16 : 256;
  return isSmall ? 2 : 12;
}

async function measure(
  load: LoadProcess,
  shape: Shape,
  {host, port, pid}: Target,
  connections: number,
  seconds: number,
  options: BenchOptions,
): Promise<Sample> {
  const cpuBefore = cpuSecondsOf(pid);
  const result = await load.run(shape, {host, port, connections, seconds});
  const {cpuSeconds, isQuiet} = await settled(pid, options);
  if (result.refusals > 0) throw new Error(`${result.refusals} requests were refused: ${result.firstRefusal}`);
  return {
    ...result,
    isQuiet,
    eventsPerSecond: result.events / (result.elapsedMs / 1_000),
    cpuSecondsPerMillion: (cpuSeconds - cpuBefore) / (result.events / 1e6),
  };
}

function sampleText(shape: Shape, name: TargetName, round: number, sample: Sample): string {
  const when = round === 0 ? 'warm-up' : `round ${round}`;
  const rate = `${whole(sample.eventsPerSecond)} events/s`;
  const cpu = `${fixed(sample.cpuSecondsPerMillion, 2)} CPU s per million`;
  return `${when} · ${shape} · ${name}: ${rate}, ${cpu}${sample.isQuiet ? '' : ' (not idle again)'}`;
}

function text(report: IngestReport): string {
  const header = ['', 'events/s', 'CPU s/M', 'min-max', 'floor: parse / it', 'p50 ms', 'p99 ms'];
  const rows = report.shapes.flatMap((shape) => targetNames.map((name) => rowOf(shape, name)));
  const shapesText = report.shapes.map(({shape, rounds}) => `${shape}: ${roundsText(rounds)}`);
  return [
    `Ingestion: ${fixed(report.bytesPerEvent, 0)} B of JSON an event, REPORT_REFRESH_SECONDS=${report.refreshSeconds}`,
    tableText(header, rows),
    ...shapesText,
  ].join('\n');
}

function rowOf({shape, rounds, cpuRatio}: ShapeReport, name: TargetName): string[] {
  const spread = (value: (sample: Sample) => number) =>
    spreadOf(rounds.rounds.map(({samples}) => value(samples[name])));
  const cpu = spread((sample) => sample.cpuSecondsPerMillion);
  return [
    `${shape}, ${name}`,
    whole(spread((sample) => sample.eventsPerSecond).median),
    fixed(cpu.median, 2),
    `${fixed(cpu.min, 2)}-${fixed(cpu.max, 2)}`,
    ratioText(cpuRatio[name]),
    fixed(spread((sample) => sample.latencyMs.p50).median, 1),
    fixed(spread((sample) => sample.latencyMs.p99).median, 1),
  ];
}

export const ingestBench: Bench<IngestReport> = {
  name: 'ingest',
  summary: 'single events and batches of 1,000: CPU per event beside floors that discard the same bytes',
  run,
  text,
};
