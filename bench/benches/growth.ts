// Growth of costs with the number of stored events: stores of three sizes, a decade apart, with the same users and days. The
// slope of the line through the logarithms of size and cost is the exponent: 0 is flat, 1 is proportional.
//   ingest  CPU of the service and its nats-server for each further event, from its arrival until a snapshot counts it. Each
//           service was just started, and warmed up with as many events as each measured window has.
//   reports calls of the engine in this process; parts and derived values are cached, answers are not: counts of one event
//           and daily users, by day over all 90 days; and a funnel with the same number of events in every store, spread
//           evenly among the others.

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {ReportQuery} from '../../src/asks/report.js';
import type {Bench, Say} from '../bench.js';
import {EngineLink} from '../engine/engine-link.js';
import {Feed} from '../engine/feed.js';
import {cacheMib, untilCounted} from '../engine/store.js';
import {type BenchService, envOf, startService} from '../machine/service.js';
import {settled} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {slopeOf, spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical, dayMs, type WorkloadOptions} from '../workload/events.js';
import {funnelSteps} from '../workload/expected.js';

const reportNames = ['count by day', 'daily users', 'funnel, other events'] as const;
type ReportName = (typeof reportNames)[number];

/** Cost at a size: CPU us an event, or ms a report. */
interface Point {
  readonly events: number;
  readonly cost: number;
}

export interface GrowthReport {
  readonly sizes: readonly number[];
  readonly ingest: readonly Point[];
  readonly reports: Readonly<Record<ReportName, readonly Point[]>>;
  readonly exponents: Readonly<Record<ReportName | 'ingest', number>>;
}

const decades = [0.01, 0.1, 1] as const;
const windowsOf = ({isSmall}: BenchOptions): number => (isSmall ? 1 : 3);
const asksWarm = 5;
const asks = 15;
/** Share of the smallest store's events that are in the funnel. */
const funnelShare = 0.1;
const extraSeed = 7;
const reach = 0.1;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<GrowthReport> {
  const sizes = decades.map((share) => Math.round(options.numbers.events! * share));
  const ingest: Point[] = [];
  const reports: Record<ReportName, Point[]> = {'count by day': [], 'daily users': [], 'funnel, other events': []};
  for (const size of sizes) {
    say(`a store of ${whole(size)} events …`);
    const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-growth-'));
    try {
      const workload = growthWorkload(size, sizes[0]!);
      let service = await filled(dataDir, workload, options, owned);
      if (!options.isSmall) {
        await service.stop(); // Filling has changed its memory: a fresh process is measured.
        service = await startOn(dataDir, options, owned);
      }
      const times = await timeReports(service, workload, owned);
      for (const name of reportNames) {
        reports[name].push({events: size, cost: times[name]});
        say(`${name}: ${fixed(times[name], 2)} ms`);
      }
      const points = await timeIngest(service, size, sizes[0]!, options, owned);
      say(`ingest: ${points.map(({cost}) => fixed(cost, 2)).join(', ')} CPU us an event`);
      ingest.push(...points);
      await service.stop();
    } finally {
      await owned.stopAll();
      rmSync(dataDir, {recursive: true, force: true});
    }
  }
  const exponents = {
    ingest: exponentOf(ingest),
    'count by day': exponentOf(reports['count by day']),
    'daily users': exponentOf(reports['daily users']),
    'funnel, other events': exponentOf(reports['funnel, other events']),
  };
  return {sizes, ingest, reports, exponents};
}

const exponentOf = (points: readonly Point[]): number =>
  slopeOf(points.map(({events, cost}) => [Math.log(events), Math.log(cost)] as const));

function growthWorkload(eventCount: number, smallest: number): WorkloadOptions {
  return {...canonical, userCount: 100_000, eventCount, rare: {names: funnelSteps, count: smallest * funnelShare}};
}

const growthEnv = (options: BenchOptions) => ({...envOf(options), MEMORY_CACHE_MIB: String(cacheMib)});

const startOn = async (dataDir: string, options: BenchOptions, owned: Owned): Promise<BenchService> =>
  owned.add(await startService({env: growthEnv(options), profileFolder: null, dataDir}));

async function filled(
  dataDir: string,
  workload: WorkloadOptions,
  options: BenchOptions,
  owned: Owned,
): Promise<BenchService> {
  const service = await startOn(dataDir, options, owned);
  const feed = owned.add(new Feed());
  await feed.begin(workload);
  await feed.send(service, workload.eventCount);
  await untilCounted(service, workload);
  await settled(service, options);
  feed.stop();
  return service;
}

async function timeReports(
  service: BenchService,
  {startMs, dayCount}: WorkloadOptions,
  owned: Owned,
): Promise<Record<ReportName, number>> {
  const link = owned.add(await EngineLink.open(service, cacheMib * 2 ** 19, 'asked'));
  const range = {fromMs: startMs, toMs: startMs + dayCount * dayMs - 1};
  const queries: Record<ReportName, ReportQuery> = {
    'count by day': {report: 'counts', events: ['page_viewed'], interval: 'day', ...range},
    'daily users': {report: 'active', metric: 'dau', interval: 'day', ...range},
    'funnel, other events': {report: 'funnel', steps: funnelSteps.map((event) => ({event})), ...range},
  };
  const times: Partial<Record<ReportName, number>> = {};
  for (const name of reportNames) times[name] = await medianMs(link, queries[name]);
  await link.stop();
  return times as Record<ReportName, number>;
}

async function medianMs(link: EngineLink, query: ReportQuery): Promise<number> {
  for (let ask = 0; ask < asksWarm; ask++) await link.ask(query);
  await link.settled();
  const elapsed: number[] = [];
  for (let ask = 0; ask < asks; ask++) elapsed.push((await link.ask(query)).elapsedMs);
  return spreadOf(elapsed).median;
}

/** Measures windows; the first one warms up. */
async function timeIngest(
  service: BenchService,
  stored: number,
  windowEvents: number,
  options: BenchOptions,
  owned: Owned,
): Promise<Point[]> {
  const feed = owned.add(new Feed());
  await feed.begin({
    ...canonical,
    userCount: 100_000,
    seed: extraSeed,
    eventCount: windowEvents * (windowsOf(options) + 1),
  });
  const points: Point[] = [];
  let {cpuSeconds: before} = await settled(service, options);
  for (let window = 0; window <= windowsOf(options); window++) {
    await feed.send(service, windowEvents);
    const {cpuSeconds} = await settled(service, options);
    const cpuUs = (Math.max(cpuSeconds - before, tickSeconds) * 1e6) / windowEvents;
    if (window > 0) points.push({events: stored + window * windowEvents, cost: cpuUs});
    before = cpuSeconds;
  }
  feed.stop();
  return points;
}

/** Unit of CPU times: the least value that a window of the small form can show. */
const tickSeconds = 0.01;

function text({sizes, ingest, reports, exponents}: GrowthReport, options: BenchOptions): string {
  const windows = windowsOf(options);
  const ingestAt = (index: number): string => {
    const points = ingest.slice(index * windows, (index + 1) * windows);
    return fixed(spreadOf(points.map(({cost}) => cost)).median, 2);
  };
  const rows = [
    ['ingest, CPU us an event', ...sizes.map((_, index) => ingestAt(index)), fixed(exponents.ingest, 3)],
    ...reportNames.map((name) => [
      `${name}, ms`,
      ...reports[name].map(({cost}) => fixed(cost, 2)),
      fixed(exponents[name], 3),
    ]),
  ];
  return [
    `Growth with stored events (exponents to reach: at most ${fixed(reach, 2)})`,
    tableText(['', ...sizes.map(whole), 'exponent'], rows),
    `ingest is measured over the ${whole(windows * sizes[0]!)} events after the first ${whole(sizes[0]!)} that were added to each`,
  ].join('\n');
}

export const growthBench: Bench<GrowthReport> = {
  name: 'growth',
  summary: 'what an event and a report cost with 100 times as many stored events',
  numbers: {events: {normal: 10_000_000, small: 2_000, help: 'events of the largest store'}},
  run,
  text,
};
