// How definitions are searched for a person who is deleted.
import {describe, expect, test} from 'vitest';
import type {Definition} from '../../src/kept/definition.js';
import {foundIn, isSurely, textsOf, type Written, writtenIn} from '../../src/kept/named-person.js';

const adaTraits = {
  name: 'Ada Lovelace',
  email: 'Ada@x.io',
  plan: 'pro',
  age: 36,
  phone: 491701234567,
  tags: ['vip', 'ß'],
  address: {city: 'London, UK'},
  none: null,
};
const ada = textsOf(['ada-7', 'browser-1'], adaTraits, []);
const found = (...texts: string[]): string[] =>
  foundIn({kind: 'saved_report', id: 'sr_1', texts: texts.map((text) => ({text}))}, ada).map(({text}) => text);

test('a person is named by ids, and by the texts of traits: in lists and objects, and long numbers', () => {
  expect(ada.map(({text, trait}) => [text, trait?.property, trait?.op])).toEqual([
    ['ada-7', undefined, undefined],
    ['browser-1', undefined, undefined],
    ['Ada Lovelace', 'name', 'eq'],
    ['Ada@x.io', 'email', 'eq'],
    ['pro', 'plan', 'eq'],
    ['491701234567', 'phone', 'eq'],
    ['vip', 'tags', 'has'],
    ['ß', 'tags', 'has'],
    ['London, UK', 'address.city', 'eq'],
  ]);
});

describe('a text is found', () => {
  test.each([
    ['in a condition', 'email eq ada@x.io', 'Ada@x.io'],
    ['between words', 'Launch for Ada Lovelace (call her)', 'Ada Lovelace'],
    ['with escapes of a condition', 'address.city in Paris,London\\, UK', 'London, UK'],
    ['as an id', 'userId eq ada-7', 'ada-7'],
    ['in an address of HTTP', 'https://hooks.example.com/ada-7/in', 'ada-7'],
    ['as a value of one character', 'tags has ß', 'ß'],
  ])('%s', (_, text, person) => {
    expect(found(text)).toEqual([person]);
  });

  test.each(['Product of the year', '?event=signup&range=7d', 'ada-77', 'xbrowser-1', 'Straße', '100%', '?a=%zz%ff'])(
    'not in %s',
    (text) => {
      expect(found(text)).toEqual([]);
    },
  );
});

test('of a definition names, addresses, events and values of conditions are searched', () => {
  const webhook = {
    v: 1 as const,
    id: 'wh_0123456789abcdef',
    createdMs: 1,
    createdBy: 'Ada Lovelace',
    secrets: [{value: 'whsec_ada-7'}],
    url: 'https://x.io/',
    types: [{type: 'event.tracked', names: ['signup'], where: ['email in ada@x.io,b']}],
  };
  const written = writtenIn(webhook)!;
  expect(written).toEqual({
    kind: 'webhook',
    id: webhook.id,
    texts: [
      {text: 'https://x.io/'},
      {text: 'signup', isEvent: true},
      {text: 'ada@x.io', property: 'email'},
      {text: 'b', property: 'email'},
    ],
  });
  expect(foundIn(written, ada).map(({text}) => text)).toEqual(['Ada@x.io']);
  const board = {
    v: 1 as const,
    id: 'bd_0123456789abcdef',
    createdMs: 1,
    name: 'Main',
    tiles: [{questions: [{report: 'funnel', steps: [{event: 'a'}], exclude: [{event: 'b', where: ['c eq d']}]}]}],
  };
  expect(writtenIn(board)?.texts).toEqual([
    {text: 'Main'},
    {text: 'a', isEvent: true},
    {text: 'b', isEvent: true},
    {text: 'd', property: 'c'},
  ]);
});

const link = (question: object, name = 'Sign-ups per day'): Written => {
  const of = {questions: [{report: 'counts', range: '-7d', interval: 'day', ...question}]};
  return writtenIn({v: 1, id: 'sh_0123456789abcdef', createdMs: 1, name, of} as Definition)!;
};
const byMail = {users: {where: ['email eq ada@x.io']}};

test('of a question neither its members, nor their fixed values, nor names of properties are searched', () => {
  const question = {
    events: [{event: 'signup', where: ['amount gte 10'], as: 'Rate'}],
    compare: 'year',
    breakdown: [{property: 'plan', limit: 5}],
    users: {
      where: ['plan in pro,b\\,c', {property: 'p', op: 'eq', value: 'long'}],
      did: [{event: 'login', range: '-7d'}],
    },
  };
  expect(link(question, 'A').texts).toEqual([
    {text: 'A'},
    {text: 'signup', isEvent: true},
    {text: '10', property: 'amount'},
    {text: 'Rate'},
    {text: 'pro', property: 'plan'},
    {text: 'b,c', property: 'plan'},
    {text: 'long', property: 'p'},
    {text: 'login', isEvent: true},
  ]);
  const words = ['counts', 'interval', 'day', 'compare', 'year', 'range', 'amount', 'where', 'plan'];
  expect(foundIn(link(question, 'A'), textsOf(words, {}, []))).toEqual([]);
});

describe('a link stops', () => {
  const things = new Set(['signup', 'sign_up_2', 'plan']);
  const stops = (written: Written, ids: string[], traits: Record<string, unknown>, isSecret: boolean): boolean => {
    const found = foundIn(written, textsOf(ids, traits, isSecret ? Object.keys(traits) : []));
    expect(found).not.toEqual([]);
    return found.some((text) => isSurely(text, written, things));
  };

  test.each([
    ['an id in a condition', link({where: ['owner eq ada-7']}), ['ada-7'], {}],
    ['an id in its name', link({}, 'About ADA@x.io'), ['ada@x.io'], {}],
    ['the text of a trait', link(byMail), [], {email: 'Ada@x.io'}],
    ['a text of two words in its name', link({}, 'Call with Ada Lovelace'), [], {name: 'Ada Lovelace'}],
    [
      'a word that is the value of a condition on this trait',
      link({users: {where: ['last_name eq day']}}),
      [],
      {last_name: 'Day'},
    ],
  ])('for %s', (_, written, ids, traits) => {
    expect(stops(written, ids, traits, true)).toBe(true);
  });

  test.each([
    ['a word in its name', link({}), [], {last_name: 'Day'}, true],
    ['a word in a condition on something else', link({where: ['weekday eq day']}), [], {last_name: 'Day'}, true],
    [
      'what a public key set',
      link({events: [{event: 'signup'}]}, 'trends of checkout'),
      [],
      {a: 'trends', b: 'signup', c: 'checkout'},
      false,
    ],
    ['an address that a public key set', link(byMail), [], {email: 'ada@x.io'}, false],
    ['an id that is a word', link({events: [{event: 'signup'}]}), ['signup'], {}, true],
    ['an id that is the name of events', link({}, 'SIGN_UP_2 by month'), ['Sign_Up_2'], {}, true],
    ['an id in the name of events', link({steps: [{event: 'order v23'}]}), ['v23'], {}, true],
    ['an id that is a year', link({}, 'Plan of 2026'), ['2026'], {}, true],
  ])('not for %s', (_, written, ids, traits, isSecret) => {
    expect(stops(written, ids, traits, isSecret)).toBe(false);
  });
});
