// Calls of Plausible as native entries: a table, and random calls against a plain model.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {runs} from '../../support/runs.js';
import {entriesOf, type NativeEntry, read, readAll} from './native-entries.js';
import {entriesOfOne, fromVisitor, readOne, visitorOfTests, withoutSalt} from './visitors.js';

const anonymousId = visitorOfTests;
const page = {url: 'https://shop.example/docs?a=1', path: '/docs', search: '?a=1'};

test.each<[string, object, readonly Omit<NativeEntry, 'call'>[]]>([
  [
    'a page view of the script',
    {n: 'pageview', v: 35, u: page.url, d: 'shop.example', r: 'https://other.example/', w: 1200, h: 0, p: null},
    [
      {
        event: 'page',
        anonymousId,
        context: {page: {...page, referrer: 'https://other.example/'}, screen: {width: 1200}},
      },
    ],
  ],
  [
    'a page view of a server',
    {name: 'pageview', url: page.url, domain: 'shop.example', referrer: null, props: {logged_in: true}},
    [{event: 'page', anonymousId, properties: {logged_in: true}, context: {page}}],
  ],
  [
    'properties in a text of JSON',
    {n: 'Signup', u: page.url, d: 'shop.example', p: '{"plan":"pro"}'},
    [{event: 'Signup', anonymousId, properties: {plan: 'pro'}, context: {page}}],
  ],
  [
    'a revenue',
    {n: 'Purchase', d: 'shop.example', p: {n: 1}, $: '{"currency":"EUR","amount":12.5}'},
    [{event: 'Purchase', anonymousId, properties: {n: 1, revenue: {currency: 'EUR', amount: 12.5}}}],
  ],
  [
    'a property revenue wins',
    {n: 'Purchase', props: {revenue: 1}, revenue: {amount: 2}},
    [{event: 'Purchase', anonymousId, properties: {revenue: 1}}],
  ],
  ['how long a page was seen', {n: 'engagement', u: page.url, d: 'shop.example', sd: 80, e: 4_000}, []],
])('%s', (_, call, expected) => {
  expect(entriesOfOne('plausible', call)).toEqual(expected);
  expect(readOne('plausible', call).refused).toEqual([]);
});

test.each<[string, unknown, object]>([
  ['no name', {u: page.url, d: 'shop.example'}, {field: 'event'}],
  ['no object', 7, {message: 'an event must be a JSON object'}],
  ['a text of properties that is no JSON', {n: 'a', p: '{'}, {field: 'properties'}],
  ['a text of properties that is no object', {n: 'a', p: '[1]'}, {field: 'properties'}],
  ['a number in it that would change', {n: 'a', p: '{"n":9007199254740993}'}, {field: 'properties'}],
  [
    'a number that would change',
    {n: 'a', props: {n: 'N'}},
    {
      field: 'props',
      message: 'props.n is 9007199254740993, which JSON readers round to a double: send it as a string',
    },
  ],
])('refused: %s', (_, call, refusal) => {
  const body = JSON.stringify([{n: 'first'}, call]).replace('"N"', '9007199254740993');
  const reading = readAll(body, ...fromVisitor('plausible'));
  expect(reading.refused).toMatchObject([{index: 1, refusal}]);
  expect(entriesOf(reading).map(({event}) => event)).toEqual(['first']);
});

test('what has no place is named and counted; what the script says of itself and its site is neither', () => {
  const calls = [
    {n: 'a', d: 'shop.example', domain: 'shop.example', v: 35, h: 1, hashMode: true},
    {n: 'b', i: false, m: {old: 1}},
    {n: 'engagement', e: 1},
  ];
  const reading = readAll(calls, ...fromVisitor('plausible'));
  expect(reading.notes.ignoredNames).toEqual(['i', 'm', 'engagement']);
  expect(reading.ignoredCalls).toEqual({event: 1, engagement: 1});
});

test('without a salt an event is not read', () => {
  expect(read({n: 'pageview', u: page.url}, ...withoutSalt('plausible'))).toMatchObject({kind: 'no_salt'});
});

// ---- random calls against a plain model ----

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, {nil: undefined});
const props = fc.dictionary(fc.constantFrom('a', 'revenue'), fc.oneof(fc.nat(9), fc.constantFrom('x')), {maxKeys: 2});
const calls = fc.array(
  fc.record({
    name: fc.constantFrom('pageview', 'e1', 'engagement', '', null),
    isShort: fc.boolean(),
    props: maybe(props),
    isText: fc.boolean(),
    amount: maybe(fc.nat(9)),
    path: maybe(fc.constantFrom('/', '/a')),
    referrer: maybe(fc.constantFrom('https://other.example/', '', null)),
    width: maybe(fc.nat(9_999)),
  }),
  {maxLength: 8},
);
type ModelCall = typeof calls extends fc.Arbitrary<readonly (infer Call)[]> ? Call : never;

function sentOf({name, isShort, props: given, isText, amount, path, referrer, width}: ModelCall): object {
  const url = path && `https://shop.example${path}`;
  const properties = isText && given !== undefined ? JSON.stringify(given) : given;
  const revenue = amount === undefined ? undefined : {amount};
  return isShort
    ? {n: name, u: url, r: referrer, p: properties, $: isText ? JSON.stringify(revenue) : revenue, w: width}
    : {name, url, referrer, props: properties, revenue, screen_width: width};
}

const present = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
const some = (fields: object): object | undefined =>
  Object.keys(present(fields)).length === 0 ? undefined : present(fields);

function model(call: ModelCall): 'refused' | object[] {
  const {name, path, amount} = call;
  if (name === 'engagement') return [];
  if (name === null || name === '') return 'refused';
  const properties = some({...(amount === undefined ? {} : {revenue: {amount}}), ...call.props});
  const context = some({
    page: some({url: path && `https://shop.example${path}`, path, referrer: call.referrer || undefined}),
    screen: some({width: call.width}),
  });
  return [present({event: name === 'pageview' ? 'page' : name, anonymousId, properties, context})];
}

test('random calls become what a plain model makes of them, in their order', () => {
  fc.assert(
    fc.property(calls, (all) => {
      const reading = readAll(all.map(sentOf), ...fromVisitor('plausible'));
      const outcomes = all.map(model);
      expect(reading.refused.map(({index}) => index)).toEqual(
        outcomes.flatMap((one, at) => (one === 'refused' ? [at] : [])),
      );
      const expected = outcomes.flatMap((one, call) =>
        one === 'refused' ? [] : one.map((entry) => ({call, ...entry})),
      );
      expect(entriesOf(reading)).toEqual(expected);
    }),
    {numRuns: runs(500)},
  );
});
