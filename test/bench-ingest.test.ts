// The benches of ingestion in their small form: everything in them runs once, and what they write fits together.

import {expect, test} from 'vitest';
import {fastPathsOf} from '../bench/fast-paths.js';
import {postgresObstacle} from '../bench/peers/postgres/cluster.js';
import {benchRun} from '../src/bench-run.js';
import {reachesOf, reachTable} from './support/reach-table.js';
import {playsAll, unlessAll} from './support/runs.js';
import {runSmall} from './support/small-bench.js';

const isLinux = process.platform === 'linux';

/** By id: what the dashboard shows of a result. The rows of docs/benchmarks.md say the same about reach and limit. */
function figuresOf(result: Awaited<ReturnType<typeof runSmall>>['result']) {
  const run = benchRun.parse(result);
  expect(reachTable(run.bench)).toEqual(expect.arrayContaining(reachesOf(run.figures)));
  return new Map(run.figures.map((figure) => [figure.id, figure]));
}

test.runIf(isLinux)('bench: ingest compares floors, ours and the peer, and writes every round', async ({skip}) => {
  skip(!playsAll, unlessAll);
  const {stdout, result} = await runSmall('ingest', '--partitions', '1');
  expect(stdout).toMatch(/single, floor: parse +[\d,]+ /);
  expect(stdout).toMatch(/batch, millrace +[\d,]+ /);
  expect(result).toMatchObject({bench: 'ingest', versions: {node: process.version}, options: {isSmall: true}});
  expect(result.host.dataFilesystem).toMatch(/^\w+ \(/);
  const {equalAnswers, shapes} = result.report;
  const obstacle = postgresObstacle();
  expect(equalAnswers).toBe(obstacle === null ? 4 : null);
  for (const {shape, rounds, floorToEach, peerToOurs} of shapes) {
    const [{samples}] = rounds.rounds;
    // Where there is one partition a batch is in one message.
    expect(samples.millrace.eventsPerMessage).toBeGreaterThanOrEqual(shape === 'batch' ? 1_000 : 1);
    const cpu = (name: string): number => samples[name].cpuSecondsPerMillion;
    const ratio = cpu('floor: parse') / cpu('millrace');
    expect(floorToEach.millrace).toEqual({median: ratio, min: ratio, max: ratio, all: [ratio]});
    expect(samples['floor: log'].events).toBeGreaterThan(0);
    expect(peerToOurs?.median).toBe(obstacle === null ? cpu('peer: PostgreSQL') / cpu('millrace') : undefined);
  }
  if (obstacle !== null) expect(stdout).toMatch(/PEER A WAS SKIPPED/);

  const figures = figuresOf(result);
  for (const {shape, rounds, floorToEach, peerToOurs} of shapes) {
    const [{samples}] = rounds.rounds;
    const sampleOf = (name: string): number | undefined => figures.get(`${shape}-${name}`)?.samples[0];
    expect(sampleOf('floor-to-ours')).toBeCloseTo(floorToEach.millrace.median, 4);
    expect(sampleOf('cpu')! / samples.millrace.cpuSecondsPerMillion).toBeCloseTo(1, 4);
    expect(sampleOf('rate')! / samples.millrace.eventsPerSecond).toBeCloseTo(1, 4);
    expect(sampleOf('peer-to-ours') === undefined).toBe(peerToOurs === null);
  }
  expect(result.rounds).toMatchObject([
    {name: 'single events', foreignShares: [expect.any(Number)], voided: []},
    {name: 'batches', foreignShares: [expect.any(Number)], voided: []},
  ]);
  expect(result.options).not.toHaveProperty('resultsFolder'); // Where things are on one machine is in no history.
});

test.runIf(isLinux)('bench: dashboards compares acks with five open streams and with none', async ({skip}) => {
  skip(!playsAll, unlessAll);
  const {stdout, result} = await runSmall('dashboards', '--partitions', '1');
  expect(stdout).toMatch(/ack p99 with five open \/ with none: \d/);
  const {rounds, openToNone} = result.report;
  const [{samples}] = rounds.rounds;
  const p99 = (name: string): number => samples[name].offered.latencyMs.p99;
  expect(openToNone.median).toBe(p99('five dashboards') / p99('nobody'));
  for (const name of ['nobody', 'five dashboards']) expect(samples[name].idleCores).toBeGreaterThanOrEqual(0);
});

test.runIf(isLinux)(
  'bench: identity compares events with devices and without, in acks, CPU and deletions',
  async ({skip}) => {
    skip(!playsAll, unlessAll);
    const {stdout, result} = await runSmall('identity', '--partitions', '2');
    expect(stdout).toMatch(/from a link to the whole history: p99 \d/);
    const {cpu, bothToUser, historyMs, deletions} = result.report;
    const [{samples}] = cpu.rounds;
    expect(bothToUser.median).toBe(samples['user and device'] / samples['user alone']);
    expect(deletions.rounds[0].samples['five devices']).toHaveLength(1);
    expect([...historyMs].every((ms: number) => ms > 0)).toBe(true);
    expect(figuresOf(result).get('identity-both')?.samples[0]).toBeCloseTo(bothToUser.median, 4);
  },
);

test.runIf(isLinux)(
  'bench: latency offers shares of the saturated rate beside the floor of the log',
  async ({skip}) => {
    skip(!playsAll, unlessAll);
    const {stdout, result} = await runSmall('latency', '--partitions', '1');
    expect(stdout).toMatch(/batch: ack p99 at 50 % \/ p99 of a serial publish of the same bytes: \d/);
    for (const {rounds, ackToPublish} of result.report.shapes) {
      const [{samples}] = rounds.rounds;
      const {offered, saturatedPerSecond} = samples.millrace;
      for (const share of [0.25, 0.5, 0.8]) {
        expect(offered[share].requestsPerSecond).toBeCloseTo(share * saturatedPerSecond, 6);
        const {requests, statuses, unsent} = offered[share];
        expect((statuses['200'] ?? 0) + unsent).toBe(requests);
      }
      expect(ackToPublish.median).toBe(offered[0.5].latencyMs.p99 / samples['floor: log'].latencyMs.p99);
    }
    const figures = figuresOf(result);
    for (const {shape, rounds, ackToPublish} of result.report.shapes) {
      const {offered, saturatedPerSecond} = rounds.rounds[0].samples.millrace;
      expect(figures.get(`${shape}-ack-to-publish`)!.samples[0]! / ackToPublish.median).toBeCloseTo(1, 4);
      expect(figures.get(`${shape}-saturated`)!.samples[0]! / saturatedPerSecond).toBeCloseTo(1, 4);
      for (const share of [0.25, 0.5, 0.8]) {
        const {p50, p90, p99, p999} = offered[share].latencyMs;
        const {samples, curve} = figures.get(`${shape}-ack-${share * 100}`)!;
        expect(samples[0]! / p99).toBeCloseTo(1, 4);
        expect(curve!.points.map(([at]) => at)).toEqual([0.5, 0.9, 0.99, 0.999]);
        for (const [at, ms] of [p50, p90, p99, p999].entries()) expect(curve!.points[at]![1] / ms).toBeCloseTo(1, 4);
      }
    }
  },
);

test.runIf(isLinux)('bench: overload counts what becomes of every request, and the memory', async ({skip}) => {
  skip(!playsAll, unlessAll);
  const {stdout, result} = await runSmall('overload', '--partitions', '1');
  expect(stdout).toMatch(/^batch +[\d,]+ +[\d,]+ /m);
  for (const {rounds, goodputToSaturated} of result.report.shapes) {
    const [{samples}] = rounds.rounds;
    const {offered, goodput, saturated, saturatedBefore, saturatedAfter, memory} = samples.millrace;
    const answers = Object.values<number>(offered.statuses).reduce((sum, count) => sum + count, 0);
    expect(answers + offered.unsent + offered.failures).toBe(offered.requests);
    expect(saturated).toBeCloseTo((saturatedBefore + saturatedAfter) / 2, 6);
    expect(goodputToSaturated.median).toBe(goodput / saturated);
    expect(memory.peakMib).toBeGreaterThan(50);
  }
  expect([...figuresOf(result).keys()]).toEqual(['single-goodput-to-saturated', 'batch-goodput-to-saturated']);
});

test.runIf(isLinux)('bench: mixed asks reports and pages while events come in, and sees snapshots', async ({skip}) => {
  skip(!playsAll, unlessAll);
  const {stdout, result} = await runSmall('mixed', '--partitions', '1');
  expect(stdout).toMatch(/single: report p99 while ingesting \/ idle \d/);
  expect(stdout).toMatch(/all rounds together \d/);
  for (const {rounds, reportsBusyToIdle, pagesBusyToIdle, together} of result.report.shapes) {
    const [{samples}] = rounds.rounds;
    const {idle, ingesting, 'pages idle': pagesIdle, 'pages ingesting': pagesIngesting} = samples;
    const alone = samples['ingesting alone'];
    expect(reportsBusyToIdle.median).toBe(ingesting.reports.latencyMs.p99 / idle.reports.latencyMs.p99);
    expect(pagesBusyToIdle.median).toBe(pagesIngesting.pages.latencyMs.p99 / pagesIdle.pages.latencyMs.p99);
    expect(pagesIngesting.offered.statuses['200']).toBeGreaterThan(0);
    expect(alone.acks.snapshots).toBeGreaterThan(0);
    // One round: together is what it is alone.
    expect(together.reportsIngesting.latencyMs).toEqual(ingesting.reports.latencyMs);
    expect([together.reportsIdle.count, together.snapshots]).toEqual([idle.reports.asked, alone.acks.snapshots]);
    expect(together.pagesIngesting.count).toBe(pagesIngesting.pages.asked);
    expect(alone.acks.during.count + alone.acks.outside.count).toBe(alone.offered.statuses['200']);
  }
});

test.runIf(isLinux)('bench: stalls reads the probe and the metric of the edge', async ({skip}) => {
  skip(!playsAll, unlessAll);
  const {result} = await runSmall('stalls', '--partitions', '1');
  expect(result.report.users).toBe(3_000);
  expect(result.report.machine.length).toBeGreaterThan(0);
  for (const {seconds, bystander, metricMs, offered} of result.report.phases) {
    expect(seconds.length).toBeGreaterThan(0);
    expect(bystander.length).toBeGreaterThan(0);
    for (const {stallMs, waitMs, ownMs} of [...seconds, ...bystander, ...result.report.machine]) {
      expect(stallMs).toBeGreaterThan(0);
      expect(waitMs ?? 0).toBeLessThanOrEqual(stallMs);
      expect(ownMs ?? stallMs).toBeGreaterThanOrEqual(stallMs - (waitMs ?? 0)); // The longest own part of any of its stalls.
    }
    expect(metricMs).toBeGreaterThan(0);
    expect(offered.events).toBeGreaterThan(0);
  }
});

test.runIf(isLinux)('bench: without compares the service with those that lack one of its shortcuts', async ({skip}) => {
  skip(!playsAll, unlessAll);
  const {stdout, result} = await runSmall('without', '--partitions', '1');
  expect(stdout).toMatch(/^single events: messages at a pace +\d/m);
  const {gains, rounds} = result.report;
  expect(Object.keys(gains).sort()).toEqual(fastPathsOf('without'));
  const [{samples}] = rounds.rounds;
  expect(Object.keys(samples)).toHaveLength(2 * Object.keys(gains).length);
  for (const [name, {median}] of Object.entries<{median: number}>(gains)) {
    const [, plain] = Object.keys(samples).slice(Object.keys(samples).indexOf(name));
    expect(median).toBe(samples[plain!].cost / samples[name].cost);
  }
});
