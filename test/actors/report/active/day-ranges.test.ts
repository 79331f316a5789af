// Tables of distinct users by ranges of days equal the pass over the day sets, whatever the days, runs and questions.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {ActiveDaysPartial, type ActiveResult} from '../../../../actors/report/active/active-days.js';
import {type ActiveMetric, type ActivePlan, planActive} from '../../../../actors/report/active/active-plan.js';
import {
  activeInRanges,
  cutsNoUser,
  type DayRanges,
  DayRangesBuilder,
  type DaySpan,
  rangeDaysMax,
} from '../../../../actors/report/active/day-ranges.js';
import {Buckets} from '../../../../actors/report/counts/buckets.js';
import type {DaySegment} from '../../../../actors/report/selection.js';
import {PartsCache} from '../../../../src/parts/parts-cache.js';
import {MissingPart} from '../../../../src/parts/stored-parts.js';
import {HeldDayRanges} from '../../../../src/report/active/held-day-ranges.js';
import {Evaluation} from '../../../../src/report/evaluate.js';
import type {PartitionSnapshot} from '../../../../src/report/published/newest-snapshots.js';
import {derivedIn} from '../../../support/derived.js';
import {MemoryParts, TestPartition} from '../../../support/snapshot.js';

const dayMs = 86_400_000;
const spanOf = ({firstElement, elementCount}: ActivePlan): DaySpan => ({
  firstDay: firstElement,
  lastDay: firstElement + elementCount - 1,
});

class World {
  readonly parts = new MemoryParts();
  readonly cache = new PartsCache(this.parts, 1 << 24);
  readonly partition = new TestPartition(this.parts);

  seen(user: number | string, day: number, msOfDay = 0): void {
    this.partition.append({user: `u${user}`, event: 'seen', timeMs: day * dayMs + msOfDay});
  }

  private views({blocks}: DaySegment) {
    return Promise.all(blocks.map(({part}) => this.cache.loadWindows(part)));
  }

  /** `daysAdded`: how many it took, after what `earlier` knew. */
  async table({index}: PartitionSnapshot, asked: DaySpan, earlier?: DayRanges) {
    const builder = new DayRangesBuilder(index, asked);
    if (earlier !== undefined) builder.resume(earlier);
    let daysAdded = 0;
    for (const segment of builder.segments(index)) {
      const views = await this.views(segment);
      for (let day = segment.firstDay; day <= segment.lastDay; day++) {
        if (!builder.addDay(day, views)) return undefined;
        daysAdded += 1;
      }
    }
    return {ranges: builder.finish(), covered: builder.covered, daysAdded};
  }

  /** The plain twin. */
  async pass({index}: PartitionSnapshot, plan: ActivePlan): Promise<ActiveResult> {
    const partial = new ActiveDaysPartial(index, plan);
    for (const chunk of partial.chunks(index)) partial.addRows(await this.cache.rows.load(chunk));
    for (const segment of partial.segments(index)) {
      const views = await this.views(segment);
      for (let day = segment.firstDay; day <= segment.lastDay; day++) partial.addDay(day, views);
    }
    return partial.finish();
  }
}

const someVisit = fc.record({
  user: fc.integer({min: 0, max: 12}),
  day: fc.oneof(fc.integer({min: 100, max: 160}), fc.constantFrom(0, 3, 5_000)),
  hour: fc.integer({min: 0, max: 23}),
});
const someStep = fc.oneof(
  {weight: 20, arbitrary: someVisit},
  {weight: 1, arbitrary: fc.constantFrom<'cutRun' | 'erase'>('cutRun', 'cutRun', 'erase')},
);
const someQuestion = fc.record({
  metric: fc.constantFrom<ActiveMetric[]>('dau', 'wau', 'mau'),
  interval: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
  first: fc.integer({min: 60, max: 170}),
  days: fc.integer({min: 1, max: 100}),
  fromHour: fc.constantFrom(0, 0, 0, 5),
  toHour: fc.constantFrom(0, 0, 0, 7),
});

describe('tables of distinct users by ranges of days', () => {
  test('equal the pass over the day sets', async () => {
    const story = fc.array(someStep, {minLength: 1, maxLength: 150, size: 'max'});
    let tabled = 0;
    const property = fc.asyncProperty(
      story,
      fc.array(someQuestion, {minLength: 5, maxLength: 5}),
      async (steps, asked) => {
        const world = new World();
        for (const step of steps) {
          if (step === 'cutRun') world.partition.cutRun(7);
          else if (step === 'erase') world.partition.erase('u3');
          else world.seen(step.user, step.day, step.hour * 3_600_000);
        }
        const snapshot = world.partition.publish();
        for (const {metric, interval, first, days, fromHour, toHour} of asked) {
          const fromMs = first * dayMs + fromHour * 3_600_000;
          const plan = planActive(
            new Buckets(fromMs, (first + days) * dayMs - toHour * 3_600_000 - 1, interval),
            metric,
          );
          if (!cutsNoUser(plan, snapshot.index)) continue;
          tabled += 1;
          const {ranges} = (await world.table(snapshot, spanOf(plan)))!;
          expect(activeInRanges(plan, ranges)).toEqual(await world.pass(snapshot, plan));
        }
      },
    );
    await fc.assert(property, {seed: 611, numRuns: 80});
    expect(tabled).toBeGreaterThan(150);
  });

  test('equal the pass also when they go on from those of earlier snapshots', async () => {
    const someNewVisit = fc.record({user: fc.integer({min: 0, max: 40}), day: fc.integer({min: 0, max: 20})});
    const someStages = fc.array(fc.array(someNewVisit, {minLength: 1, maxLength: 20}), {minLength: 2, maxLength: 5});
    let resumed = 0;
    const property = fc.asyncProperty(someStages, async (stages) => {
      const world = new World();
      const held = new HeldDayRanges(derivedIn(world.cache));
      for (let day = 100; day < 160; day++) for (let user = 0; user < 3; user++) world.seen((day * 7 + user) % 11, day);
      for (const [stage, visits] of stages.entries()) {
        // Mostly the newest days, now and then one before the checkpoint, and new days and users.
        for (const {user, day} of visits) world.seen(user, 142 + stage * 3 + day);
        const snapshot = world.partition.publish();
        const plan = planActive(new Buckets(110 * dayMs, 200 * dayMs - 1, 'day'), 'wau');
        const earlier = held.resumable(snapshot, new DayRangesBuilder(snapshot.index, spanOf(plan)).covered);
        const {ranges, covered, daysAdded} = (await world.table(snapshot, spanOf(plan), earlier))!;
        if (earlier !== undefined) {
          resumed += 1;
          expect(daysAdded).toBeLessThan(35);
        }
        held.keep(snapshot, covered, ranges);
        expect(activeInRanges(plan, ranges)).toEqual(await world.pass(snapshot, plan));
      }
    });
    await fc.assert(property, {seed: 14, numRuns: 40});
    expect(resumed).toBeGreaterThan(40);
  });

  test('a day that `from` or `to` cuts is answered by a table where nobody is cut off, and only there', () => {
    const world = new World();
    world.seen('ada', 10, 5_000);
    world.seen('bob', 12, 5_000);
    const {index} = world.partition.cutChunk().publish();
    const cuts = (fromMs: number, toMs: number) =>
      cutsNoUser(planActive(new Buckets(fromMs, toMs, 'day'), 'dau'), index);
    expect(cuts(10 * dayMs, 13 * dayMs - 1)).toBe(true);
    expect(cuts(10 * dayMs, 12 * dayMs + 5_000)).toBe(true);
    expect(cuts(10 * dayMs, 12 * dayMs + 4_999)).toBe(false);
    expect(cuts(10 * dayMs + 5_000, 13 * dayMs - 1)).toBe(true);
    expect(cuts(10 * dayMs + 5_001, 13 * dayMs - 1)).toBe(false);
    expect(cuts(9 * dayMs + 1, 9 * dayMs + 2)).toBe(true);
  });

  test('a part that cannot be read fails the questions that need it, and no others', async () => {
    const world = new World();
    for (let day = 100; day < 160; day++) world.seen(day % 7, day);
    const snapshot = world.partition.cutRun(10).publish();
    world.parts.sweep(snapshot.index.windowRuns[0]!.blocks[3]!.part); // Days 130 to 139.
    const ask = async (first: number, last: number) => {
      const query = {report: 'active', metric: 'dau', interval: 'month'} as const;
      const range = {fromMs: first * dayMs, toMs: (last + 1) * dayMs - 1};
      return new Evaluation(world.cache, 1 << 20).answer({...query, ...range}, [snapshot]);
    };
    expect(JSON.parse(await ask(140, 159))).toMatchObject({total: 7});
    await expect(ask(139, 159)).rejects.toBeInstanceOf(MissingPart);
  });

  test('days past the bound are counted without a table', async () => {
    const world = new World();
    for (let day = 0; day <= rangeDaysMax; day++) world.seen(day % 3, day * 2);
    const snapshot = world.partition.publish();
    const query = {report: 'active', metric: 'dau', interval: 'month', fromMs: 0} as const;
    const ask = async (days: number) => {
      const answer = await new Evaluation(world.cache, 1 << 20).answer({...query, toMs: days * dayMs - 1}, [snapshot]);
      return JSON.parse(answer) as {data: {count: number}[]; total: number};
    };
    expect(await world.table(snapshot, {firstDay: 0, lastDay: rangeDaysMax * 2})).toBeUndefined();
    const {data, total} = await ask(rangeDaysMax * 2 + 1);
    expect([total, new Set(data.map(({count}) => count))]).toEqual([3, new Set([3])]);
  });
});

describe('tables at hand', () => {
  const asked = {firstDay: 100, lastDay: 109};

  async function worldWithTable() {
    const world = new World();
    for (let day = 90; day < 120; day++) world.seen(day % 4, day);
    const snapshot = world.partition.cutRun(5).publish();
    const held = new HeldDayRanges(derivedIn(world.cache));
    const {ranges, covered} = (await world.table(snapshot, asked))!;
    held.keep(snapshot, covered, ranges);
    return {world, snapshot, held, ranges};
  }

  test('answer for the days that they cover and for no others', async () => {
    const {snapshot, held, ranges} = await worldWithTable();
    expect(held.find(snapshot, asked)).toBe(ranges);
    expect(held.find(snapshot, {firstDay: 0, lastDay: 109})).toBe(ranges); // Nobody was there before day 90.
    expect(held.find(snapshot, {firstDay: 100, lastDay: 110})).toBeUndefined();
    expect(held.find({...snapshot, manifest: {...snapshot.manifest, partition: 1}}, asked)).toBeUndefined();
  });

  test('are those of later snapshots too, until one of their days changes', async () => {
    const {world, held, ranges} = await worldWithTable();
    world.seen('new', 118);
    const later = world.partition.publish();
    expect(held.find(later, asked)).toBe(ranges);
    world.seen('new', 105);
    expect(held.find(world.partition.publish(), asked)).toBeUndefined();
  });

  test('are gone on from where users of the newest days are gone, as behind a log that lost its tail', async () => {
    const world = new World();
    for (let day = 60; day < 120; day++) world.seen(day % 4, day);
    const rest = world.partition.cutRun(5).publish();
    for (const user of ['lost', 'lost too']) world.seen(user, 118);
    const lost = world.partition.publish();
    const held = new HeldDayRanges(derivedIn(world.cache));
    const plan = planActive(new Buckets(60 * dayMs, 120 * dayMs - 1, 'day'), 'wau');
    const {ranges, covered} = (await world.table(lost, spanOf(plan)))!;
    held.keep(lost, covered, ranges);
    expect(held.resumable(rest, covered)).toBe(ranges);
    const next = (await world.table(rest, spanOf(plan), ranges))!;
    expect(next.daysAdded).toBe(14);
    expect(activeInRanges(plan, next.ranges)).toEqual(await world.pass(rest, plan));
  });

  test('end with an erasure', async () => {
    const {world, held} = await worldWithTable();
    world.partition.erase('u1');
    const later = world.partition.publish();
    expect([held.find(later, asked), held.resumable(later, asked)]).toEqual([undefined, undefined]);
  });
});
