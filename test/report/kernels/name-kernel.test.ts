// Rows found by the kernel are those of its plain twin, and counts of a value out of them those of the events one by one: chunks of
// thousands of rows, with whatever makes rows odd (late, erased, told by bodies alone, numbers that a column is too narrow for).

import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Interval} from '../../../actors/calendar.js';
import {chunkRowsMax} from '../../../actors/limits.js';
import type {Json} from '../../../actors/log/json.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import type {RowFinder} from '../../../actors/report/rows/row-finder.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {Evaluation} from '../../../src/report/evaluate.js';
import {rowFinder} from '../../../src/report/kernels/name-kernel.js';
import type {PartitionSnapshot} from '../../../src/report/published/newest-snapshots.js';
import {runs} from '../../support/runs.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';
import {PlainRowFinder} from '../../twins/row-finder.js';

const hourMs = 3_600_000;
const rowCount = 2_500;

interface Told {
  readonly event: string;
  readonly timeMs: number;
  readonly properties: Readonly<Record<string, Json>>;
}

interface Chunk {
  readonly snapshot: PartitionSnapshot;
  readonly parts: PartsCache;
  /** Events of users who were not erased. */
  readonly told: readonly Told[];
}

/** One chunk: `plan` has few values, `order` is nearly unique (so that some have two codes), `note` is in bodies alone now and then, `late` rows come last. */
function chunkOf(random: () => number): Chunk {
  const values = new MemoryParts();
  const partition = new TestPartition(values);
  const all: (Told & {readonly user: string})[] = [];
  for (let row = 0; row < rowCount; row++) {
    const isLate = random() < 0.3;
    const properties: Record<string, Json> = {
      plan: ['free', 'team', 'business'][Math.floor(random() * 3)]!,
      order: `order-${row % 2_300}`,
      n: row % 7 === 0 ? row : String(row % 40),
      ...(random() < 0.2 ? {note: 'x'.repeat(200)} : random() < 0.5 ? {note: 'short'} : {}),
      ...(random() < 0.3 ? {a: {b: 1}} : {}),
    };
    const event = {
      user: `u${Math.floor(random() * 50)}`,
      event: `e${Math.floor(random() ** 2 * 6)}`,
      timeMs: 100 * hourMs + row * 1_000 - (isLate ? Math.floor(random() * 90 * hourMs) : 0),
      properties,
    };
    all.push(event);
    partition.append(event);
  }
  const isErased = random() < 0.5;
  if (isErased) partition.erase('u7');
  const snapshot = partition.publish();
  expect(snapshot.index.chunks.length).toBe(1);
  const told = all.filter(({user}) => !isErased || user !== 'u7');
  return {snapshot, parts: new PartsCache(values, 1 << 24), told};
}

const textIn = (properties: Told['properties'], path: string): string | undefined => {
  const value = path === 'a.b' ? (properties.a as {b?: Json} | undefined)?.b : properties[path];
  return value === undefined || typeof value === 'object' ? undefined : String(value);
};

const questions = fc.record({
  seed: fc.integer({min: 0, max: 5}),
  event: fc.integer({min: 0, max: 7}).map((name) => `e${name}`),
  /** Times of these rows, and as many ms beside them. */
  bounds: fc.tuple(fc.nat(rowCount - 1), fc.nat(rowCount - 1)),
  beside: fc.tuple(fc.constantFrom(-hourMs, -1, 0, 1, 500), fc.constantFrom(-500, -1, 0, 1, hourMs)),
  isWhole: fc.boolean(),
  interval: fc.constantFrom<Interval[]>('hour', 'day', 'week', 'month'),
  value: fc.constantFrom(
    ['plan', 'team'],
    ['plan', 'none'],
    ['order', 'order-77'],
    ['order', 'order-2400'],
    ['n', '14'],
    ['n', '3'],
    ['note', 'short'],
    ['note', 'x'.repeat(200)],
    ['a.b', '1'],
    ['plan.x', '1'],
    ['nothing', 'x'],
  ),
});

function seeded(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
}

const finders: readonly (readonly [string, RowFinder])[] = [
  ['kernel', rowFinder],
  ['plain twin', new PlainRowFinder()],
];

test.each(finders)('counts of a value by the %s are those of the events, one by one', async (_, finder) => {
  const chunks = [0, 1, 2, 3, 4, 5].map((seed) => chunkOf(seeded(seed)));
  let counted = 0;
  const property = fc.asyncProperty(questions, async ({seed, event, bounds, beside, isWhole, interval, value}) => {
    const {snapshot, parts, told} = chunks[seed]!;
    const [path, text] = value as [string, string];
    const times = bounds.map((row) => told[row % told.length]!.timeMs).sort((a, b) => a - b) as [number, number];
    const fromMs = isWhole ? 0 : times[0] + beside[0];
    const toMs = isWhole ? 200 * hourMs : Math.max(times[1] + beside[1], fromMs);
    const buckets = new Buckets(fromMs, toMs, interval);
    const counts = new Array<number>(buckets.count).fill(0);
    for (const {event: name, timeMs, properties} of told)
      if (name === event && timeMs >= fromMs && timeMs <= toMs && textIn(properties, path) === text)
        counts[buckets.indexOf(timeMs)]! += 1;
    const where = [{property: path, op: 'eq', values: [text]}] as const;
    const query = {report: 'counts', events: [event], interval, where, fromMs, toMs} as const;
    const answer = JSON.parse(await new Evaluation(parts, 1 << 20, {finder}).answer(query, [snapshot]));
    expect(answer.data.map(({count}: {count: number}) => count)).toEqual(counts);
    counted += answer.total;
  });
  await fc.assert(property, {seed: 8_123, numRuns: runs(300)});
  expect(counted).toBeGreaterThan(300);
});

/** Columns of up to a whole chunk, in which few numbers are frequent; of the widths that parts have. */
const columns = fc
  .record({
    count: fc.oneof(fc.integer({min: 0, max: 70}), fc.integer({min: 0, max: chunkRowsMax}), fc.constant(chunkRowsMax)),
    seed: fc.integer({min: 0, max: 1e6}),
    nameBytes: fc.constantFrom(1, 2, 4),
    distinct: fc.constantFrom(1, 2, 5, 300),
  })
  .map(({count, seed, nameBytes, distinct}) => {
    const random = seeded(seed);
    const highest = 2 ** (8 * nameBytes) - 1;
    // Some are as high as the column holds, and some differ in their upper byte alone.
    const number = (): number => {
      const drawn = Math.floor(random() * distinct);
      return Math.min(highest, random() < 0.1 ? highest - drawn : drawn * (random() < 0.5 ? 1 : 256));
    };
    const names = new (nameBytes === 1 ? Uint8Array : nameBytes === 2 ? Uint16Array : Uint32Array)(count);
    for (let row = 0; row < count; row++) names[row] = number();
    return names;
  });

/** Of one row, so that there is something to find, or any. */
const wanted = fc.oneof(
  fc.nat(chunkRowsMax).map((row) => ({row, name: 0})),
  fc.record({row: fc.constant(undefined), name: fc.nat(70_000)}),
);

test('the kernel finds what its plain twin finds, in columns of any width, one chunk after the other', () => {
  const plain = new PlainRowFinder();
  const property = fc.property(columns, fc.array(wanted, {minLength: 1, maxLength: 4}), (names, all) => {
    for (const {row, name} of all) {
      const n = row === undefined ? name : (names[row % names.length] ?? 0);
      const found = [...rowFinder.find(names, n)];
      expect(found).toEqual([...plain.find(names, n)]);
      expect(found).toEqual([...names.keys()].filter((at) => names[at] === n));
    }
  });
  fc.assert(property, {numRuns: runs(400)});
});
