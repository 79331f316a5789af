// What webhooks and saved funnels cost who has none, and what saved funnels cost the fold. Three services get the same load in
// turn: one without the role that delivers, one with all roles and nothing defined, and one with ten saved funnels.

import type {Figure} from '../../src/bench-run.js';
import {HttpClient} from '../../tools/http-client.js';
import type {Bench, Say} from '../bench.js';
import {type Bounds, ratioFigure} from '../figures.js';
import type {LatencyMs} from '../load/latency.js';
import {LoadProcess} from '../load/load-process.js';
import {offer, requireAllStored} from '../load/offered.js';
import {connectionsOf, prepareShapes, secondsOf} from '../load/shapes.js';
import {cpuSecondsBehindMain, cpuSecondsOf} from '../machine/processes.js';
import {type BenchService, envOf, secretKey, startService, writeKey} from '../machine/service.js';
import {idleShares, quieted, settled} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText, VoidRound} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {frequentFunnels} from '../workload/saved-funnels.js';

const names = ['without the role', 'nothing defined', 'ten saved funnels'] as const;
type Name = (typeof names)[number];

interface Sample {
  /** CPU seconds of all processes for a million batched events, until reports count them. */
  readonly cpuSeconds: number;
  /** CPU seconds of the threads behind the edge: those that fold, report and deliver. */
  readonly cpuSecondsBehindEdge: number;
  /** Acks of single events. */
  readonly latencyMs: LatencyMs;
}

interface EffectsReport {
  readonly rate: number;
  readonly rounds: Rounds<Sample, Name>;
  readonly ratios: {
    /** Nothing defined / without the role. */
    readonly cpu: Ratio;
    readonly cpuBehindEdge: Ratio;
    readonly ackP50: Ratio;
    readonly ackP99: Ratio;
    /** Ten saved funnels / nothing defined. */
    readonly funnels: Ratio;
  };
}

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<EffectsReport> {
  const load = owned.add(new LoadProcess());
  say('preparing requests, starting services …');
  await prepareShapes(load, options, writeKey);
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<BenchService> =>
    owned.add(await startService({env: {...envOf(options), ...env}, profileFolder: options.profileFolder}));
  const services: Record<Name, BenchService> = {
    'without the role': await start({ROLES: 'edge,partition,report'}),
    'nothing defined': await start(),
    'ten saved funnels': await start(),
  };
  await saveFunnels(services['ten saved funnels']);
  say('measuring what each uses in idleness …');
  const idle = await idleShares(services, options.isSmall ? 0.2 : options.refreshSeconds);
  const measure = (name: Name) => async (round: number) => {
    const sample = await measured(load, services[name], idle[name]!, round, options);
    say(`${name}: ${sampleCells(sample).join(' · ')}`);
    return sample;
  };
  const rounds = await playRounds<Sample, Name>(
    {
      'without the role': measure('without the role'),
      'nothing defined': measure('nothing defined'),
      'ten saved funnels': measure('ten saved funnels'),
    },
    {...options, takesTurns: true},
    say,
  );
  const ratio = (over: Name, under: Name, value: (sample: Sample) => number): Ratio =>
    ratioOf(rounds, (samples) => value(samples[over]) / value(samples[under]));
  const toNone = (value: (sample: Sample) => number): Ratio => ratio('nothing defined', 'without the role', value);
  const behindEdge = ({cpuSecondsBehindEdge}: Sample): number => cpuSecondsBehindEdge;
  return {
    rate: options.numbers.acked!,
    rounds,
    ratios: {
      cpu: toNone(({cpuSeconds}) => cpuSeconds),
      cpuBehindEdge: toNone(behindEdge),
      ackP50: toNone(({latencyMs}) => latencyMs.p50),
      ackP99: toNone(({latencyMs}) => latencyMs.p99),
      funnels: ratio('ten saved funnels', 'nothing defined', behindEdge),
    },
  };
}

async function saveFunnels({baseUrl}: BenchService): Promise<void> {
  const client = new HttpClient(baseUrl, {key: secretKey, connectionsMax: 1});
  for (const [at, {steps, window}] of frequentFunnels.entries()) {
    const question = {report: 'funnel', steps: steps.map((event) => ({event})), window};
    const {status, text} = await client.send('POST', '/v1/funnels', {json: {name: `funnel ${at}`, question}});
    if (status !== 201) throw new Error(`a funnel was answered ${status}: ${text}`);
  }
  client.close();
}

async function measured(
  load: LoadProcess,
  service: BenchService,
  idleShare: number,
  round: number,
  options: BenchOptions,
): Promise<Sample> {
  const {host, port, pid} = service;
  const seconds = secondsOf(round, options);
  await quieted(service, options);
  const [before, behindBefore] = [cpuSecondsOf(pid), cpuSecondsBehindMain(pid)];
  const plan = {host, port, connections: connectionsOf('batch', options), seconds};
  const {events, refusals, firstRefusal} = await load.run('batch', plan);
  if (refusals > 0) throw new Error(`${refusals} requests were refused: ${firstRefusal}`);
  const {cpuSeconds, idleMs, isQuiet} = await settled(service, options);
  const behind = cpuSecondsBehindMain(pid) - behindBefore;
  if (!isQuiet && !options.isSmall) throw new VoidRound('a service was not done within a minute');
  const requestsPerSecond = options.numbers.acked!;
  const offered = await offer(load, {shape: 'single', target: service, requestsPerSecond, seconds}, options);
  requireAllStored(offered);
  const millions = events / 1e6;
  return {
    // As in the bench `ingest`: the wait for the next snapshot is the bench's.
    cpuSeconds: (cpuSeconds - before - (idleShare * idleMs) / 1_000) / millions,
    cpuSecondsBehindEdge: behind / millions,
    latencyMs: offered.latencyMs,
  };
}

const noneBounds: Bounds = {reach: 1.01, limit: 1};
const funnelBounds: Bounds = {reach: 1.1, limit: 1.02};

const figures = ({ratios: {cpu, ackP50, funnels}}: EffectsReport): Figure[] => [
  ratioFigure({id: 'none-cpu', name: 'CPU with nothing defined / without the role', better: 'less'}, cpu, noneBounds),
  ratioFigure({id: 'none-ack', name: 'Ack p50, nothing defined / no role', better: 'less'}, ackP50, noneBounds),
  ratioFigure(
    {id: 'funnels-cpu', name: 'CPU behind the edge, 10 funnels / none', better: 'less'},
    funnels,
    funnelBounds,
  ),
];

const sampleCells = ({cpuSeconds, cpuSecondsBehindEdge, latencyMs}: Sample): string[] => [
  fixed(cpuSeconds, 3),
  fixed(cpuSecondsBehindEdge, 3),
  fixed(latencyMs.p50, 2),
  fixed(latencyMs.p99, 2),
];

function text({rate, rounds, ratios}: EffectsReport): string {
  const {cpu, cpuBehindEdge, ackP50, ackP99, funnels} = ratios;
  const rowOf = (name: Name): string[] => {
    const samples = rounds.rounds.map((round) => sampleCells(round.samples[name]).map(Number));
    return [
      name,
      ...[3, 3, 2, 2].map((digits, at) => fixed(spreadOf(samples.map((cells) => cells[at]!)).median, digits)),
    ];
  };
  return [
    `The same load on three services: CPU s per million batched events, and acks of ${whole(rate)} single events a second`,
    tableText(['', 'CPU s', 'behind the edge', 'ack p50 ms', 'ack p99 ms'], names.map(rowOf)),
    `nothing defined / without the role: CPU ${ratioText(cpu, 3)}, behind the edge ${ratioText(cpuBehindEdge, 3)}, ` +
      `ack p50 ${ratioText(ackP50, 3)} (to reach: ${noneBounds.reach}), ack p99 ${ratioText(ackP99, 3)}`,
    `ten saved funnels / nothing defined: CPU behind the edge ${ratioText(funnels, 3)} (to reach: ${funnelBounds.reach})`,
    roundsText(rounds),
  ].join('\n');
}

export const effectsBench: Bench<EffectsReport> = {
  name: 'effects',
  summary: 'what webhooks and saved funnels cost a service that has none, and ten saved funnels the fold',
  numbers: {acked: {normal: 2_000, small: 100, help: 'single events a second whose acks are measured'}},
  run,
  figures,
  rounds: ({rounds}) => ({effects: rounds}),
  text,
};
