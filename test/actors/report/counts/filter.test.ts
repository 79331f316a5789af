import {describe, expect, test} from 'vitest';
import {chunkColumnsMax} from '../../../../actors/limits.js';
import type {Json} from '../../../../actors/log/json.js';
import {PartsCache} from '../../../../src/parts/parts-cache.js';
import {Evaluation} from '../../../../src/report/evaluate.js';
import type {PartitionSnapshot} from '../../../../src/report/published/newest-snapshots.js';
import {MemoryParts, TestPartition} from '../../../support/snapshot.js';

type Properties = {readonly [key: string]: Json};

const long = 'x'.repeat(1_000);
/** So many other keys that a chunk whose first event has them keeps no column for any later key. */
const manyKeys: Properties = Object.fromEntries(Array.from({length: chunkColumnsMax}, (_, i) => [`key${i}`, i]));

async function countOf(snapshot: PartitionSnapshot, parts: MemoryParts, filter: string): Promise<number> {
  const split = filter.indexOf('=');
  const answer = await new Evaluation(new PartsCache(parts, 1 << 20), 1 << 20).answer(
    {
      report: 'counts',
      events: ['A'],
      fromMs: 0,
      toMs: 86_400_000 - 1,
      interval: 'day',
      where: [{property: filter.slice(0, split), op: 'eq', values: [filter.slice(split + 1)]}],
    },
    [snapshot],
  );
  return (JSON.parse(answer) as {total: number}).total;
}

const matrix: readonly (readonly [Properties, filter: string, matches: boolean])[] = [
  [{plan: 'pro'}, 'plan=pro', true],
  [{plan: 'Pro'}, 'plan=pro', false],
  [{plan: 'pro'}, 'plan=', false],
  [{plan: ''}, 'plan=', true],
  [{}, 'plan=', false],
  [{plan: 'a=b'}, 'plan=a=b', true],
  [{plan: 'ñandú 🐦'}, 'plan=ñandú 🐦', true],
  [{ñ: 'x'}, 'ñ=x', true],
  [{n: 1}, 'n=1', true],
  [{n: 1}, 'n=1.0', false],
  [{n: '1.0'}, 'n=1.0', true],
  [{n: '1'}, 'n=1', true],
  [{n: 0.1}, 'n=0.1', true],
  [{n: -2_147_483_648}, 'n=-2147483648', true],
  [{n: 2_147_483_648}, 'n=2147483648', true],
  [{n: 1e21}, 'n=1e+21', true],
  [{n: 1e21}, 'n=1e21', false],
  [{n: 1e-7}, 'n=1e-7', true],
  [{n: -0}, 'n=0', true],
  [{n: -0}, 'n=-0', false],
  [{n: 0}, 'n=', false],
  [{b: true}, 'b=true', true],
  [{b: 'true'}, 'b=true', true],
  [{b: false}, 'b=false', true],
  [{b: true}, 'b=1', false],
  [{v: null}, 'v=null', false],
  [{v: null}, 'v=', false],
  [{v: 'null'}, 'v=null', true],
  [{v: [1]}, 'v=1', false],
  [{v: {a: 1}}, 'v=[object Object]', false],
  [{v: {a: 1}}, 'v={"a":1}', false],
  [{v: {a: 1}}, 'v.a=1', true],
  [{v: {a: {b: 'deep'}}}, 'v.a.b=deep', true],
  [{v: {a: {b: 'deep'}}}, 'v.a=deep', false],
  [{v: {a: [1]}}, 'v.a.0=1', false],
  [{v: [{a: 1}]}, 'v.0.a=1', false],
  [{v: 'text'}, 'v.length=4', false],
  [{v: {}}, 'v.constructor=x', false],
  [{v: {a: null}}, 'v.a=null', false],
  [{v: {a: -0}}, 'v.a=0', true],
  [{v: {'': 'x'}}, 'v.=x', true],
  [{'v.a': 1}, 'v.a=1', true],
  [{'v.a': 1, v: {a: 2}}, 'v.a=1', true],
  [{'v.a': 1, v: {a: 2}}, 'v.a=2', false],
  [{v: {a: 2}, 'v.a': 1}, 'v.a=2', false],
  [{'v.a': null, v: {a: 2}}, 'v.a=2', false],
  [{'v.a': {b: 1}}, 'v.a.b=1', false],
  [{text: long}, `text=${long}`, true],
  [{text: `${long}y`}, `text=${long}`, false],
  [{v: {text: long}}, `v.text=${long}`, true],
  [{'v.a': long, v: {a: 2}}, 'v.a=2', false],
];

// Names into the context: context-members.test.ts.
describe('property filter', () => {
  test.each(matrix)('%j by %s: %s, past the columns of its chunk, too', async (properties, filter, matches) => {
    for (const neighbour of [{}, manyKeys]) {
      const parts = new MemoryParts();
      const partition = new TestPartition(parts).append(
        {user: 'ada', event: 'other', timeMs: 0, properties: neighbour},
        {user: 'ada', event: 'A', timeMs: 0, properties},
        {user: 'ada', event: 'other', timeMs: 0, properties},
      );
      expect(await countOf(partition.publish(), parts, filter)).toBe(matches ? 1 : 0);
    }
  });

  test('a path whose first key has no column is found, also where the literal key has one', async () => {
    const parts = new MemoryParts();
    const partition = new TestPartition(parts).append(
      {user: 'ada', event: 'other', timeMs: 0, properties: {'v.a': 0, ...manyKeys}},
      {user: 'ada', event: 'A', timeMs: 0, properties: {v: {a: 1}}},
      {user: 'ada', event: 'A', timeMs: 0, properties: {'v.a': 2, v: {a: 1}}},
    );
    const snapshot = partition.publish();
    expect(await countOf(snapshot, parts, 'v.a=1')).toBe(1);
    expect(await countOf(snapshot, parts, 'v.a=2')).toBe(1);
  });

  test('rows of many body blocks are decided by their own bodies', async () => {
    const parts = new MemoryParts();
    const partition = new TestPartition(parts);
    for (let i = 0; i < 1_500; i++) {
      const properties = {...(i === 0 ? manyKeys : {}), text: i % 7 === 3 ? long : `${long}${i}`};
      partition.append({
        user: `user ${i % 10}`,
        event: i % 2 === 0 ? 'A' : 'B',
        timeMs: (1_500 - i) * 1_000,
        properties,
      });
    }
    const expected = Array.from({length: 1_500}, (_, i) => i).filter((i) => i % 2 === 0 && i % 7 === 3).length;
    expect(await countOf(partition.publish(), parts, `text=${long}`)).toBe(expected);
  });
});
