// Columns that are held answer as their parts do, and the parts are not read again.
import {expect, test} from 'vitest';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {Evaluation} from '../../src/report/evaluate.js';
import {HeldColumns} from '../../src/report/held-columns.js';
import {derivedIn} from '../support/derived.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

const startMs = Date.UTC(2024, 1, 22);
const chunkCount = 3;

function world() {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    for (let row = 0; row < 500; row++) {
      const properties = {
        plan: ['free', 'team'][row % 2]!,
        n: row,
        order: `o${chunk}-${row}`,
        'a.b': 1,
        a: row % 9 === 0 ? {c: row} : 2,
      };
      partition.append({user: `u${row % 7}`, event: 'A', timeMs: startMs + chunk * 500 + row, properties});
    }
    partition.cutChunk();
  }
  return {parts, snapshot: partition.publish()};
}

const query = {
  report: 'measured',
  events: ['A'],
  isList: false,
  fromMs: startMs,
  toMs: startMs + 86_399_999,
  interval: 'day',
  where: [
    {property: 'plan', op: 'ne', values: ['free']},
    {property: 'order', op: 'contains', values: ['1']},
  ],
  userWhere: [],
  measure: 'sum',
  property: 'n',
} as const;

test.each([
  ['there is room', 1 << 24, chunkCount],
  ['there is none', 1_024, 2 * chunkCount],
])('where %s', async (_, roomBytes, readsAgain) => {
  const {parts, snapshot} = world();
  // Too small for any part.
  const cache = new PartsCache(parts, 64);
  const columns = new HeldColumns(derivedIn(new PartsCache(parts, roomBytes)));
  const expected = await new Evaluation(cache, 1 << 20).answer(query, [snapshot]);
  const ask = () => new Evaluation(cache, 1 << 20, {columns}).answer(query, [snapshot]);
  expect(await ask()).toBe(expected);
  parts.reads = 0;
  expect(await ask()).toBe(expected);
  expect(parts.reads).toBe(readsAgain);
});

test('what only bodies tell is read with all columns', async () => {
  const {parts, snapshot} = world();
  const cache = new PartsCache(parts, 64);
  const columns = new HeldColumns(derivedIn(new PartsCache(parts, 1 << 24)));
  const nested = {...query, where: [{property: 'a.c', op: 'gte', values: ['0']}] as const};
  const expected = await new Evaluation(cache, 1 << 20).answer(nested, [snapshot]);
  for (let time = 0; time < 2; time++)
    expect(await new Evaluation(cache, 1 << 20, {columns}).answer(nested, [snapshot])).toBe(expected);
  expect((JSON.parse(expected) as {total: number}).total).toBe(chunkCount * Math.ceil(500 / 9));
});
