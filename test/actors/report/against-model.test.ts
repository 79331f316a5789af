// Every report over random partitions must equal what the slow, obvious model computes from the list of events.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type NamesCursor, readNamesCursor} from '../../../src/names-cursor.js';
import {activeUsersOf} from '../../../tools/model/active-users.js';
import {dayMs, hourMs} from '../../../tools/model/calendar.js';
import type {UserFilter} from '../../../tools/model/conditions.js';
import {eventCountsOf} from '../../../tools/model/event-counts.js';
import {funnelOf} from '../../../tools/model/funnel.js';
import {namesOf} from '../../../tools/model/names.js';
import {
  events,
  manyRuns,
  someInterval,
  someRange,
  someStory,
  someUsers,
  tell,
  texts,
  tinyBound,
} from '../../support/report-worlds.js';

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
        expect(await world.ask({report: 'counts', events: [event], interval, ...range})).toEqual(expected);
        expect(await world.askAgain({report: 'counts', events: [event], interval, ...range})).toEqual(expected);
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
      someUsers,
      async (story, range, prefix, limit, ofUsers) => {
        const world = tell(story);
        const {users} = ofUsers as {users?: UserFilter};
        const expected = namesOf(world.model, range, prefix, false, users);
        const query = {report: 'names', ...range, ...ofUsers, ...(prefix === undefined ? {} : {prefix})} as const;
        expect(await world.ask({...query, limit: 100})).toEqual(expected);
        expect(await world.askAgain({...query, limit: 100})).toEqual(expected);
        const withUsers = namesOf(world.model, range, prefix, true, users);
        expect(await world.ask({...query, limit: 100, withUsers: true})).toEqual(withUsers);
        expect(await world.ask({...query, limit: 100, withUsers: true}, tinyBound)).toEqual(withUsers);
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
      const expected = eventCountsOf(world.model, {
        event: 'A',
        interval: 'week',
        ...texts(range),
        filter: `${filter.property}=${filter.value}`,
      });
      const where = [{property: filter.property, op: 'eq', values: [filter.value]}] as const;
      const query = {report: 'counts', events: ['A'], interval: 'week', ...range, where} as const;
      expect(await world.ask(query)).toEqual(expected);
      expect(await world.askAgain(query)).toEqual(expected);
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
        const query = {report: 'active', interval, metric, ...range} as const;
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
        const query = {report: 'funnel', steps: steps.map((event) => ({event})), ...range, ...window} as const;
        const text = hours === undefined ? {} : {window: `${hours}h`};
        const expected = funnelOf(world.model, {steps, ...texts(range), ...text});
        expect(await world.ask(query)).toEqual(expected);
        expect(await world.ask(query, tinyBound)).toEqual(expected);
      },
    );
    await fc.assert(property, manyRuns);
  });
});
