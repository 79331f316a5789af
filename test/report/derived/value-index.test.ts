// Filtered counts by cells equal those by the scan: whatever makes rows odd, through growth, erasures and lost cells.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {wtf8} from '../../../actors/bytes/bytes.js';
import type {Interval} from '../../../actors/calendar.js';
import {rowsOfUsers} from '../../../actors/chunk/left-rows.js';
import {countedWithout} from '../../../actors/identity/snapshot-set.js';
import type {Json} from '../../../actors/log/json.js';
import type {BucketedRange} from '../../../actors/report/counts/buckets.js';
import type {Stretch} from '../../../actors/report/selection.js';
import {UserSet} from '../../../actors/table/user-set.js';
import type {ReportQuery} from '../../../src/asks/report.js';
import {localBuckets} from '../../../src/edge/query/local-buckets.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import type {DerivedIndexes} from '../../../src/report/derived/derived-indexes.js';
import {type CoveredChunks, ValueIndex} from '../../../src/report/derived/value-index.js';
import {Evaluation} from '../../../src/report/evaluate.js';
import type {PartitionSnapshot} from '../../../src/report/published/newest-snapshots.js';
import {zoneOf} from '../../../src/zone.js';
import {derivedIn} from '../../support/derived.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';

const mib = 1 << 20;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const chunkRows = 200;

interface Question extends BucketedRange {
  readonly filter: readonly [property: string, value: string];
  readonly event: string;
}

const everything: Question = {
  filter: ['plan', 'team'],
  event: 'A',
  fromMs: 0,
  toMs: 5_000 * hourMs - 1,
  interval: 'day',
};

const always: Stretch = {startMs: 0, lastMs: everything.toMs};

const queryOf = ({filter: [property, value], event, ...range}: Question): ReportQuery => ({
  report: 'counts',
  events: [event],
  where: [{property, op: 'eq', values: [value]}],
  ...range,
});

class World {
  readonly values = new MemoryParts();
  readonly parts: PartsCache;
  readonly derived: DerivedIndexes;
  readonly index: ValueIndex;
  readonly partition = new TestPartition(this.values);
  nowMs = 0;
  private rows = 0;
  private drawn = 1;

  constructor(bytesMax = 64 * mib, partitionCount = 1) {
    this.parts = new PartsCache(this.values, bytesMax);
    this.derived = derivedIn(this.parts, {clockMs: () => this.nowMs});
    this.index = new ValueIndex(this.parts, this.derived, partitionCount);
  }

  private draw(below: number): number {
    this.drawn = Math.imul(this.drawn, 48_271) >>> 1;
    return (this.drawn >>> 7) % below;
  }

  /** Chunks of few rows: some come late, some long ago, of some only bodies tell a property. */
  grow(chunks: number): this {
    for (let chunk = 0; chunk < chunks; chunk++) {
      for (let row = 0; row < chunkRows; row++) this.append(chunk);
      this.partition.cutChunk();
    }
    return this;
  }

  private append(chunk: number): void {
    const row = this.rows++;
    const properties: Record<string, Json> = {
      ...(this.draw(20) === 0 ? {} : {plan: ['free', 'team', 'business'][this.draw(3)]!}),
      order: `order-${row % 4_000}`,
      n: row % 3 === 0 ? this.draw(6) : String(this.draw(6)),
      isPaid: this.draw(2) === 0 ? this.draw(2) === 0 : 'true',
      ...(chunk % 3 === 0 && this.draw(50) === 0 ? {note: 'x'.repeat(300)} : {note: `note ${this.draw(4)}`}),
      ...(chunk % 4 === 0 && this.draw(40) === 0 ? {a: {b: this.draw(3)}} : {}),
      ...(this.draw(5) === 0 ? {'a.b': this.draw(3)} : {}),
    };
    const lateHours = this.draw(10) === 0 ? this.draw(90) : 0;
    const timeMs = this.draw(400) === 0 ? this.draw(hourMs) : 4_000 * hourMs + row * 60_000 - lateHours * hourMs;
    this.partition.append({user: `u${this.draw(300)}`, event: 'AABC'[this.draw(4)]!, timeMs, properties});
  }

  scanned(snapshot: PartitionSnapshot, question: Question): Promise<string> {
    return new Evaluation(new PartsCache(this.values, 64 * mib), 16 * mib).answer(queryOf(question), [snapshot]);
  }

  /** The snapshot in a set in which these users moved. */
  async without(snapshot: PartitionSnapshot, ...users: readonly string[]): Promise<PartitionSnapshot> {
    const moved = new UserSet();
    const indexes = users.map((user) => this.partition.users.find(wtf8(`u${user}`), 0, wtf8(`u${user}`).length));
    for (const user of indexes) moved.add(user);
    const chunks: [number, number][] = [];
    for (const entry of snapshot.index.chunks) {
      const found = rowsOfUsers(await this.parts.rows.load(entry), moved).length;
      if (found > 0) chunks.push([entry.chunk, found]);
    }
    const move = {to: 1, n: 1, users: indexes, contents: {cells: [], chunks}};
    return {...snapshot, ...countedWithout(snapshot.index, new UserSet(), [move], 0)};
  }

  /** Holds the answer against the scan's; returns for how many chunks cells stood. */
  async ask(snapshot: PartitionSnapshot, question: Question = everything): Promise<number> {
    let covered: CoveredChunks | undefined;
    const spy = {
      coveredOf: (asked: PartitionSnapshot, property: string, stretch: Stretch) => {
        covered = this.index.coveredOf(asked, property, stretch);
        return covered;
      },
      leavingCells: (...asked: Parameters<ValueIndex['leavingCells']>) => this.index.leavingCells(...asked),
    } as ValueIndex;
    const evaluation = new Evaluation(this.parts, 16 * mib, {values: spy});
    expect(await evaluation.answer(queryOf(question), [snapshot])).toBe(await this.scanned(snapshot, question));
    return covered?.covered.size ?? 0;
  }

  /** Holds a breakdown of the counts against the scan's. */
  async askByValue(snapshot: PartitionSnapshot, {filter: [name], event, ...range}: Question): Promise<void> {
    const query = {
      report: 'counts',
      events: [event],
      ...range,
      breakdown: [{by: 'property', name, limit: 2}],
    } as const;
    const scanned = new Evaluation(new PartsCache(this.values, 64 * mib), 16 * mib);
    const evaluation = new Evaluation(this.parts, 16 * mib, {values: this.index});
    expect(await evaluation.answer(query, [snapshot])).toBe(await scanned.answer(query, [snapshot]));
  }

  /** Asks as often as cells need to be built. */
  async warm(snapshot: PartitionSnapshot, property = 'plan'): Promise<void> {
    this.nowMs += minuteMs; // Past any rest.
    for (let i = 0; i < 2; i++) await this.ask(snapshot, {...everything, filter: [property, 'none']});
    await this.index.settled();
  }
}

const filters = [
  ['plan', 'team'],
  ['plan', 'none'],
  ['order', 'order-77'],
  ['n', '3'],
  ['n', '0'],
  ['isPaid', 'true'],
  ['note', 'note 2'],
  ['note', 'x'.repeat(300)],
  ['a.b', '1'],
  ['a.c', '1'],
  ['nothing', ''],
] as const;

const questions: fc.Arbitrary<Question> = fc
  .record({
    filter: fc.constantFrom(...filters),
    event: fc.constantFrom('A', 'B', 'C', 'D'),
    start: fc.integer({min: 3_900 * hourMs, max: 4_300 * hourMs}),
    length: fc.oneof(fc.integer({min: 0, max: 3 * hourMs}), fc.integer({min: 0, max: 400 * hourMs})),
    isFromTheFirst: fc.boolean(),
    isWhole: fc.boolean(),
    interval: fc.constantFrom<Interval[]>('hour', 'day', 'week', 'month', 'quarter'),
    zone: fc.constantFrom(undefined, 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/New_York'),
  })
  .map(({filter, event, start, length, isFromTheFirst, isWhole, interval, zone}) => {
    const cut = (ms: number): number => (isWhole ? Math.floor(ms / hourMs) * hourMs : ms);
    const fromMs = isFromTheFirst ? 0 : cut(start);
    const range = {fromMs, toMs: Math.max(fromMs, cut(start + length) - 1), interval};
    if (zone === undefined) return {filter, event, ...range};
    return {filter, event, ...range, buckets: localBuckets(range, zoneOf(zone)!, 'monday', 10_000)!};
  });

describe('cells by property value', () => {
  test.each(['a filtered count', 'a breakdown'])(
    '%s over more than the cache holds leaves them behind',
    async (kind) => {
      const world = new World().grow(40);
      const snapshot = world.partition.publish();
      world.parts.memory.lend(63.9 * mib);
      if (kind === 'a breakdown') await world.askByValue(snapshot, everything);
      else await world.ask(snapshot);
      const {covered, cells} = world.index.coveredOf(snapshot, 'plan', always)!;
      expect([covered.size, cells.length]).toEqual([40, 3]);
      world.values.reads = 0;
      expect(await world.ask(snapshot, {...everything, filter: ['plan', 'free']})).toBe(40);
      await world.askByValue(snapshot, {...everything, event: 'B'});
      const newer = world.grow(9).partition.erase('u7').publish();
      for (const event of ['A', 'B', 'C']) await world.ask(newer, {...everything, event});
      for (const event of ['A', 'B', 'C']) await world.askByValue(newer, {...everything, event});
      expect(world.parts.memory.bytesMax).toBeLessThan(mib); // What building borrowed is back.
      expect(await world.ask(newer)).toBe(49);
    },
  );

  test('answer as the scan does: any filter, any range, before and after growth and an erasure', async () => {
    const world = new World().grow(70);
    const snapshots = [
      world.partition.publish(),
      world.grow(25).partition.publish(),
      world.partition.erase('u7').publish(),
    ];
    for (const snapshot of snapshots) {
      for (const [property] of filters) await world.warm(snapshot, property);
      let [covered, asked] = [0, 0];
      const property = fc.asyncProperty(questions, async (question) => {
        covered += Math.min(1, await world.ask(snapshot, question));
        if (asked++ % 4 === 0) await world.askByValue(snapshot, question);
      });
      await fc.assert(property, {seed: 31_337, numRuns: 40});
      expect(covered).toBeGreaterThan(12);
    }
  });

  test('are built behind the second question for a property, and answer without any part', async () => {
    const world = new World().grow(40);
    const snapshot = world.partition.publish();
    expect(await world.ask(snapshot)).toBe(0);
    await world.index.settled();
    expect(await world.ask(snapshot)).toBe(0);
    await world.index.settled();
    world.values.reads = 0;
    const empty = new PartsCache(world.values, 64 * mib);
    const {cells, covered, others} = world.index.coveredOf(snapshot, 'plan', always)!;
    const spy = {coveredOf: () => ({cells, covered, others})} as unknown as ValueIndex;
    const answer = await new Evaluation(empty, 16 * mib, {values: spy}).answer(
      queryOf({...everything, filter: ['plan', 'free']}),
      [snapshot],
    );
    expect(world.values.reads).toBe(0);
    expect(answer).toBe(await world.scanned(snapshot, {...everything, filter: ['plan', 'free']}));
  });

  test('leave chunks to the scan in which a body tells a value, and the open chunk', async () => {
    const world = new World().grow(40);
    const snapshot = world.partition.publish();
    await world.warm(snapshot, 'note');
    const covered = await world.ask(snapshot, {...everything, filter: ['note', 'note 1']});
    expect(covered).toBeGreaterThan(20);
    expect(covered).toBeLessThan(40);
    const {index, ...rest} = snapshot;
    const open = {...rest, index: {...index, nextChunk: index.chunks.at(-1)!.chunk}};
    await world.warm(open);
    expect(await world.ask(open)).toBe(39);
  });

  test('follow the snapshots that are asked about, in few segments', async () => {
    const world = new World(256 * mib).grow(20);
    await world.warm(world.partition.publish());
    for (let round = 0; round < 6; round++) await world.warm(world.grow(10).partition.publish());
    const last = world.partition.publish();
    expect(await world.ask(last)).toBeGreaterThanOrEqual(80 - 7);
    expect(world.index.coveredOf(last, 'plan', always)!.cells.length).toBeLessThan(4);
  });

  test('rest after they were built, however often they are asked for meanwhile', async () => {
    const world = new World().grow(40);
    const first = world.partition.publish();
    for (let i = 0; i < 2; i++) await world.ask(first); // Builds behind the second one, which is not waited for.
    const second = world.grow(20).partition.publish();
    world.index.coveredOf(second, 'plan', always);
    await world.index.settled();
    expect(world.index.coveredOf(second, 'plan', always)!.covered.size).toBe(40);
    world.nowMs += 999;
    expect(world.index.coveredOf(second, 'plan', always)!.covered.size).toBe(40);
    await world.index.settled();
    expect(world.index.coveredOf(second, 'plan', always)!.covered.size).toBe(40);
    world.nowMs += 1;
    world.index.coveredOf(second, 'plan', always);
    await world.index.settled();
    expect(world.index.coveredOf(second, 'plan', always)!.covered.size).toBe(60);
  });

  test('stand for rows that count: chunks in which others do are built again', async () => {
    const world = new World().grow(40);
    const whole = world.partition.publish();
    await world.warm(whole);
    expect(await world.ask(whole)).toBe(40);
    const users = ['u1', 'u2', 'u3'];
    const sets = [await world.without(whole, 'u1'), await world.without(whole, ...users)];
    const totals = [whole, ...sets].map(
      async (set) => JSON.parse(await world.scanned(set, everything)).total as number,
    );
    const [all, some, fewer] = (await Promise.all(totals)) as [number, number, number];
    expect(all > some && some > fewer).toBe(true);
    for (const set of sets) {
      expect(await world.ask(set)).toBeLessThan(40);
      await world.warm(set);
      expect(await world.ask(set)).toBe(40);
    }
  });

  test('never answer for rows of another snapshot', async () => {
    const world = new World(256 * mib).grow(40);
    const older = world.partition.publish();
    await world.warm(older);
    const erased = world.partition.erase('u7').publish();
    expect(await world.ask(erased)).toBe(0);
    expect(await world.ask(older)).toBe(40);
    expect(await world.scanned(erased, everything)).not.toBe(await world.scanned(older, everything));
  });

  test('of nearly unique values are not built', async () => {
    const world = new World();
    for (let row = 0; row < 90_000; row++) {
      world.partition.append({user: 'u', event: 'A', timeMs: row, properties: {order: `order-${row}`}});
      if (row % 5_000 === 4_999) world.partition.cutChunk();
    }
    const snapshot = world.partition.publish();
    const question: Question = {...everything, filter: ['order', 'order-7']};
    for (let i = 0; i < 3; i++) {
      expect(await world.ask(snapshot, question)).toBe(0);
      await world.index.settled();
    }
    expect(world.index.coveredOf(snapshot, 'order', always)).toBeUndefined();
  });

  test('are not built where the budget has no room for them, give back what building took, and are missed by nobody', async () => {
    const world = new World(32 * mib).grow(40);
    const snapshot = world.partition.publish();
    expect(world.derived.kind().keep('of others', {bytes: world.derived.builtBytesMax})).toBe(true);
    // At one moment: nothing is idle.
    for (const filter of filters) for (let i = 0; i < 2; i++) await world.ask(snapshot, {...everything, filter});
    await world.index.settled();
    expect(world.derived.bytes).toBe(world.derived.builtBytesMax);
    expect(world.parts.memory.bytesMax).toBe(32 * mib - world.derived.bytes);
    for (const filter of filters) await world.ask(snapshot, {...everything, filter});
  });

  test('a part that is missing leaves the answer to the scan', async () => {
    const world = new World().grow(40);
    const snapshot = world.partition.publish();
    world.values.sweep(snapshot.index.chunks[3]!.rows);
    for (let i = 0; i < 3; i++) {
      world.index.coveredOf(snapshot, 'plan', always);
      await world.index.settled();
    }
    expect(world.index.coveredOf(snapshot, 'plan', always)).toBeUndefined();
    expect(world.parts.memory.bytesMax).toBe(64 * mib);
  });

  // ---- room that others borrow meanwhile ----
});
