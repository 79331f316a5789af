// Interference of reads and ingestion: reports while events arrive at 80 % of the saturated rate, compared with the same kinds
// of reports on an idle service; pages and profiles likewise; acks during a snapshot, compared with acks at other times.
//   Every report is new, over events that were stored before. Ingested events are of later days, so that they do not make the
//   questions longer.
//   The p99 of one round is that of two hundred reports, so the second slowest. It is also computed over all rounds together,
//   and so is that of acks, which meet few snapshots a round.

import {wallMs} from '../../src/clock.js';
import type {Bench, Say} from '../bench.js';
import {Latencies, type LatencyMs} from '../load/latency.js';
import {LoadProcess} from '../load/load-process.js';
import {type Offered, offer, offerKeeping, requireAllStored} from '../load/offered.js';
import type {OpenResult} from '../load/open-loop.js';
import {askAtRate, type ReportLatency} from '../load/report-load.js';
import {
  batchEvents,
  connectionsOf,
  prepareShapes,
  type Shape,
  saturatedRate,
  secondsOf,
  shapes,
} from '../load/shapes.js';
import {type BenchService, envOf, startService, writeKey} from '../machine/service.js';
import {quieted, settled} from '../machine/settle.js';
import {SnapshotWatch} from '../machine/snapshot-watch.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {livePaths} from '../pages.js';
import {freshReports} from '../reports.js';
import {playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText, VoidRound} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical} from '../workload/events.js';

interface Sample {
  readonly reports?: ReportLatency;
  readonly pages?: ReportLatency;
  readonly offered?: Offered;
  /** Acks whose wait overlapped a snapshot, and the other acks. */
  readonly acks?: {readonly during: Together; readonly outside: Together; readonly snapshots: number};
}

interface Together {
  readonly count: number;
  readonly latencyMs: LatencyMs;
  /** Latencies behind the summary. */
  readonly latencies: Latencies;
}

type Name = 'idle' | 'ingesting' | 'pages idle' | 'pages ingesting' | 'ingesting alone';

interface ShapeReport {
  readonly shape: Shape;
  readonly rounds: Rounds<Sample, Name>;
  /** Report p99 while ingesting / idle. */
  readonly reportsBusyToIdle: Ratio;
  /** P99 of pages and profiles while ingesting / idle. */
  readonly pagesBusyToIdle: Ratio;
  /** Ack p99 during a snapshot / outside. */
  readonly acksDuringToOutside: Ratio;
  /** All counted rounds together, as if they were one. */
  readonly together: {
    readonly reportsIdle: Together;
    readonly reportsIngesting: Together;
    readonly pagesIdle: Together;
    readonly pagesIngesting: Together;
    readonly acksDuring: Together;
    readonly acksOutside: Together;
    readonly snapshots: number;
  };
}

interface MixedReport {
  readonly refreshSeconds: number;
  readonly events: number;
  readonly shapes: readonly ShapeReport[];
}

const ingestShare = 0.8;
/**
 * Two hundred reports a round at the default rate. The saturated rate is measured for as long: acked batches of 5 s can be
 * twice what is folded meanwhile, and 80 % of that was more than the service could take for 20 s.
 */
const reportSecondsFactor = 4;
/** Two hundred pages a round: they are requested twice as often. */
const pageSecondsFactor = 2;
/**
 * Each partition takes a snapshot every 0.8 refreshes: 15 of them by default. The small form has one in 2 s and needs no more.
 */
const snapshotSecondsFactor = ({isSmall}: BenchOptions): number => (isSmall ? 8 : 6);

interface Stage {
  readonly shape: Shape;
  readonly load: LoadProcess;
  readonly service: BenchService;
  readonly snapshots: SnapshotWatch;
  readonly reports: Iterator<string>;
  readonly pages: Iterator<string>;
  readonly options: BenchOptions;
  readonly say: Say;
  /** Saturated rate of the current round, of which both loads are a share. */
  saturated: number;
}

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<MixedReport> {
  const load = owned.add(new LoadProcess());
  const stored = {...canonical, eventCount: options.numbers.stored!};
  say(`preparing ${whole(stored.eventCount)} events …`);
  await load.prepare('stored', stored, batchEvents, writeKey);
  await prepareShapes(load, options, writeKey);
  const reports: ShapeReport[] = [];
  for (const shape of options.isSmall ? shapes.slice(0, 1) : shapes) {
    const snapshots = new SnapshotWatch();
    const service = owned.add(await startHeard(options, snapshots));
    say(`${shape} · storing ${whole(stored.eventCount)} events …`);
    const {host, port} = service;
    await load.run('stored', {host, port, connections: connectionsOf('batch', options), seconds: null});
    await settled(service, options);
    const asked = {reports: freshReports(stored), pages: livePaths(stored)};
    reports.push(await runShape({shape, load, service, snapshots, ...asked, options, say, saturated: 0}));
    await service.stop();
  }
  return {refreshSeconds: options.refreshSeconds, events: stored.eventCount, shapes: reports};
}

function startHeard(options: BenchOptions, snapshots: SnapshotWatch): Promise<BenchService> {
  const {profileFolder} = options;
  const env = {...envOf(options), LOG_LEVEL: 'debug'};
  return startService({env, profileFolder, onLog: snapshots.hear});
}

async function runShape(stage: Stage): Promise<ShapeReport> {
  const contenders = {
    idle: (round: number) => measureIdle(stage, round),
    ingesting: (round: number) => measureIngesting(stage, round),
    'pages idle': (round: number) => measurePagesIdle(stage, round),
    'pages ingesting': (round: number) => measurePagesIngesting(stage, round),
    'ingesting alone': (round: number) => measureAlone(stage, round),
  };
  const rounds = await playRounds<Sample, Name>(contenders, stage.options, stage.say);
  return {
    shape: stage.shape,
    rounds,
    reportsBusyToIdle: ratioOf(
      rounds,
      ({idle, ingesting}) => ingesting.reports!.latencyMs.p99 / idle.reports!.latencyMs.p99,
    ),
    pagesBusyToIdle: ratioOf(
      rounds,
      (samples) => samples['pages ingesting'].pages!.latencyMs.p99 / samples['pages idle'].pages!.latencyMs.p99,
    ),
    acksDuringToOutside: ratioOf(rounds, (samples) => {
      const {during, outside} = samples['ingesting alone'].acks!;
      return during.latencyMs.p99 / outside.latencyMs.p99;
    }),
    together: together(rounds),
  };
}

function together({rounds}: Rounds<Sample, Name>): ShapeReport['together'] {
  const all = (of: (samples: Readonly<Record<Name, Sample>>) => Latencies): Together =>
    summarised(Latencies.together(rounds.map(({samples}) => of(samples))));
  return {
    reportsIdle: all(({idle}) => idle.reports!.latencies),
    reportsIngesting: all(({ingesting}) => ingesting.reports!.latencies),
    pagesIdle: all((samples) => samples['pages idle'].pages!.latencies),
    pagesIngesting: all((samples) => samples['pages ingesting'].pages!.latencies),
    acksDuring: all((samples) => samples['ingesting alone'].acks!.during.latencies),
    acksOutside: all((samples) => samples['ingesting alone'].acks!.outside.latencies),
    snapshots: rounds.reduce((sum, {samples}) => sum + samples['ingesting alone'].acks!.snapshots, 0),
  };
}

const summarised = (latencies: Latencies): Together => ({
  count: latencies.count,
  latencyMs: latencies.summary(),
  latencies,
});

const measureSeconds = ({options}: Stage, round: number, factor: number): number =>
  round === 0 ? secondsOf(round, options) : factor * options.seconds;

/** Throws when a question got a 503: published parts are available during ingestion, and live reads are folded in time. */
function requireAllAnswered({asked, unavailable}: ReportLatency): void {
  if (unavailable > 0) throw new Error(`${unavailable} of ${asked} reports or pages were answered 503`);
}

async function measureIdle(stage: Stage, round: number): Promise<Sample> {
  return {reports: await whileIdle(stage, measureSeconds(stage, round, reportSecondsFactor), 'reports', askReports)};
}

async function measureIngesting(stage: Stage, round: number): Promise<Sample> {
  const {shape, load, service, options} = stage;
  const seconds = measureSeconds(stage, round, reportSecondsFactor);
  await quieted(service, options);
  stage.saturated = await saturatedRate(load, shape, service, seconds, options);
  const {offered, asked: reports} = await whileIngesting(stage, seconds, 'reports', askReports);
  return {reports, offered};
}

async function measurePagesIdle(stage: Stage, round: number): Promise<Sample> {
  return {pages: await whileIdle(stage, measureSeconds(stage, round, pageSecondsFactor), 'pages', askPages)};
}

async function measurePagesIngesting(stage: Stage, round: number): Promise<Sample> {
  const seconds = measureSeconds(stage, round, pageSecondsFactor);
  const {offered, asked: pages} = await whileIngesting(stage, seconds, 'pages', askPages);
  return {pages, offered};
}

type Asked = 'reports' | 'pages';
type Ask = (stage: Stage, seconds: number) => Promise<ReportLatency>;

const askReports: Ask = ({service, reports, options}, seconds) =>
  askAtRate(service.baseUrl, reports, options.numbers.reports!, seconds);

const askPages: Ask = ({service, pages, options}, seconds) =>
  askAtRate(service.baseUrl, pages, options.numbers.pages!, seconds);

async function whileIdle(stage: Stage, seconds: number, what: Asked, ask: Ask): Promise<ReportLatency> {
  const {shape, service, options, say} = stage;
  await quieted(service, options);
  const asked = await ask(stage, seconds);
  say(`${shape} · idle: ${what} ${latencyText(asked)}`);
  return asked;
}

async function whileIngesting(
  stage: Stage,
  seconds: number,
  what: Asked,
  ask: Ask,
): Promise<{offered: Offered; asked: ReportLatency}> {
  const {shape, load, service, saturated, options, say} = stage;
  await quieted(service, options);
  const wanted = {shape, target: service, requestsPerSecond: ingestShare * saturated, seconds};
  const [offered, asked] = await Promise.all([offer(load, wanted, options), ask(stage, seconds)]);
  requireAllStored(offered);
  requireAllAnswered(asked);
  say(`${shape} · while ${whole(offered.requestsPerSecond)} requests/s are stored: ${what} ${latencyText(asked)}`);
  return {offered, asked};
}

const latencyText = ({latencyMs: {p50, p99}}: ReportLatency): string => `p50 ${fixed(p50, 1)}, p99 ${fixed(p99, 1)} ms`;

async function measureAlone(stage: Stage, round: number): Promise<Sample> {
  const {shape, load, service, snapshots, options, say} = stage;
  await quieted(service, options);
  const requestsPerSecond = ingestShare * stage.saturated;
  const result = await offerKeeping(
    load,
    {shape, target: service, requestsPerSecond, seconds: measureSeconds(stage, round, snapshotSecondsFactor(options))},
    options,
  );
  const {samples, ...offered} = result;
  requireAllStored(offered);
  // A snapshot is logged at its end: wait for those in progress.
  const endMs = wallMs();
  await settled(service, options);
  if (!(await snapshots.untilHeardSince(endMs)))
    throw new VoidRound('the service told of no snapshot that ended after it');
  const acks = acksBySnapshot(samples, snapshots);
  if (acks.snapshots === 0) throw new VoidRound('no snapshot was taken meanwhile');
  say(
    `${shape} · acks p99 ${fixed(acks.during.latencyMs.p99, 1)} ms during ${acks.snapshots} snapshots, ` +
      `${fixed(acks.outside.latencyMs.p99, 1)} ms outside`,
  );
  return {offered, acks};
}

function acksBySnapshot({plannedMs, latencyMs}: OpenResult['samples'], snapshots: SnapshotWatch) {
  const [during, outside] = [new Latencies(), new Latencies()];
  for (let i = 0; i < plannedMs.length; i++) {
    const isDuring = snapshots.overlaps(plannedMs[i]!, plannedMs[i]! + latencyMs[i]!);
    (isDuring ? during : outside).record(latencyMs[i]!);
  }
  const [first, last] = [plannedMs[0] ?? 0, plannedMs.at(-1) ?? 0];
  return {
    during: summarised(during),
    outside: summarised(outside),
    snapshots: snapshots.intervals.filter(({startMs, endMs}) => startMs <= last && first <= endMs).length,
  };
}

function text({refreshSeconds, events, shapes}: MixedReport): string {
  const header = ['', 'p50 ms', 'p99 ms', 'p99 min-max', 'max ms'];
  return [
    `Reports over ${whole(events)} events and ingestion at ${ingestShare * 100} % of the saturated rate side by side, ` +
      `REPORT_REFRESH_SECONDS=${refreshSeconds}`,
    tableText(header, shapes.flatMap(rowsOf)),
    ...shapes.map(shapeText),
  ].join('\n');
}

function shapeText({
  shape,
  rounds,
  reportsBusyToIdle,
  pagesBusyToIdle,
  acksDuringToOutside,
  together,
}: ShapeReport): string {
  const {reportsIdle, reportsIngesting, pagesIdle, pagesIngesting, acksDuring, acksOutside, snapshots} = together;
  return (
    `${shape}: report p99 while ingesting / idle ${ratioText(reportsBusyToIdle)}, ` +
    `all rounds together ${togetherText(reportsIngesting, reportsIdle)}; ` +
    `of pages and profiles ${ratioText(pagesBusyToIdle)}, ` +
    `all rounds together ${togetherText(pagesIngesting, pagesIdle)}; ` +
    `ack p99 during a snapshot / outside ${ratioText(acksDuringToOutside)}, ` +
    `all rounds together ${togetherText(acksDuring, acksOutside)}, ${snapshots} snapshots; ${roundsText(rounds)}`
  );
}

/** `2.05 (30.1 / 14.7 ms, of 1,000 and 1,000)`. */
function togetherText(above: Together, below: Together): string {
  const [p99Above, p99Below] = [above.latencyMs.p99, below.latencyMs.p99];
  return (
    `${fixed(p99Above / p99Below, 2)} (${fixed(p99Above, 1)} / ${fixed(p99Below, 1)} ms, ` +
    `of ${whole(above.count)} and ${whole(below.count)})`
  );
}

function rowsOf({shape, rounds: {rounds}}: ShapeReport): string[][] {
  const row = (name: string, latencies: readonly LatencyMs[]): string[] => {
    const p99 = spreadOf(latencies.map((latency) => latency.p99));
    return [
      `${shape}, ${name}`,
      fixed(spreadOf(latencies.map(({p50}) => p50)).median, 1),
      fixed(p99.median, 1),
      `${fixed(p99.min, 1)}-${fixed(p99.max, 1)}`,
      fixed(spreadOf(latencies.map(({max}) => max)).max, 1),
    ];
  };
  const of = (latency: (samples: Readonly<Record<Name, Sample>>) => LatencyMs): LatencyMs[] =>
    rounds.map(({samples}) => latency(samples));
  return [
    row(
      'reports, idle',
      of(({idle}) => idle.reports!.latencyMs),
    ),
    row(
      'reports, while ingesting',
      of(({ingesting}) => ingesting.reports!.latencyMs),
    ),
    row(
      'pages, idle',
      of((samples) => samples['pages idle'].pages!.latencyMs),
    ),
    row(
      'pages, while ingesting',
      of((samples) => samples['pages ingesting'].pages!.latencyMs),
    ),
    row(
      'acks, while reporting',
      of(({ingesting}) => ingesting.offered!.latencyMs),
    ),
    row(
      'acks, outside snapshots',
      of((samples) => samples['ingesting alone'].acks!.outside.latencyMs),
    ),
    row(
      'acks, during snapshots',
      of((samples) => samples['ingesting alone'].acks!.during.latencyMs),
    ),
  ];
}

export const mixedBench: Bench<MixedReport> = {
  name: 'mixed',
  summary: 'reports and pages while events come in, and acks while snapshots are taken',
  numbers: {
    stored: {normal: 1_000_000, small: 5_000, help: 'events that the reports are about'},
    reports: {normal: 10, small: 10, help: 'reports a second'},
    pages: {normal: 20, small: 20, help: 'pages and profiles a second'},
  },
  run,
  text,
};
