// The rules of funnels, one story each (docs/api/reports/funnel.md, Rules): who gets how far.
import {describe, expect, test} from 'vitest';
import type {FunnelRules} from '../../../../src/asks/funnels.js';
import type {ReportQuery} from '../../../../src/asks/report.js';
import {tell} from '../../../support/report-worlds.js';

const dayMs = 24 * 3_600_000;
const day = (number: number): number => Date.UTC(2026, 6, number);

/** `ada:A1{"v":1} B2`: a user's events, each a name, a day of July 2026, and properties. */
function told(...stories: string[]) {
  return stories.flatMap((story) => {
    const [, user, events] = /^(\w+):(.*)$/.exec(story)!;
    return events!.split(' ').map((text) => {
      const [, event, number, properties] = /^(\D)(\d+)(.*)$/.exec(text)!;
      return {
        do: 'track',
        event: {user: user!, event: event!, timeMs: day(Number(number)), properties: JSON.parse(properties || '{}')},
      } as const;
    });
  });
}

interface Asked extends Partial<Omit<FunnelRules, 'steps'>> {
  readonly steps: string;
  readonly rest?: Partial<Extract<ReportQuery, {report: 'funnel'}>>;
}

async function ask(stories: readonly string[], {steps, rest, ...rules}: Asked, asOfMs = 0) {
  const query = {
    report: 'funnel',
    steps: [...steps].map((event) => ({event})),
    order: 'sequential',
    fromMs: day(1),
    toMs: day(32) - 1,
    range: 'all',
    ...rules,
    ...rest,
  } as const;
  return (await tell(told(...stories), asOfMs).ask(query)) as {
    steps: {count: number; mean_seconds: number | null; histogram?: object[]}[];
    undecided?: number;
    unit?: string;
    data?: object[];
    breakdown?: {rows: {value?: string; kind?: string; total: number}[]};
  };
}

async function countsOf(stories: readonly string[], asked: Asked, asOfMs?: number): Promise<number[]> {
  return (await ask(stories, asked, asOfMs)).steps.map(({count}) => count);
}

const excluding = (event: string, afterStep: number, beforeStep: number) => ({
  exclusions: [{event, afterStep, beforeStep}],
});

test('the first step in the range, later ones up to the window after it', async () => {
  const stories = ['ada:A5 B15', 'bob:A28', 'cyd:A31 B36'];
  const asked = {steps: 'AB', windowMs: 14 * dayMs};
  expect(await countsOf(stories, asked)).toEqual([3, 1]);
  const entries = {...asked, range: 'entry'} as const;
  expect(await ask(stories, entries, day(60))).toMatchObject({steps: [{count: 3}, {count: 2}], undecided: 0});
  expect(await ask(stories, entries, day(42))).toMatchObject({undecided: 1});
  expect((await ask(stories, entries, day(42) + 1)).undecided).toBe(0);
  // The second event is no entry.
  expect((await ask(['ada:A31 A35'], entries, day(46))).undecided).toBe(0);
  expect((await ask(['ada:A30 A31'], entries, day(45))).undecided).toBe(1);
});

test.each(['sequential', 'strict', 'any'] as const)('%s: who enters after the range is not in it', async (order) => {
  const asked = {steps: 'AB', windowMs: 14 * dayMs, range: 'entry', order} as const;
  expect(await countsOf(['ada:A33 B34', 'bob:A31 A33 B34'], asked)).toEqual(order === 'strict' ? [1, 0] : [1, 1]);
});

describe('strict', () => {
  test.each([
    ['nothing lies in between', 'ada:A1 B2 C3', 'ABC', [1, 1, 1]],
    ['another event ends the attempt', 'ada:A1 X2 B3', 'AB', [1, 0]],
    ['and begins a new one where it is step 1', 'ada:A1 A2 B3', 'AB', [1, 1]],
    ['events of one ms are in the order of the log', 'ada:A1 X1 B1', 'AB', [1, 0]],
    ['what lies before and after does not count', 'ada:X1 A2 B3 X4', 'AB', [1, 1]],
    ['what lies out of the range does not exist', 'ada:A31 B33', 'AB', [1, 0]],
  ])('%s', async (_, story, steps, counts) => {
    expect(await countsOf([story], {steps, order: 'strict'})).toEqual(counts);
  });

  test('what does not meet the condition of all events does not exist', async () => {
    const where = [{property: 'v', op: 'unset', values: []}] as const;
    expect(await countsOf(['ada:A1 X2{"v":1} B3'], {steps: 'AB', order: 'strict', where})).toEqual([1, 1]);
  });
});

describe('any order', () => {
  test.each([
    ['the first step is not special', 'ada:C1 B2', 'ABC', [1, 1, 0]],
    ['each step takes an event of its own', 'ada:A1 B2', 'AAB', [1, 1, 0]],
    ['the same event twice is no second step', 'ada:A1 A2', 'AB', [1, 0]],
    ['all of them', 'ada:C1 A2 B3', 'ABC', [1, 1, 1]],
  ])('%s', async (_, story, steps, counts) => {
    expect(await countsOf([story], {steps, order: 'any'})).toEqual(counts);
  });

  test('an event makes room for a later one that can do less', async () => {
    const rest = {
      steps: [
        {event: 'A', where: []},
        {event: 'A', where: [{property: 'v', op: 'set', values: []}]},
      ],
    } as const;
    expect(await countsOf(['ada:A1{"v":1} A2'], {steps: 'AA', order: 'any', rest})).toEqual([1, 1]);
    expect(await countsOf(['ada:A1 A2'], {steps: 'AA', order: 'any', rest})).toEqual([1, 0]);
  });

  test('the window begins with the earliest event of the path', async () => {
    const asked = {steps: 'AB', order: 'any', windowMs: 3 * dayMs} as const;
    expect(await countsOf(['ada:B1 A5 B9 A10'], asked)).toEqual([1, 1]);
    expect(await countsOf(['ada:B1 A5'], asked)).toEqual([1, 0]);
    expect(await ask(['ada:B1 A4'], asked)).toMatchObject({order: 'any', steps: [{level: 1}, {level: 2}]});
  });
});

describe('exclusions', () => {
  test.each([
    ['end the attempt at the step reached', 'ada:A1 X2 B3', 'AB', 'X', 0, 1, [1, 0]],
    ['the user may enter again', 'ada:A1 X2 A3 B4', 'AB', 'X', 0, 1, [1, 1]],
    ['before and after the steps they do nothing', 'ada:X1 A2 B3 X4', 'AB', 'X', 0, 1, [1, 1]],
    ['hold between their steps alone', 'ada:A1 X2 B3 C4', 'ABC', 'X', 1, 2, [1, 1, 1]],
    ['and not after them', 'ada:A1 B2 X3 C4', 'ABC', 'X', 0, 1, [1, 1, 1]],
    ['those that were reached before stay', 'ada:A1 B2 X3 C4', 'ABC', 'X', 1, 2, [1, 1, 0]],
    ['an event may be a step itself', 'ada:A1 A2 B3', 'AB', 'A', 0, 1, [1, 1]],
    ['of one ms are in the order of the log', 'ada:A1 B1 X1', 'AB', 'X', 0, 1, [1, 1]],
  ])('%s', async (_, story, steps, event, after, before, counts) => {
    expect(await countsOf([story], {steps, ...excluding(event, after, before)})).toEqual(counts);
  });
});

test('a histogram by the clock has bounds that people choose', async () => {
  const stories = ['ada:A1 B1', 'bob:A1 B2', 'cyd:A1 B4'];
  const {steps} = await ask(stories, {steps: 'AB', rest: {histogram: 'clock'}});
  const bins = steps[1]!.histogram as {seconds_from: number; seconds_to: number; count: number}[];
  const daySeconds = 86_400;
  expect(bins.filter(({count}) => count > 0)).toEqual([
    {seconds_from: 0, seconds_to: 0.001, count: 1},
    {seconds_from: daySeconds, seconds_to: 2 * daySeconds, count: 1},
    {seconds_from: 2 * daySeconds, seconds_to: 4 * daySeconds, count: 1},
  ]);
  const fromSecond = bins.map(({seconds_from}) => seconds_from).filter((seconds) => seconds >= 1);
  const ofMinute = [1, 2, 5, 10, 15, 30];
  expect(fromSecond).toEqual([
    ...ofMinute,
    ...ofMinute.map((minutes) => 60 * minutes),
    ...[1, 2, 3, 6, 12, 24, 48].map((hours) => 3_600 * hours),
  ]);
});
