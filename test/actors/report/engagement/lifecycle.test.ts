// Lifecycle and stickiness: random stories equal the model and the active users.
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
  await fc.assert(property, {numRuns: runs(60)});
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
  await fc.assert(property, {numRuns: runs(60)});
});
