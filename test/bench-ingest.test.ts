// The benches of ingestion and webhooks in their small form: everything in them runs once, and its figures are those of docs/benchmarks.md.

import {expect, test} from 'vitest';
import {fastPathsOf} from '../bench/fast-paths.js';
import {postgresObstacle} from '../bench/peers/postgres/cluster.js';
import {benchRun, type Figure} from '../src/bench-run.js';
import {reachesOf, reachTable} from './support/reach-table.js';
import {playsAll, unlessAll} from './support/runs.js';
import {runSmall} from './support/small-bench.js';

type Result = Awaited<ReturnType<typeof runSmall>>['result'];
type Figures = ReadonlyMap<string, Figure>;

/** The others share their machinery with it. */
const playedAlways = ['webhooks'];

/** `holds`: what is so in the report beside that. */
function small(name: string, prints: RegExp, holds: (result: Result, figures: Figures, stdout: string) => void): void {
  test.runIf(process.platform === 'linux')(`bench: ${name}`, async ({skip}) => {
    skip(!playsAll && !playedAlways.includes(name), unlessAll);
    const {stdout, result} = await runSmall(name, '--partitions', ['identity', 'webhooks'].includes(name) ? '2' : '1');
    expect(stdout).toMatch(prints);
    const {figures} = benchRun.parse(result);
    expect(reachTable(name)).toEqual(expect.arrayContaining(reachesOf(figures)));
    holds(result, new Map(figures.map((figure) => [figure.id, figure])), stdout);
  });
}

const samplesOf = (rounds: {rounds: {samples: Record<string, Result>}[]}): Record<string, Result> =>
  rounds.rounds[0]!.samples;

small('ingest', /single, floor: parse +[\d,]+ [\s\S]*batch, millrace +[\d,]+ /, (result, figures, stdout) => {
  expect(result).toMatchObject({bench: 'ingest', versions: {node: process.version}, options: {isSmall: true}});
  expect(result.host.dataFilesystem).toMatch(/^\w+ \(/);
  expect(result.options).not.toHaveProperty('resultsFolder'); // Where things are on one machine is in no history.
  const isPeerThere = postgresObstacle() === null;
  expect(result.report.equalAnswers).toBe(isPeerThere ? 4 : null);
  if (!isPeerThere) expect(stdout).toMatch(/PEER A WAS SKIPPED/);
  for (const {shape, rounds, floorToEach} of result.report.shapes) {
    const {millrace, 'floor: log': log, 'floor: parse': parse} = samplesOf(rounds);
    // Where there is one partition a batch is in one message.
    expect(millrace.eventsPerMessage).toBeGreaterThanOrEqual(shape === 'batch' ? 1_000 : 1);
    expect(log.events).toBeGreaterThan(0);
    expect(floorToEach.millrace.median).toBe(parse.cpuSecondsPerMillion / millrace.cpuSecondsPerMillion);
    expect(figures.get(`${shape}-floor-to-ours`)!.samples[0]).toBeCloseTo(floorToEach.millrace.median, 4);
    expect(figures.has(`${shape}-peer-to-ours`)).toBe(isPeerThere);
  }
  const played = {foreignShares: [expect.any(Number)], voided: []};
  expect(result.rounds).toMatchObject([
    {name: 'single events', ...played},
    {name: 'batches', ...played},
  ]);
});

small('dashboards', /ack p99 with anonymous reads \/ with none: \d/, ({report}) => {
  const {nobody, 'five dashboards': five, 'anonymous reads': reads} = samplesOf(report.rounds);
  expect(report.openToNone.median).toBe(five.offered.latencyMs.p99 / nobody.offered.latencyMs.p99);
  expect(report.readsToNone.median).toBe(reads.offered.latencyMs.p99 / nobody.offered.latencyMs.p99);
});

small('identity', /from a link to the whole history: p99 \d/, ({report}, figures) => {
  expect(samplesOf(report.deletions)['five devices']).toHaveLength(1);
  expect(report.historyMs.every((ms: number) => ms > 0)).toBe(true);
  expect(figures.get('identity-both')?.samples[0]).toBeCloseTo(report.bothToUser.median, 4);
});

small('latency', /batch: ack p99 at 50 % \/ p99 of a serial publish of the same bytes: \d/, ({report}, figures) => {
  for (const {shape, rounds, ackToPublish} of report.shapes) {
    const {offered, saturatedPerSecond} = samplesOf(rounds).millrace;
    expect(figures.get(`${shape}-ack-to-publish`)!.samples[0]! / ackToPublish.median).toBeCloseTo(1, 4);
    for (const share of [0.25, 0.5, 0.8]) {
      const {requests, statuses, unsent, requestsPerSecond, latencyMs} = offered[share];
      expect(requestsPerSecond).toBeCloseTo(share * saturatedPerSecond, 6);
      expect((statuses['200'] ?? 0) + unsent).toBe(requests);
      const {samples, curve} = figures.get(`${shape}-ack-${share * 100}`)!;
      expect(samples[0]! / latencyMs.p99).toBeCloseTo(1, 4);
      expect(curve!.points.map(([at]) => at)).toEqual([0.5, 0.9, 0.99, 0.999]);
    }
  }
});

small('overload', /^batch +[\d,]+ +[\d,]+ /m, ({report}, figures) => {
  for (const {rounds} of report.shapes) {
    const {offered, memory} = samplesOf(rounds).millrace;
    const answers = Object.values<number>(offered.statuses).reduce((sum, count) => sum + count, 0);
    expect(answers + offered.unsent + offered.failures).toBe(offered.requests);
    expect(memory.peakMib).toBeGreaterThan(50);
  }
  expect([...figures.keys()]).toEqual(['single-goodput-to-saturated', 'batch-goodput-to-saturated']);
});

small('mixed', /single: report p99 while ingesting \/ idle \d[\s\S]*all rounds together \d/, ({report}) => {
  for (const {rounds, together} of report.shapes) {
    const {ingesting, 'pages ingesting': pages, 'ingesting alone': alone} = samplesOf(rounds);
    expect(pages.offered.statuses['200']).toBeGreaterThan(0);
    expect(alone.acks.snapshots).toBeGreaterThan(0);
    expect(alone.acks.during.count + alone.acks.outside.count).toBe(alone.offered.statuses['200']);
    // One round: together is what it is alone.
    expect(together.reportsIngesting.latencyMs).toEqual(ingesting.reports.latencyMs);
  }
});

small('stalls', /./, ({report}) => {
  expect(report.users).toBe(3_000);
  for (const {seconds, bystander, metricMs, offered} of report.phases) {
    expect(Math.min(seconds.length, bystander.length, report.machine.length, metricMs, offered.events)).toBeGreaterThan(
      0,
    );
    for (const {stallMs, waitMs, ownMs} of [...seconds, ...bystander, ...report.machine]) {
      expect(waitMs ?? 0).toBeLessThanOrEqual(stallMs);
      expect(ownMs ?? stallMs).toBeGreaterThanOrEqual(stallMs - (waitMs ?? 0)); // The longest own part of any of its stalls.
    }
  }
});

small('without', /^single events: messages at a pace +\d/m, ({report}) => {
  expect(Object.keys(report.gains).sort()).toEqual(fastPathsOf('without'));
  expect(Object.keys(samplesOf(report.rounds))).toHaveLength(2 * Object.keys(report.gains).length);
});

small('webhooks', /^one that refuses \/ nobody: p99 \d/m, ({report}, figures) => {
  const samples = samplesOf(report.deliveries);
  expect(samples.single).toMatchObject({messages: 300, events: 300, fault: ''});
  expect(samples.batched).toMatchObject({events: 3_000, fault: ''});
  expect(samples.batched.messages).toBeLessThan(300);
  for (const {checked, posts} of Object.values(samples)) expect(checked).toBe(Math.ceil(posts / 100));
  // Some of the workload are late before they are sent: they say nothing about the delay.
  expect(samples.paced.timed).toBeGreaterThan(0);
  for (const name of ['nobody', 'one that refuses', 'one that is silent']) {
    const {events, fault} = samplesOf(report.beside)[name];
    expect([events % report.goodCount, fault]).toEqual([0, '']);
  }
  expect(figures.get('event-to-post')!.samples[0]! / samples.paced.latencyMs.p99).toBeCloseTo(1, 4);
});

small('effects', /^ten saved funnels \/ nothing defined: CPU behind the edge \d/m, ({report}, figures) => {
  for (const {cpuSecondsBehindEdge, cpuSeconds} of Object.values(samplesOf(report.rounds)))
    expect([cpuSecondsBehindEdge > 0, cpuSeconds > 0]).toEqual([true, true]);
  expect(figures.get('funnels-cpu')!.samples[0]! / report.ratios.funnels.median).toBeCloseTo(1, 4);
});
