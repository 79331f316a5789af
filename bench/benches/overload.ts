// Goodput under overload: events per second answered 200 when 150 % of the saturated rate is offered, compared with that rate;
// what happens to the rest, and to the memory.
//   Each request needs a connection. Batches have enough connections to make the service refuse some. Single requests wait in the
//   generator once all connections are busy: a server that answers slowly is offered no more than that.
//   The saturated rate is the mean of two closed loops, one before and one after. Each is as long as the overload and counts
//   from its first request, like the overload: so it includes the work that a service defers at first, and changes of the
//   machine and the store.

import type {Figure} from '../../src/bench-run.js';
import type {Bench, Say} from '../bench.js';
import {type Bounds, ratioFigure} from '../figures.js';
import {LoadProcess} from '../load/load-process.js';
import {type Offered, offer} from '../load/offered.js';
import {
  batchEvents,
  connectionsOf,
  prepareShapes,
  rateFromStart,
  type Shape,
  shapeNames,
  shapes,
} from '../load/shapes.js';
import {type MemoryCurve, MemoryWatch} from '../machine/memory-watch.js';
import {type BenchService, envOf, startService, writeKey} from '../machine/service.js';
import {quieted} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';

interface Sample {
  /** Events per second of closed loops, just before and just after. */
  readonly saturatedBefore: number;
  readonly saturatedAfter: number;
  /** Mean of both. */
  readonly saturated: number;
  readonly offered: Offered;
  /** Events per second answered 200 during the load. */
  readonly goodput: number;
  /** Answers other than 200, 429 or 503 with Retry-After, and broken connections. */
  readonly wrong: number;
  readonly memory: MemoryCurve;
}

interface ShapeReport {
  readonly shape: Shape;
  readonly connections: number;
  readonly rounds: Rounds<Sample, 'millrace'>;
  readonly goodputToSaturated: Ratio;
}

interface OverloadReport {
  readonly refreshSeconds: number;
  readonly shapes: readonly ShapeReport[];
}

/** Share of the saturated rate. */
const offeredShare = 1.5;
/** More connections than a saturated service can serve within its bounds (256 MiB of batches), or than a proxy would open. */
const overloadConnections: Readonly<Record<Shape, number>> = {single: 2_048, batch: 1_024};
/** A small cache is full before the first counted round: filling it would look like growth of the overload. */
const cacheMib = '64';
/** An overload differs from a burst by its length. */
const overloadSecondsFactor = 3;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<OverloadReport> {
  const {refreshSeconds, profileFolder} = options;
  const load = owned.add(new LoadProcess());
  say('preparing requests …');
  await prepareShapes(load, options, writeKey);
  const env = {...envOf(options), MEMORY_CACHE_MIB: cacheMib};
  const service = owned.add(await startService({env, profileFolder}));
  const reports: ShapeReport[] = [];
  for (const shape of shapes) {
    const connections = options.isSmall ? 2 * connectionsOf(shape, options) : overloadConnections[shape];
    const millrace = (round: number): Promise<Sample> =>
      measure(shape, connections, load, service, round, options, say);
    const rounds = await playRounds({millrace}, options, say);
    const goodputToSaturated = ratioOf(rounds, (samples) => samples.millrace.goodput / samples.millrace.saturated);
    reports.push({shape, connections, rounds, goodputToSaturated});
  }
  return {refreshSeconds, shapes: reports};
}

async function measure(
  shape: Shape,
  connections: number,
  load: LoadProcess,
  service: BenchService,
  round: number,
  options: BenchOptions,
  say: Say,
): Promise<Sample> {
  const seconds = options.seconds * (round === 0 || options.isSmall ? 1 : overloadSecondsFactor);
  const saturatedNow = (): Promise<number> => rateFromStart(load, shape, service, seconds, options);
  const perSecond = await saturatedNow();
  await quieted(service, options);
  const watch = new MemoryWatch(service.pid);
  const requestsPerSecond = offeredShare * perSecond;
  const offering = offer(load, {shape, target: service, requestsPerSecond, seconds, connections}, options);
  const offered = await offering.finally(() => watch.end());
  await quieted(service, options);
  const perSecondAfter = await saturatedNow();
  await quieted(service, options);
  const events = shape === 'batch' ? batchEvents : 1;
  const sample = {
    saturatedBefore: perSecond * events,
    saturatedAfter: perSecondAfter * events,
    saturated: ((perSecond + perSecondAfter) / 2) * events,
    offered,
    goodput: offered.eventsInTime / seconds,
    wrong: wrongAnswers(offered),
    memory: watch.curve(),
  };
  say(`${shape} · ${sampleText(sample)}`);
  return sample;
}

function wrongAnswers({statuses, failures, refusalsWithoutRetryAfter}: Offered): number {
  const others = Object.entries(statuses).filter(([status]) => !['200', '429', '503'].includes(status));
  // A wrong status usually has no Retry-After either: it is not counted twice.
  const otherCount = others.reduce((sum, [, count]) => sum + count, 0);
  return failures + Math.max(otherCount, refusalsWithoutRetryAfter);
}

function sampleText({saturatedBefore, saturatedAfter, goodput, offered, wrong, memory}: Sample): string {
  const refused = (offered.statuses['503'] ?? 0) + (offered.statuses['429'] ?? 0);
  return (
    `saturated ${whole(saturatedBefore)} and ${whole(saturatedAfter)} events/s, ` +
    `goodput ${whole(goodput)} at ${offeredShare * 100} % of the first; ` +
    `${whole(refused)} refused with Retry-After, ${wrong} wrong, ${whole(offered.unsent)} waited in the generator; ` +
    `memory ${whole(memory.startMib)} -> ${whole(memory.peakMib)} MiB, last / second quarter ${fixed(memory.growth, 2)} ` +
    `(${Object.entries(memory.growthOf)
      .map(([program, growth]) => `${program} ${fixed(growth, 2)}`)
      .join(', ')})`
  );
}

/** Bounds of the ratio of events stored in time to the saturated rate, for both shapes. */
const bounds: Bounds = {reach: 0.9, limit: 0.97};

const figures = ({shapes: reports}: OverloadReport): Figure[] =>
  reports.map(({shape, goodputToSaturated}) =>
    ratioFigure(
      {
        id: `${shape}-goodput-to-saturated`,
        name: `Goodput at ${offeredShare * 100} % offered / saturated rate, ${shapeNames[shape]}`,
        better: 'more',
      },
      goodputToSaturated,
      bounds,
    ),
  );

function text({refreshSeconds, shapes}: OverloadReport): string {
  const header = [
    '',
    'connections',
    'saturated events/s',
    'goodput',
    'goodput / saturated',
    '429, 503',
    'other',
    'unsent',
    'peak MiB',
    'memory growth',
    'of it node',
    'nats-server',
  ];
  return [
    `Offered ${offeredShare * 100} % of the saturated rate, REPORT_REFRESH_SECONDS=${refreshSeconds}, MEMORY_CACHE_MIB=${cacheMib}`,
    tableText(header, shapes.map(rowOf)),
    'memory growth: all processes of the service, last quarter of the overload / its second quarter',
    ...shapes.map(({shape, rounds}) => `${shape}: ${roundsText(rounds)}`),
  ].join('\n');
}

function rowOf({shape, connections, rounds, goodputToSaturated}: ShapeReport): string[] {
  const spread = (value: (sample: Sample) => number) =>
    spreadOf(rounds.rounds.map(({samples}) => value(samples.millrace)));
  const refused = ({offered: {statuses}}: Sample): number => (statuses['503'] ?? 0) + (statuses['429'] ?? 0);
  return [
    shape,
    whole(connections),
    whole(spread(({saturated}) => saturated).median),
    whole(spread(({goodput}) => goodput).median),
    ratioText(goodputToSaturated),
    whole(spread(refused).median),
    whole(spread(({wrong}) => wrong).max),
    whole(spread(({offered}) => offered.unsent).median),
    whole(spread(({memory}) => memory.peakMib).max),
    ...[({growth}: MemoryCurve) => growth, growthOf('node'), growthOf('nats-server')].map((growth) =>
      ratioText(spread(({memory}) => growth(memory))),
    ),
  ];
}

const growthOf =
  (program: string) =>
  (curve: MemoryCurve): number =>
    curve.growthOf[program]!;

export const overloadBench: Bench<OverloadReport> = {
  name: 'overload',
  summary: 'what is stored, refused and held in memory when 150 % of the saturated rate is offered',
  run,
  figures,
  rounds: ({shapes: reports}) => Object.fromEntries(reports.map(({shape, rounds}) => [shapeNames[shape], rounds])),
  text,
};
