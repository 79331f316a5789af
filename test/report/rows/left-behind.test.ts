// What answers leave behind for questions that come again: postings, times and numbers of chosen events, users by bucket as
// events and as sets. Later answers equal those of a scan, follow snapshots, and read no part.
import {describe, expect, test} from 'vitest';
import type {ReportQuery} from '../../../src/asks/report.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {MissingPart} from '../../../src/parts/stored-parts.js';
import {ChosenNumbers} from '../../../src/report/derived/chosen-numbers.js';
import type {DerivedIndexes} from '../../../src/report/derived/derived-indexes.js';
import {HeldBuckets} from '../../../src/report/derived/held-buckets.js';
import {PostingsIndex} from '../../../src/report/derived/postings-index.js';
import {Evaluation} from '../../../src/report/evaluate.js';
import type {PartitionSnapshot} from '../../../src/report/published/newest-snapshots.js';
import type {FastPaths} from '../../../src/report/reading.js';
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
  readonly paths: FastPaths & {readonly postings: PostingsIndex};
  private readonly gatheredBytesMax: number;
  private rows = 0;

  constructor(gatheredBytesMax = 4 * mib, roomBytes = 64 * mib) {
    this.gatheredBytesMax = gatheredBytesMax;
    this.parts = new PartsCache(this.values, roomBytes);
    const derived = derivedIn(this.parts);
    this.derived = derived;
    this.paths = {
      postings: new PostingsIndex(this.parts, derived, 1),
      numbers: new ChosenNumbers(derived, 1),
      daySets: true,
      sets: new HeldBuckets(derived, 1),
    };
  }

  grow(chunks: number): this {
    for (let i = 0; i < chunks * chunkRows; i++) {
      const row = this.rows++;
      const draw = Math.imul(row, 2_654_435_761) >>> 8;
      const properties = {
        plan: ['free', 'team', 'pro'][draw % 3]!,
        ...(draw % 11 === 0 ? {} : {n: draw % 40}),
        whole: draw % 300,
        signed: (draw % 30) - 4,
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
    await this.paths.postings.settled();
    return reads;
  }
}

// By `eq` alone, cells of values would answer.
const ofTeams = [{property: 'plan', op: 'in', values: ['team']}] as const;
const measured = {report: 'counts', events: ['A'], interval: 'day'} as const;
const {events: _, ...ofAnyEvent} = measured;
const funnel = {
  report: 'funnel',
  steps: [{event: 'A'}, {event: 'A', where: ofTeams}, {event: 'C', where: [{property: 'n', op: 'unset', values: []}]}],
  order: 'sequential',
  histogram: 'decimal',
} as const;

type Ask = (range: {fromMs: number; toMs: number}) => ReportQuery;
/** `cutReads`: parts of a bucket that the range cuts, which are read again. */
const questions: readonly (readonly [string, Ask, cutReads?: number])[] = [
  ['a funnel with conditions and a window', (range) => ({...funnel, windowMs: 30 * hourMs, ...range})],
  ['counts of any event by hour', (range) => ({...ofAnyEvent, where: ofTeams, interval: 'hour', ...range})],
  ['users by day', (range) => ({...measured, measure: 'users', ...range}), 4],
  ['a sum', (range) => ({...measured, measure: 'sum', property: 'n', ...range})],
  ['a maximum with a condition', (range) => ({...measured, measure: 'max', property: 'n', where: ofTeams, ...range})],
  ['a percentile', (range) => ({...measured, measure: 'p90', property: 'price', ...range})],
  [
    'a breakdown by a number',
    (range) => ({...measured, breakdown: [{by: 'property', name: 'signed', limit: 7}], ...range}),
  ],
];

describe.each(questions.map(([name, ask, cutReads = 0]) => [name, ask, cutReads] as const))(
  '%s',
  (_, question, cutReads) => {
    test('is answered from what earlier answers left behind, whatever the range, and as snapshots grow', async () => {
      const world = new World().grow(12);
      const snapshot = world.partition.publish();
      const whole = {fromMs: 0, toMs: world.lastMs};
      expect(await world.ask(snapshot, question(whole))).toBeGreaterThanOrEqual(12);
      await world.ask(snapshot, question({...whole, fromMs: 1}));
      expect(await world.ask(snapshot, question({...whole, fromMs: 2}))).toBe(0);
      expect(await world.ask(snapshot, question({...whole, fromMs: 1_000 * hourMs + 1}))).toBeLessThanOrEqual(cutReads);
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
  },
);

const dayMs = 24 * hourMs;
const startOf = (timeMs: number): number => Math.floor(timeMs / dayMs) * dayMs;
/** Ends of days after the last one with `toMs`. */
const daysAfter = (toMs: number, count: number): number[] =>
  Array.from({length: count}, (_, day) => startOf(toMs) + (day + 2) * dayMs);
/** Days of Kolkata that touch the range. */
function kolkataDays({fromMs, toMs}: {fromMs: number; toMs: number}) {
  const shiftMs = 5.5 * hourMs;
  const edges = [startOf(fromMs + shiftMs) - shiftMs];
  while (edges.at(-1)! <= toMs) edges.push(edges.at(-1)! + dayMs);
  return {buckets: {edges, labels: edges.slice(1).map(String)}, zone: {name: 'Asia/Kolkata'}};
}

const engaged = {interval: 'day', did: {}} as const;
const returning = {
  report: 'retention',
  interval: 'day',
  start: {event: 'A'},
  return: {},
  cohort: 'recurring',
  criteria: 'on',
  frame: 'calendar',
  periods: 5,
} as const;
const ofDays = ({fromMs, toMs}: {fromMs: number; toMs: number}) => ({
  fromMs: startOf(fromMs),
  beforeMs: startOf(fromMs) - dayMs,
  toMs,
});

/** `grow`: whether sets grow by the rows of new chunks alone. */
const ofSets: readonly (readonly [string, {grow: boolean}, Ask])[] = [
  [
    'lifecycle of some users and events',
    {grow: true},
    (range) => ({
      report: 'lifecycle',
      ...engaged,
      did: {event: 'B', where: ofTeams},
      users: {where: [{property: 'plan', op: 'eq', values: ['pro']}], did: []},
      ...ofDays(range),
    }),
  ],
  [
    'stickiness by days of Kolkata',
    {grow: true},
    (range) => ({report: 'stickiness', ...engaged, isAtLeast: true, ...range, ...kolkataDays(range)}),
  ],
  [
    'monthly active users of an event by day',
    {grow: true},
    (range) => ({report: 'active', metric: 'mau', ...engaged, did: {event: 'A', where: ofTeams}, ...range}),
  ],
  [
    'weekly active users by days of Kolkata',
    {grow: true},
    (range) => ({report: 'active', metric: 'wau', ...engaged, ...range, ...kolkataDays(range)}),
  ],
  [
    'monthly active users by the hour',
    {grow: true},
    (range) => ({report: 'active', metric: 'mau', interval: 'hour', ...range}),
  ],
  ['retention', {grow: false}, (range) => ({...returning, ...range, laterEnds: daysAfter(range.toMs, 4)})],
];

describe.each(ofSets)('%s', (_, {grow}, question) => {
  const chunks = 12;
  /** Some users have a trait. */
  const identified = (world: World): World => {
    for (const [i, plan] of ['pro', 'team', 'pro', 'free'].entries()) world.partition.identify(`u${7 * i + 1}`, {plan});
    return world;
  };
  const asked = question({fromMs: 0, toMs: 1});
  const areFiltered = 'users' in asked;
  /** Blocks of users with traits, which each answer reads. */
  const traitReads = ({index}: PartitionSnapshot): number =>
    areFiltered ? index.userRuns.reduce((sum, {blocks}) => sum + blocks.length, 0) : 0;

  test('is answered from sets of users of earlier answers, and as snapshots grow', async () => {
    const world = identified(new World()).grow(chunks);
    const snapshot = world.partition.publish();
    const whole = {fromMs: 0, toMs: world.lastMs};
    const readsOf = async (asked: PartitionSnapshot, range: {fromMs: number; toMs: number}): Promise<number> =>
      (await world.ask(asked, question(range))) - traitReads(asked);
    for (let i = 0; i < 2; i++) expect(await readsOf(snapshot, {...whole, fromMs: i})).toBeGreaterThanOrEqual(chunks);
    expect(await readsOf(snapshot, {...whole, fromMs: 2})).toBe(0);
    for (const [fromHour, toHour] of [
      [1_010, 1_130],
      [1_008, 1_056],
      [1_009, 1_009.5],
    ] as const)
      await readsOf(snapshot, {fromMs: fromHour * hourMs + 17, toMs: toHour * hourMs + 4_711});

    const all = await readsOf(snapshot, {...whole, fromMs: 3});
    expect(all).toBe(0); // Other ranges have not replaced it.
    const grown = world.grow(3).partition.publish();
    const longer = {fromMs: 0, toMs: world.lastMs};
    const reads = await readsOf(grown, longer);
    expect(reads).toBeGreaterThanOrEqual(3);
    if (grow) expect(reads).toBeLessThanOrEqual(3 * 2);
    expect(await readsOf(grown, {...longer, fromMs: 1})).toBe(0);
    const erased = world.partition.erase('u7').publish();
    expect(await readsOf(erased, longer)).toBeGreaterThan(0);
    expect(await readsOf(erased, {...longer, fromMs: 1})).toBe(0);
    expect(await readsOf(grown, {...longer, fromMs: 2})).toBeGreaterThan(0); // Other rows.
  });

  test('equals a scan where nothing can be left behind, in several passes', async () => {
    const world = identified(new World(64, 1_024)).grow(3);
    const snapshot = world.partition.publish();
    for (let i = 0; i < 3; i++) await world.ask(snapshot, question({fromMs: i, toMs: world.lastMs}));
    expect(world.derived.bytes).toBeLessThanOrEqual(1_024);
  });
});

test('any event by whole UTC days is answered from day sets', async () => {
  const world = new World().grow(12);
  const snapshot = world.partition.publish();
  const [fromMs, toMs] = [1_008 * hourMs, 1_104 * hourMs - 1];
  const asked = (range: {fromMs: number; toMs: number}): ReportQuery[] => [
    {report: 'lifecycle', ...engaged, ...ofDays(range)},
    {report: 'stickiness', ...engaged, isAtLeast: false, ...range},
    {report: 'active', metric: 'wau', ...engaged, ...range},
  ];
  const latest = world.partition.erase('u7').publish();
  for (const one of [snapshot, latest])
    for (const query of asked({fromMs, toMs})) expect(await world.ask(one, query)).toBeLessThan(5);
  // The second answer leaves the sets behind. Those of days without new rows stay.
  for (const query of asked({fromMs, toMs})) {
    await world.ask(latest, query);
    expect(await world.ask(latest, query)).toBe(0);
  }
  const grown = world.grow(3).partition.publish();
  for (const query of asked({fromMs, toMs})) expect(await world.ask(grown, query)).toBeLessThan(5);
  // Days that the range cuts take rows.
  for (const query of asked({fromMs, toMs: toMs - hourMs})) expect(await world.ask(latest, query)).toBeGreaterThan(5);
});

test('day sets that cannot be read fail the questions about their days, and no others', async () => {
  const values = new MemoryParts();
  const partition = new TestPartition(values);
  for (let day = 100; day < 160; day++) partition.append({user: `u${day % 7}`, event: 'seen', timeMs: day * dayMs});
  const snapshot = partition.cutRun(10).publish();
  values.sweep(snapshot.index.windowRuns[0]!.blocks[3]!.part); // Days 130 to 139.
  const evaluation = new Evaluation(new PartsCache(values, mib), mib, {daySets: true});
  const ask = (first: number, last: number) => {
    const range = {fromMs: first * dayMs, toMs: (last + 1) * dayMs - 1};
    return evaluation.answer({report: 'active', metric: 'dau', interval: 'day', ...range}, [snapshot]);
  };
  expect(JSON.parse(await ask(140, 159))).toMatchObject({total: 7});
  await expect(ask(139, 159)).rejects.toBeInstanceOf(MissingPart);
});

describe('are always scanned', () => {
  const more = [{property: 'n', op: 'gt', values: ['7']}] as const;
  test.each([
    ['comparisons of numbers, which count what they skip', {...measured, where: more}],
    ['values that are not all numbers', {...measured, measure: 'sum', property: 'mixed'}],
    ['a funnel in strict order', {...funnel, order: 'strict'}],
    ['retention by periods that roll', {...returning, frame: 'rolling', laterEnds: []}],
    [
      'retention with a breakdown',
      {...returning, periods: 1, laterEnds: [], breakdown: [{by: 'property', name: 'plan', limit: 2}]},
    ],
    ['stickiness of a comparison', {report: 'stickiness', ...engaged, isAtLeast: false, did: {where: more}}],
  ] as const)('%s', async (_, query) => {
    const world = new World().grow(4);
    const snapshot = world.partition.publish();
    for (let i = 0; i < 4; i++)
      expect(await world.ask(snapshot, {...query, fromMs: i, toMs: world.lastMs})).toBeGreaterThan(3);
  });
});
