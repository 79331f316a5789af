// Narrow columns answer as the parts do that they were copied from, and these are not read again.
import {expect, test} from 'vitest';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {Evaluation} from '../../src/report/evaluate.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

const startMs = Date.UTC(2024, 1, 22);
const chunkCount = 3;
const rowsOfChunk = 2_000;

function world() {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    for (let row = 0; row < rowsOfChunk; row++) {
      const properties = {
        plan: ['free', 'team'][row % 2]!,
        n: row,
        order: `order-${chunk}-${row}`,
        'a.b': 1,
        a: row % 9 === 0 ? {c: row} : 2,
      };
      partition.append({user: `u${row % 7}`, event: 'A', timeMs: startMs + chunk * rowsOfChunk + row, properties});
    }
    partition.cutChunk();
  }
  return {parts, snapshot: partition.publish()};
}

const query = {
  report: 'counts',
  events: ['A'],
  fromMs: startMs,
  toMs: startMs + 86_399_999,
  interval: 'day',
  where: [{property: 'plan', op: 'ne', values: ['free']}],
  measure: 'sum',
  property: 'n',
} as const;
const ofWide = {...query, where: [...query.where, {property: 'order', op: 'contains', values: ['1']}]} as const;
const {measure: _, property: __, ...counted} = query;
const filtered = {...counted, where: [{property: 'plan', op: 'eq', values: ['team']}]} as const;

test('narrow columns are cached, without the wide ones, which are cached once they are asked for', async () => {
  const {parts, snapshot} = world();
  const cache = new PartsCache(parts, 1 << 24);
  const expected = async (asked: typeof query | typeof ofWide) =>
    new Evaluation(new PartsCache(parts, 64), 1 << 20).answer(asked, [snapshot]);
  const answers = [await expected(query), await expected(ofWide)];
  const readsOf = async (asked: typeof query | typeof ofWide | typeof filtered): Promise<number> => {
    parts.reads = 0;
    const answer = await new Evaluation(cache, 1 << 20).answer(asked, [snapshot]);
    if (asked !== filtered) expect(answer).toBe(answers[asked === query ? 0 : 1]);
    return parts.reads;
  };
  expect(await readsOf(query)).toBe(2 * chunkCount);
  expect(await readsOf(query)).toBe(0);
  expect(await readsOf(filtered)).toBe(0);
  const [{properties}] = snapshot.index.chunks as [(typeof snapshot.index.chunks)[number]];
  expect(cache.memory.peek(properties.key)).toBeUndefined();
  expect(cache.columnBytes(properties)).toBeLessThan(properties.bytes / 2);
  expect(await readsOf(ofWide)).toBe(chunkCount);
  expect(await readsOf(ofWide)).toBe(0);
  expect(await readsOf(query)).toBe(0);
  expect(cache.columnBytes(properties)).toBeGreaterThan(properties.bytes / 2);
});

test('what only bodies tell is read with all columns', async () => {
  const {parts, snapshot} = world();
  const nested = {...query, where: [{property: 'a.c', op: 'gte', values: ['0']}] as const};
  const cache = new PartsCache(parts, 1 << 24);
  for (let time = 0; time < 2; time++) {
    const answer = await new Evaluation(cache, 1 << 20).answer(nested, [snapshot]);
    expect((JSON.parse(answer) as {total: number}).total).toBe(chunkCount * Math.ceil(rowsOfChunk / 9));
  }
});

test('narrow columns are those of a part that is cached whole', async () => {
  const {parts, snapshot} = world();
  const cache = new PartsCache(parts, 1 << 24);
  const expected = await new Evaluation(new PartsCache(parts, 64), 1 << 20).answer(ofWide, [snapshot]);
  for (const chunk of snapshot.index.chunks) await cache.wholeRows.load(chunk);
  const [first] = snapshot.index.chunks as [(typeof snapshot.index.chunks)[number]];
  const columns = await cache.loadColumns(first.properties, (key) => key.length === 4);
  expect(columns.columns).toHaveLength(1); // `plan`
  expect(await new Evaluation(cache, 1 << 20).answer(ofWide, [snapshot])).toBe(expected);
  await cache.load(snapshot.index.chunks[1]!.properties); // Without a view, too.
  expect((await cache.loadColumns(snapshot.index.chunks[1]!.properties, () => true)).leftOut).toEqual([]);
});
