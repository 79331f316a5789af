// Active users who did something equal the model; a breakdown counts users in each of their rows.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {activeUsersOf} from '../../../../tools/model/active-users.js';
import {activityOf} from '../../../../tools/model/activity.js';
import {
  atMostOne,
  events,
  someBreakdown,
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

const someMetric = fc.constantFrom('dau' as const, 'wau' as const, 'mau' as const);

test('active users of an event, of conditions and of values equal the model, in one pass and in many', async () => {
  const someRules = fc.record({
    interval: someInterval.filter((interval) => interval !== 'hour'),
    metric: someMetric,
    event: fc.constantFrom(...events, undefined),
    where: atMostOne(someCondition),
    filter: someUsers,
    breakdown: fc.option(someBreakdown, {nil: undefined}),
  });
  const property = fc.asyncProperty(someStory, someRange, someRules, async (story, range, rules) => {
    const world = tell(story);
    const {event, where, breakdown, filter, ...others} = rules;
    const did = event === undefined ? {where} : {event, where};
    const query = {...others, ...filter, did, ...(breakdown === undefined ? {} : {breakdown})};
    const expected = activityOf(world.model, {...query, ...texts(range)});
    const asked = {report: 'active', ...query, ...range} as const;
    expect(await world.ask(asked)).toEqual(expected);
    expect(await world.ask(asked, tinyBound)).toEqual(expected);
    expect(await world.askAgain(asked)).toEqual(expected);
  });
  await fc.assert(property, {numRuns: runs(200)});
});

test('of any event they are the active users, also by the hour', async () => {
  const property = fc.asyncProperty(
    someStory,
    someRange,
    someInterval,
    someMetric,
    async (story, range, interval, metric) => {
      const world = tell(story);
      // A condition that always holds makes it a question for rows.
      const did = {where: [{property: 'never', op: 'unset', values: []}]} as const;
      const asked = {interval, metric, ...range, did};
      const expected = activeUsersOf(world.model, {interval, metric, ...texts(range)});
      expect(await world.ask({report: 'active', ...asked})).toEqual(expected);
    },
  );
  await fc.assert(property, {numRuns: runs(45)});
});

test('a user of two values is in both rows, and once in `other`', async () => {
  const at = (hour: number) => Date.UTC(2024, 1, 22, hour);
  const told = (user: string, a: string, hour: number) =>
    ({do: 'track', event: {user, event: 'A', timeMs: at(hour), properties: {a}}}) as const;
  const story = [told('ada', 'x', 1), told('ada', 'y', 2), told('ada', 'z', 3), told('bob', 'x', 4)];
  const asked = {interval: 'day', metric: 'dau', fromMs: at(0), toMs: at(23)} as const;
  const breakdown = {by: 'property', name: 'a', limit: 1} as const;
  const day = (count: number) => ({data: [{date: '2024-02-22', count}], total: count});
  expect(await tell(story).ask({report: 'active', ...asked, did: {event: 'A'}, breakdown})).toEqual({
    metric: 'dau',
    interval: 'day',
    ...day(2),
    breakdown: {
      property: 'a',
      additive: false,
      rows: [
        {value: 'x', ...day(2)},
        {kind: 'other', values: 2, ...day(1)},
      ],
    },
  });
});

test('values of most users in [from, to] have rows; the look-back of a trailing window chooses and orders none', async () => {
  const told = (user: string, a: string, day: number) =>
    ({do: 'track', event: {user, event: 'A', timeMs: Date.UTC(2024, 1, day, 9), properties: {a}}}) as const;
  const before = [told('ada', 'X', 20), told('bob', 'X', 20), told('cyd', 'X', 20), told('dan', 'A', 20)];
  const story = [...before, told('dan', 'X', 22), told('eve', 'Y', 22), told('ada', 'Y', 22)];
  const range = {fromMs: Date.UTC(2024, 1, 22), toMs: Date.UTC(2024, 1, 22, 23)};
  const rowsOf = async (metric: 'dau' | 'wau' | 'mau', interval: 'hour' | 'day', limit: number) => {
    const breakdown = {by: 'property', name: 'a', limit} as const;
    const asked = {
      report: 'active',
      metric,
      interval,
      ...range,
      did: {event: 'A'},
      breakdown,
    } as const;
    const answer = (await tell(story).ask(asked)) as {breakdown: {rows: {value: string; data: {count: number}[]}[]}};
    return answer.breakdown.rows.map(({data, ...row}) => ({...row, last: data.at(-1)!.count}));
  };
  const y = {value: 'Y', total: 2, last: 2};
  expect(await rowsOf('mau', 'day', 1)).toEqual([y, {kind: 'other', values: 2, total: 1, last: 4}]);
  expect(await rowsOf('wau', 'day', 3)).toEqual([y, {value: 'X', total: 1, last: 4}, {value: 'A', total: 0, last: 1}]);
  // The last hour looks back 24 hours.
  expect(await rowsOf('dau', 'hour', 2)).toEqual([y, {value: 'X', total: 1, last: 1}]);
});
