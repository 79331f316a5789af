// Paths: stories with exact answers, and random ones that equal the model.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {funnelOf} from '../../../../tools/model/funnel.js';
import {pathsOf} from '../../../../tools/model/paths.js';
import {
  atMostOne,
  events,
  someCondition,
  someRange,
  someStory,
  someUsers,
  tell,
  texts,
  tinyBound,
} from '../../../support/report-worlds.js';
import {runs} from '../../../support/runs.js';

interface Paths {
  readonly steps: readonly (readonly {event?: string; kind?: string; users: number}[])[];
  readonly edges: readonly {step: number; users: number}[];
}
const sum = (all: readonly {users: number}[]): number => all.reduce((total, {users}) => total + users, 0);

test('paths equal the model, step 1 the funnel of that event; edges and steps add up', async () => {
  const someRules = fc.record({
    event: fc.constantFrom(...events, 'never'),
    direction: fc.constantFrom('after' as const, 'before' as const),
    where: atMostOne(someCondition),
    filter: someUsers,
    depth: fc.integer({min: 2, max: 6}),
    limit: fc.constantFrom(1, 2, 3, 20),
  });
  const property = fc.asyncProperty(someStory, someRange, someRules, async (story, range, {filter, ...others}) => {
    const world = tell(story);
    const rules = {...others, ...filter};
    const asked = {report: 'paths', ...rules, ...range} as const;
    const answer = (await world.ask(asked)) as Paths;
    expect(answer).toEqual(pathsOf(world.model, {...rules, ...texts(range)}));
    expect(await world.ask(asked, tinyBound)).toEqual(answer);
    for (const [at, step] of answer.steps.entries()) {
      const going = sum(step.filter(({kind}) => kind !== 'end'));
      if (at + 1 === rules.depth) continue;
      expect(sum(answer.edges.filter((edge) => edge.step === at + 1))).toBe(going);
      expect(sum(answer.steps[at + 1]!)).toBe(going);
    }
    if (rules.where.length > 0 || 'users' in filter) return;
    const funnel = funnelOf(world.model, {steps: [rules.event], ...texts(range)});
    expect(sum(answer.steps[0]!)).toBe(funnel.total);
  });
  await fc.assert(property, {numRuns: runs(200)});
});

const at = (minute: number): number => Date.UTC(2024, 0, 1, 0, minute);
/** One event a minute. */
const did = (user: string, names: string) =>
  [...names].map((event, i) => ({do: 'track', event: {user, event, timeMs: at(i), properties: {}}}) as const);
const ask = async (direction: 'after' | 'before', limit: number, ...stories: readonly ReturnType<typeof did>[]) => {
  const range = {fromMs: at(0), toMs: at(59)};
  const asked = {report: 'paths', event: 'A', direction, ...range, where: [], depth: 3, limit} as const;
  return tell(stories.flat()).ask(asked);
};

test('after the first event of the name; equal events are steps of their own; a path may end', async () => {
  expect(await ask('after', 20, did('ada', 'BAACA'), did('bob', 'AC'), did('cyd', 'BCB'))).toEqual({
    depth: 3,
    steps: [
      [{event: 'A', users: 2}],
      [
        {event: 'A', users: 1},
        {event: 'C', users: 1},
      ],
      [
        {event: 'C', users: 1},
        {kind: 'end', users: 1},
      ],
    ],
    edges: [
      {step: 1, from: {event: 'A'}, to: {event: 'A'}, users: 1},
      {step: 1, from: {event: 'A'}, to: {event: 'C'}, users: 1},
      {step: 2, from: {event: 'A'}, to: {event: 'C'}, users: 1},
      {step: 2, from: {event: 'C'}, to: {kind: 'end'}, users: 1},
    ],
  });
});
