// What answers leave behind for questions that come again: postings and numbers of chosen events, users by bucket. Later answers
// equal those of a scan, follow snapshots, and read no part.
import {describe, expect, test} from 'vitest';
import type {ReportQuery} from '../../../src/asks/report.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {HeldBuckets} from '../../../src/report/active/held-buckets.js';
import type {DerivedIndexes} from '../../../src/report/derived-indexes.js';
import {Evaluation, type FastPaths} from '../../../src/report/evaluate.js';
import {FunnelIndex} from '../../../src/report/funnel/funnel-index.js';
import type {PartitionSnapshot} from '../../../src/report/published/newest-snapshots.js';
import {ChosenNumbers} from '../../../src/report/rows/chosen-numbers.js';
import {ChosenPostings} from '../../../src/report/rows/chosen-postings.js';
import {derivedIn} from '../../support/derived.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';

const mib = 1 << 20;
const hourMs = 3_600_000;
const stepMs = 97_000;
const chunkRows = 500;

class World {
  readonly values = new MemoryParts();
  readonly partition = new TestPartition(this.values);
  readonly parts: PartsCache;
  readonly derived: DerivedIndexes;
  readonly paths: FastPaths & {readonly funnels: FunnelIndex};
  private readonly gatheredBytesMax: number;
  private rows = 0;

  constructor(gatheredBytesMax = 4 * mib, roomBytes = 64 * mib) {
    this.gatheredBytesMax = gatheredBytesMax;
    this.parts = new PartsCache(this.values, roomBytes);
    const derived = derivedIn(this.parts);
    this.derived = derived;
    this.paths = {
      funnels: new FunnelIndex(this.parts, derived),
      chosen: new ChosenPostings(derived, 1),
      numbers: new ChosenNumbers(derived, 1),
      buckets: new HeldBuckets(derived, 1),
    };
  }

  grow(chunks: number): this {
    for (let i = 0; i < chunks * chunkRows; i++) {
      const row = this.rows++;
      const draw = Math.imul(row, 2_654_435_761) >>> 8;
      const properties = {
        plan: ['free', 'team', 'pro'][draw % 3]!,
        ...(draw % 11 === 0 ? {} : {n: draw % 40}),
        price: (draw % 700) / 8,
        ...(row % 900 === 0 ? {mixed: 'many'} : {mixed: draw % 5}),
      };
      const lateMs = draw % 50 === 0 ? 40 * hourMs : 0;
      const timeMs = 1_000 * hourMs + row * stepMs - lateMs;
      this.partition.append({user: `u${draw % 61}`, event: 'AABC'[draw % 4]!, timeMs, properties});
      if (row % chunkRows === chunkRows - 1) this.partition.cutChunk();
    }
    return this;
  }

  get lastMs(): number {
    return 1_000 * hourMs + this.rows * stepMs;
  }

  /** Reads of parts that the answer took. It equals that of a scan. */
  async ask(snapshot: PartitionSnapshot, query: ReportQuery): Promise<number> {
    const plain = new Evaluation(new PartsCache(this.values, 64 * mib), 4 * mib);
    const expected = await plain.answer(query, [snapshot]);
    const lent = this.parts.memory.bytesMax; // Nothing is cached, and nothing will be.
    this.parts.memory.lend(lent);
    this.values.reads = 0;
    const evaluation = new Evaluation(this.parts, this.gatheredBytesMax, this.paths);
    expect(await evaluation.answer(query, [snapshot])).toBe(expected);
    const {reads} = this.values;
    this.parts.memory.lend(-lent);
    await this.paths.funnels.settled();
    return reads;
  }
}

const ofTeams = [{property: 'plan', op: 'eq', values: ['team']}] as const;
const measured = {report: 'measured', events: ['A'], isList: false, interval: 'day', where: [], userWhere: []} as const;
const funnel = {
  report: 'walked-funnel',
  steps: [
    {event: 'A', where: []},
    {event: 'A', where: ofTeams},
    {event: 'C', where: [{property: 'n', op: 'unset', values: []}]},
  ],
  order: 'sequential',
  range: 'all',
  where: [],
  userWhere: [],
  exclusions: [],
  breakdownAt: 1,
  hasHistogram: true,
} as const;

type Ask = (range: {fromMs: number; toMs: number}) => ReportQuery;
const questions: readonly (readonly [string, Ask])[] = [
  ['a funnel with conditions', (range) => ({...funnel, ...range})],
  ['a funnel with conditions and a window', (range) => ({...funnel, windowMs: 30 * hourMs, ...range})],
  ['counts with conditions', (range) => ({...measured, where: ofTeams, ...range})],
  ['users by day', (range) => ({...measured, measure: 'users', ...range})],
  [
    'users with a condition by week',
    (range) => ({...measured, measure: 'users', where: ofTeams, interval: 'week', ...range}),
  ],
  ['a sum', (range) => ({...measured, measure: 'sum', property: 'n', ...range})],
  ['an average of doubles', (range) => ({...measured, measure: 'avg', property: 'price', ...range})],
  ['a maximum with a condition', (range) => ({...measured, measure: 'max', property: 'n', where: ofTeams, ...range})],
  ['a percentile', (range) => ({...measured, measure: 'p90', property: 'price', ...range})],
  ['a percentile of integers', (range) => ({...measured, measure: 'p50', property: 'n', interval: 'month', ...range})],
  ['a breakdown by a number', (range) => ({...measured, breakdown: {by: 'property', name: 'n', limit: 7}, ...range})],
];

describe.each(questions)('%s', (_, question) => {
  test('is answered from what earlier answers left behind, whatever the range, and as snapshots grow', async () => {
    const world = new World().grow(12);
    const snapshot = world.partition.publish();
    const whole = {fromMs: 0, toMs: world.lastMs};
    expect(await world.ask(snapshot, question(whole))).toBeGreaterThanOrEqual(12);
    await world.ask(snapshot, question({...whole, fromMs: 1}));
    for (const fromMs of [2, 1_000 * hourMs + 1])
      expect(await world.ask(snapshot, question({...whole, fromMs}))).toBe(0);
    const cut = {fromMs: 1_010 * hourMs + 17, toMs: 1_130 * hourMs + 4_711};
    expect(await world.ask(snapshot, question(cut))).toBeLessThanOrEqual(2 * 12);

    const grown = world.grow(3).partition.publish();
    const longer = {fromMs: 0, toMs: world.lastMs};
    for (let i = 0; i < 2; i++) await world.ask(grown, question({...longer, fromMs: i}));
    expect(await world.ask(grown, question({...longer, fromMs: 2}))).toBe(0);
    const erased = world.partition.erase('u7').publish();
    for (let i = 3; i < 5; i++) await world.ask(erased, question({...longer, fromMs: i}));
    expect(await world.ask(erased, question({...longer, fromMs: 5}))).toBe(0);
    expect(await world.ask(grown, question({...longer, fromMs: 6}))).toBeGreaterThan(0); // Other rows.
  });

  test('equals a scan where nothing can be left behind', async () => {
    const world = new World(64 * 1_024, 1_024).grow(3);
    const snapshot = world.partition.publish();
    for (let i = 0; i < 4; i++) {
      await world.ask(snapshot, question({fromMs: i, toMs: world.lastMs}));
      expect(world.derived.bytes).toBeLessThanOrEqual(1_024);
    }
  });
});

describe('are always scanned', () => {
  const more = [{property: 'n', op: 'gt', values: ['7']}] as const;
  test.each([
    ['comparisons of numbers, which count what they skip', {...measured, where: more}],
    ['values that are not all numbers', {...measured, measure: 'sum', property: 'mixed'}],
    ['a funnel in strict order', {...funnel, order: 'strict'}],
  ] as const)('%s', async (_, query) => {
    const world = new World().grow(4);
    const snapshot = world.partition.publish();
    for (let i = 0; i < 4; i++)
      expect(await world.ask(snapshot, {...query, fromMs: i, toMs: world.lastMs})).toBeGreaterThan(3);
  });
});
