// Readings of rules over random stories, against a twin that counts events one by one.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type AlertState, step} from '../../src/alerts/alert-state.js';
import type {AbsenceRule, FunnelDropRule, ThresholdRule, WatchedEvents} from '../../src/alerts/definition.js';
import {questionsOf, type Reading, type ReportRule, type RuleContext} from '../../src/alerts/rule-questions.js';
import {events, manyRuns, someStory, someTime, tell, type World} from '../support/report-worlds.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const someConditions = fc.constantFrom<(readonly string[])[]>([], [], ['a eq 1'], ['a set'], ['a gte 1', 'a set']);
const someMinutes = fc.constantFrom(5, 60, 61, 1_440, 44_640);
const someEnds = fc
  .tuple(someTime, fc.constantFrom(minuteMs, 10 * minuteMs, hourMs, 24 * hourMs), fc.integer({min: 1, max: 6}))
  .map(([lastMs, stepMs, count]) => Array.from({length: count}, (_, i) => lastMs - (count - 1 - i) * stepMs));

/** The events that a rule watches, in [fromMs, toMs). */
function watched({model}: World, {event, where}: WatchedEvents, fromMs: number, toMs: number) {
  return model.events.filter(
    (one) =>
      (event === undefined || one.name === event) &&
      one.timeMs >= fromMs &&
      one.timeMs < toMs &&
      where.every((condition) => passes(condition, (one.properties as Record<string, unknown>).a)),
  );
}

function passes(condition: string, value: unknown): boolean {
  if (condition === 'a set') return value !== undefined;
  if (condition === 'a gte 1') return typeof value === 'number' && value >= 1;
  return typeof value !== 'object' && String(value) === '1';
}

async function readingsOf(world: World, rule: ReportRule, ends: readonly number[], context: RuleContext = {}) {
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
        fc.record({
          kind: fc.constant('threshold' as const),
          count: fc.constantFrom('events' as const, 'users' as const),
          event: fc.constantFrom(...events),
          isAny: fc.boolean(),
          where: someConditions,
          userWhere: fc.constant([]),
          minutes: someMinutes,
          op: fc.constantFrom('gte' as const, 'lte' as const),
          bound: fc.integer({min: 0, max: 4}),
        }),
        someEnds,
        async (story, {isAny, event, ...rest}, ends) => {
          const world = tell(story);
          const rule: ThresholdRule = isAny ? rest : {...rest, event};
          const expected = ends.map((toMs): Reading => {
            const fromMs = toMs - rule.minutes * minuteMs;
            const seen = watched(world, rule, fromMs, toMs);
            const value = rule.count === 'events' ? seen.length : new Set(seen.map(({userId}) => userId)).size;
            const holds = rule.op === 'gte' ? value >= rule.bound : value <= rule.bound;
            return {fromMs, toMs, value, bound: rule.bound, holds};
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
        fc.record({
          kind: fc.constant('absence' as const),
          event: fc.constantFrom(...events),
          where: someConditions,
          userWhere: fc.constant([]),
          minutes: someMinutes,
        }),
        someEnds,
        fc.constantFrom<true | undefined>(undefined, true),
        async (story, rule: AbsenceRule, ends, wasSeen) => {
          const world = tell(story);
          const expected = ends.map((toMs): Reading => {
            const fromMs = toMs - rule.minutes * minuteMs;
            const value = watched(world, rule, fromMs, toMs).length;
            const isSeen = wasSeen === true || watched(world, rule, Number.NEGATIVE_INFINITY, toMs).length > 0;
            const looked = wasSeen === undefined && rule.where.length > 0 && {lookedMs: toMs};
            return {fromMs, toMs, value, bound: 0, holds: value === 0 && isSeen, isSeen, ...looked};
          });
          expect(await readingsOf(world, rule, ends, {wasSeen})).toEqual(expected);
        },
      ),
      manyRuns,
    );
  });

  test('absence, one end after the other with what the state remembers', async () => {
    await fc.assert(
      fc.asyncProperty(someStory, someConditions, someMinutes, someEnds, async (story, where, minutes, ends) => {
        const world = tell(story);
        const rule: AbsenceRule = {kind: 'absence', event: 'A', where, userWhere: [], minutes};
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

describe('a funnel that drops', () => {
  const base: FunnelDropRule = {kind: 'funnel_drop', funnel: 'fn_1', days: 7, minEntered: 10};
  const funnel = {name: 'Checkout', steps: ['cart', 'paid'], windowMs: hourMs};
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
    const asked = {report: 'funnel', steps: [{event: 'cart'}, {event: 'paid'}], windowMs: hourMs};
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
