// The benches of webhooks and saved funnels in their small form: everything that was stored arrives, and what they write fits together.

import {expect, test} from 'vitest';
import {benchRun} from '../src/bench-run.js';
import {reachesOf, reachTable} from './support/reach-table.js';
import {playsAll, unlessAll} from './support/runs.js';
import {runSmall} from './support/small-bench.js';

const isLinux = process.platform === 'linux';

/** By id: what the dashboard shows. The rows of docs/benchmarks.md say the same about reach and limit. */
function figuresOf(result: Awaited<ReturnType<typeof runSmall>>['result']) {
  const run = benchRun.parse(result);
  expect([...new Set(reachesOf(run.figures))].sort()).toEqual([...new Set(reachTable(run.bench))].sort());
  return new Map(run.figures.map((figure) => [figure.id, figure]));
}

test.runIf(isLinux)('bench: webhooks delivers all that was stored, one by one and in batches', async () => {
  const {stdout, result} = await runSmall('webhooks', '--partitions', '2');
  const {deliveries, beside, costs, goodCount} = result.report;
  const [{samples}] = deliveries.rounds;
  expect(samples.single).toMatchObject({messages: 300, events: 300, fault: ''});
  expect(samples.batched).toMatchObject({events: 3_000, fault: ''});
  expect(samples.batched.messages).toBeLessThan(300);
  for (const {checked, posts} of Object.values<{checked: number; posts: number}>(samples))
    expect(checked).toBe(Math.ceil(posts / 100));
  // Some of the workload are late before they are sent: they say nothing about the delay.
  expect(samples.paced.timed).toBeGreaterThan(0);
  expect(samples.paced.timed).toBeLessThanOrEqual(samples.paced.events);
  for (const name of ['nobody', 'one that refuses', 'one that is silent']) {
    const {events, fault} = beside.rounds[0].samples[name];
    expect([events % goodCount, fault]).toEqual([0, '']);
  }
  const figures = figuresOf(result);
  expect(figures.get('event-to-post')!.samples[0]! / samples.paced.latencyMs.p99).toBeCloseTo(1, 4);
  expect(figures.get('single-posts')!.samples[0]! / samples.single.perSecond.posts).toBeCloseTo(1, 4);
  expect(figures.get('batched-events')!.samples[0]! / samples.batched.perSecond.events).toBeCloseTo(1, 4);
  expect(figures.get('one-that-is-silent-p99')!.samples[0]! / costs['one that is silent'].p99.median).toBeCloseTo(1, 4);
  expect(stdout).toMatch(/^one that refuses \/ nobody: p99 \d/m);
});

test.runIf(isLinux)(
  'bench: effects gives the same load to a service without the role, with it, and with funnels',
  async ({skip}) => {
    skip(!playsAll, unlessAll);
    const {stdout, result} = await runSmall('effects', '--partitions', '1');
    const {rounds, ratios} = result.report;
    const [{samples}] = rounds.rounds;
    for (const {cpuSecondsBehindEdge, cpuSeconds} of Object.values<Record<string, number>>(samples))
      expect([cpuSecondsBehindEdge! > 0, cpuSeconds! > 0]).toEqual([true, true]);
    const behind = (name: string): number => samples[name].cpuSecondsBehindEdge;
    expect(ratios.funnels.median).toBe(behind('ten saved funnels') / behind('nothing defined'));
    const figures = figuresOf(result);
    expect(figures.get('none-cpu')!.samples[0]! / ratios.cpu.median).toBeCloseTo(1, 4);
    expect(figures.get('funnels-cpu')!.samples[0]! / ratios.funnels.median).toBeCloseTo(1, 4);
    expect(stdout).toMatch(/^ten saved funnels \/ nothing defined: CPU behind the edge \d/m);
  },
);
