// Lifecycle and stickiness: stories with exact answers, and random ones that equal the model and the active users.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {activityOf} from '../../../../tools/model/activity.js';
import {bucketsOf} from '../../../../tools/model/calendar.js';
import {lifecycleOf, stickinessOf} from '../../../../tools/model/lifecycle.js';
import {
  atMostOne,
  events,
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

const someRules = fc
  .record({
    interval: someInterval.filter((interval) => interval !== 'hour'),
    event: fc.constantFrom(...events, undefined),
    where: atMostOne(someCondition),
    filter: someUsers,
  })
  .map(({event, where, filter, ...others}) => ({
    ...others,
    ...filter,
    did: event === undefined ? {where} : {event, where},
  }));

interface Lifecycle {
  readonly data: readonly {new: number; returning: number; resurrecting: number; dormant: number}[];
}
interface Active {
  readonly data: readonly {count: number}[];
  readonly total: number;
}

test('lifecycle equals the model; its parts add up to the active users', async () => {
  const property = fc.asyncProperty(someStory, someRange, someRules, async (story, range, query) => {
    const world = tell(story);
    const startOf = (timeMs: number) => bucketsOf({fromMs: timeMs, toMs: timeMs}, query.interval)[0]!.startMs;
    const fromMs = startOf(range.fromMs);
    const beforeMs = startOf(fromMs - 1);
    const asked = {report: 'lifecycle', ...query, ...range, fromMs, beforeMs} as const;
    const answer = (await world.ask(asked)) as Lifecycle;
    expect(answer).toEqual(lifecycleOf(world.model, {...query, ...texts(range)}));
    expect(await world.ask(asked, tinyBound)).toEqual(answer);
    expect(await world.askAgain(asked)).toEqual(answer);
    const whole = {...query, ...texts({...range, fromMs})};
    const active = activityOf(world.model, whole) as unknown as Active;
    for (const [bucket, parts] of answer.data.entries()) {
      expect(parts.new + parts.returning + parts.resurrecting).toBe(active.data[bucket]!.count);
      if (bucket > 0) expect(parts.returning + parts.dormant).toBe(active.data[bucket - 1]!.count);
    }
  });
  await fc.assert(property, {numRuns: runs(120)});
});

test('stickiness equals the model; its sum is the total of the active users', async () => {
  const property = fc.asyncProperty(
    someStory,
    someRange,
    someRules,
    fc.boolean(),
    async (story, range, query, isAtLeast) => {
      const world = tell(story);
      const asked = {report: 'stickiness', ...query, ...range, isAtLeast} as const;
      const expected = stickinessOf(world.model, {...query, ...texts(range)}, isAtLeast);
      expect(await world.ask(asked)).toEqual(expected);
      expect(await world.ask(asked, tinyBound)).toEqual(expected);
      expect(await world.askAgain(asked)).toEqual(expected);
      const active = activityOf(world.model, {...query, ...texts(range)}) as unknown as Active;
      expect(expected.total).toBe(active.total);
    },
  );
  await fc.assert(property, {numRuns: runs(100)});
});

/** 2024-01-01 is a Monday. */
const at = (day: number, hour = 12): number => Date.UTC(2024, 0, day, hour);
const seen = (user: string, ...days: readonly number[]) =>
  days.map((day) => ({do: 'track', event: {user, event: 'seen', timeMs: at(day), properties: {}}}) as const);

test('a user is new once, then returns, is dormant, and resurrects', async () => {
  const world = tell(seen('ada', 2, 3, 5));
  const asked = {did: {event: 'seen'}, interval: 'day', toMs: at(5, 23)} as const;
  const data = async (from: number) =>
    (await world.ask({report: 'lifecycle', ...asked, fromMs: at(from, 0), beforeMs: at(from - 1, 0)})) as Lifecycle;
  const [fresh, returning, resurrecting, dormant] = [
    {new: 1, returning: 0, resurrecting: 0, dormant: 0},
    {new: 0, returning: 1, resurrecting: 0, dormant: 0},
    {new: 0, returning: 0, resurrecting: 1, dormant: 0},
    {new: 0, returning: 0, resurrecting: 0, dormant: 1},
  ];
  const days = ['2024-01-02', '2024-01-03', '2024-01-04', '2024-01-05'];
  const all = [fresh, returning, dormant, resurrecting].map((parts, i) => ({date: days[i], ...parts}));
  for (const from of [2, 3, 4, 5]) expect((await data(from)).data).toEqual(all.slice(from - 2));
});

test('users of one, two and three days; and of at least so many', async () => {
  const world = tell([...seen('ada', 1, 1, 2, 3), ...seen('bob', 2), ...seen('cyd', 3), ...seen('dan', 1, 3)]);
  const asked = {did: {}, interval: 'day', fromMs: at(1, 0), toMs: at(3, 23)} as const;
  const data = (...users: number[]) => users.map((count, i) => ({buckets: i + 1, users: count}));
  const exact = {interval: 'day', data: data(2, 1, 1), total: 4};
  expect(await world.ask({report: 'stickiness', ...asked, isAtLeast: false})).toEqual(exact);
  const least = {interval: 'day', at_least: true, data: data(4, 2, 1), total: 4};
  expect(await world.ask({report: 'stickiness', ...asked, isAtLeast: true})).toEqual(least);
});
