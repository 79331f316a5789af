// Every report over random partitions must equal what the slow, obvious model computes from the list of events.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Json} from '../../../actors/log/entries.js';
import {gatheredRowBytes} from '../../../actors/report/funnel/gathered-rows.js';
import type {ReportQuery} from '../../../src/asks.js';
import {type NamesCursor, readNamesCursor} from '../../../src/names-cursor.js';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {HeldDayRanges} from '../../../src/report/active/held-day-ranges.js';
import {Evaluation} from '../../../src/report/evaluate.js';
import {activeUsersOf} from '../../../tools/model/active-users.js';
import {dayMs, formatTime, hourMs} from '../../../tools/model/calendar.js';
import {eventCountsOf} from '../../../tools/model/event-counts.js';
import {funnelOf} from '../../../tools/model/funnel.js';
import {type JsonObject, Model} from '../../../tools/model/model.js';
import {namesOf} from '../../../tools/model/names.js';
import {derivedIn} from '../../support/derived.js';
import {runs} from '../../support/runs.js';
import {MemoryParts, type TestEvent, TestPartition} from '../../support/snapshot.js';

type Step =
  | {readonly do: 'track'; readonly event: TestEvent}
  | {readonly do: 'cutChunk'}
  | {readonly do: 'cutRun'; readonly daysMax: number}
  | {readonly do: 'erase'; readonly user: string};

const partitionCount = 2;
const users = ['ada', 'bob', 'cyd', 'dan', 'eve'];
const events = ['A', 'B', 'C', 'D'];
// A Thursday; months, weeks and days begin within the following weeks.
const epochMs = Date.UTC(2024, 1, 22);

/** Times cluster on the edges of hours and days, where inclusive and exclusive differ. */
const someTime = fc
  .tuple(
    fc.oneof(
      fc.integer({min: 0, max: 60 * 24}),
      fc.integer({min: 0, max: 60}).map((day) => day * 24),
      fc.constantFrom(24, 25),
    ),
    fc.constantFrom(-1, 0, 0, 1, 17 * 60_000),
  )
  .map(([hour, ms]) => epochMs + hour * hourMs + ms);

const someValue: fc.Arbitrary<Json> = fc.constantFrom<Json[]>(
  1,
  2.5,
  'x',
  '1',
  true,
  'true',
  null,
  {b: 1},
  {b: {c: 'x'}},
  [1],
  'y'.repeat(200),
  {b: 'z'.repeat(200)},
);
const someProperties = fc.dictionary(fc.constantFrom('a', 'b', 'a.b', 'a.b.c'), someValue, {maxKeys: 3});

const someStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc
      .record({
        user: fc.constantFrom(...users),
        event: fc.constantFrom(...events),
        timeMs: someTime,
        properties: someProperties,
      })
      .map((event) => ({do: 'track' as const, event})),
  },
  {weight: 3, arbitrary: fc.constant({do: 'cutChunk' as const})},
  {weight: 3, arbitrary: fc.constantFrom(1, 3, 100).map((daysMax) => ({do: 'cutRun' as const, daysMax}))},
  {weight: 1, arbitrary: fc.constantFrom(...users).map((user) => ({do: 'erase' as const, user}))},
);
const someStory = fc.array(someStep, {minLength: 1, maxLength: 120, size: 'max'});
const someRange = fc.tuple(someTime, someTime).map(([a, b]) => ({fromMs: Math.min(a, b), toMs: Math.max(a, b)}));

const partitionOfUser = (user: string): number => users.indexOf(user) % partitionCount;

interface World {
  readonly model: Model;
  ask(query: ReportQuery, gatheredBytesMax?: number): Promise<unknown>;
  /** Asks until everything that is derived from parts is at hand, and answers out of that. */
  askAgain(query: ReportQuery): Promise<unknown>;
}

function tell(story: readonly Step[]): World {
  const parts = new MemoryParts();
  const partitions = Array.from({length: partitionCount}, () => new TestPartition(parts));
  const model = new Model();
  story.forEach((step, arrival) => void tellOne(step, arrival, partitions, model));
  const snapshots = partitions.map((partition, p) => partition.publish(0, p));
  // So small that parts are loaded again and again.
  const cache = new PartsCache(parts, 4_096);
  const roomy = new PartsCache(parts, 1 << 24);
  const dayRanges = new HeldDayRanges(derivedIn(roomy));
  const ask = async (evaluation: Evaluation, query: ReportQuery): Promise<unknown> =>
    JSON.parse(await evaluation.answer(query, snapshots));
  return {
    model,
    ask: (query, gatheredBytesMax = 1 << 20) => ask(new Evaluation(cache, gatheredBytesMax), query),
    askAgain: async (query) => {
      await ask(new Evaluation(roomy, 1 << 20, {dayRanges}), query);
      return ask(new Evaluation(roomy, 1 << 20, {dayRanges}), query);
    },
  };
}

function tellOne(step: Step, arrival: number, partitions: readonly TestPartition[], model: Model): void {
  switch (step.do) {
    case 'track': {
      const {user, event, timeMs, properties} = step.event;
      partitions[partitionOfUser(user)]!.append(step.event);
      model.events.push({
        arrival,
        user: {kind: 'user', id: user},
        name: event,
        userId: user,
        anonymousId: null,
        properties: properties as JsonObject,
        messageId: undefined,
        timeMs,
        received: {earliestMs: timeMs, latestMs: timeMs},
      });
      return;
    }
    case 'cutChunk':
      for (const partition of partitions) partition.cutChunk();
      return;
    case 'cutRun':
      for (const partition of partitions) partition.cutRun(step.daysMax);
      return;
    case 'erase':
      partitions[partitionOfUser(step.user)]!.erase(step.user);
      model.delete({kind: 'user', id: step.user});
  }
}

const texts = ({fromMs, toMs}: {fromMs: number; toMs: number}) => ({from: formatTime(fromMs), to: formatTime(toMs)});
const someInterval = fc.constantFrom('hour' as const, 'day' as const, 'week' as const, 'month' as const);
const manyRuns = {numRuns: runs(300)};
/** Four rows at once: every story of more takes several passes. */
const tinyBound = 4 * gatheredRowBytes;

describe('reports equal the model', () => {
  test('event counts', async () => {
    const property = fc.asyncProperty(
      someStory,
      someRange,
      someInterval,
      fc.constantFrom(...events, 'never'),
      async (story, range, interval, event) => {
        const world = tell(story);
        const expected = eventCountsOf(world.model, {event, interval, ...texts(range)});
        expect(await world.ask({report: 'events', event, interval, ...range})).toEqual(expected);
        expect(await world.askAgain({report: 'events', event, interval, ...range})).toEqual(expected);
      },
    );
    await fc.assert(property, manyRuns);
  });

  test('names, with their counts and times, in pages of any size', async () => {
    const property = fc.asyncProperty(
      someStory,
      someRange,
      fc.constantFrom(undefined, 'A', 'never'),
      fc.integer({min: 1, max: 4}),
      async (story, range, prefix, limit) => {
        const world = tell(story);
        const expected = namesOf(world.model, range, prefix);
        const query = {report: 'names', ...range, ...(prefix === undefined ? {} : {prefix})} as const;
        expect(await world.ask({...query, limit: 100})).toEqual(expected);
        expect(await world.askAgain({...query, limit: 100})).toEqual(expected);
        const pages: unknown[] = [];
        for (let cursor: NamesCursor | undefined, isLast = false; !isLast; ) {
          const after = cursor === undefined ? {} : {after: cursor.after};
          const page = (await world.ask({...query, limit, ...after})) as {data: unknown[]; next_cursor: string | null};
          expect(page.data.length).toBeLessThanOrEqual(limit);
          pages.push(...page.data);
          isLast = page.next_cursor === null;
          cursor = page.next_cursor === null ? undefined : readNamesCursor(page.next_cursor);
          if (!isLast) expect(cursor).toMatchObject(range);
        }
        expect(pages).toEqual(expected.data);
      },
    );
    await fc.assert(property, manyRuns);
  });

  test('event counts with a property filter', async () => {
    const someFilter = fc.record({
      property: fc.constantFrom('a', 'b', 'a.b', 'a.b.c'),
      value: fc.constantFrom('1', '2.5', 'x', 'true', 'null', '', 'y'.repeat(200), 'z'.repeat(200)),
    });
    const property = fc.asyncProperty(someStory, someRange, someFilter, async (story, range, filter) => {
      const world = tell(story);
      const query = {event: 'A', interval: 'week'} as const;
      const expected = eventCountsOf(world.model, {
        ...query,
        ...texts(range),
        filter: `${filter.property}=${filter.value}`,
      });
      expect(await world.ask({report: 'events', ...query, ...range, filter})).toEqual(expected);
      expect(await world.askAgain({report: 'events', ...query, ...range, filter})).toEqual(expected);
    });
    await fc.assert(property, manyRuns);
  });

  test('active users, every metric and interval', async () => {
    const property = fc.asyncProperty(
      someStory,
      someRange,
      someInterval,
      fc.constantFrom('dau' as const, 'wau' as const, 'mau' as const),
      async (story, {fromMs, toMs}, interval, metric) => {
        const world = tell(story);
        // Hours are many: a shorter range keeps the model bearable.
        const range = {fromMs, toMs: interval === 'hour' ? Math.min(toMs, fromMs + 3 * dayMs) : toMs};
        const query = {report: 'users', interval, metric, ...range} as const;
        const expected = activeUsersOf(world.model, {interval, metric, ...texts(range)});
        expect(await world.ask(query)).toEqual(expected);
        expect(await world.ask(query, tinyBound)).toEqual(expected);
        expect(await world.askAgain(query)).toEqual(expected);
      },
    );
    await fc.assert(property, manyRuns);
  });

  test('funnels, with and without a window', async () => {
    const someSteps = fc.array(fc.constantFrom(...events, 'never'), {minLength: 1, maxLength: 5});
    const someWindow = fc.option(fc.integer({min: 1, max: 40 * 24}), {nil: undefined});
    const property = fc.asyncProperty(
      someStory,
      someRange,
      someSteps,
      someWindow,
      async (story, range, steps, hours) => {
        const world = tell(story);
        const window = hours === undefined ? {} : {windowMs: hours * hourMs};
        const query = {report: 'funnel', steps, ...range, ...window} as const;
        const text = hours === undefined ? {} : {window: `${hours}h`};
        const expected = funnelOf(world.model, {steps, ...texts(range), ...text});
        expect(await world.ask(query)).toEqual(expected);
        expect(await world.ask(query, tinyBound)).toEqual(expected);
      },
    );
    await fc.assert(property, manyRuns);
  });
});
