// GET /v1/reports/events, /users and /funnel: whole answers, bounds and freshness. The arithmetic of reports is compared
// with the model in differential.test.ts; here stand the sentences of docs/api/reports one by one.

import {beforeAll, describe, expect, test} from 'vitest';
import {type Answer, expectError, expectJson, query, type RequestOptions} from '../support/http.js';
import {reportCovering, reportPositions, until} from '../support/reports.js';
import {shortestMs} from '../support/until.js';
import {freshId, useService} from './service-under-test.js';

// Two partitions are the default; four, to which users are spread unevenly, show more of how answers of partitions add up.
const under = useService({PARTITIONS: '4'});

type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

const pathOf = (report: string, parameters: Parameters): string => `/v1/reports/${report}?${query(parameters)}`;
const ask = (report: string, parameters: Parameters): Promise<Answer> => under.read.get(pathOf(report, parameters));

/** The answer once it covers everything that this file wrote so far. */
async function covering<T>(report: string, parameters: Parameters): Promise<T> {
  const answer = await reportCovering(under.read, pathOf(report, parameters), under.positions);
  expectJson(answer, 200);
  return answer.json<T>();
}

interface Counts {
  readonly data: {date: string; count: number}[];
  readonly total: number;
}

const countsOf = (answer: Counts): Record<string, number> =>
  Object.fromEntries(answer.data.filter((bucket) => bucket.count > 0).map((bucket) => [bucket.date, bucket.count]));

const day = {from: '2024-01-01', to: '2024-01-01'};

describe('event counts', () => {
  const event = freshId('event');

  beforeAll(async () => {
    const properties = {
      plan: 'a=b',
      n: 1.5,
      on: true,
      none: null,
      empty: '',
      nested: {key: 'x'},
      'lit.eral': 1,
      lit: {eral: 2},
      big: 1e21,
    };
    await under.trackAll([
      {event, userId: 'ada', timestamp: '2024-02-28T23:59:59.999Z'},
      {event, userId: 'ada', timestamp: '2024-02-29T00:00:00.000Z', properties},
      {event, userId: 'bob', timestamp: '2024-02-29T12:34:56.789Z', context: {page: {path: '/a'}}},
      {event, anonymousId: 'ada', timestamp: '2024-03-03T23:30:00-01:00'},
      {event: `${event} other`, userId: 'ada', timestamp: '2024-02-29'},
    ]);
  });

  test('the shown answer; the interval is a day unless told', async () => {
    expect(await covering('events', {event, from: '2024-02-28', to: '2024-03-01'})).toEqual({
      event,
      interval: 'day',
      data: [
        {date: '2024-02-28', count: 1},
        {date: '2024-02-29', count: 2},
        {date: '2024-03-01', count: 0},
      ],
      total: 3,
    });
  });

  test('hours, weeks that start on Monday, and months', async () => {
    const hours = await covering<Counts>('events', {
      event,
      from: '2024-02-28T23:15',
      to: '2024-02-29T01:00',
      interval: 'hour',
    });
    expect(hours).toEqual({
      event,
      interval: 'hour',
      data: [
        {date: '2024-02-28T23:00:00Z', count: 1},
        {date: '2024-02-29T00:00:00Z', count: 1},
        {date: '2024-02-29T01:00:00Z', count: 0},
      ],
      total: 2,
    });
    const weeks = await covering<Counts>('events', {event, from: '2024-02-29', to: '2024-03-04', interval: 'week'});
    expect(weeks.data).toEqual([
      {date: '2024-02-26', count: 2},
      {date: '2024-03-04', count: 1},
    ]);
    const months = await covering<Counts>('events', {event, from: '2024-01-15', to: '2024-03-31', interval: 'month'});
    expect(months.data).toEqual([
      {date: '2024-01-01', count: 0},
      {date: '2024-02-01', count: 3},
      {date: '2024-03-01', count: 1},
    ]);
  });

  test('quarters and years, and weeks that start on Sunday', async () => {
    const counts = async (interval: string, more = {}): Promise<Record<string, number>> =>
      countsOf(await covering<Counts>('events', {event, from: '2024-01-15', to: '2024-04-01', interval, ...more}));
    expect(await counts('quarter')).toEqual({'2024-01-01': 4});
    expect(await counts('year')).toEqual({'2024-01-01': 4});
    expect(await counts('week', {week_start: 'sunday'})).toEqual({'2024-02-25': 3, '2024-03-03': 1});
  });

  test('days and hours of a zone, which the answer names', async () => {
    expect(
      await covering('events', {event, from: '2024-02-29', to: '2024-02-29', timezone: 'America/St_Johns'}),
    ).toEqual({
      event,
      interval: 'day',
      timezone: 'America/St_Johns',
      data: [{date: '2024-02-29', count: 1}],
      total: 1,
    });
    const hours = await covering<Counts>('events', {
      event,
      from: '2024-02-29T05:00',
      to: '2024-02-29T06:30',
      interval: 'hour',
      timezone: '+05:30',
    });
    expect(hours.data).toEqual([
      {date: '2024-02-29T05:00:00+05:30', count: 2},
      {date: '2024-02-29T06:00:00+05:30', count: 0},
    ]);
    const inUtc = {event, from: '2024-02-28', to: '2024-03-01'};
    const {timezone, ...named} = await covering<Counts & {timezone: string}>('events', {...inUtc, timezone: 'UTC'});
    expect(timezone).toBe('UTC');
    expect(named).toEqual(await covering('events', inUtc));
  });

  test('both bounds are inclusive to the millisecond', async () => {
    const total = async (from: string, to: string): Promise<number> =>
      (await covering<Counts>('events', {event, from, to})).total;
    expect(await total('2024-02-29T12:34:56.789Z', '2024-02-29T12:34:56.789Z')).toBe(1);
    expect(await total('2024-02-29T12:34:56.790Z', '2024-02-29T13:00:00Z')).toBe(0);
    expect(await total('2024-02-29T12:00:00Z', '2024-02-29T12:34:56.788Z')).toBe(0);
    expect(await total('2024-02-28', '2024-02-28')).toBe(1);
    expect(await total('2024-02-28', '2024-02-29T00:00')).toBe(2);
    expect(await total('2024-02-29T00:00:00.001+00:00', '2024-02-29T23:59:59.999')).toBe(1);
  });

  test.each([
    ['plan=a=b', 1],
    ['plan=a', 0],
    ['n=1.5', 1],
    ['n=1.50', 0],
    ['on=true', 1],
    ['big=1e+21', 1],
    ['none=null', 0],
    ['none=', 0],
    ['empty=', 1],
    ['gone=', 0],
    ['nested.key=x', 1],
    ['nested=[object Object]', 0],
    ['context.page.path=/a', 1],
    ['context.page.path=/b', 0],
    ['lit.eral=1', 1],
    ['lit.eral=2', 0],
    ['plan.length=3', 0],
    ['constructor.name=Object', 0],
    ['__proto__=[object Object]', 0],
  ])('filter %s selects %i', async (filter, total) => {
    const answer = await covering<Counts>('events', {event, from: '2024-02-28', to: '2024-03-31', filter});
    expect(answer.total).toBe(total);
    expect(answer.data).toHaveLength(33);
  });

  describe('with conditions, measures and breakdowns', () => {
    const range = {from: '2024-02-28', to: '2024-03-04', interval: 'month'};

    test('count what meets all conditions', async () => {
      const whole = (parameters: Parameters) => covering<Counts>('events', {event, ...range, ...parameters});
      expect((await whole({where: 'plan eq a=b'})).total).toBe(1);
      expect((await whole({where: ['plan ne a=b', 'context.page.path eq /a']})).total).toBe(1);
      expect(await whole({where: ['n gt 1', 'plan gt 1']})).toMatchObject({total: 0, skipped: 1});
      expect((await whole({where: '"lit.eral" in 1,2'})).total).toBe(1);
      expect((await whole({where: 'empty eq '})).total).toBe(1);
      expect((await whole({user_where: 'plan unset'})).total).toBe(4);
    });

    test('measure, and break down', async () => {
      const answer = await covering('events', {event, ...range, measure: 'users', breakdown: 'plan'});
      expect(answer).toEqual({
        event,
        interval: 'month',
        data: [
          {date: '2024-02-01', count: 3, value: 2},
          {date: '2024-03-01', count: 1, value: 1},
        ],
        total: 4,
        total_value: 3,
        breakdown: {
          property: 'plan',
          additive: false,
          rows: [
            {
              value: 'a=b',
              data: [
                {date: '2024-02-01', count: 1, value: 1},
                {date: '2024-03-01', count: 0, value: 0},
              ],
              total: 1,
              total_value: 1,
            },
            {
              kind: 'missing',
              data: [
                {date: '2024-02-01', count: 2, value: 2},
                {date: '2024-03-01', count: 1, value: 1},
              ],
              total: 3,
              total_value: 3,
            },
          ],
        },
      });
    });

    test('several events, or all', async () => {
      const names = [event, `${event} other`];
      const series = await covering<{series: Counts[]}>('events', {'events[]': names, ...range});
      expect(series.series.map(({total}) => total)).toEqual([4, 1]);
      const all = await covering<Counts>('events', {any_event: 'true', ...range, where: 'plan eq a=b'});
      expect(all.total).toBe(1);
    });
  });

  test('an event that nobody sent counts zero in every bucket', async () => {
    expect(await covering('events', {event: freshId(), ...day})).toMatchObject({
      data: [{date: '2024-01-01', count: 0}],
      total: 0,
    });
  });

  test('ranges before 1970 are ranges', async () => {
    const answer = await covering<Counts>('events', {event, from: '1969-12-31', to: '1970-01-01'});
    expect(answer.data.map((bucket) => bucket.date)).toEqual(['1969-12-31', '1970-01-01']);
  });
});

describe('active users', () => {
  // Own years, so that the other tests of this file are no part of the numbers.
  beforeAll(async () => {
    await under.trackAll([
      {event: 'seen', userId: 'ada', timestamp: '2021-03-01T10:30:00Z'},
      {event: 'seen', userId: 'ada', timestamp: '2021-03-01T11:30:00Z'},
      {event: 'left', userId: 'bob', timestamp: '2021-03-01T12:00:00Z'},
      {event: 'seen', anonymousId: 'ada', timestamp: '2021-03-03T00:00:00Z'},
    ]);
    await under.identify('only identified', {});
  });

  const users = (parameters: Parameters): Promise<Counts> => covering<Counts>('users', parameters);

  test('of an event, of conditions, of values', async () => {
    const march = {from: '2021-03-01', to: '2021-03-31', interval: 'month'};
    const total = async (parameters: Parameters) => (await users({...march, ...parameters})).total;
    expect(await total({event: 'left'})).toBe(1);
    expect(await total({where: 'x unset'})).toBe(3);
    expect(await total({event: 'seen', user_where: 'x set'})).toBe(0);
    expect(await users({...march, event: 'seen', breakdown: 'x'})).toEqual({
      metric: 'dau',
      interval: 'month',
      data: [{date: '2021-03-01', count: 2}],
      total: 2,
      breakdown: {
        property: 'x',
        additive: false,
        rows: [{kind: 'missing', data: [{date: '2021-03-01', count: 2}], total: 2}],
      },
    });
    const [day] = (await users({from: '2021-03-02', to: '2021-03-02', metric: 'wau', event: 'left'})).data;
    expect(day).toEqual({date: '2021-03-02', count: 1});
  });

  test('days of a zone, trailing ones by its dates, and quarters', async () => {
    expect(await users({from: '2021-03-02', to: '2021-03-03', timezone: 'Asia/Kathmandu'})).toEqual({
      metric: 'dau',
      interval: 'day',
      timezone: 'Asia/Kathmandu',
      data: [
        {date: '2021-03-02', count: 0},
        {date: '2021-03-03', count: 1},
      ],
      total: 1,
    });
    const weekly = {metric: 'wau', timezone: 'America/New_York'};
    // The anonymous ada comes at 19:00 on the 2nd.
    expect((await users({from: '2021-03-02', to: '2021-03-02', ...weekly})).data).toEqual([
      {date: '2021-03-02', count: 3},
    ]);
    expect((await users({from: '2021-03-08', to: '2021-03-08', ...weekly})).data).toEqual([
      {date: '2021-03-08', count: 1},
    ]);
    expect((await users({from: '2021-03-02', to: '2021-03-02', interval: 'quarter'})).data).toEqual([
      {date: '2021-01-01', count: 0},
    ]);
  });

  test('the whole answer; dau by day unless told; total counts each user once', async () => {
    expect(await users({from: '2021-03-01', to: '2021-03-03'})).toEqual({
      metric: 'dau',
      interval: 'day',
      data: [
        {date: '2021-03-01', count: 2},
        {date: '2021-03-02', count: 0},
        {date: '2021-03-03', count: 1},
      ],
      total: 3,
    });
  });

  test('dau by hour looks back 24 hours from the end of the hour, also before `from`', async () => {
    const answer = await users({from: '2021-03-02T09:00', to: '2021-03-02T12:00', interval: 'hour'});
    expect(answer.data.map((bucket) => bucket.count)).toEqual([2, 2, 1, 0]);
    expect(answer.total).toBe(0);
  });

  test('wau by hour and by day look back 7 days, by week and month they are calendar buckets', async () => {
    const byDay = await users({from: '2021-02-28', to: '2021-03-10', metric: 'wau'});
    expect(byDay.data.map((bucket) => bucket.count)).toEqual([0, 2, 2, 3, 3, 3, 3, 3, 1, 1, 0]);
    const byHour = await users({from: '2021-03-08T10:00', to: '2021-03-08T12:00', metric: 'wau', interval: 'hour'});
    expect(byHour.data.map((bucket) => bucket.count)).toEqual([3, 2, 1]);
    const byWeek = await users({from: '2021-03-02', to: '2021-03-14', metric: 'wau', interval: 'week'});
    expect(byWeek.data).toEqual([
      {date: '2021-03-01', count: 1},
      {date: '2021-03-08', count: 0},
    ]);
    const byMonth = await users({from: '2021-03-01', to: '2021-03-31', metric: 'wau', interval: 'month'});
    expect(byMonth).toMatchObject({data: [{date: '2021-03-01', count: 3}], total: 3});
  });

  test('mau by day and week look back 30 days, by month it is the calendar month', async () => {
    const byDay = await users({from: '2021-03-30', to: '2021-04-02', metric: 'mau'});
    expect(byDay.data.map((bucket) => bucket.count)).toEqual([3, 1, 1, 0]);
    const byWeek = await users({from: '2021-03-22', to: '2021-04-04', metric: 'mau', interval: 'week'});
    expect(byWeek.data).toEqual([
      {date: '2021-03-22', count: 3},
      {date: '2021-03-29', count: 0},
    ]);
    const byMonth = await users({from: '2021-03-02', to: '2021-04-01', metric: 'mau', interval: 'month'});
    expect(byMonth.data).toEqual([
      {date: '2021-03-01', count: 1},
      {date: '2021-04-01', count: 0},
    ]);
  });

  test('nothing after `to` counts, in a trailing window neither', async () => {
    const answer = await users({from: '2021-03-01', to: '2021-03-01T11:59:59.999Z', metric: 'mau'});
    expect(answer).toMatchObject({data: [{date: '2021-03-01', count: 1}], total: 1});
  });

  test('an identify alone makes nobody active', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const before = (await users({from: today, to: today})).total;
    await under.identify(freshId(), {plan: 'pro'});
    expect((await users({from: today, to: today})).total).toBe(before);
  });
});

describe('funnel', () => {
  interface Funnel {
    readonly steps: {event: string; count: number; median_seconds: number | null}[];
    readonly total: number;
  }

  /** `A1 B5` in their order of arrival, all by one new user; the names are of this call alone. */
  async function track(arrivals: string): Promise<(letters: string) => string[]> {
    const [suffix, userId] = [freshId(''), freshId()];
    const events = arrivals.split(' ').map((word) => ({
      event: `${word[0]}${suffix}`,
      userId,
      timestamp: `2024-01-01T00:00:${word.slice(1).padStart(2, '0')}Z`,
    }));
    await under.trackAll(events);
    return (letters) => letters.split(',').map((letter) => letter + suffix);
  }

  const funnel = (steps: readonly string[], more: Parameters = {}): Promise<Funnel> =>
    covering<Funnel>('funnel', {'steps[]': steps, ...day, ...more});

  test.each([
    ['A1 B2 C3', 'A,B,C', {}, [1, 1, 1]],
    ['B1 A2', 'A,B', {}, [1, 0]],
    ['A1 X2 B3', 'A,B', {}, [1, 1]],
    ['A1', 'A,A', {}, [1, 0]],
    ['A1 A2', 'A,A', {}, [1, 1]],
    ['A1 B1', 'A,B', {}, [1, 1]],
    ['B1 A1', 'A,B', {}, [1, 0]],
    ['C3 B2 A1', 'A,B,C', {}, [1, 1, 1]],
    ['A1 B5', 'A,B', {from: '2024-01-01T00:00:03Z'}, [0, 0]],
    ['A1 B5 A6 B7', 'A,B', {window: '3'}, [1, 1]],
    ['A1 B5', 'A,B', {window: '3'}, [1, 0]],
    ['A1 B5', 'A,B', {window: '4s'}, [1, 1]],
    ['A1 B5', 'A,B', {window: '1m'}, [1, 1]],
    ['A1 B5', 'A,B', {window: '1h'}, [1, 1]],
    ['A1 B5', 'A,B', {window: '1d'}, [1, 1]],
    ['A1 B5', 'A,B', {window: '99999999999999999999d'}, [1, 1]],
    ['A1 B2 A3 C4', 'A,B,C', {window: '3'}, [1, 1, 1]],
    ['A1 B3 A4 B5 C6', 'A,B,C', {window: '2s'}, [1, 1, 1]],
  ])('%s through %s %j', async (arrivals, letters, more, counts) => {
    const steps = (await track(arrivals))(letters);
    expect((await funnel(steps, more)).steps.map((step) => step.count)).toEqual(counts);
  });

  test('the whole answer', async () => {
    const [a, b, c] = (await track('A1 B2 C4'))('A,B,C') as [string, string, string];
    const at = (second: number): string => `2024-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
    const [bob, cyd, dee] = [freshId(), freshId(), freshId()];
    await under.trackAll([
      {event: a, userId: bob, timestamp: at(10)},
      {event: b, userId: bob, timestamp: '2024-01-01T00:00:12.501Z'},
      {event: a, userId: cyd, timestamp: at(10)},
      {event: a, anonymousId: dee, timestamp: at(10)},
      {event: b, userId: dee, timestamp: at(11)},
    ]);
    expect(await funnel([a, b, c])).toEqual({
      steps: [
        {event: a, count: 4, conversion_rate: 1, step_conversion_rate: 1, drop_off: 0, median_seconds: null},
        {event: b, count: 2, conversion_rate: 0.5, step_conversion_rate: 0.5, drop_off: 2, median_seconds: 1.7505},
        {event: c, count: 1, conversion_rate: 0.25, step_conversion_rate: 0.5, drop_off: 1, median_seconds: 2},
      ],
      conversion_rate: 0.25,
      total: 4,
    });
  });

  test('nobody entered', async () => {
    const [a, b] = [freshId('a'), freshId('b')];
    const nothing = {count: 0, conversion_rate: 0, step_conversion_rate: 0, drop_off: 0, median_seconds: null};
    expect(await funnel([a, b])).toEqual({
      steps: [
        {event: a, ...nothing},
        {event: b, ...nothing},
      ],
      conversion_rate: 0,
      total: 0,
    });
  });

  test('of equally deep walks the one that starts earliest gives the times', async () => {
    const steps = (await track('A1 A2 B4'))('A,B');
    expect((await funnel(steps, {window: '3'})).steps[1]!.median_seconds).toBe(3);
    expect((await funnel(steps, {window: '2'})).steps[1]!.median_seconds).toBe(2);
  });

  test('steps are written with brackets, plain or escaped, and may hold any name', async () => {
    const steps = ['a b', 'c&d=e', 'f[]', 'ü'];
    const userId = freshId();
    await under.trackAll(steps.map((event, at) => ({event, userId, timestamp: `2019-01-01T00:00:0${at}Z`})));
    const range = 'from=2019-01-01&to=2019-01-01';
    const [first, ...rest] = steps.map(encodeURIComponent);
    for (const name of ['steps[]', 'steps%5B%5D', 'steps%5b%5d']) {
      const path = `/v1/reports/funnel?${name}=${first}&${range}&${rest.map((step) => `steps[]=${step}`).join('&')}`;
      const answer = await reportCovering(under.read, path, under.positions);
      expect(answer.json<Funnel>().steps.map((step) => [step.event, step.count])).toEqual(
        steps.map((step) => [step, 1]),
      );
    }
  });

  describe('with conditions, orders and exclusions', () => {
    const [a, b, x] = [freshId('a'), freshId('b'), freshId('x')];
    const at = (second: number): string => `2024-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
    const steps = [a, b];
    const [ada, bob, cyd] = [freshId(), freshId(), freshId()];

    beforeAll(async () => {
      await under.trackAll([
        {event: a, userId: ada, timestamp: at(1), properties: {plan: 'pro'}},
        {event: b, userId: ada, timestamp: at(4), properties: {plan: 'pro'}},
        {event: a, userId: bob, timestamp: at(1), properties: {plan: 'free'}},
        {event: x, userId: bob, timestamp: at(2)},
        {event: b, userId: bob, timestamp: at(3), properties: {plan: 'pro'}},
        {event: b, userId: cyd, timestamp: at(5)},
      ]);
    });

    test.each([
      [{'where[1]': 'plan eq pro'}, [1, 1]],
      [{where: 'plan eq pro'}, [1, 1]],
      [{'where[2]': ['plan set', 'plan eq free']}, [2, 0]],
      [{user_where: 'plan eq pro'}, [0, 0]],
      [{order: 'sequential'}, [2, 2]],
      [{order: 'strict'}, [2, 1]],
      [{order: 'any'}, [3, 2]],
      [{'exclude[1]': x, 'exclude_between[1]': '1-2'}, [2, 1]],
      [{'exclude[1]': x, 'exclude_where[1]': 'plan set'}, [2, 2]],
      [{hold: 'plan'}, [2, 1]],
      [{range: 'entry', window: '1h', to: at(1)}, [2, 2]],
    ])('%j', async (more, counts) => {
      expect((await funnel(steps, more)).steps.map((step) => step.count)).toEqual(counts);
    });

    test('percentiles are the shortest time within which so many came', async () => {
      const {steps: asked} = await funnel(steps, {percentiles: 'true'});
      const took = (p75: number | null, ninety: number | null) => ({
        p75_seconds: p75,
        p90_seconds: ninety,
        p95_seconds: ninety,
      });
      expect(asked).toMatchObject([
        {...took(null, null), median_seconds: null},
        {...took(3, 3), median_seconds: 2.5, mean_seconds: 2.5},
      ]);
    });

    test('the whole answer', async () => {
      const more = {breakdown: 'plan', interval: 'month', histogram: 'true', range: 'entry', window: '1d'};
      const [first, second] = [
        {event: a, conversion_rate: 1, step_conversion_rate: 1, drop_off: 0, median_seconds: null, mean_seconds: null},
        {event: b, conversion_rate: 1, step_conversion_rate: 1, drop_off: 0},
      ];
      const took = (seconds: number) => ({median_seconds: seconds, mean_seconds: seconds});
      const series = (count: number, times: object) => ({
        steps: [
          {...first, count, histogram: []},
          {...second, count, ...times, histogram: [{seconds_from: 2, seconds_to: 5, count}]},
        ],
        conversion_rate: 1,
        total: count,
        undecided: 0,
        data: [{date: '2024-01-01', count, converted: count, conversion_rate: 1}],
      });
      expect(await funnel(steps, more)).toEqual({
        interval: 'month',
        ...series(2, took(2.5)),
        breakdown: {
          property: 'plan',
          additive: true,
          rows: [
            {value: 'free', ...series(1, took(2))},
            {value: 'pro', ...series(1, took(3))},
          ],
        },
      });
    });

    interface Page {
      readonly data: readonly {readonly id: string}[];
      readonly has_more: boolean;
      readonly next_cursor: string | null;
    }
    const users = (more: Parameters) => covering<Page>('funnel/users', {'steps[]': steps, ...day, ...more});

    test('who is behind a number, on one page or several', async () => {
      const whole = await users({step: '2'});
      expect(whole).toMatchObject({has_more: false, next_cursor: null});
      expect([...whole.data].sort((one, other) => (one.id < other.id ? -1 : 1))).toEqual(
        [
          {id: ada, kind: 'user', entered_at: at(1), at: at(4)},
          {id: bob, kind: 'user', entered_at: at(1), at: at(3)},
        ].sort((one, other) => (one.id < other.id ? -1 : 1)),
      );
      const first = await users({step: '2', limit: '1'});
      expect(first).toMatchObject({data: [whole.data[0]], has_more: true});
      const next = {cursor: first.next_cursor!, limit: '1'};
      expect(await users({step: '2', ...next})).toEqual({data: [whole.data[1]], has_more: false, next_cursor: null});
      for (const other of [{step: '1'}, {step: '2', outcome: 'dropped'}, {step: '2', where: 'plan set'}]) {
        const answer = await ask('funnel/users', {'steps[]': steps, ...day, ...other, ...next});
        expectError(answer, 400, 'invalid_cursor', 'cursor');
      }
    });

    test('who dropped out, and who holds a value', async () => {
      const dropped = {step: '2', outcome: 'dropped', 'exclude[1]': x};
      expect((await users(dropped)).data).toEqual([{id: bob, kind: 'user', entered_at: at(1), at: at(1)}]);
      expect((await users({step: '2', hold: 'plan'})).data).toEqual([
        {id: ada, kind: 'user', value: 'pro', entered_at: at(1), at: at(4)},
      ]);
    });

    test('who is in a row of a breakdown', async () => {
      const inRow = async (more: Parameters) =>
        (await users({step: '2', breakdown: 'plan', ...more})).data.map(({id}) => id);
      expect(await inRow({breakdown_value: 'pro'})).toEqual([ada]);
      expect(await inRow({breakdown_value: 'free'})).toEqual([bob]);
      expect(await inRow({breakdown_kind: 'missing'})).toEqual([]);
    });
  });
});

describe('parameters', () => {
  const complete: Readonly<Record<string, Parameters>> = {
    events: {event: 'x', ...day},
    users: {...day},
    funnel: {'steps[]': ['x'], ...day},
  };

  test.each(['events', 'users'])('%s: 10,000 buckets are answered', async (report) => {
    const from = Date.UTC(2020, 0, 1);
    const hours = (count: number): Parameters => ({
      ...complete[report],
      from: '2020-01-01',
      to: new Date(from + (count - 1) * 3_600_000).toISOString(),
      interval: 'hour',
    });
    const most = await ask(report, hours(10_000));
    expectJson(most, 200);
    expect(most.json<Counts>().data).toHaveLength(10_000);
  });

  test.each(['events', 'users'])('%s: buckets begin in years of four digits', async (report) => {
    const inRange = (from: string, to: string, interval: string): Promise<Answer> =>
      ask(report, {...complete[report], from, to, interval});
    for (const [day, interval, label] of [
      ['0000-01-03', 'week', '0000-01-03'],
      ['0000-01-01', 'month', '0000-01-01'],
      ['9999-12-31', 'week', '9999-12-27'],
    ] as const) {
      const {data} = (await inRange(day, day, interval)).json<Counts>();
      expect(data.map(({date}) => date)).toEqual([label]);
    }
  });
});

describe('freshness', () => {
  const asked = {event: 'fresh', ...day};

  // A refresh is a second here.
  const soonMsMax = 5_000;

  test('every report says what it includes', async () => {
    for (const [report, parameters] of [
      ['events', asked],
      ['users', day],
      ['funnel', {'steps[]': ['x'], ...day}],
    ] as const) {
      let newestMs = 0;
      const ageMs = await shortestMs(soonMsMax, async () => {
        let before = 0;
        const answer = await until(
          () => {
            before = Date.now();
            return ask(report, parameters);
          },
          ({headers}) => Date.parse(String(headers['report-as-of'])) > newestMs,
          'a newer snapshot than that of the try before',
        );
        expect(answer.headers['report-as-of']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
        const asOfMs = Date.parse(String(answer.headers['report-as-of']));
        expect(asOfMs).toBeLessThanOrEqual(Date.now());
        expect([...reportPositions(answer).keys()]).toEqual([0, 1, 2, 3]);
        expect(answer.headers.etag).toMatch(/^(W\/)?"[^"]+"$/);
        newestMs = asOfMs;
        return before - asOfMs;
      });
      expect(ageMs).toBeLessThan(soonMsMax);
    }
  });

  test('Report-As-Of covers what was answered before it', async () => {
    await under.track({event: 'fresh', userId: freshId(), timestamp: '2024-01-01'});
    const answeredMs = Date.now();
    const answer = await until(
      () => ask('events', asked),
      (report) => Date.parse(String(report.headers['report-as-of'])) > answeredMs,
      'a report as of after the write',
    );
    expect(under.positions.areCoveredBy(answer)).toBe(true);
    expect(answer.json<Counts>().total).toBeGreaterThan(0);
  });

  test('an event is in every report with the next refresh', async () => {
    const elapsedMs = await shortestMs(soonMsMax, async () => {
      const event = freshId('event');
      await under.track({event, userId: freshId(), timestamp: '2024-01-01'});
      const answeredMs = performance.now();
      await reportCovering(under.read, pathOf('events', {event, ...day}), under.positions);
      const asked = {events: {event, ...day}, users: day, funnel: {'steps[]': [event], ...day}};
      for (const [report, parameters] of Object.entries(asked)) {
        expect((await ask(report, parameters)).json<Counts>().total).toBeGreaterThan(0);
      }
      return performance.now() - answeredMs;
    });
    expect(elapsedMs).toBeLessThan(soonMsMax);
  });

  test('If-None-Match with the ETag of an answer that did not change is 304, without a body, through newer snapshots', async () => {
    const path = pathOf('events', asked);
    const first = await under.read.get(path);
    // Nothing of the question: its answer stays what it is through every snapshot.
    await under.track({event: freshId('event'), userId: freshId()});
    await reportCovering(under.read, path, under.positions);
    const second = await under.read.get(path, {'if-none-match': String(first.headers.etag)});
    expect([second.status, second.text]).toEqual([304, '']);
    expect(second.headers.etag).toBe(first.headers.etag);
    expect(Date.parse(String(second.headers['report-as-of']))).toBeGreaterThanOrEqual(
      Date.parse(String(first.headers['report-as-of'])),
    );
    expect(second.headers['report-log-position']).not.toBe(first.headers['report-log-position']);
    const other = await under.read.get(path, {'if-none-match': '"something else"'});
    expectJson(other, 200);
  });

  test('another query, or another answer, has another ETag', async () => {
    const both = (): Promise<[Answer, Answer]> =>
      Promise.all([ask('events', asked), ask('events', {...asked, interval: 'hour'})]);
    const [byDay, byHour] = await both();
    expect(byDay.headers.etag).not.toBe(byHour.headers.etag);
    await under.track({event: 'fresh', userId: freshId(), timestamp: '2024-01-01'});
    const newer = await reportCovering(under.read, pathOf('events', asked), under.positions);
    expect(newer.headers.etag).not.toBe(byDay.headers.etag);
  });

  test('Report-Incomplete-From marks a last bucket that is still open, and only such a one', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10); // Which it may be any moment.
    for (const interval of ['hour', 'day', 'week', 'month']) {
      const open = await ask('events', {event: 'fresh', from: today, to: tomorrow, interval});
      expect(open.headers['report-incomplete-from'], interval).toMatch(/^\d{4}-\d\d-\d\d/);
      expect(Date.parse(String(open.headers['report-incomplete-from']))).toBeLessThanOrEqual(Date.now());
      const closed = await ask('events', {...asked, interval});
      expect(closed.headers['report-incomplete-from'], interval).toBeUndefined();
    }
    const activeToday = await ask('users', {from: today, to: tomorrow});
    expect(activeToday.headers['report-incomplete-from']).toBeDefined();
  });

  test('answers are the same after a restart', async () => {
    const queries = [
      pathOf('events', {event: 'fresh', from: '2024-01-01', to: '2024-03-31'}),
      pathOf('users', {from: '2019-01-01', to: '2024-12-31', metric: 'mau', interval: 'month'}),
      pathOf('funnel', {'steps[]': ['a b', 'ü'], from: '2019-01-01', to: '2024-12-31'}),
    ];
    const answers = async (): Promise<unknown[]> =>
      Promise.all(queries.map(async (path) => (await reportCovering(under.read, path, under.positions)).json()));
    const before = await answers();
    await under.restart('kill');
    expect(await answers()).toEqual(before);
  });
});

describe('names', () => {
  const prefix = freshId('names');
  const path = (parameters: Parameters): string => `/v1/names?${query({prefix, ...parameters})}`;
  const covered = (parameters: Parameters): Promise<Answer> =>
    reportCovering(under.read, path(parameters), under.positions);
  const atNoon = (name: string, userId: string, date: string) => ({
    event: `${prefix} ${name}`,
    userId,
    timestamp: `${date}T12:00:00.000Z`,
  });
  const listed = (name: string, count: number, first: string, last = first) => ({
    name: `${prefix} ${name}`,
    count,
    first_seen: `${first}T12:00:00.000Z`,
    last_seen: `${last}T12:00:00.000Z`,
  });
  const begunMs = Date.now(); // The days are the same in each test, also when midnight passes between them.
  const daysAgo = (days: number): string => new Date(begunMs - days * 86_400_000).toISOString().slice(0, 10);
  const may = {from: '2024-05-01', to: '2024-05-31'};
  const gone = freshId();

  beforeAll(async () => {
    await under.trackAll([
      atNoon('b', 'ada', '2024-05-02'),
      atNoon('a', 'bob', '2024-05-03'),
      atNoon('c', 'ada', '2024-05-02'),
      atNoon('c', 'bob', '2024-05-04'),
      atNoon('c', 'bob', '2024-07-01'),
      atNoon('mine', gone, '2024-05-05'),
      atNoon('c', gone, '2024-01-01'),
      atNoon('recent', 'ada', daysAgo(20)),
      atNoon('before', 'ada', daysAgo(40)),
    ]);
  });

  test('are listed with the events in the range, and with the times of the first and last of all', async () => {
    const answer = await covered(may);
    expectJson(answer, 200);
    expect(answer.json()).toEqual({
      data: [
        listed('c', 2, '2024-01-01', '2024-07-01'),
        listed('a', 1, '2024-05-03'),
        listed('b', 1, '2024-05-02'),
        listed('mine', 1, '2024-05-05'),
      ],
      has_more: false,
      next_cursor: null,
    });
    expect((await covered({from: '2024-06-01', to: '2024-06-30'})).json()).toMatchObject({data: []});
    const cut = {from: '2024-05-03T12:00:00.001Z', to: '2024-05-04T12:00:00.000Z'};
    expect((await covered(cut)).json()).toMatchObject({data: [{name: `${prefix} c`, count: 1}]});
  });

  test('are those of the last 30 days unless told otherwise', async () => {
    expect((await covered({})).json()).toMatchObject({data: [listed('recent', 1, daysAgo(20))]});
    expect((await covered({to: daysAgo(21)})).json()).toMatchObject({data: [listed('before', 1, daysAgo(40))]});
    expect((await covered({from: daysAgo(60)})).json<{data: unknown[]}>().data).toHaveLength(2);
  });

  test('come in pages; a cursor keeps its range', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const range = cursor === undefined ? may : {};
      const page = await covered({...range, limit: '3', ...(cursor === undefined ? {} : {cursor})});
      const {data, has_more, next_cursor} = page.json<{
        data: {name: string}[];
        has_more: boolean;
        next_cursor: string;
      }>();
      expect(has_more).toBe(next_cursor !== null);
      seen.push(...data.map(({name}) => name.slice(prefix.length + 1)));
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(['c', 'a', 'b', 'mine']);
  });

  test('refuse what is no cursor of theirs', async () => {
    const first = await covered({...may, limit: '1'});
    const cursor = String(first.json<{next_cursor: string}>().next_cursor);
    for (const parameters of [{cursor: 'x'}, {cursor, from: '2024-05-02'}, {cursor, prefix: 'other'}]) {
      expectError(await under.read.get(path(parameters)), 400, 'invalid_cursor', 'cursor');
    }
    expectError(await under.write.get(path({})), 403, 'insufficient_permissions');
  });

  test('carry what every report carries, and are 304 while they stay the same', async () => {
    const first = await covered(may);
    const second = await under.read.get(path(may), {'if-none-match': String(first.headers.etag)});
    expect([second.status, second.text]).toEqual([304, '']);
    expect(Date.parse(String(second.headers['report-next-by']))).toBeGreaterThan(
      Date.parse(String(second.headers['report-as-of'])),
    );
  });

  test('go in the snapshot in which their last event is deleted, and times of others with it', async () => {
    const deleted = await under.read.delete(`/v1/user?${query({userId: gone})}`);
    expect([200, 202]).toContain(deleted.status); // A busy machine answers before the receipt is there.
    under.positions.add(deleted.json<{deletion: {log_position: string}}>().deletion.log_position);
    expect((await covered(may)).json()).toMatchObject({
      data: [listed('c', 2, '2024-05-02', '2024-07-01'), listed('a', 1, '2024-05-03'), listed('b', 1, '2024-05-02')],
    });
  });
});

describe('retention', () => {
  const [start, returning] = [freshId('start'), freshId('return')];
  const range = {from: '2024-05-01', to: '2024-05-02'};
  const asked = {start, return: returning, ...range, periods: '2'};

  beforeAll(async () => {
    await under.trackAll([
      {event: start, userId: 'ada', timestamp: '2024-05-01T10:00:00Z', properties: {plan: 'pro'}},
      {event: returning, userId: 'ada', timestamp: '2024-05-02T09:00:00Z'},
      {event: start, userId: 'bob', timestamp: '2024-05-02T10:00:00Z'},
      {event: returning, userId: 'bob', timestamp: '2024-05-03T11:00:00Z', properties: {amount: 5}},
    ]);
  });

  test('the shown answer: returns after `to` count', async () => {
    expect(await covering('retention', asked)).toEqual({
      interval: 'day',
      cohorts: [
        {date: '2024-05-01', size: 1, cells: [{count: 0}, {count: 1}]},
        {date: '2024-05-02', size: 1, cells: [{count: 0}, {count: 1}]},
      ],
      overall: [
        {count: 0, size: 2, rate: 0},
        {count: 2, size: 2, rate: 1},
      ],
    });
  });

  test('every parameter is understood', async () => {
    const counts = async (parameters: Parameters) => {
      const {cohorts} = await covering<{cohorts: {size: number; cells: {count: number}[]}[]}>('retention', {
        ...asked,
        ...parameters,
      });
      return cohorts.map(({size, cells}) => [size, ...cells.map(({count}) => count)]);
    };
    const none = [0, 0, 0];
    expect(await counts({frame: 'rolling'})).toEqual([
      [1, 1, 0],
      [1, 0, 1],
    ]);
    expect(await counts({criteria: 'on_or_after'})).toEqual([
      [1, 1, 1],
      [1, 0, 0],
    ]);
    expect(await counts({start_where: 'plan eq pro'})).toEqual([[1, 0, 1], none]);
    expect(await counts({return_where: 'amount gte 5'})).toEqual([
      [1, 0, 0],
      [1, 0, 1],
    ]);
    expect(await counts({return: undefined, any_return: 'true', cohort: 'recurring', interval: 'month'})).toEqual([
      [2, 2, 0],
    ]);
    expect(await counts({user_where: 'never set'})).toEqual([none, none]);
    expect(await counts({timezone: '+10:00', to: '2024-05-01'})).toEqual([[1, 0, 1]]);
    const {breakdown} = await covering<{breakdown: {rows: {value?: string; kind?: string}[]}}>('retention', {
      ...asked,
      breakdown: 'plan',
    });
    expect(breakdown.rows.map(({value, kind}) => value ?? kind)).toEqual(['pro', 'missing']);
    expect(await covering('retention', {...asked, start_where: 'plan gt 1'})).toMatchObject({skipped: 1});
  });
});

describe('lifecycle and stickiness', () => {
  const event = freshId('event');
  const range = {event, from: '2024-07-02', to: '2024-07-03'};

  beforeAll(async () => {
    await under.trackAll([
      {event, userId: 'ada', timestamp: '2024-07-01T10:00:00Z'},
      {event, userId: 'ada', timestamp: '2024-07-02T10:00:00Z', properties: {plan: 'pro'}},
      {event, userId: 'bob', timestamp: '2024-07-02T23:30:00Z'},
      {event, userId: 'bob', timestamp: '2024-07-03T11:00:00Z'},
    ]);
  });

  test('the shown answers; one bucket before `from` is read', async () => {
    expect(await covering('lifecycle', range)).toEqual({
      interval: 'day',
      data: [
        {date: '2024-07-02', new: 1, returning: 1, resurrecting: 0, dormant: 0},
        {date: '2024-07-03', new: 0, returning: 1, resurrecting: 0, dormant: 1},
      ],
    });
    const data = [
      {buckets: 1, users: 1},
      {buckets: 2, users: 1},
    ];
    expect(await covering('stickiness', range)).toEqual({interval: 'day', data, total: 2});
    const least = {interval: 'day', at_least: true, data: [{buckets: 1, users: 2}, data[1]], total: 2};
    expect(await covering('stickiness', {...range, at_least: 'true'})).toEqual(least);
  });

  test('the first bucket is read from its start, in the zone', async () => {
    const {data} = await covering<{data: unknown[]}>('lifecycle', {
      ...range,
      from: '2024-07-02T12:00',
      interval: 'week',
    });
    expect(data).toEqual([{date: '2024-07-01', new: 2, returning: 0, resurrecting: 0, dormant: 0}]);
    const local = {...range, to: '2024-07-02', timezone: 'Asia/Kolkata'};
    expect(await covering('lifecycle', local)).toEqual({
      interval: 'day',
      timezone: 'Asia/Kolkata',
      data: [{date: '2024-07-02', new: 0, returning: 1, resurrecting: 0, dormant: 0}],
    });
  });

  test('conditions, and any event', async () => {
    expect(await covering('stickiness', {...range, where: 'plan eq pro'})).toMatchObject({total: 1});
    expect(await covering('stickiness', {...range, where: 'plan gt 1'})).toMatchObject({total: 0, skipped: 1});
    expect(await covering('lifecycle', {...range, where: 'plan gt 1'})).toMatchObject({skipped: 1});
    expect(await covering('users', {...range, where: 'plan gt 1'})).toMatchObject({total: 0, skipped: 1});
    expect(await covering('stickiness', {...range, user_where: 'never set'})).toMatchObject({total: 0});
    const any = {...range, event: undefined, any_event: 'true'};
    expect(await covering('stickiness', any)).toMatchObject({total: 2});
  });
});

describe('paths', () => {
  const [first, second] = [freshId('first'), freshId('second')];
  const range = {from: '2024-08-01', to: '2024-08-01', depth: '2'};

  beforeAll(async () => {
    await under.trackAll([
      {event: first, userId: 'path-ada', timestamp: '2024-08-01T10:00:00Z'},
      {event: second, userId: 'path-ada', timestamp: '2024-08-01T10:00:00Z', properties: {auto: true}},
      {event: first, userId: 'path-bob', timestamp: '2024-08-01T23:59:59.999Z'},
      {event: second, userId: 'path-bob', timestamp: '2024-08-02T00:00:00Z'},
    ]);
  });

  test('the shown answers, from an event and back from one', async () => {
    const [one, other] = [{event: first}, {event: second}];
    const end = {kind: 'end'};
    expect(await covering('paths', {...range, start: first})).toEqual({
      depth: 2,
      steps: [
        [{...one, users: 2}],
        [
          {...other, users: 1},
          {...end, users: 1},
        ],
      ],
      edges: [
        {step: 1, from: one, to: other, users: 1},
        {step: 1, from: one, to: end, users: 1},
      ],
    });
    expect(await covering('paths', {...range, end: second})).toEqual({
      depth: 2,
      steps: [[{...other, users: 1}], [{...one, users: 1}]],
      edges: [{step: 1, from: other, to: one, users: 1}],
    });
    const manual = await covering<{edges: unknown[]}>('paths', {...range, start: first, where: 'auto unset'});
    expect(manual.edges).toEqual([{step: 1, from: one, to: end, users: 2}]);
    expect(await covering('paths', {...range, start: second, where: 'auto gte 1'})).toMatchObject({skipped: 1});
  });
});

test('numbers of one report add up', async () => {
  const answer = await covering<Counts>('events', {event: 'fresh', from: '2023-12-01', to: '2024-02-01'});
  const sum = Object.values(countsOf(answer)).reduce((total, count) => total + count, 0);
  expect(sum).toBe(answer.total);
  expect(sum).toBeGreaterThan(0);
});

describe('at=', () => {
  const event = freshId('event');

  test('answers over the same snapshots', async () => {
    await under.track({event, userId: 'ada', timestamp: '2024-01-01T10:00:00Z'});
    const counts = pathOf('events', {event, ...day});
    /** A machine that pauses long enough between two questions finds that the parts of the first were erased. */
    const {first, at, users} = await until(
      async () => {
        const first = await reportCovering(under.read, counts, under.positions);
        const at = String(first.headers['report-log-position']);
        return {first, at, users: await ask('users', {...day, at})};
      },
      ({users: {status}}) => status !== 410,
      'the snapshots of an answer are there a moment later',
    );
    expectJson(users, 200);
    expect(users.headers['report-log-position']).toBe(at);
    const again = await under.read.get(`${counts}&at=${at}`);
    expect(again.text).toBe(first.text);
    expect(again.headers).toMatchObject({'report-log-position': at, etag: first.headers.etag});
  });

  test('a position that nobody holds is gone, for lists, too', async () => {
    expectError(await ask('users', {...day, at: '0:1.1'}), 410, 'snapshot_gone', 'at');
    expectError(await under.read.get('/v1/names?at=0:1.1'), 410, 'snapshot_gone', 'at');
  });
});

describe('Min-Log-Position', () => {
  const event = freshId('event');
  const path = pathOf('events', {event, ...day});
  const including = (position: string, asked = path): Promise<Answer> =>
    under.read.get(asked, {'min-log-position': position});

  test('a report that includes a write is asked for once', async () => {
    let written = 0;
    for (const userId of ['ada', 'bob', 'cleo']) {
      const {headers} = await under.track({event, userId, timestamp: '2024-01-01T10:00:00Z'});
      written += 1;
      const answer = await until(
        () => including(String(headers['log-position'])),
        ({status}) => status !== 503,
        'the snapshot is published on a busy machine, too',
      );
      expectJson(answer, 200);
      expect(answer.json<Counts>().total).toBe(written);
    }
  });

  test('what no log has is not there yet, a bad value is refused, and so is one with at', async () => {
    const future = await including('0:1.999999999999');
    expectError(future, 503, 'not_yet', 'Min-Log-Position');
    expect(Number(future.headers['retry-after'])).toBeGreaterThan(0);
    for (const position of ['1', '900:1.1']) {
      expectError(await including(position), 400, 'invalid_request', 'Min-Log-Position');
    }
    expectError(await including('0:1.1', `${path}&at=0:1.1`), 400, 'invalid_request', 'at');
  });
});

describe('POST /v1/query', () => {
  const event = freshId('queried');
  const ada = freshId();
  const range = day;
  const events = [{event}];
  const ofDay = query(day);
  const steps = [{event}, {event: `${event} then`}];

  interface Answered {
    readonly question?: object;
    readonly answer?: unknown;
    readonly error?: {readonly code: string; readonly field: string};
    readonly meta?: {readonly log_position: string; readonly hint: string | null; readonly skipped: number | null};
  }
  interface Answers {
    readonly answers: readonly Answered[];
    readonly log_position: string | null;
  }

  /** Each question beside its route. */
  const asked: readonly (readonly [question: object, path: string])[] = [
    [{report: 'counts', events, range}, `reports/events?event=${event}&${ofDay}`],
    [
      {report: 'counts', range, measure: {of: 'sum', property: 'n'}},
      `reports/events?any_event=true&measure=sum&property=n&${ofDay}`,
    ],
    [{report: 'active', range, events}, `reports/users?event=${event}&${ofDay}`],
    [{report: 'funnel', steps, range}, `reports/funnel?steps[]=${event}&steps[]=${event}+then&${ofDay}`],
    [
      {report: 'retention', start: {event}, range, periods: 2},
      `reports/retention?start=${event}&any_return=true&periods=2&${ofDay}`,
    ],
    [{report: 'lifecycle', range, events}, `reports/lifecycle?event=${event}&${ofDay}`],
    [{report: 'stickiness', range, events}, `reports/stickiness?event=${event}&${ofDay}`],
    [{report: 'paths', start: {event}, range}, `reports/paths?start=${event}&${ofDay}`],
    [{report: 'names', prefix: event, range}, `names?prefix=${event}&${ofDay}`],
    [{report: 'properties', event, range}, `properties?event=${event}&${ofDay}`],
    [{report: 'values', property: 'n', event, range}, `properties/values?property=n&event=${event}&${ofDay}`],
    [{report: 'people', event, range}, `users?event=${event}&${ofDay}`],
  ];

  beforeAll(async () => {
    await under.trackAll([
      {event, userId: ada, timestamp: '2024-01-01T10:00:00Z', properties: {n: 2}},
      {event: `${event} then`, userId: ada, timestamp: '2024-01-01T11:00:00Z', properties: {n: 'x'}},
      {event, userId: freshId(), timestamp: '2024-01-01T10:00:00Z', properties: {n: 3}},
    ]);
    await covering('events', {event, ...day});
  });

  /** Once the report role answers: a machine that is busy with other work may keep it from a part that it needs. */
  const queried = (request: RequestOptions): Promise<Answer> =>
    until(
      () => under.read.send('POST', '/v1/query', request),
      ({status, text}) => status !== 503 && !text.includes('"code":"unavailable"'),
      'the report role answers',
    );

  test('answers each question as its route does, all of one position', async () => {
    /** The snapshots of an answer may be erased while a busy machine pauses. */
    const {answers, at, routes} = await until(
      async () => {
        const answer = await queried({json: {questions: asked.map(([question]) => question)}});
        expectJson(answer, 200);
        const {answers, log_position: at} = answer.json<Answers>();
        const routes = await Promise.all(asked.map(([, path]) => under.read.get(`/v1/${path}&at=${at}`)));
        return {answers, at, routes};
      },
      ({routes}) => routes.every(({status}) => status !== 410 && status !== 503),
      'the snapshots of an answer are there a moment later',
    );
    expect(answers.map(({meta}) => meta?.log_position)).toEqual(asked.map(() => at));
    expect(answers.map(({answer}) => answer)).toEqual(routes.map((route) => route.json()));
    expect(answers[0]).toMatchObject({
      question: {report: 'counts', interval: 'day'},
      answer: {total: 2},
      meta: {hint: null},
    });
    expect(answers[1]!.meta!.skipped).toBeGreaterThan(0);
    const again = await queried({json: {questions: answers.map(({question}) => question)}});
    expect(again.json<Answers>().answers.map(({question}) => question)).toEqual(answers.map(({question}) => question));
  });

  test('the people behind a number are as many as it says', async () => {
    const funnel = {report: 'funnel', steps, range, interval: 'day'};
    const behind = (question: object, point: object) => ({report: 'people', behind: {question, point}});
    const questions = [
      funnel,
      behind(funnel, {step: 2}),
      behind(funnel, {outcome: 'dropped', step: 2, date: '2024-01-01'}),
      behind(asked[0]![0], {date: '2024-01-01'}),
    ];
    const {answers} = (await queried({json: {questions}})).json<Answers>();
    const [counted, ...people] = answers.map(({answer}) => answer);
    expect(counted).toMatchObject({steps: [{count: 2}, {count: 1, drop_off: 1}]});
    expect(people).toMatchObject([
      {total: 1, data: [{id: ada, kind: 'user'}]},
      {total: 1},
      {total: 2, has_more: false},
    ]);
  });

  test('one question, with what was probably meant, and including a write', async () => {
    const {headers} = await under.track({event, userId: freshId(), timestamp: '2024-01-01T10:00:00Z'});
    const one = await queried({
      json: {report: 'counts', events: [{event}, {event: `${event}s`}], range},
      headers: {'min-log-position': String(headers['log-position'])},
    });
    expectJson(one, 200);
    const {answer, meta} = one.json<Answered>();
    expect((answer as {series: Counts[]}).series.map(({total}) => total)).toEqual([3, 0]);
    expect(meta!.hint).toBe(`unknown event "${event}s"; did you mean "${event}"?`);
  });

  test('users of a segment: by what they did and did not do, until it is changed and removed', async () => {
    const did = [{event: `${event} then`}];
    const made = await under.read.post('/v1/segments', {name: 'Went on', users: {did}});
    expectJson(made, 201);
    const {id} = made.json<{id: string}>();
    const users = {segment: id};
    const ofSegment = [
      {report: 'counts', events, range, users},
      {report: 'people', users},
      {report: 'counts', events, range, users: {did: [{...did[0], not: true}]}},
    ];
    const countsNow = async (): Promise<readonly unknown[]> => {
      const answer = await queried({json: {questions: ofSegment}});
      expectJson(answer, 200);
      return answer
        .json<Answers>()
        .answers.map(({answer}) => answer as {total?: number; data: readonly {id?: string}[]})
        .map(({total, data}) => total ?? data.map(({id}) => id));
    };
    const [ofDoers, doers, others] = await countsNow();
    expect([ofDoers, doers]).toEqual([1, [ada]]);
    expect(others).toBeGreaterThanOrEqual(1);
    expectJson(await under.read.get(`/v1/reports/events?event=${event}&segment=${id}&${ofDay}`), 200);
    expectJson(
      await under.read.send('PATCH', `/v1/segments/${id}`, {json: {users: {did: [{...did[0], not: true}]}}}),
      200,
    );
    expect((await countsNow())[0]).toBe(others);
    expectJson(await under.read.send('DELETE', `/v1/segments/${id}`), 200);
    expectError(await under.read.post('/v1/query', ofSegment[1]), 400, 'invalid_request', '/users/segment');
  });

  test('a question that fails has its error, and the others their numbers', async () => {
    const questions = [{report: 'counts', rnage: 'today'}, asked[0]![0], {report: 'names', cursor: 'x'}];
    const failing = await queried({
      body: JSON.stringify({questions}),
      headers: {'content-type': 'application/json'},
    });
    const {answers, log_position: at} = failing.json<Answers>();
    expect(answers.map(({error}) => error?.field)).toEqual(['/questions/0/rnage', undefined, '/questions/2/cursor']);
    expect(answers[1]!.meta!.log_position).toBe(at);
    const gone = await queried({json: {questions: [asked[0]![0]], at: '0:1.1'}});
    expect(gone.json()).toMatchObject({answers: [{error: {code: 'snapshot_gone'}}], log_position: null});
  });

  test.each<[unknown, string]>([
    [{report: 'counts', wher: []}, '/wher'],
    [{questions: []}, '/questions'],
    [{questions: Array(31).fill({report: 'names'})}, '/questions'],
    [{questions: [{report: 'names'}], att: '0:1.1'}, '/att'],
    [{questions: [{report: 'names'}], at: 'x'}, '/at'],
    [{report: 'counts', at: '0:1.1'}, '/at'],
  ])('%j is refused', async (body, field) => {
    expectError(await under.read.post('/v1/query', body), 400, 'invalid_request', field);
  });
});

test('null can be asked for: in reports, lists of users and of what they did', async () => {
  const event = freshId('nulls');
  const at = {event, timestamp: '2024-01-01T10:00:00Z'};
  const [ada, bob, cyd] = [freshId('null-ada'), freshId('null-bob'), freshId('null-cyd')];
  await under.trackAll([
    {...at, userId: ada, properties: {referrer: null}},
    {...at, userId: bob, properties: {referrer: 'x'}},
    {...at, userId: cyd},
  ]);
  await under.identify(ada, {team: null, of: event});
  await under.identify(bob, {team: 'a', of: event});
  await under.identify(cyd, {of: event});
  const total = async (parameters: Parameters) =>
    (await covering<Counts>('events', {event, ...day, ...parameters})).total;
  expect([await total({where: 'referrer null'}), await total({where: 'referrer nnull'})]).toEqual([1, 2]);
  expect([await total({where: ['referrer set', 'referrer nnull']}), await total({where: 'referrer unset'})]).toEqual([
    1, 1,
  ]);
  expect([await total({user_where: 'team null'}), await total({user_where: 'team nnull'})]).toEqual([1, 2]);
  const listed = async (parameters: Parameters): Promise<string[]> => {
    const answer = await reportCovering(under.read, `/v1/users?${query(parameters)}`, under.positions);
    return answer.json<{data: {id: string}[]}>().data.map(({id}) => id);
  };
  expect(await listed({user_where: [`of eq ${event}`, 'team null']})).toEqual([ada]);
  expect(await listed({event, where: 'referrer null'})).toEqual([ada]);
});

test('Report-Hint: unknown names of events, and operators that went into filter', async () => {
  const event = `hinted ${freshId()}`;
  await under.track({event, userId: 'ada', timestamp: '2024-01-01T10:00:00Z'});
  await covering('events', {event, ...day});
  const hint = async (report: string, parameters: Parameters) =>
    (await ask(report, {...parameters, ...day})).headers['report-hint'];
  const unknown = `unknown event "${event}s"; did you mean "${event}"?`;
  expect(await hint('events', {event})).toBeUndefined();
  expect(await hint('events', {event: `${event}s`})).toBe(unknown);
  expect(await hint('events', {event, filter: 'plan!=pro'})).toBe('operators go into where=');
  expect(await hint('events', {event: `${event}s`, filter: 'n>=5'})).toBe(`operators go into where=; ${unknown}`);
  expect(await hint('funnel', {'steps[]': [event, `${event}s`]})).toBe(unknown);
  for (const breakdown of ['userId', 'anonymousId'])
    expect(await hint('events', {event, breakdown})).toBe('for users by their events ask /v1/users?sort=events');
});

describe('format=csv', () => {
  const event = freshId('event');

  beforeAll(async () => {
    const at = {event, timestamp: '2024-01-01T10:00:00Z'};
    await under.trackAll([
      {...at, userId: 'ada', properties: {plan: '=1+1'}},
      {...at, userId: 'bob', properties: {plan: '=1+1'}},
      {...at, userId: 'bob'},
    ]);
    await covering('events', {event, ...day});
  });

  const csv = (report: string, parameters: Parameters, headers?: Record<string, string>): Promise<Answer> =>
    under.read.get(pathOf(report, {...day, ...parameters, format: 'csv'}), headers);

  test('answers each report as a table', async () => {
    const counts = await csv('events', {event});
    expect(counts.headers).toMatchObject({'content-type': 'text/csv; charset=utf-8', 'cache-control': 'no-store'});
    expect(counts.text).toBe('date,count\r\n2024-01-01,3\r\n');
    const broken = await csv('events', {event, breakdown: 'plan'});
    expect(broken.text).toBe("value,kind,date,count\r\n'=1+1,,2024-01-01,2\r\n,missing,2024-01-01,1\r\n");
    const users = await csv('events', {event, measure: 'users'});
    expect(users.text).toBe('date,count,users\r\n2024-01-01,3,2\r\n');
    expect((await csv('users', {})).text).toMatch(/^date,count\r\n2024-01-01,\d+\r\n$/);
    const funnel = await csv('funnel', {'steps[]': [event]});
    expect(funnel.text.split('\r\n')[1]).toBe(`1,${event},2,1,1,0,`);
    const retention = await csv('retention', {start: event, any_return: 'true', periods: '1'});
    expect(retention.text).toBe('date,size,period,count,incomplete\r\n2024-01-01,2,0,1,\r\n');
  });

  // The client of tests decodes every body strictly.
  test('is UTF-8 also where texts have half of a surrogate pair', async () => {
    const name = freshId('halves');
    const at = {event: name, userId: name, timestamp: '2024-01-01T10:00:00Z'};
    await under.track({...at, properties: {plan: 'a\ud83d', '\ude00b': 1}});
    await under.identify(name, {plan: '\ud83d'});
    await covering('events', {event: name, ...day});
    const broken = await csv('events', {event: name, breakdown: 'plan'});
    expect(broken.text).toBe('value,kind,date,count\r\na\ufffd,,2024-01-01,1\r\n');
    const properties = await under.read.get(`/v1/properties?${query({event: name, ...day, format: 'csv'})}`);
    expect(properties.text).toContain('\r\n\ufffdb,');
    const values = await under.read.get(`/v1/traits/values?${query({trait: 'plan', format: 'csv'})}`);
    expect(values.text).toContain('\ufffd,');
  });

  test('has a tag of its own, and 304; errors stay JSON', async () => {
    const [asCsv, asJson] = [await csv('events', {event}), await ask('events', {event, ...day})];
    expect(asCsv.headers.etag).not.toBe(asJson.headers.etag);
    const again = await csv('events', {event}, {'if-none-match': String(asCsv.headers.etag)});
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', asCsv.headers.etag]);
    expect((await csv('events', {event}, {'if-none-match': String(asJson.headers.etag)})).status).toBe(200);
    expectError(await csv('events', {event, interval: 'age'}), 400, 'invalid_request', 'interval');
    expect((await ask('events', {event, ...day, format: 'json'})).text).toBe(asJson.text);
  });
});
