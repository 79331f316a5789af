// Retention: stories with exact answers, and random ones that equal the model.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {ReportQuery} from '../../../../src/asks/report.js';
import {bucketsOf, dayMs, hourMs} from '../../../../tools/model/calendar.js';
import {retentionOf} from '../../../../tools/model/retention.js';
import {
  atMostOne,
  events,
  someBreakdown,
  someCondition,
  someRange,
  someStory,
  someTime,
  someUsers,
  tell,
  texts,
  tinyBound,
} from '../../../support/report-worlds.js';
import {runs} from '../../../support/runs.js';

type Query = Extract<ReportQuery, {report: 'retention'}>;

const longestMs = {hour: hourMs, day: dayMs, week: 7 * dayMs, month: 31 * dayMs};

/** Ends of the buckets after the last cohort's, by the calendar of the model. */
function laterEndsOf({fromMs, toMs, interval, periods}: Omit<Query, 'laterEnds'>): number[] {
  const {length} = bucketsOf({fromMs, toMs}, interval);
  const longer = bucketsOf({fromMs, toMs: toMs + periods * longestMs[interval]}, interval);
  return longer.slice(length, length + periods - 1).map(({endMs}) => endMs);
}

/** Hours of two days at most: the model is slow. */
const shortFor = (interval: string, {fromMs, toMs}: {fromMs: number; toMs: number}) => ({
  fromMs,
  toMs: interval === 'hour' ? Math.min(toMs, fromMs + 2 * dayMs) : toMs,
});

test('retention equals the model, in one pass and in many', async () => {
  const someRules = fc.record({
    interval: fc.constantFrom<Query['interval'][]>('hour', 'day', 'week', 'month'),
    start: fc.record({event: fc.constantFrom(...events), where: atMostOne(someCondition)}),
    return: fc.record({event: fc.constantFrom(...events, undefined), where: atMostOne(someCondition)}),
    filter: someUsers,
    periods: fc.integer({min: 1, max: 6}),
    cohort: fc.constantFrom('first' as const, 'recurring' as const),
    criteria: fc.constantFrom('on' as const, 'on_or_after' as const),
    frame: fc.constantFrom('calendar' as const, 'rolling' as const),
    breakdown: fc.option(someBreakdown, {nil: undefined}),
  });
  const property = fc.asyncProperty(
    someStory,
    someTime,
    someRange,
    someRules,
    async (story, asOfMs, someTimes, rules) => {
      const range = shortFor(rules.interval, someTimes);
      const world = tell(story, asOfMs);
      const {start, return: returning, breakdown, filter, ...others} = rules;
      const did = ({event, where}: {event: string | undefined; where: typeof start.where}) =>
        event === undefined ? {where} : {event, where};
      const query = {
        ...others,
        ...filter,
        start: did(start),
        return: did(returning),
        ...(breakdown === undefined ? {} : {breakdown}),
      };
      const expected = retentionOf(world.model, {...query, ...texts(range)}, asOfMs);
      const question = {report: 'retention', ...query, ...range} as const;
      const asked = {...question, laterEnds: laterEndsOf(question)};
      expect(await world.ask(asked)).toEqual(expected);
      expect(await world.ask(asked, tinyBound)).toEqual(expected);
      expect(await world.askAgain(asked)).toEqual(expected);
    },
  );
  await fc.assert(property, {numRuns: runs(90)});
});

/** 2024-01-01 is a Monday. */
const at = (day: number, hour = 12, minute = 0): number => Date.UTC(2024, 0, day, hour, minute);
const told = (user: string, event: string, timeMs: number, properties = {}) =>
  ({do: 'track', event: {user, event, timeMs, properties}}) as const;

const usual = {
  report: 'retention',
  fromMs: at(1, 0),
  toMs: at(3, 0) - 1,
  interval: 'day',
  start: {event: 'signup'},
  return: {event: 'visit'},
  periods: 3,
  cohort: 'first',
  criteria: 'on',
  frame: 'calendar',
} as const;
const ask = async (story: Parameters<typeof tell>[0], more: Partial<Query> = {}, asOfMs = at(31)) => {
  const query = {...usual, ...more};
  return (await tell(story, asOfMs).ask({...query, laterEnds: laterEndsOf(query)})) as {
    cohorts: {date: string; size: number; cells: {count: number; incomplete?: true}[]}[];
    overall: {count: number; size: number; rate: number | null}[];
    breakdown?: {rows: unknown[]};
  };
};
const countsOf = ({cohorts}: Awaited<ReturnType<typeof ask>>) =>
  cohorts.map(({size, cells}) => [size, ...cells.map(({count}) => count)]);

test('the shown answer: cells of a bucket that has not ended are incomplete, and no part of the overall row', async () => {
  const story = [
    told('ada', 'signup', at(1)),
    told('ada', 'visit', at(2)),
    told('bob', 'signup', at(1)),
    told('cyd', 'signup', at(2)),
    told('cyd', 'visit', at(2, 13)),
    told('cyd', 'visit', at(3)),
  ];
  expect(await ask(story, {}, at(4, 0))).toEqual({
    interval: 'day',
    cohorts: [
      {date: '2024-01-01', size: 2, cells: [{count: 0}, {count: 1}, {count: 0}]},
      {date: '2024-01-02', size: 1, cells: [{count: 1}, {count: 1}, {count: 0, incomplete: true}]},
    ],
    overall: [
      {count: 1, size: 3, rate: 1 / 3},
      {count: 2, size: 3, rate: 2 / 3},
      {count: 0, size: 2, rate: 0},
    ],
  });
});

test('a first start event is the first of all time, not of the range', async () => {
  const story = [told('ada', 'signup', at(1)), told('ada', 'signup', at(2)), told('bob', 'signup', at(2))];
  const second = {fromMs: at(2, 0)};
  expect(countsOf(await ask(story, second))).toEqual([[1, 0, 0, 0]]);
  expect(countsOf(await ask(story, {...second, cohort: 'recurring'}))).toEqual([[2, 0, 0, 0]]);
});

test('the start event is no return to itself, whichever event returns; a second one of the same ms is', async () => {
  const start = [told('ada', 'signup', at(1))];
  for (const event of ['signup', undefined]) {
    const returning = event === undefined ? {return: {}} : {return: {event}};
    expect(countsOf(await ask(start, returning))[0]).toEqual([1, 0, 0, 0]);
    expect(countsOf(await ask([...start, ...start], returning))[0]).toEqual([1, 1, 0, 0]);
  }
});

test('a minute around midnight is a day by the calendar, and none when periods roll', async () => {
  const story = [told('ada', 'signup', at(1, 23, 45)), told('ada', 'visit', at(2, 0, 1))];
  expect(countsOf(await ask(story))[0]).toEqual([1, 0, 1, 0]);
  expect(countsOf(await ask(story, {frame: 'rolling'}))[0]).toEqual([1, 1, 0, 0]);
});
