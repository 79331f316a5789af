// Names that lead into the context: columns, bodies and parts give what a plain reading of the events gives.
import {expect, test} from 'vitest';
import {chunkColumnsMax} from '../../../../actors/limits.js';
import {contextMembers} from '../../../../actors/log/context.js';
import type {Json} from '../../../../actors/log/json.js';
import {PartsCache} from '../../../../src/parts/parts-cache.js';
import {Evaluation} from '../../../../src/report/evaluate.js';
import {Random} from '../../../../tools/random.js';
import {otherPaths, randomContext} from '../../../support/random-context.js';
import {runs} from '../../../support/runs.js';
import {MemoryParts, type TestEvent, TestPartition} from '../../../support/snapshot.js';

const range = {fromMs: 0, toMs: 86_400_000 - 1, interval: 'day'} as const;
const manyKeys = Object.fromEntries(Array.from({length: chunkColumnsMax}, (_, i) => [`key${i}`, i]));

/** docs/api/reports/README.md, Conditions: a literal key wins, then the property `context`, then the event's context. */
function plainValue({properties = {}, context}: TestEvent, name: string): Json | undefined {
  if (Object.hasOwn(properties, name)) return properties[name];
  const [head = '', ...path] = name.split('.');
  let value: Json | undefined = Object.hasOwn(properties, head)
    ? properties[head]
    : head === 'context'
      ? context
      : undefined;
  for (const key of path) {
    if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, key))
      return undefined;
    value = value[key];
  }
  return value;
}

const isScalar = (value: Json | undefined): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const rowOf = (value: Json | undefined): string =>
  value === undefined ? 'missing' : value === null ? 'null' : isScalar(value) ? `=${value}` : 'not_scalar';

function propertiesOf(random: Random, isWide: boolean): TestEvent['properties'] {
  if (isWide && random.chance(0.1)) return manyKeys;
  return random.pick<() => TestEvent['properties']>([
    () => undefined,
    () => ({plan: 'pro'}),
    () => (random.chance(0.1) ? {context: random.pick<Json>(['own', {page: {path: 'v1'}}, {bot: 1}])} : {n: 1}),
    () => (random.chance(0.1) ? {'context.page.path': 'v2', 'context.app.name': 'v1'} : {}),
  ])();
}

interface Answer {
  readonly breakdown: {readonly rows: {readonly value?: string; readonly kind?: string; readonly total: number}[]};
}

test('filters and breakdowns by any name into the context', async () => {
  const random = new Random(7);
  const names = [...contextMembers, ...otherPaths].map((path) => `context.${path}`);
  for (let left = runs(18); left > 0; left--) {
    const parts = new MemoryParts();
    const partition = new TestPartition(parts);
    const [isWide, isPlain] = [random.chance(0.3), random.chance(0.4)];
    const events = Array.from({length: random.between(1, 300)}, (_, i): TestEvent => {
      const properties = isPlain ? {i} : propertiesOf(random, isWide);
      return {
        user: `u${i % 5}`,
        event: random.chance(0.8) ? 'A' : 'B',
        timeMs: i,
        ...(properties === undefined ? {} : {properties}),
        ...(random.chance(0.8) ? {context: randomContext(random)} : {}),
      };
    });
    for (const event of events) {
      partition.append(event);
      if (random.chance(0.01)) partition.cutChunk();
    }
    const snapshot = partition.publish();
    const asked = events.filter(({event}) => event === 'A');
    const evaluation = new Evaluation(new PartsCache(parts, 8 << 20), 1 << 20);
    for (const name of names) {
      const value = random.pick(['v0', 'v1', '1', 'true']);
      const filtered = {
        report: 'counts',
        events: ['A'],
        ...range,
        where: [{property: name, op: 'eq', values: [value]}],
      } as const;
      const {total} = JSON.parse(await evaluation.answer(filtered, [snapshot])) as {total: number};
      const passing = asked.filter((event) => rowOf(plainValue(event, name)) === `=${value}`);
      expect([name, value, total]).toEqual([name, value, passing.length]);
      const counted = {
        report: 'counts',
        events: ['A'],
        breakdown: [{by: 'property', name, limit: 1_000}],
        ...range,
      } as const;
      const {breakdown} = JSON.parse(await evaluation.answer(counted, [snapshot])) as Answer;
      const found = breakdown.rows.map((row) => [row.kind ?? `=${row.value}`, row.total] as const);
      const expected: Record<string, number> = {};
      for (const event of asked) {
        const row = rowOf(plainValue(event, name));
        expected[row] = (expected[row] ?? 0) + 1;
      }
      expect([name, Object.fromEntries(found)]).toEqual([name, expected]);
    }
  }
});
