// What a start asks itself leaves behind what the first reports need, gives way to them, and ends.
import {describe, expect, test} from 'vitest';
import type {ReportQuery} from '../../src/asks/report.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {HeldBuckets} from '../../src/report/derived/held-buckets.js';
import {Evaluation} from '../../src/report/evaluate.js';
import {rehearse} from '../../src/report/rehearsal.js';
import {derivedIn} from '../support/derived.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const quiet = async (): Promise<void> => undefined;

function world() {
  const values = new MemoryParts();
  const partition = new TestPartition(values);
  for (let row = 0; row < 3_000; row++) {
    partition.append({user: `u${row % 90}`, event: 'AB'[row % 2]!, timeMs: 100 * dayMs + row * hourMs});
    if (row % 500 === 499) partition.cutChunk();
  }
  const snapshot = partition.publish();
  const parts = new PartsCache(values, 16 << 20);
  const paths = {daySets: true, sets: new HeldBuckets(derivedIn(parts), 1)};
  const evaluation = new Evaluation(parts, 1 << 20, paths);
  const compute = (query: ReportQuery) => evaluation.answer(query, [snapshot]);
  return {values, snapshot, parts, compute};
}

describe('rehearsal of reports', () => {
  test('asks about whole days up to the newest event, and the first report of users reads no part', async () => {
    const {values, snapshot, parts, compute} = world();
    const asked: ReportQuery[] = [];
    const computeNoted = (query: ReportQuery): Promise<string> => {
      asked.push(query);
      return compute(query);
    };
    expect(await rehearse([snapshot], computeNoted, quiet, 60_000)).toBe(100);
    const newestMs = 100 * dayMs + 2_999 * hourMs;
    for (const query of asked) {
      if (!('fromMs' in query)) throw new Error('every report of a rehearsal has a range');
      const {toMs, fromMs} = query;
      expect([fromMs % dayMs, (toMs + 1) % dayMs]).toEqual([0, 0]);
      expect(toMs - newestMs).toBeGreaterThanOrEqual(0);
      expect(toMs - newestMs).toBeLessThan(dayMs);
    }
    const kinds = asked.map((query) => (query.report === 'active' ? query.metric : query.report));
    expect(new Set(kinds)).toEqual(new Set(['counts', 'dau', 'wau', 'mau']));
    parts.memory.lend(parts.memory.bytesMax); // Nothing is cached any more.
    values.reads = 0;
    const toMs = (Math.floor(newestMs / dayMs) + 1) * dayMs - 1;
    const range = {fromMs: toMs + 1 - 90 * dayMs, toMs};
    await compute({report: 'active', metric: 'mau', interval: 'day', ...range});
    expect(values.reads).toBe(0);
  });

  test('gives way before each report, and ends with its time', async () => {
    const {snapshot, compute} = world();
    let waits = 0;
    let computed = 0;
    const whenIdle = async (): Promise<void> => {
      waits += 1;
      expect(computed).toBe(waits - 1);
    };
    const computeCounted = async (query: ReportQuery): Promise<string> => {
      computed += 1;
      return compute(query);
    };
    expect(await rehearse([snapshot], computeCounted, whenIdle, -1)).toBe(1);
    expect(await rehearse([snapshot], computeCounted, whenIdle, 60_000)).toBe(100);
    expect(waits).toBe(101);
  });

  test('a part that cannot be read ends it', async () => {
    const {values, snapshot, compute} = world();
    for (const block of snapshot.index.windowRuns.flatMap((run) => run.blocks)) values.damage(block.part);
    await expect(rehearse([snapshot], compute, quiet)).rejects.toThrow();
  });
});
