// Calls of Umami as native entries: a table.

import {describe, expect, test} from 'vitest';
import {visitorId} from '../../../src/keys/visitor-id.js';
import {entriesOf, type NativeEntry, read, readAll} from './native-entries.js';
import {entriesOfOne, fromVisitor, keyInBody, readOne, visitorOfTests, withoutSalt} from './visitors.js';

const event = (payload: object) => ({type: 'event', payload: {website: 'sk_write_k', ...payload}});
const identify = (payload: object) => ({type: 'identify', payload: {website: 'sk_write_k', ...payload}});
const anonymousId = visitorOfTests;

test.each<[string, object, readonly Omit<NativeEntry, 'call'>[]]>([
  [
    'an event',
    event({name: 'signup', data: {plan: 'pro'}}),
    [{event: 'signup', anonymousId, properties: {plan: 'pro'}}],
  ],
  ['an event without a name', event({}), [{event: 'page', anonymousId}]],
  [
    'a page',
    event({
      ...{hostname: 'shop.example', url: '/docs?a=1&utm_source=x', title: 'Docs', referrer: 'https://other.example/'},
      ...{screen: '1920x1080', language: 'de-DE', tag: 'b'},
    }),
    [
      {
        event: 'page',
        anonymousId,
        context: {
          page: {
            ...{url: '/docs?a=1&utm_source=x', path: '/docs', search: '?a=1&utm_source=x', title: 'Docs'},
            ...{referrer: 'https://other.example/', host: 'shop.example'},
          },
          screen: {width: 1920, height: 1080},
          locale: 'de-DE',
          tag: 'b',
        },
      },
    ],
  ],
  [
    'a whole URL',
    event({url: 'https://shop.example?q=1#top', referrer: ''}),
    [{event: 'page', anonymousId, context: {page: {url: 'https://shop.example?q=1#top', path: '/', search: '?q=1'}}}],
  ],
  ['a user', event({name: 'signup', id: 7}), [{event: 'signup', userId: '7'}]],
  [
    'a time in seconds',
    event({timestamp: 1_700_000_000}),
    [{event: 'page', anonymousId, time: '2023-11-14T22:13:20.000Z'}],
  ],
  ['who a user is', identify({id: 'ada', data: {plan: 'pro'}}), [{userId: 'ada', traits: {plan: 'pro'}}]],
  ['who a user is, without data', identify({id: 'ada'}), [{userId: 'ada', traits: {}}]],
  [
    'data of a visitor',
    identify({data: {plan: 'pro'}, language: 'de'}),
    [{event: 'identify', anonymousId, properties: {traits: {plan: 'pro'}}, context: {locale: 'de'}}],
  ],
  ['measured times of a page', {type: 'performance', payload: {website: 'k', lcp: 1.5}}, []],
])('%s', (_, call, expected) => {
  expect(entriesOfOne('umami', call)).toEqual(expected);
  expect(readOne('umami', call).refused).toEqual([]);
});

test.each<[string, unknown, object]>([
  ['no type', {payload: {}}, {message: 'type must be one of event, identify, performance'}],
  ['no payload', {type: 'event'}, {message: 'payload must be an object'}],
  ['a payload that is a list', {type: 'event', payload: []}, {message: 'payload must be an object'}],
  ['a name that is no text', event({name: 7}), {field: 'event'}],
  ['data that is no object', event({data: 'x'}), {field: 'properties'}],
  ['an id that a double changed', event({id: 2 ** 60}), {field: 'userId'}],
  ['a time that is none', event({timestamp: 'soon'}), {field: 'timestamp'}],
  ['traits that are no object', identify({id: 'ada', data: [1]}), {field: 'traits'}],
  ['too long', event({data: {t: 'x'.repeat(70_000)}}), {code: 'event_too_large'}],
])('refused: %s', (_, call, refusal) => {
  const reading = readAll([event({name: 'first'}), call], ...fromVisitor('umami'));
  expect(reading.refused).toMatchObject([{index: 1, refusal}]);
  expect(entriesOf(reading).map(({event: name}) => name)).toEqual(['first']);
});

test('what has no place is named and counted; the key is neither', () => {
  const calls = [
    event({ip: '192.0.2.1', screen: 'wide', userAgent: 'U', url: '/'}),
    identify({id: 'ada', url: '/', data: {}}),
    {type: 'performance', payload: {lcp: 1}},
    {...event({}), more: 1},
  ];
  const reading = readAll(calls, ...fromVisitor('umami'));
  expect(reading.notes.ignoredNames).toEqual(['payload.ip', 'payload.screen', 'payload.url', 'payload', 'more']);
  expect(reading.ignoredCalls).toEqual({event: 2, identify: 1, performance: 1});
  expect(JSON.stringify(entriesOf(reading))).not.toMatch(/192\.0\.2\.1|sk_write/);
});

describe('a visitor', () => {
  test('is of the key in the body, if the head has none', () => {
    const reading = readAll(event({}), ...keyInBody('umami'));
    expect(reading.key).toBe('sk_write_k');
    expect(entriesOf(reading)).toMatchObject([{anonymousId}]);
    const other = readAll({type: 'event', payload: {website: 'another'}}, ...keyInBody('umami'));
    expect(entriesOf(other)).toMatchObject([{anonymousId: visitorId(Buffer.alloc(32, 7), 'another')}]);
  });

  test('is nobody without a salt: the request is not read, unless all of its calls name a user', () => {
    expect(read([event({id: 'ada'}), event({})], ...withoutSalt('umami'))).toMatchObject({kind: 'no_salt'});
    const named = [event({id: 'ada'}), identify({id: 'ada'}), {type: 'performance', payload: {}}];
    expect(entriesOf(readAll(named, ...withoutSalt('umami'))).map(({userId}) => userId)).toEqual(['ada', 'ada']);
  });
});
