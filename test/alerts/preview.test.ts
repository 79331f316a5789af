// Previews: the same rule over the last 30 days, in a story with a few bad hours, and beside evaluations one by one.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type AlertState, step} from '../../src/alerts/alert-state.js';
import type {ThresholdRule} from '../../src/alerts/definition.js';
import {type Previewed, previewQuestions} from '../../src/alerts/preview.js';
import {questionsOf, type RuleContext} from '../../src/alerts/rule-questions.js';
import {type Step, someStory, someTime, tell, type World} from '../support/report-worlds.js';
import {runs} from '../support/runs.js';

const minuteMs = 60_000;
const asOfMs = Date.UTC(2024, 2, 30, 12);
const minutesBefore = (minutes: number): number => asOfMs - minutes * minuteMs;
const track = (event: string, minutes: number): Step => ({
  do: 'track',
  event: {user: 'ada', event, timeMs: minutesBefore(minutes), properties: {}},
});

async function previewOf(world: World, alert: Previewed, context: RuleContext = {}, refreshMs = 10_000) {
  const {questions, previewOf: read} = previewQuestions(alert, asOfMs, refreshMs, context);
  const bodies: unknown[] = [];
  for (const question of questions) bodies.push(await world.ask(question));
  return read(bodies);
}

const errors: ThresholdRule = {
  kind: 'threshold',
  question: {report: 'counts', events: [{event: 'A'}]},
  minutes: 60,
  op: 'gte',
  bound: 2,
};

test('a threshold fired twice, and fires now', async () => {
  const world = tell([
    ...[10_001, 10_030].map((minutes) => track('A', minutes)),
    ...[5_001, 5_061].map((minutes) => track('A', minutes)), // An hour and a minute apart: never two in a window.
    ...[3_001, 3_002, 3_055].map((minutes) => track('A', minutes)),
    ...[1, 2].map((minutes) => track('A', minutes)),
  ]);
  const preview = await previewOf(world, {rule: errors, for: 1});
  const firing = (from: number, until: number | undefined, value: number) => ({
    fromMs: minutesBefore(from),
    untilMs: until === undefined ? undefined : minutesBefore(until),
    value,
    bound: 2,
  });
  expect(preview).toEqual({
    fromMs: minutesBefore(30 * 24 * 60 - 10),
    toMs: asOfMs,
    stepMs: 10 * minuteMs,
    firings: [firing(10_000, 9_960, 2), firing(3_000, 2_940, 3), firing(0, undefined, 2)],
    messages: 5,
  });
});

test('absence: a heartbeat that stopped, from when there was a first one', async () => {
  const world = tell([20_000, 19_990, 19_980, 100, 90].map((minutes) => track('A', minutes)));
  const rule = {kind: 'absence', question: errors.question, minutes: 120} as const;
  const {firings} = await previewOf(world, {rule, for: 1});
  expect(firings).toEqual([{fromMs: minutesBefore(19_850), untilMs: minutesBefore(90), value: 0, bound: 0}]);
});

test('`for` becomes as many steps as its evaluations take', async () => {
  const world = tell([101, 102].map((minutes) => track('A', minutes)));
  const fired = async (count: number, refreshMs: number) =>
    (await previewOf(world, {rule: errors, for: count}, {}, refreshMs)).firings.map(
      ({fromMs}) => (asOfMs - fromMs) / minuteMs,
    );
  expect(await fired(1, 10_000)).toEqual([100]);
  expect(await fired(3, 10_000)).toEqual([90]);
  expect(await fired(4, 600_000)).toEqual([70]);
  expect(await fired(60, 600_000)).toEqual([]);
});

test('a preview is what evaluations at its steps say, one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(someStory, someTime, fc.integer({min: 1, max: 4}), async (story, endMs, bound) => {
      const world = tell(story);
      const rule = {...errors, bound, minutes: 97};
      const {questions, previewOf: read} = previewQuestions({rule, for: 1}, endMs, 10_000, {});
      const preview = read([await world.ask(questions[0]!)]);
      let state: AlertState | undefined;
      let messages = 0;
      for (let atMs = endMs - 300 * minuteMs; atMs <= endMs; atMs += preview.stepMs) {
        const asked = questionsOf(rule, [atMs]);
        const [reading] = asked.readingsOf([await world.ask(asked.questions[0]!)]);
        const next = step(state, reading!, '', {for: 1});
        state = next.state;
        if (next.change !== undefined) messages += 1;
      }
      const isFiring = preview.firings.at(-1)?.untilMs === undefined && preview.firings.length > 0;
      expect(state!.state).toBe(isFiring ? 'firing' : 'ok');
      expect(preview.messages).toBeGreaterThanOrEqual(messages - 1); // It may have fired before the first of these.
    }),
    {numRuns: runs(30)},
  );
});
