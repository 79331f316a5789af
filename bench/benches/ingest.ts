// Cost of an event: CPU seconds per million events over all processes of a system, until it is idle again and its reports, if
// it has any, count the events. Ours, the floors that receive the same bytes, and peer A alternate.

import type {Figure} from '../../src/bench-run.js';
import type {Bench, Say} from '../bench.js';
import {type Bounds, ratioFigure} from '../figures.js';
import {LogFloorProcess, startFloor} from '../floor/floor-process.js';
import type {LatencyMs} from '../load/latency.js';
import {LoadProcess} from '../load/load-process.js';
import {batchEvents, connectionsOf, prepareShapes, type Shape, secondsOf, shapeNames, shapes} from '../load/shapes.js';
import {readMetrics} from '../machine/metrics.js';
import {cpuSecondsOf} from '../machine/processes.js';
import {type BenchService, envOf, startService, writeKey} from '../machine/service.js';
import {idleShares, type Settled, settled} from '../machine/settle.js';
import type {Target} from '../machine/target.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {requireEqualAnswers} from '../peers/postgres/equal-answers.js';
import {type Peer, startPeer} from '../peers/postgres/peer.js';
import {
  type Measure,
  playRounds,
  type Ratio,
  type Rounds,
  ratioOf,
  ratioText,
  roundsText,
  VoidRound,
} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical} from '../workload/events.js';

/** F1, F2, ours, F3, and peer A if PostgreSQL is installed. */
type Name = 'floor: discard' | 'floor: parse' | 'millrace' | 'floor: log' | 'peer: PostgreSQL';

interface Sample {
  readonly events: number;
  readonly elapsedMs: number;
  readonly eventsPerSecond: number;
  /**
   * CPU of all processes of the target until it is idle again, minus its idle use while only the next snapshot was awaited:
   * that time is the bench's, not the events'.
   */
  readonly cpuSecondsPerMillion: number;
  /** CPU of all processes of the target, its idle use included. */
  readonly cpuSecondsPerMillionInAll: number;
  readonly isQuiet: boolean;
  /** Latency in a closed loop: it compares rows and promises nothing (the bench `latency` does). */
  readonly latencyMs: LatencyMs;
  /** Events per message of ours, which the floor of the log uses, too. */
  readonly eventsPerMessage?: number;
}

/** Raw costs of a measurement, before they are divided by events. */
interface Costs extends Settled, Pick<Sample, 'events' | 'elapsedMs' | 'latencyMs' | 'eventsPerMessage'> {
  readonly cpuBefore: number;
}

interface ShapeReport {
  readonly shape: Shape;
  readonly connections: number;
  readonly rounds: Rounds<Sample, Name>;
  /** CPU of the parse floor (F2) / CPU of each contender. */
  readonly floorToEach: Readonly<Partial<Record<Name, Ratio>>>;
  /** CPU of peer A / CPU of ours; null: there was no peer. */
  readonly peerToOurs: Ratio | null;
}

interface IngestReport {
  readonly bytesPerEvent: number;
  readonly refreshSeconds: number;
  /** Number of answers that were equal for ours and the peer, before anything was timed. */
  readonly equalAnswers: number | null;
  /** Idle CPU of each, in cores. */
  readonly idleShares: Readonly<Record<string, number>>;
  readonly shapes: readonly ShapeReport[];
}

interface Systems {
  readonly load: LoadProcess;
  readonly discard: Target;
  readonly parse: Target;
  readonly service: BenchService;
  readonly log: LogFloorProcess;
  readonly peer: Peer | null;
}

/** Workload for the comparison of answers. */
const checkedWorkload = ({isSmall}: BenchOptions) => ({...canonical, eventCount: isSmall ? 2_000 : 20_000});
/** Each partition takes a snapshot every 0.8 refreshes: the period of an idle service. */
const tickShare = 0.8;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<IngestReport> {
  const {refreshSeconds, profileFolder} = options;
  const load = owned.add(new LoadProcess());
  say('preparing requests …');
  const single = await prepareShapes(load, options, writeKey);
  say('starting floors, service and peer …');
  const env = envOf(options);
  const systems: Systems = {
    load,
    discard: owned.add(await startFloor('discard')),
    parse: owned.add(await startFloor('parse')),
    service: owned.add(await startService({env, profileFolder})),
    log: owned.add(await LogFloorProcess.start(options.partitions)),
    peer: await startPeer(say),
  };
  if (systems.peer !== null) owned.add(systems.peer);
  const equalAnswers = await compareAnswers(systems, options, say);
  say('measuring what each uses in idleness …');
  const idle = await idleShares(targetsOf(systems), options.isSmall ? 0.2 : tickShare * refreshSeconds);
  const reports: ShapeReport[] = [];
  for (const shape of shapes) reports.push(await runShape(shape, systems, idle, options, say));
  return {bytesPerEvent: single.bytesPerEvent, refreshSeconds, equalAnswers, idleShares: idle, shapes: reports};
}

function targetsOf({discard, parse, service, log, peer}: Systems): Readonly<Record<string, Pick<Target, 'pid'>>> {
  const names = {'floor: discard': discard, 'floor: parse': parse, millrace: service, 'floor: log': log};
  return peer === null ? names : {...names, 'peer: PostgreSQL': peer};
}

async function compareAnswers({load, service, peer}: Systems, options: BenchOptions, say: Say): Promise<number | null> {
  if (peer === null) return null;
  const workload = checkedWorkload(options);
  await load.prepare('checked', workload, batchEvents, writeKey);
  const count = await requireEqualAnswers(load, 'checked', workload, service, peer);
  say(`ours and the peer gave ${count} equal answers over ${whole(workload.eventCount)} events`);
  return count;
}

async function runShape(
  shape: Shape,
  systems: Systems,
  idle: Readonly<Record<string, number>>,
  options: BenchOptions,
  say: Say,
): Promise<ShapeReport> {
  const rounds = await playRounds(contendersOf(shape, systems, idle, options, say), options, say);
  const cpuRatio = (over: Name, under: Name): Ratio =>
    ratioOf(rounds, (samples) => samples[over].cpuSecondsPerMillion / samples[under].cpuSecondsPerMillion);
  const names = Object.keys(rounds.rounds[0]!.samples) as Name[];
  return {
    shape,
    connections: connectionsOf(shape, options),
    rounds,
    floorToEach: Object.fromEntries(names.map((name) => [name, cpuRatio('floor: parse', name)])),
    peerToOurs: systems.peer === null ? null : cpuRatio('peer: PostgreSQL', 'millrace'),
  };
}

function contendersOf(
  shape: Shape,
  {load, discard, parse, service, log, peer}: Systems,
  idle: Readonly<Record<string, number>>,
  options: BenchOptions,
  say: Say,
): Record<Name, Measure<Sample>> {
  const contenders: Partial<Record<Name, Measure<Sample>>> = {};
  const add = (name: Name, measure: Measure<Costs>): void => {
    contenders[name] = async (round) => {
      const sample = sampleOf(await measure(round), idle[name] ?? 0);
      say(sampleText(shape, name, round, sample));
      // Its unfinished work is in no figure.
      if (!sample.isQuiet && !options.isSmall) throw new VoidRound(`${name} was not done within a minute`);
      return sample;
    };
  };
  let eventsPerMessage = 1;
  add('floor: discard', (round) => measureHttp(load, shape, discard, round, options));
  add('floor: parse', (round) => measureHttp(load, shape, parse, round, options));
  add('millrace', async (round) => {
    const before = await messagesOf(service);
    const costs = await measureHttp(load, shape, service, round, options);
    eventsPerMessage = costs.events / Math.max(1, (await messagesOf(service)) - before);
    return {...costs, eventsPerMessage};
  });
  add('floor: log', (round) => measureLog(log, Math.max(1, Math.round(eventsPerMessage)), round, options));
  if (peer !== null) add('peer: PostgreSQL', (round) => measureHttp(load, shape, peer, round, options));
  return contenders as Record<Name, Measure<Sample>>;
}

async function messagesOf({baseUrl}: BenchService): Promise<number> {
  return (await readMetrics(baseUrl)).sum('millrace_log_messages_total', {outcome: 'stored'});
}

async function measureHttp(
  load: LoadProcess,
  shape: Shape,
  target: Target,
  round: number,
  options: BenchOptions,
): Promise<Costs> {
  const {host, port, pid} = target;
  const cpuBefore = cpuSecondsOf(pid);
  const plan = {host, port, connections: connectionsOf(shape, options), seconds: secondsOf(round, options)};
  const {events, elapsedMs, latencyMs, refusals, firstRefusal} = await load.run(shape, plan);
  if (refusals > 0) throw new Error(`${refusals} requests were refused: ${firstRefusal}`);
  return {...(await settled(target, options)), cpuBefore, events, elapsedMs, latencyMs};
}

async function measureLog(
  log: LogFloorProcess,
  eventsPerMessage: number,
  round: number,
  options: BenchOptions,
): Promise<Costs> {
  const cpuBefore = cpuSecondsOf(log.pid);
  const seconds = secondsOf(round, options);
  const lanes = options.partitions; // One message in flight for each, like our publisher.
  const {events, elapsedMs, latencyMs} = await log.run({seconds, eventsPerMessage, together: 1, lanes});
  return {...(await settled(log, options)), cpuBefore, events, elapsedMs, latencyMs, eventsPerMessage};
}

function sampleOf({cpuSeconds, cpuBefore, idleMs, ...costs}: Costs, idleShare: number): Sample {
  const millions = costs.events / 1e6;
  return {
    ...costs,
    eventsPerSecond: costs.events / (costs.elapsedMs / 1_000),
    cpuSecondsPerMillion: (cpuSeconds - cpuBefore - (idleShare * idleMs) / 1_000) / millions,
    cpuSecondsPerMillionInAll: (cpuSeconds - cpuBefore) / millions,
  };
}

function sampleText(shape: Shape, name: Name, round: number, sample: Sample): string {
  const when = round === 0 ? 'warm-up' : `round ${round}`;
  const rate = `${whole(sample.eventsPerSecond)} events/s`;
  const cpu = `${fixed(sample.cpuSecondsPerMillion, 2)} CPU s per million`;
  return `${when} · ${shape} · ${name}: ${rate}, ${cpu}${sample.isQuiet ? '' : ' (not idle again)'}`;
}

/** Bounds of each ratio, by the shape of the requests. */
const bounds: Readonly<Record<Shape, {readonly floor: Bounds; readonly peer: Bounds}>> = {
  single: {floor: {reach: 0.7, limit: 0.82}, peer: {reach: 2, limit: 2.5}},
  batch: {floor: {reach: 0.45, limit: 0.75}, peer: {reach: 5, limit: 10}},
};

function figures({shapes: reports}: IngestReport): Figure[] {
  return reports.flatMap(({shape, rounds, floorToEach, peerToOurs}) => {
    const of = shapeNames[shape];
    const ours = (value: (sample: Sample) => number): number[] =>
      rounds.rounds.map(({samples}) => value(samples.millrace));
    const floor = {id: `${shape}-floor-to-ours`, name: `CPU of F2 / CPU of ours, ${of}`, better: 'more'} as const;
    const peer = {id: `${shape}-peer-to-ours`, name: `CPU of peer A / CPU of ours, ${of}`, better: 'more'} as const;
    return [
      ratioFigure(floor, floorToEach.millrace!, bounds[shape].floor),
      ...(peerToOurs === null ? [] : [ratioFigure(peer, peerToOurs, bounds[shape].peer)]),
      {
        id: `${shape}-cpu`,
        name: `CPU of a million events, ${of}`,
        unit: 'CPU s',
        better: 'less',
        samples: ours(({cpuSecondsPerMillion}) => cpuSecondsPerMillion),
      },
      {
        id: `${shape}-rate`,
        name: `Events a second, ${of}`,
        unit: 'events/s',
        better: 'more',
        samples: ours(({eventsPerSecond}) => eventsPerSecond),
      },
    ];
  });
}

function text(report: IngestReport): string {
  const header = ['', 'events/s', 'CPU s/M', 'min-max', 'with idle wait', 'F2 / it', 'p50 ms', 'p99 ms'];
  return [
    `Ingestion: ${fixed(report.bytesPerEvent, 0)} B of JSON an event, REPORT_REFRESH_SECONDS=${report.refreshSeconds}`,
    tableText(
      header,
      report.shapes.flatMap((shape) => Object.keys(shape.floorToEach).map((name) => rowOf(shape, name as Name))),
    ),
    ...report.shapes.map(shapeText),
    ...(report.equalAnswers === null
      ? ['PEER A WAS SKIPPED: PostgreSQL cannot be started here (why is said above).']
      : []),
  ].join('\n');
}

function shapeText({shape, floorToEach, peerToOurs, rounds}: ShapeReport): string {
  const {floor: floorBounds, peer: peerBounds} = bounds[shape];
  const floor = `CPU(F2) / CPU(ours) ${ratioText(floorToEach.millrace!)} (to reach: ${fixed(floorBounds.reach, 2)})`;
  const peer =
    peerToOurs === null
      ? ''
      : `, CPU(peer A) / CPU(ours) ${ratioText(peerToOurs)} (to reach: ${fixed(peerBounds.reach, 1)})`;
  return `${shape}: ${floor}${peer}; ${roundsText(rounds)}`;
}

function rowOf({shape, rounds, floorToEach}: ShapeReport, name: Name): string[] {
  const spread = (value: (sample: Sample) => number) =>
    spreadOf(rounds.rounds.map(({samples}) => value(samples[name])));
  const cpu = spread((sample) => sample.cpuSecondsPerMillion);
  return [
    `${shape}, ${name}`,
    whole(spread((sample) => sample.eventsPerSecond).median),
    fixed(cpu.median, 2),
    `${fixed(cpu.min, 2)}-${fixed(cpu.max, 2)}`,
    fixed(spread((sample) => sample.cpuSecondsPerMillionInAll).median, 2),
    ratioText(floorToEach[name]!),
    fixed(spread((sample) => sample.latencyMs.p50).median, 1),
    fixed(spread((sample) => sample.latencyMs.p99).median, 1),
  ];
}

export const ingestBench: Bench<IngestReport> = {
  name: 'ingest',
  summary: 'CPU per event, single and in batches of 1,000: ours, floors that get the same bytes, Fastify + PostgreSQL',
  run,
  figures,
  rounds: ({shapes: reports}) => Object.fromEntries(reports.map(({shape, rounds}) => [shapeNames[shape], rounds])),
  text,
};
