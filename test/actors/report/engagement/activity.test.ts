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
  await fc.assert(property, {numRuns: runs(90)});
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
  await fc.assert(property, {numRuns: runs(21)});
});
