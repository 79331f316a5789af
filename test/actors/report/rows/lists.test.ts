// Lists of properties, traits and their values, over random partitions, equal the model.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {ListQuery} from '../../../../src/asks/lists.js';
import {readListCursor} from '../../../../src/list-cursor.js';
import {parseRange} from '../../../../tools/model/calendar.js';
import {eventObjects, keysOf, userObjects, valuesOf} from '../../../../tools/model/lists.js';
import {events, someRange, someStory, tell, texts, type World} from '../../../support/report-worlds.js';
import {runs} from '../../../support/runs.js';

const someName = fc.constantFrom('a', 'b', 'a.b', 'a.b.c', 'never');
const somePage = fc.record(
  {
    prefix: fc.constantFrom('a', '1', 'y', 'tru', 'nothing'),
    limit: fc.integer({min: 1, max: 5}),
    passed: fc.integer({min: 0, max: 4}),
  },
  {requiredKeys: ['limit', 'passed']},
);

async function ask(world: World, query: ListQuery): Promise<unknown> {
  const {next_cursor: cursor, ...answer} = (await world.ask(query)) as {next_cursor: string | null; data: unknown[]};
  if (cursor !== null) expect(readListCursor(cursor)?.passed).toBe(query.passed + answer.data.length);
  return {...answer, has_more: cursor !== null};
}

test('properties, traits and their values equal the model, in pages of any size', async () => {
  const property = fc.asyncProperty(
    someStory,
    someRange,
    fc.constantFrom(...events, undefined),
    someName,
    somePage,
    fc.boolean(),
    async (story, range, event, name, page, isActive) => {
      const world = tell(story);
      const {from, to} = texts(range);
      const asked = {...range, ...page, ...(event === undefined ? {} : {event})};
      const told = eventObjects(world.model, parseRange(from, to), event);
      expect(await ask(world, {report: 'properties', ...asked})).toEqual(keysOf(told, 'property', page));
      expect(await ask(world, {report: 'property_values', property: name, ...asked})).toEqual(
        valuesOf(told, name, page),
      );
      const ofUsers = {...page, ...(isActive ? {active: range} : {})};
      const users = userObjects(world.model, isActive ? parseRange(from, to) : undefined);
      expect(await ask(world, {report: 'traits', ...ofUsers})).toEqual(keysOf(users, 'trait', page));
      expect(await ask(world, {report: 'trait_values', trait: name, ...ofUsers})).toEqual(valuesOf(users, name, page));
    },
  );
  await fc.assert(property, {numRuns: runs(90)});
});

const at = (hour: number): number => Date.UTC(2024, 1, 22, hour);
const day = {fromMs: at(0), toMs: at(23), limit: 1_000, passed: 0};

test('keys that only bodies know are counted with the others; the context is no property', async () => {
  const many = Object.fromEntries(Array.from({length: 60}, (_, i) => [`k${i}`, i]));
  const event = (hour: number, properties: object) =>
    ({
      do: 'track',
      event: {user: 'ada', event: 'A', timeMs: at(hour), properties, context: {page: {path: '/'}}},
    }) as Parameters<typeof tell>[0][number];
  const world = tell([event(1, many), event(2, {k59: 'x', k0: null, list: [1]}), event(3, {k1: {a: 1}})]);
  const {data} = (await world.ask({report: 'properties', ...day})) as {data: {property: string}[]};
  const third = 1 / 3;
  const expected = new Map<string, object>(
    Object.keys(many).map((key) => [key, {property: key, share: third, types: {number: 1}}]),
  );
  expected.set('k59', {property: 'k59', share: 2 / 3, types: {string: 1, number: 1}});
  expected.set('k0', {property: 'k0', share: 2 / 3, types: {number: 1, null: 1}});
  expected.set('k1', {property: 'k1', share: 2 / 3, types: {number: 1, object: 1}});
  expected.set('list', {property: 'list', share: third, types: {array: 1}});
  expect(data).toHaveLength(61);
  expect(new Map(data.map((item) => [item.property, item]))).toEqual(expected);
  expect(data.slice(0, 3).map(({property}) => property)).toEqual(['k0', 'k1', 'k59']);
});

test('hidden names and properties are left out of pages, or marked', async () => {
  const track = (event: string, properties: object) =>
    ({do: 'track', event: {user: 'ada', event, timeMs: at(1), properties}}) as Parameters<typeof tell>[0][number];
  const world = tell([track('A', {a: 1, b: 1}), track('B', {b: 1, c: 1}), track('C', {c: 1})]);
  const range = {fromMs: at(0), toMs: at(23)};
  const hidden = (texts: readonly string[], areShown: boolean) => ({hidden: {texts, areShown}});
  const names = await world.ask({report: 'names', ...range, limit: 2, ...hidden(['A', 'never'], false)});
  expect(names).toMatchObject({data: [{name: 'B'}, {name: 'C'}], has_more: false});
  const all = (await world.ask({report: 'names', ...range, limit: 9, ...hidden(['A'], true)})) as {data: object[]};
  expect(all.data.map((item) => 'hidden' in item)).toEqual([true, false, false]);
  const shown = {property: 'b', share: 2 / 3, types: {number: 2}};
  expect(await world.ask({report: 'properties', ...day, ...hidden(['a', 'c'], false)})).toMatchObject({data: [shown]});
  expect(await world.ask({report: 'properties', ...day, ...hidden(['b'], true)})).toMatchObject({
    data: [{...shown, hidden: true}, {property: 'c'}, {property: 'a'}],
  });
});

test('a list that takes more memory than a report may have is refused, with the reason', async () => {
  const track = (i: number) =>
    ({
      do: 'track',
      event: {user: 'ada', event: 'A', timeMs: at(1), properties: {a: `${i} ${'x'.repeat(40)}`}},
    }) as Parameters<typeof tell>[0][number];
  const world = tell(Array.from({length: 30}, (_, i) => track(i)));
  await expect(world.ask({report: 'property_values', property: 'a', ...day}, 1_024)).rejects.toThrow(
    'the items of the list take more than',
  );
});
