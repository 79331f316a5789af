// Calls of Plausible as native entries: a table.

import {expect, test} from 'vitest';
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
