// Readings of rules over random stories, against a twin that counts events one by one.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type AlertState, step} from '../../src/alerts/alert-state.js';
import type {AbsenceRule, FunnelDropRule, ThresholdRule} from '../../src/alerts/definition.js';
import {questionsOf, type Reading, type ReportRule, type RuleContext} from '../../src/alerts/rule-questions.js';
import type {WatchedQuestion} from '../../src/asks/question/counts.js';
import {type Condition, type Did, didIt, isOfMeant, type UserFilter} from '../../tools/model/conditions.js';
import {events, manyRuns, someStory, someTime, tell, type World} from '../support/report-worlds.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const meaning: Readonly<Record<string, Condition>> = {
  'a eq 1': {property: 'a', op: 'eq', values: ['1']},
  'a set': {property: 'a', op: 'set', values: []},
  'a gte 1': {property: 'a', op: 'gte', values: ['1']},
};
const meant = (texts: readonly string[]): readonly Condition[] => texts.map((text) => meaning[text]!);

const someConditions = fc.constantFrom<string[][]>([], [], ['a eq 1'], ['a set'], ['a gte 1', 'a set']);
const someMinutes = fc.constantFrom(5, 60, 61, 1_440, 44_640);
const someEnds = fc
  .tuple(someTime, fc.constantFrom(minuteMs, 10 * minuteMs, hourMs, 24 * hourMs), fc.integer({min: 1, max: 6}))
  .map(([lastMs, stepMs, count]) => Array.from({length: count}, (_, i) => lastMs - (count - 1 - i) * stepMs));

// -- users, and who that is at the last end --

const segmentId = 'sg_0123456789abcdef';
const ofSegment = {where: ['a set'], did: [{event: 'B', not: true}]};
const segmentOf = (id: string) => (id === segmentId ? {users: ofSegment} : undefined);

interface Users {
  readonly users: WatchedQuestion['users'];
  readonly filter: (lastMs: number) => UserFilter | undefined;
}
const always = {fromMs: 0, toMs: Number.MAX_SAFE_INTEGER};
const inSegment = {where: meant(['a set']), did: [{event: 'B', where: [], ...always, isAbsent: true}]};
/** The two days that end with the UTC day of the last end. */
const twoDays = (lastMs: number) => {
  const tomorrowMs = (Math.floor(lastMs / dayMs) + 1) * dayMs;
  return {fromMs: tomorrowMs - 2 * dayMs, toMs: tomorrowMs - 1};
};
const someUsers = fc.constantFrom<Users[]>(
  {users: undefined, filter: () => undefined},
  {users: undefined, filter: () => undefined},
  {users: {where: ['a set']}, filter: () => ({where: meant(['a set']), did: []})},
  {
    users: {did: [{event: 'A', where: ['a set'], range: '-2d', not: false}]},
    filter: (lastMs) => ({
      where: [],
      did: [{event: 'A', where: meant(['a set']), ...twoDays(lastMs), isAbsent: false}],
    }),
  },
  {users: {segment: segmentId}, filter: () => inSegment},
  {
    users: {segment: segmentId, where: ['a eq 1']},
    filter: () => ({...inSegment, where: [...inSegment.where, ...meant(['a eq 1'])]}),
  },
);

const someWatched = fc
  .record({
    event: fc.option(fc.constantFrom(...events), {nil: undefined}),
    ofEntry: someConditions,
    where: someConditions,
    who: someUsers,
  })
  .map(({event, ofEntry, where, who}) => ({
    question: {report: 'counts', events: [{event, where: ofEntry}], where, users: who.users} satisfies WatchedQuestion,
    event,
    where: meant([...ofEntry, ...where]),
    filter: who.filter,
  }));
type Watched = Parameters<Parameters<typeof someWatched.map>[0]>[0];

/** The events that a rule watches, in [fromMs, toMs). */
const watchedIn = ({model}: World, {event, where, filter}: Watched, lastMs: number) => {
  const users = filter(lastMs);
  const all = model.events.filter((one) => didIt(one, {event, where} as Did) && isOfMeant(model, one, users));
  return (fromMs: number, toMs: number) => all.filter(({timeMs}) => timeMs >= fromMs && timeMs < toMs);
};

async function readingsOf(world: World, rule: ReportRule, ends: readonly number[], context: RuleContext = {segmentOf}) {
  const {questions, readingsOf: read} = questionsOf(rule, ends, context);
  const bodies: unknown[] = [];
  for (const question of questions) bodies.push(await world.ask(question));
  return read(bodies);
}

describe('readings are what a twin counts', () => {
  test('threshold: events and distinct users of a window, and on which side of the bound they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        someStory,
        someWatched,
        fc.record({
          isOfUsers: fc.boolean(),
          minutes: someMinutes,
          op: fc.constantFrom('gte' as const, 'lte' as const),
          bound: fc.integer({min: 0, max: 4}),
        }),
        someEnds,
        async (story, watched, {isOfUsers, minutes, op, bound}, ends) => {
          const world = tell(story);
          const measured = isOfUsers ? {...watched.question, measure: {of: 'users' as const}} : watched.question;
          const rule: ThresholdRule = {kind: 'threshold', question: measured, minutes, op, bound};
          const seenIn = watchedIn(world, watched, ends.at(-1)!);
          const expected = ends.map((toMs): Reading => {
            const fromMs = toMs - minutes * minuteMs;
            const seen = seenIn(fromMs, toMs);
            const value = isOfUsers ? new Set(seen.map(({userId}) => userId)).size : seen.length;
            return {fromMs, toMs, value, bound, holds: op === 'gte' ? value >= bound : value <= bound};
          });
          expect(await readingsOf(world, rule, ends)).toEqual(expected);
        },
      ),
      manyRuns,
    );
  });

  test('absence: no event in the window, and one before it', async () => {
    await fc.assert(
      fc.asyncProperty(
        someStory,
        someWatched,
        someMinutes,
        someEnds,
        fc.constantFrom<true | undefined>(undefined, true),
        async (story, watched, minutes, ends, wasSeen) => {
          const world = tell(story);
          const {question, event, where, filter} = watched;
          const seenIn = watchedIn(world, watched, ends.at(-1)!);
          const isCounted = event !== undefined && where.length === 0 && filter(0) === undefined;
          const expected = ends.map((toMs): Reading => {
            const fromMs = toMs - minutes * minuteMs;
            const value = seenIn(fromMs, toMs).length;
            const isSeen = wasSeen === true || seenIn(Number.NEGATIVE_INFINITY, toMs).length > 0;
            const looked = wasSeen === undefined && !isCounted && {lookedMs: toMs};
            return {fromMs, toMs, value, bound: 0, holds: value === 0 && isSeen, isSeen, ...looked};
          });
          const rule: AbsenceRule = {kind: 'absence', question, minutes};
          expect(await readingsOf(world, rule, ends, {wasSeen, segmentOf})).toEqual(expected);
        },
      ),
      manyRuns,
    );
  });

  test('absence, one end after the other with what the state remembers', async () => {
    await fc.assert(
      fc.asyncProperty(someStory, someConditions, someMinutes, someEnds, async (story, where, minutes, ends) => {
        const world = tell(story);
        const question: WatchedQuestion = {report: 'counts', events: [{event: 'A'}], where};
        const rule: AbsenceRule = {kind: 'absence', question, minutes};
        let state: AlertState | undefined;
        for (const toMs of ends) {
          const [reading] = await readingsOf(world, rule, [toMs], {wasSeen: state?.wasSeen, lookedMs: state?.lookedMs});
          const [whole] = await readingsOf(world, rule, [toMs]);
          expect({...reading, lookedMs: 0}).toEqual({...whole, lookedMs: 0});
          ({state} = step(state, reading!, '', {for: 1}));
        }
      }),
      manyRuns,
    );
  });
});

test('a rule whose segment was deleted asks nothing, and is not judged', () => {
  const question: WatchedQuestion = {report: 'counts', events: [{event: 'A'}], users: {segment: segmentId}};
  const rules: ReportRule[] = [
    {kind: 'threshold', question, minutes: 60, op: 'lte', bound: 3},
    {kind: 'absence', question, minutes: 60},
  ];
  for (const rule of rules) {
    const {questions, readingsOf: read} = questionsOf(rule, [hourMs, dayMs]);
    expect(questions).toEqual([]);
    expect(read([])).toMatchObject([
      {value: null, holds: undefined},
      {toMs: dayMs, holds: undefined},
    ]);
  }
});

describe('a funnel that drops', () => {
  const base: FunnelDropRule = {kind: 'funnel_drop', funnel: 'fn_1', days: 7, minEntered: 10};
  const funnel = {
    name: 'Checkout',
    question: {
      report: 'funnel' as const,
      steps: [{event: 'cart', where: ['a set']}, {event: 'paid'}],
      window: '1h',
      exclude: [{event: 'left'}],
    },
  };
  const endMs = Date.UTC(2026, 4, 20, 12);
  const body = (total: number, rate: number) => {
    const steps = [{count: total}, {count: Math.round(total * rate)}];
    return {steps, total, conversion_rate: rate};
  };

  const holdsOf = (rule: FunnelDropRule, ...bodies: unknown[]) => {
    const [reading] = questionsOf(rule, [endMs], {funnel}).readingsOf(bodies);
    return [reading!.holds, reading!.value, reading!.bound];
  };

  test('asks for the days up to the end, and for as many before if it compares', () => {
    const days = 7 * 24 * hourMs;
    const asked = {
      report: 'funnel',
      steps: [
        {event: 'cart', where: meant(['a set'])},
        {event: 'paid', where: []},
      ],
      where: [],
      order: undefined,
      exclusions: [{event: 'left', where: [], afterStep: 0, beforeStep: 1}],
      windowMs: hourMs,
    };
    expect(questionsOf({...base, below: 0.5}, [endMs], {funnel}).questions).toEqual([
      {...asked, fromMs: endMs - days, toMs: endMs - 1},
    ]);
    expect(questionsOf({...base, lowerBy: 20}, [endMs], {funnel}).questions).toEqual([
      {...asked, fromMs: endMs - days, toMs: endMs - 1},
      {...asked, fromMs: endMs - 2 * days, toMs: endMs - days - 1},
    ]);
  });

  test('is one whose conversion is below the bound', () => {
    expect(holdsOf({...base, below: 0.5}, body(10, 0.49))).toEqual([true, 0.49, 0.5]);
    expect(holdsOf({...base, below: 0.5}, body(10, 0.5))).toEqual([false, 0.5, 0.5]);
  });

  test('or lower by so many per cent than before', () => {
    expect(holdsOf({...base, lowerBy: 50}, body(10, 0.25), body(10, 0.5))).toEqual([true, 0.25, 0.25]);
    expect(holdsOf({...base, lowerBy: 50}, body(10, 0.26), body(10, 0.5))).toEqual([false, 0.26, 0.25]);
    expect(holdsOf({...base, lowerBy: 50}, body(10, 0), body(10, 0))).toEqual([false, 0, 0]);
  });

  test('holds where the conversion is lower by exactly the percentage of the rule, and not above that', () => {
    for (let before = 1; before <= 100; before++)
      for (const lowerBy of [1, 7, 10, 30, 90]) {
        const now = before * (100 - lowerBy);
        const holds = (count: number) =>
          holdsOf({...base, lowerBy}, body(10_000, count / 10_000), body(100, before / 100))[0];
        expect([before, lowerBy, holds(now), holds(now + 1)]).toEqual([before, lowerBy, true, false]);
      }
  });

  test('or either of them', () => {
    const rule = {...base, below: 0.3, lowerBy: 50};
    expect(holdsOf(rule, body(10, 0.29), body(10, 0.3))).toEqual([true, 0.29, 0.3]);
    expect(holdsOf(rule, body(10, 0.4), body(10, 0.8))).toEqual([true, 0.4, 0.4]);
    expect(holdsOf(rule, body(10, 0.4), body(9, 0.8))).toEqual([false, 0.4, 0.3]);
  });

  test('is not judged with too few users, or without the funnel', () => {
    expect(holdsOf({...base, below: 0.5}, body(9, 0.1))).toEqual([undefined, null, 0.5]);
    expect(holdsOf({...base, lowerBy: 50}, body(10, 0.1), body(9, 0.8))).toEqual([undefined, null, 50]);
    expect(questionsOf({...base, below: 0.5}, [endMs]).questions).toEqual([]);
    expect(questionsOf({...base, below: 0.5}, [endMs]).readingsOf([])[0]!.holds).toBeUndefined();
  });
});
