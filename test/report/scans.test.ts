// Reports that go through more rows than the cache holds: what they read, and what they leave to others.
import {describe, expect, test} from 'vitest';
import type {ChunkEntry, PartRef} from '../../actors/manifest.js';
import type {ReportQuery} from '../../src/asks/report.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {DamagedPart} from '../../src/parts/stored-parts.js';
import {Evaluation} from '../../src/report/evaluate.js';
import {warmUp} from '../../src/report/warm-up.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

const hourMs = 3_600_000;
const chunks = 20;
const rowsOfChunk = 400;
const range = {fromMs: 0, toMs: 100 * hourMs - 1};
const plan = [{property: 'plan', op: 'eq', values: ['team']}] as const;
type PartsRead = (chunk: ChunkEntry) => readonly PartRef[];
const rowsAlone: PartsRead = ({rows}) => [rows];
const rowsAndProperties: PartsRead = ({rows, properties}) => [rows, properties];
const scans: readonly (readonly [name: string, query: ReportQuery, partsRead: PartsRead])[] = [
  ['filtered count', {report: 'counts', events: ['A'], interval: 'day', where: plan, ...range}, rowsAndProperties],
  ['funnel', {report: 'funnel', steps: [{event: 'A'}, {event: 'B'}], ...range}, rowsAlone],
  ['active users by hour', {report: 'active', metric: 'wau', interval: 'hour', ...range}, rowsAlone],
];

/** `share`: of the parts that a scan reads, which the cache holds. */
function world(share: number, partsRead: PartsRead = rowsAlone) {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (let row = 0; row < chunks * rowsOfChunk; row++) {
    const properties = {plan: row % 3 === 0 ? 'team' : 'free'};
    partition.append({user: `u${row % 90}`, event: 'AB'[row % 2]!, timeMs: row * 40_000, properties});
    if (row % rowsOfChunk === rowsOfChunk - 1) partition.cutChunk();
  }
  const snapshot = partition.publish();
  const refs = snapshot.index.chunks.flatMap(partsRead);
  const bytes = refs.reduce((sum, ref) => sum + ref.bytes, 0);
  const cache = new PartsCache(parts, Math.floor(bytes * share));
  /** Rows are gathered in several passes. */
  const evaluation = () => new Evaluation(cache, Math.floor(cache.memory.bytesMax / 8));
  const readsOf = async (query: ReportQuery): Promise<number> => {
    parts.reads = 0;
    await evaluation().answer(query, [snapshot]);
    return parts.reads;
  };
  const isHeld = (ref: PartRef): boolean =>
    cache.memory.peek(ref.key) !== undefined ||
    cache.columnBytes(ref) !== undefined ||
    cache.heldNamedRows(ref) !== undefined;
  return {parts, cache, snapshot, refs, isHeld, evaluation, readsOf};
}

describe.each(scans)('%s over more than the cache holds', (_, query, partsRead) => {
  test('finds at hand each time what is cached', async () => {
    const {readsOf, cache, snapshot, refs, isHeld} = world(1 / 2, partsRead);
    await warmUp(cache, [snapshot], async () => undefined);
    const held = refs.filter(isHeld).length;
    expect(held).toBeGreaterThan(refs.length / 8);
    const reads = await readsOf(query);
    expect([reads > 0, reads % (refs.length - held)]).toEqual([true, 0]); // Once, or once a pass.
    for (let scan = 0; scan < 3; scan++) expect(await readsOf(query)).toBe(reads);
  });

  test('leaves there what others use', async () => {
    const {readsOf, refs, cache, isHeld} = world(1 / 2, partsRead);
    const used = refs.slice(-3);
    for (const ref of used) await cache.load(ref);
    for (let scan = 0; scan < 3; scan++) {
      await readsOf(query);
      expect(used.map(isHeld)).toEqual([true, true, true]);
    }
  });

  test('answers what it answers with everything at hand', async () => {
    const {evaluation, cache, snapshot, parts} = world(1 / 4, partsRead);
    const {bytesMax} = cache.memory;
    const small = await evaluation().answer(query, [snapshot]);
    expect(cache.memory.bytesMax).toBe(bytesMax); // What gathering borrowed is back.
    const large = await new Evaluation(new PartsCache(parts, 64 << 20), 4 << 20).answer(query, [snapshot]);
    expect(small).toBe(large);
  });
});

test('a scan that fits keeps what it read in place of what came before', async () => {
  const {readsOf, refs, isHeld} = world(2, rowsAndProperties);
  expect(await readsOf(scans[0]![1])).toBe(2 * chunks);
  expect(await readsOf(scans[0]![1])).toBe(0);
  expect(refs.every(isHeld)).toBe(true);
});

test.each(scans)('%s that fails gives back what it borrowed', async (_, query, partsRead) => {
  const {parts, cache, evaluation, snapshot, refs} = world(1 / 2, partsRead);
  const {bytesMax} = cache.memory;
  parts.damage(refs[refs.length / 2]!);
  await expect(evaluation().answer(query, [snapshot])).rejects.toThrow(DamagedPart);
  expect(cache.memory.bytesMax).toBe(bytesMax);
});
