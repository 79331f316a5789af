// The people behind every number of every report, over random partitions: as many as the number says, on one page and on many.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {ActiveAnswer} from '../../src/edge/answers/active-users.js';
import type {CountsAnswer} from '../../src/edge/answers/counts.js';
import type {
  LifecycleAnswer,
  PathsAnswer,
  RetentionAnswer,
  StickinessAnswer,
} from '../../src/edge/answers/engagement.js';
import type {WalkedFunnelAnswer} from '../../src/edge/answers/funnels.js';
import type {Front} from '../../src/edge/front.js';
import {pointing, readQuestion} from '../../src/edge/query/read-question.js';
import {queryOf} from '../../src/edge/routes/query.js';
import {
  atMostOne,
  events,
  someBreakdown,
  someBreakdowns,
  someCondition,
  someRange,
  someStory,
  tell,
  texts,
  tinyBound,
  type World,
} from '../support/report-worlds.js';
import {runs} from '../support/runs.js';

const front = {reportZone: undefined, wallMs: () => 0, keys: {lists: {names: [], properties: []}}} as unknown as Front;
const queryFor = (question: object) => pointing('', () => queryOf(readQuestion(question, ''), front));

/** A place in an answer, in its words, and the number there. */
type Numbered = readonly [point: object, number: number];

interface People {
  readonly data: readonly {readonly id: string; readonly kind: string}[];
  readonly total: number;
  readonly next_cursor: string | null;
}

const pageUsers = 2;

/** The people behind a number; where they are more than a page, read page by page, too. */
async function peopleAt(world: World, question: object, point: object): Promise<People> {
  const asked = {report: 'people', behind: {question, point}};
  const whole = (await world.ask(queryFor(asked))) as People;
  expect(whole.next_cursor).toBeNull();
  expect(new Set(whole.data.map(({id}) => id)).size).toBe(whole.data.length);
  if (whole.total <= pageUsers) return whole;
  const paged: People['data'][number][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = queryFor({...asked, limit: pageUsers, ...(cursor === undefined ? {} : {cursor})});
    const page = (await world.ask(query, 8 * tinyBound)) as People;
    expect(page.total).toBe(whole.total);
    paged.push(...page.data);
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(whole.data);
  return whole;
}

/** `areOnce`: whether the numbers count each user once. */
async function expectPeople(
  world: World,
  question: object,
  numbers: readonly Numbered[],
  areOnce: (point: object) => boolean = () => true,
): Promise<void> {
  for (const [point, number] of numbers) {
    const {data, total} = await peopleAt(world, question, point);
    const about = JSON.stringify([question, point]);
    expect([about, total]).toEqual([about, data.length]);
    if (areOnce(point)) expect([about, total]).toEqual([about, number]);
    else expect([about, total > 0, total <= number]).toEqual([about, number > 0, true]);
  }
}

interface Row {
  readonly value?: string | undefined;
  readonly kind?: string | undefined;
  readonly by?: readonly {readonly value?: string; readonly kind?: string}[] | undefined;
}

/** The numbers of an answer, and those of the rows of its breakdown. */
function withRows<Answer extends object>(
  answer: Answer & {readonly breakdown?: {readonly rows: readonly object[]} | undefined},
  numbersOf: (answer: Answer) => readonly Numbered[],
): Numbered[] {
  const rows = (answer.breakdown?.rows ?? []) as readonly (Answer & Row)[];
  return [
    ...numbersOf(answer),
    ...rows.flatMap((row) => {
      const nameOf = ({value, kind}: Row): object => (value === undefined ? {kind} : {value});
      const named = row.by === undefined ? nameOf(row) : {by: row.by.map(nameOf)};
      return numbersOf(row).map(([point, number]): Numbered => [{...point, ...named}, number]);
    }),
  ];
}

const someWhere = atMostOne(someCondition).map((all) =>
  all.map(({property, op, values}) => ({
    property,
    op,
    ...(values.length === 0 ? {} : {value: op === 'in' || op === 'nin' ? values : values[0]!}),
  })),
);
const someEvent = fc.option(fc.constantFrom(...events, 'never'), {nil: undefined});
const chosen = (event: string | undefined, where: readonly object[]) => ({
  ...(event === undefined ? {} : {event}),
  where,
});
const asMember = (all: readonly {by: string; name: string; limit: number}[]): object[] =>
  all.map(({by, name, limit}) => ({[by]: name, limit}));
const someRow = fc.option(someBreakdown.map(asMember), {nil: undefined});
const someRows = fc.option(someBreakdowns.map(asMember), {nil: undefined});
const brokenBy = (breakdown: object | undefined) => (breakdown === undefined ? {} : {breakdown});
/** Few buckets, and so few numbers. */
const fewBuckets = fc.constantFrom('week', 'month', 'year');
const zones = fc.constantFrom({}, {timezone: 'America/St_Johns'});

const rangeOf = (range: {fromMs: number; toMs: number}) => ({range: texts(range)});

/** Asks a question of each of some worlds. */
async function inWorlds<Rules>(
  rules: fc.Arbitrary<Rules>,
  check: (world: World, range: {range: {from: string; to: string}}, rules: Rules) => Promise<void>,
  asOfMs = 0,
): Promise<void> {
  const property = fc.asyncProperty(someStory, someRange, rules, (story, range, one) =>
    check(tell(story, asOfMs), rangeOf(range), one),
  );
  await fc.assert(property, {numRuns: runs(24)});
}

describe('behind every number', () => {
  test('of counts are those who did the events', async () => {
    const rules = fc.record({
      names: fc.subarray([...events, 'never']),
      where: someWhere,
      userWhere: someWhere,
      breakdown: someRows,
      interval: fewBuckets,
      zone: zones,
    });
    await inWorlds(rules, async (world, range, {names, where, userWhere, breakdown, interval, zone}) => {
      const question = {
        report: 'counts',
        events: names.map((event) => ({event})),
        where,
        users: {where: userWhere},
        interval,
        ...zone,
        ...brokenBy(breakdown),
        ...range,
      };
      const numbersOf = ({data, total_value: total}: Pick<CountsAnswer, 'data' | 'total_value'>): Numbered[] => [
        [{}, total!],
        ...data.map(({date, value}): Numbered => [{date}, value!]),
      ];
      const ofUsers = {...question, measure: {of: 'users'}};
      const answer = (await world.ask(queryFor(ofUsers))) as CountsAnswer & {series?: readonly CountsAnswer[]};
      const series = answer.series ?? [answer];
      const numbers = series.flatMap((one) =>
        withRows(one, numbersOf).map(
          ([point, number]): Numbered => [{...point, ...(answer.series && {event: one.event})}, number],
        ),
      );
      // The users are those of the events, whatever is measured.
      await expectPeople(world, question, numbers);
    });
  });

  test('of a series with a label, and of the range before, are those of its question', async () => {
    const story = ['ada 22 x', 'bob 22 y', 'cyd 23 x', 'ada 20 x', 'dan 20 x'].map((text) => {
      const [user, day, a] = text.split(' ');
      const event = {user: user!, event: 'A', timeMs: Date.UTC(2024, 1, Number(day), 9), properties: {a: a!}};
      return {do: 'track', event} as const;
    });
    const events = [
      {event: 'A', where: ['a=x']},
      {event: 'A', as: 'others', where: ['a=y']},
    ];
    const range = {from: '2024-02-22', to: '2024-02-23'};
    const question = {report: 'counts', events, range, compare: 'previous'};
    const totalAt = async (point: object): Promise<number> => (await peopleAt(tell(story), question, point)).total;
    expect(await Promise.all(['A', 'others'].map((as) => totalAt({as})))).toEqual([2, 1]);
    expect(await Promise.all(['A', 'others'].map((as) => totalAt({as, previous: true})))).toEqual([2, 0]);
    expect(await totalAt({as: 'A', previous: true, date: '2024-02-20'})).toBe(2);
  });

  test('of active users are the active ones', async () => {
    const rules = fc.record({
      event: someEvent,
      where: someWhere,
      userWhere: someWhere,
      metric: fc.constantFrom('dau', 'wau', 'mau'),
      breakdown: someRow,
      interval: fewBuckets,
      zone: zones,
    });
    await inWorlds(rules, async (world, range, {event, where, userWhere, breakdown, zone, ...asked}) => {
      const who = {events: [chosen(event, where)], users: {where: userWhere}};
      const question = {report: 'active', ...asked, ...who, ...zone, ...brokenBy(breakdown), ...range};
      const answer = (await world.ask(queryFor(question))) as ActiveAnswer;
      const numbers = withRows(answer, ({data, total}: Pick<ActiveAnswer, 'data' | 'total'>): Numbered[] => [
        [{}, total],
        ...data.map(({date, count}): Numbered => [{date}, count]),
      ]);
      await expectPeople(world, question, numbers);
    });
  });

  test('of a funnel are those at the step', async () => {
    const rules = fc.record({
      steps: fc.array(fc.tuple(fc.constantFrom(...events), someWhere), {minLength: 1, maxLength: 3}),
      order: fc.constantFrom({}, {order: 'any'}, {order: 'strict'}),
      entry: fc.constantFrom({}, {in_range: 'entry'}),
      hold: fc.constantFrom({}, {}, {hold: 'a'}),
      extras: fc.constantFrom({}, {interval: 'week', histogram: 'clock'}),
      userWhere: someWhere,
      breakdown: someRow,
      zone: zones,
    });
    const checked = async (
      world: World,
      range: object,
      {
        steps,
        order,
        entry,
        hold,
        extras,
        userWhere,
        breakdown,
        zone,
      }: typeof rules extends fc.Arbitrary<infer R> ? R : never,
    ): Promise<void> => {
      const question = {
        report: 'funnel',
        steps: steps.map(([event, where]) => ({event, where})),
        window: '20d',
        users: {where: userWhere},
        ...order,
        ...entry,
        ...hold,
        ...extras,
        ...zone,
        ...brokenBy(breakdown),
        ...range,
      };
      const numbersOf = ({steps, data, total, undecided}: WalkedFunnelAnswer): Numbered[] => [
        [{}, total],
        ...(undecided === undefined ? [] : [[{outcome: 'undecided'}, undecided] as const]),
        ...steps.flatMap(({count, drop_off, histogram = []}, i): Numbered[] => [
          [{step: i + 1}, count],
          ...(i === 0 ? [] : [[{step: i + 1, outcome: 'dropped'}, drop_off] as const]),
          ...histogram.map((bin): Numbered => [{step: i + 1, seconds_from: bin.seconds_from}, bin.count]),
        ]),
        ...(data ?? []).flatMap(({date, count, converted}): Numbered[] => [
          [{date}, count],
          [{date, step: steps.length}, converted],
        ]),
      ];
      const answer = (await world.ask(queryFor(question))) as WalkedFunnelAnswer;
      await expectPeople(world, question, withRows(answer, numbersOf), () => !('hold' in hold));
    };
    await inWorlds(rules, checked, Date.UTC(2024, 2, 10));
  });

  test('of retention are the members, and those who returned', async () => {
    const rules = fc.record({
      start: fc.tuple(fc.constantFrom(...events), someWhere),
      back: fc.tuple(someEvent, someWhere),
      userWhere: someWhere,
      cohort: fc.constantFrom('first', 'recurring'),
      criteria: fc.constantFrom('on', 'on_or_after'),
      frame: fc.constantFrom('calendar', 'rolling'),
      interval: fc.constantFrom('week', 'month'),
      periods: fc.integer({min: 1, max: 3}),
      breakdown: someRow,
      zone: zones,
    });
    const check = async (
      world: World,
      range: object,
      {start, back, userWhere, breakdown, zone, ...asked}: typeof rules extends fc.Arbitrary<infer R> ? R : never,
    ): Promise<void> => {
      const question = {
        report: 'retention',
        start: {event: start[0], where: start[1]},
        return: chosen(...back),
        users: {where: userWhere},
        ...asked,
        ...zone,
        ...brokenBy(breakdown),
        ...range,
      };
      const numbersOf = ({cohorts, overall}: Pick<RetentionAnswer, 'cohorts' | 'overall'>): Numbered[] => [
        ...cohorts.flatMap(({date, size, cells}): Numbered[] => [
          [{cohort: date}, size],
          ...cells.map(({count}, period): Numbered => [{cohort: date, period}, count]),
        ]),
        ...overall.flatMap(({count, size}, period): Numbered[] => [
          [{period}, count],
          [{period, outcome: 'member'}, size],
        ]),
      ];
      const answer = (await world.ask(queryFor(question))) as RetentionAnswer;
      const isOnce = (point: object): boolean => 'cohort' in point || asked.cohort === 'first';
      await expectPeople(world, question, withRows(answer, numbersOf), isOnce);
    };
    await inWorlds(rules, check, Date.UTC(2024, 3, 1));
  });

  test('of lifecycle and stickiness are those of the stage, and of so many buckets', async () => {
    const rules = fc.record({
      event: someEvent,
      where: someWhere,
      userWhere: someWhere,
      interval: fewBuckets,
      isAtLeast: fc.boolean(),
      zone: zones,
    });
    await inWorlds(rules, async (world, range, {event, where, userWhere, isAtLeast, interval, zone}) => {
      const who = {events: [chosen(event, where)], users: {where: userWhere}, interval, ...zone, ...range};
      const stages = {report: 'lifecycle', ...who};
      const {data} = (await world.ask(queryFor(stages))) as LifecycleAnswer;
      const ofStages = data.flatMap(({date, ...counts}): Numbered[] => [
        ...Object.entries(counts).map(([state, count]): Numbered => [{date, state}, count]),
        [{date}, counts.new + counts.returning + counts.resurrecting],
      ]);
      await expectPeople(world, stages, ofStages);
      const often = {report: 'stickiness', ...who, at_least: isAtLeast};
      const answer = (await world.ask(queryFor(often))) as StickinessAnswer;
      await expectPeople(world, often, [
        [{}, answer.total],
        ...answer.data.map(({buckets, users}): Numbered => [{buckets}, users]),
      ]);
    });
  });

  test('of paths are those with the event at the step, and with the edge', async () => {
    const rules = fc.record({
      event: fc.constantFrom(...events),
      isEnd: fc.boolean(),
      where: someWhere,
      userWhere: someWhere,
      depth: fc.integer({min: 2, max: 4}),
      limit: fc.integer({min: 1, max: 3}),
    });
    await inWorlds(rules, async (world, range, {event, isEnd, where, userWhere, ...asked}) => {
      const named = isEnd ? {end: {event}} : {start: {event}};
      const question = {report: 'paths', ...named, where, users: {where: userWhere}, ...asked, ...range};
      const {steps, edges} = (await world.ask(queryFor(question))) as PathsAnswer;
      await expectPeople(world, question, [
        ...steps.flatMap((nodes, i) => nodes.map(({users, ...node}): Numbered => [{step: i + 1, ...node}, users])),
        ...edges.map(({step, from, to, users}): Numbered => [{step, from, to}, users]),
      ]);
    });
  });
});
