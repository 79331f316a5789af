// Latency of acks under an open load, at shares of the rate that saturated the service in the same round; for comparison the
// log alone, to which the same packed bytes are published one after the other (F3).

import type {Figure} from '../../src/bench-run.js';
import type {Bench, Say} from '../bench.js';
import {type Bounds, latencyFigure, ratioFigure} from '../figures.js';
import {LogFloorProcess} from '../floor/floor-process.js';
import type {LogResult} from '../floor/log.js';
import {LoadProcess} from '../load/load-process.js';
import {type Offered, offer, requireAllStored} from '../load/offered.js';
import {prepareShapes, type Shape, saturatedRate, secondsOf, shapeNames, shapes} from '../load/shapes.js';
import {type Metrics, readMetrics} from '../machine/metrics.js';
import {type BenchService, envOf, startService, writeKey} from '../machine/service.js';
import {quieted} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';

/** Shares of the round's own saturated rate. */
const shares = [0.25, 0.5, 0.8] as const;
type Share = (typeof shares)[number];
/** The share that is compared with the floor. */
const comparedShare: Share = 0.5;

interface ServiceSample {
  /** Rate of a closed loop, just before. */
  readonly saturatedPerSecond: number;
  readonly offered: Readonly<Record<Share, Offered>>;
  /** Events per log message at the compared load. */
  readonly eventsPerMessage: number;
}

type Sample = ServiceSample | LogResult;
type Name = 'millrace' | 'floor: log';

interface ShapeReport {
  readonly shape: Shape;
  readonly rounds: Rounds<Sample, Name>;
  /** Ack p99 at half the saturated rate / p99 of a serial publish of the same bytes. */
  readonly ackToPublish: Ratio;
}

interface LatencyReport {
  readonly refreshSeconds: number;
  readonly shapes: readonly ShapeReport[];
}

/** Number of messages of one request: a batch has events of every partition, and is acked when all are. */
const messagesOf = (shape: Shape, {partitions}: BenchOptions): number => (shape === 'single' ? 1 : partitions);

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<LatencyReport> {
  const {refreshSeconds, profileFolder} = options;
  const load = owned.add(new LoadProcess());
  say('preparing requests …');
  await prepareShapes(load, options, writeKey);
  say('starting floor and service …');
  const floor = owned.add(await LogFloorProcess.start(options.partitions));
  const env = envOf(options);
  const service = owned.add(await startService({env, profileFolder}));
  const reports: ShapeReport[] = [];
  for (const shape of shapes) reports.push(await runShape(shape, load, service, floor, options, say));
  return {refreshSeconds, shapes: reports};
}

async function runShape(
  shape: Shape,
  load: LoadProcess,
  service: BenchService,
  floor: LogFloorProcess,
  options: BenchOptions,
  say: Say,
): Promise<ShapeReport> {
  let eventsPerMessage = 1;
  const contenders = {
    millrace: async (round: number): Promise<Sample> => {
      const sample = await measureService(shape, load, service, round, options, say);
      // A machine that is too busy may have stored no message in between.
      eventsPerMessage = Math.max(1, Math.round(sample.eventsPerMessage || 1));
      return sample;
    },
    'floor: log': async (round: number): Promise<Sample> => {
      const together = messagesOf(shape, options);
      const result = await floor.run({seconds: secondsOf(round, options), eventsPerMessage, together, lanes: 1});
      say(
        `${shape} · floor: log: p99 ${fixed(result.latencyMs.p99, 2)} ms for ${together} x ${eventsPerMessage} events`,
      );
      return result;
    },
  };
  const rounds = await playRounds<Sample, Name>(contenders, options, say);
  const ackToPublish = ratioOf(
    rounds,
    (samples) => serviceSample(samples).offered[comparedShare].latencyMs.p99 / floorSample(samples).latencyMs.p99,
  );
  return {shape, rounds, ackToPublish};
}

async function measureService(
  shape: Shape,
  load: LoadProcess,
  service: BenchService,
  round: number,
  options: BenchOptions,
  say: Say,
): Promise<ServiceSample> {
  const seconds = secondsOf(round, options);
  const saturatedPerSecond = await saturatedRate(load, shape, service, seconds, options);
  const offered: Partial<Record<Share, Offered>> = {};
  let eventsPerMessage = 0;
  for (const share of shares) {
    await quieted(service, options);
    const before = share === comparedShare ? await readMetrics(service.baseUrl) : null;
    offered[share] = await offer(
      load,
      {shape, target: service, requestsPerSecond: share * saturatedPerSecond, seconds},
      options,
    );
    requireAllStored(offered[share]);
    if (before !== null) eventsPerMessage = packed(before, await readMetrics(service.baseUrl));
    say(`${shape} · ${offeredText(share, offered[share])}`);
  }
  return {saturatedPerSecond, offered: offered as Record<Share, Offered>, eventsPerMessage};
}

/** Events per log message between two readings of the metrics. */
function packed(before: Metrics, after: Metrics): number {
  const grown = (name: string, outcome: string): number => after.sum(name, {outcome}) - before.sum(name, {outcome});
  return grown('millrace_events_total', 'accepted') / grown('millrace_log_messages_total', 'stored');
}

function offeredText(share: Share, {requestsPerSecond, latencyMs, generator}: Offered): string {
  const load = `${share * 100} % (${whole(requestsPerSecond)} requests/s)`;
  const late = `generator ${fixed(generator.lateMs.p99, 2)} ms late, ${whole(generator.cpuShare * 100)} % of a core`;
  return `${load}: p50 ${fixed(latencyMs.p50, 2)}, p99 ${fixed(latencyMs.p99, 2)} ms; ${late}`;
}

const serviceSample = (samples: Readonly<Record<Name, Sample>>): ServiceSample => samples.millrace as ServiceSample;
const floorSample = (samples: Readonly<Record<Name, Sample>>): LogResult => samples['floor: log'] as LogResult;

/** Bounds of the ratio of ack to publish, for both shapes. */
const bounds: Bounds = {reach: 4, limit: 2};

function figures({shapes: reports}: LatencyReport): Figure[] {
  return reports.flatMap(({shape, rounds: {rounds}, ackToPublish}) => {
    const of = shapeNames[shape];
    const ours = rounds.map(({samples}) => serviceSample(samples));
    const toPublish = {
      id: `${shape}-ack-to-publish`,
      name: `Ack p99 at ${comparedShare * 100} % / p99 of serial publishes, ${of}`,
      better: 'less',
    } as const;
    const acks = shares.map((share) =>
      latencyFigure(
        {id: `${shape}-ack-${share * 100}`, name: `Ack p99 at ${share * 100} % of the saturated rate, ${of}`},
        `${shape}, ${share * 100} %`,
        ours.map(({offered}) => offered[share]),
      ),
    );
    return [
      ratioFigure(toPublish, ackToPublish, bounds),
      ...acks,
      {
        id: `${shape}-saturated`,
        name: `Saturated rate, ${of}`,
        unit: 'requests/s',
        better: 'more',
        samples: ours.map(({saturatedPerSecond}) => saturatedPerSecond),
      },
    ];
  });
}

function text({refreshSeconds, shapes}: LatencyReport): string {
  const header = ['', 'requests/s', 'p50 ms', 'p90 ms', 'p99 ms', 'p99 min-max', 'p99.9 ms', 'generator late p99 ms'];
  return [
    `Latency of acks from the moment at which a request was to leave, REPORT_REFRESH_SECONDS=${refreshSeconds}`,
    tableText(header, shapes.flatMap(rowsOf)),
    ...shapes.map(
      ({shape, ackToPublish, rounds}) =>
        `${shape}: ack p99 at ${comparedShare * 100} % / p99 of a serial publish of the same bytes: ` +
        `${ratioText(ackToPublish)} (to reach: ${bounds.reach}); ${roundsText(rounds)}`,
    ),
  ].join('\n');
}

function rowsOf({shape, rounds: {rounds}}: ShapeReport): string[][] {
  const ours = shares.map((share) => {
    const loads = rounds.map(({samples}) => serviceSample(samples).offered[share]);
    const late = spreadOf(loads.map(({generator}) => generator.lateMs.p99)).median;
    const rate = spreadOf(loads.map(({requestsPerSecond}) => requestsPerSecond)).median;
    return [`${shape}, at ${share * 100} %`, whole(rate), ...percentiles(loads), fixed(late, 2)];
  });
  const publishes = rounds.map(({samples}) => floorSample(samples));
  const rate = spreadOf(publishes.map((result) => result.publishes / (result.elapsedMs / 1_000))).median;
  return [...ours, [`${shape}, floor: log`, whole(rate), ...percentiles(publishes), '']];
}

function percentiles(results: readonly Pick<Offered, 'latencyMs'>[]): string[] {
  const spread = (name: keyof Offered['latencyMs']) => spreadOf(results.map(({latencyMs}) => latencyMs[name]));
  const p99 = spread('p99');
  return [
    fixed(spread('p50').median, 2),
    fixed(spread('p90').median, 2),
    fixed(p99.median, 2),
    `${fixed(p99.min, 2)}-${fixed(p99.max, 2)}`,
    fixed(spread('p999').median, 2),
  ];
}

export const latencyBench: Bench<LatencyReport> = {
  name: 'latency',
  summary: 'acks at 25, 50 and 80 % of the saturated rate, from the moment planned, beside serial publishes',
  run,
  figures,
  rounds: ({shapes: reports}) => Object.fromEntries(reports.map(({shape, rounds}) => [shapeNames[shape], rounds])),
  text,
};
