// Counts with conditions, measures and breakdowns, over random partitions, equal the model.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Json} from '../../../../actors/log/json.js';
import {measures} from '../../../../actors/report/rows/measures.js';
import {measuredOf} from '../../../../tools/model/measured.js';
import {
  events,
  someBreakdowns,
  someCondition,
  someInterval,
  someRange,
  someStory,
  someUsers,
  tell,
  texts,
  tinyBound,
} from '../../../support/report-worlds.js';
import {runs} from '../../../support/runs.js';

const someConditions = fc.array(someCondition, {maxLength: 3});

test('counts with conditions, measures and breakdowns equal the model', async () => {
  const property = fc.asyncProperty(
    someStory,
    someRange,
    fc.record({
      event: fc.constantFrom(...events, 'never', undefined),
      interval: someInterval.filter((interval) => interval !== 'hour'),
      where: someConditions,
      filter: someUsers,
      measure: fc.constantFrom(undefined, ...measures),
      measured: fc.constantFrom('a', 'b', 'a.b', 'a.b.c', 'never'),
      breakdown: fc.option(someBreakdowns, {nil: undefined}),
    }),
    async (story, range, {event, interval, where, filter, measure, measured, breakdown}) => {
      const world = tell(story);
      const isOfNumbers = measure !== undefined && measure !== 'total' && measure !== 'users';
      const asked = {
        interval,
        where,
        ...filter,
        ...(measure === undefined ? {} : {measure}),
        ...(isOfNumbers ? {property: measured} : {}),
        ...(breakdown === undefined ? {} : {breakdown}),
      };
      const expected = measuredOf(world.model, {...asked, ...texts(range), ...(event === undefined ? {} : {event})});
      const names = event === undefined ? {} : {events: [event]};
      const query = {report: 'counts', ...asked, ...range, ...names} as const;
      expect(await world.ask(query)).toEqual(expected);
      if (!isOfNumbers) expect(await world.ask(query, tinyBound)).toEqual(expected);
      expect(await world.askOfColumns(query)).toEqual(expected);
      expect(await world.askAgain(query)).toEqual(expected);
    },
  );
  await fc.assert(property, {numRuns: runs(300)});
});

test('a property that only bodies have, past the columns of a chunk, is one like any other', async () => {
  const many = Object.fromEntries(Array.from({length: 60}, (_, i) => [`p${i}`, i]));
  const timeMs = Date.UTC(2024, 1, 22);
  const told = (user: string, p59: Json) =>
    ({do: 'track', event: {user, event: 'A', timeMs, properties: {...many, p59}}}) as const;
  const world = tell([told('ada', 'x'), told('ada', 7), told('bob', 'x'), told('cyd', {deep: [1]}), told('dan', null)]);
  const query = {fromMs: timeMs, toMs: timeMs, interval: 'day'} as const;
  const asked = {
    ...query,
    where: [{property: 'p59', op: 'ne', values: ['y']}],
    measure: 'sum',
    property: 'p59',
    breakdown: [{by: 'property', name: 'p59', limit: 5}],
  } as const;
  const expected = measuredOf(world.model, {...asked, ...texts(query), event: 'A'});
  expect(await world.ask({report: 'counts', events: ['A'], ...asked})).toEqual(expected);
  expect(await world.askOfColumns({report: 'counts', events: ['A'], ...asked})).toEqual(expected);
  expect(expected).toMatchObject({total: 5, total_value: 7, skipped: 4});
});
