// Which parts of chunks a report reads: rows alone, or their properties as well.
import {describe, expect, test} from 'vitest';
import type {PartRef} from '../../actors/manifest.js';
import type {ReportQuery} from '../../src/asks/report.js';
import {createLogger} from '../../src/observe.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {DamagedPart} from '../../src/parts/stored-parts.js';
import {DerivedIndexes} from '../../src/report/derived/derived-indexes.js';
import {PostingsIndex} from '../../src/report/derived/postings-index.js';
import {ValueIndex} from '../../src/report/derived/value-index.js';
import {Evaluation} from '../../src/report/evaluate.js';
import type {FastPaths} from '../../src/report/reading.js';
import {MemoryParts, TestPartition} from '../support/snapshot.js';

const hourMs = 3_600_000;
const chunks = 12;
const rowsOfChunk = 300;
const stepMs = 40_000;
const lastMs = chunks * rowsOfChunk * stepMs - 1;
const all = {fromMs: 0, toMs: lastMs};
const cut = {fromMs: 10 * 60_000, toMs: lastMs - 10 * 60_000};
const plan = [{property: 'plan', op: 'eq', values: ['team']}] as const;

interface World {
  readonly parts: MemoryParts;
  readonly cache: PartsCache;
  readonly chunks: readonly {readonly rows: PartRef; readonly properties: PartRef}[];
  readonly postings: PostingsIndex;
  readonly values: ValueIndex;
  ask(query: ReportQuery, paths?: FastPaths): Promise<string>;
  /** How many of these parts were read from the store, each as often as it was. */
  readsOf(part: 'rows' | 'properties'): number;
}

function newWorld(): World {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (let row = 0; row < chunks * rowsOfChunk; row++) {
    const properties = {plan: row % 3 === 0 ? 'team' : 'free', session: `s${row}`};
    partition.append({user: `u${row % 90}`, event: 'AB'[row % 2]!, timeMs: row * stepMs, properties});
    if (row % rowsOfChunk === rowsOfChunk - 1) partition.cutChunk();
  }
  const snapshot = partition.publish();
  const read: number[] = [];
  const values = {
    read: (revision: number) => {
      read.push(revision);
      return parts.read(revision);
    },
  };
  const cache = new PartsCache(values, 16 << 20);
  const derived = new DerivedIndexes(cache.memory, createLogger('silent', 'test'));
  const entries = snapshot.index.chunks;
  return {
    parts,
    cache,
    chunks: entries,
    postings: new PostingsIndex(cache, derived, 1),
    values: new ValueIndex(cache, derived, 1),
    ask: (query, paths) => new Evaluation(cache, 4 << 20, paths).answer(query, [snapshot]),
    readsOf: (part) => {
      const revisions = new Set(entries.flatMap((chunk) => chunk[part].revisions));
      return read.filter((revision) => revisions.has(revision)).length;
    },
  };
}

type Ask = (world: World) => Promise<string>;
const funnel: ReportQuery = {report: 'funnel', steps: [{event: 'A'}, {event: 'B'}], ...all};
const filtered: ReportQuery = {report: 'counts', events: ['A'], interval: 'day', where: plan, ...all};
const ofRows: readonly (readonly [string, number, Ask])[] = [
  ['a funnel that is scanned', chunks, ({ask}) => ask(funnel)],
  [
    'a funnel over postings',
    chunks,
    async ({ask, postings}) => {
      for (let times = 0; times < 2; times++) await ask(funnel, {postings});
      await postings.settled();
      return ask(funnel, {postings});
    },
  ],
  // The first and the last hour are cut, each in one chunk.
  ['a count cut inside hours', 2, ({ask}) => ask({report: 'counts', events: ['A'], interval: 'day', ...cut})],
  ['active users by hour', chunks, ({ask}) => ask({report: 'active', metric: 'wau', interval: 'hour', ...all})],
  ['active users of two cut days', chunks, ({ask}) => ask({report: 'active', metric: 'dau', interval: 'day', ...cut})],
];
const ofProperties: readonly (readonly [string, Ask])[] = [
  ['a count with a filter', ({ask}) => ask(filtered)],
  [
    'cells of property values',
    async ({ask, values}) => {
      for (let times = 0; times < 2; times++) await ask(filtered, {values});
      await values.settled();
      return ask(filtered, {values});
    },
  ],
];

describe('properties', () => {
  test.each(ofRows)('%s does not read them', async (_, rowsRead, ask) => {
    const world = newWorld();
    const answer = await ask(world);
    expect([world.readsOf('rows'), world.readsOf('properties')]).toEqual([rowsRead, 0]);
    for (const {properties} of world.chunks) {
      expect(world.cache.memory.peek(properties.key)).toBeUndefined();
      world.parts.damage(properties);
    }
    expect(await ask(world)).toBe(answer);
  });

  test.each(ofProperties)('%s read them beside the rows, each once', async (_, ask) => {
    const world = newWorld();
    await ask(world);
    expect([world.readsOf('rows'), world.readsOf('properties')]).toEqual([chunks, chunks]);
  });

  test('that are damaged fail a filter, and nothing else', async () => {
    const world = newWorld();
    const answers = await Promise.all(ofRows.map(([, , ask]) => ask(world)));
    const other = newWorld();
    other.parts.damage(other.chunks[chunks / 2]!.properties);
    expect(await Promise.all(ofRows.map(([, , ask]) => ask(other)))).toEqual(answers);
    await expect(other.ask(filtered)).rejects.toThrow(DamagedPart);
    const beforeIt = {...filtered, toMs: (chunks / 2) * rowsOfChunk * stepMs - 1};
    expect(await other.ask(beforeIt)).toBe(await world.ask(beforeIt));
  });
});

test('filters fail where rows are damaged', async () => {
  const world = newWorld();
  world.parts.damage(world.chunks[0]!.rows);
  await expect(world.ask(filtered)).rejects.toThrow(DamagedPart);
  await expect(world.ask(funnel)).rejects.toThrow(DamagedPart);
  await expect(world.ask({...funnel, fromMs: hourMs * 12})).resolves.toContain('steps');
});
