// How definitions are searched for a person who is deleted.
import {describe, expect, test} from 'vitest';
import {foundIn, textsOf, writtenIn} from '../../src/effects/named-person.js';

const ada = textsOf(['ada-7', 'browser-1'], {
  name: 'Ada Lovelace',
  email: 'Ada@x.io',
  plan: 'pro',
  age: 36,
  phone: 491701234567,
  tags: ['vip', 'ß'],
  address: {city: 'London, UK'},
  none: null,
});
const found = (...texts: string[]): string[] =>
  foundIn({kind: 'saved_report', id: 'sr_1', texts}, ada).map(({text}) => text);

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
    ['in an address', '?user_where=email+eq+ada%40x.io&range=7d', 'Ada@x.io'],
    ['between words', 'Launch for Ada Lovelace (call her)', 'Ada Lovelace'],
    ['with escapes of a condition in an address', '?user_where=address.city+in+Paris,London%5C%2C+UK', 'London, UK'],
    ['as an id', '/trends?where=userId+eq+ada-7', 'ada-7'],
    ['in an address of HTTP', 'https://hooks.example.com/ada-7/in', 'ada-7'],
    ['as a value of one character', '?user_where=tags+has+%C3%9F', 'ß'],
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

test('of a definition all texts are searched, without its author, its secrets and its ids', () => {
  const webhook = {
    v: 1 as const,
    id: 'wh_0123456789abcdef',
    createdMs: 1,
    createdBy: 'Ada Lovelace',
    secrets: [{value: 'whsec_ada-7'}],
    url: 'https://x.io/',
    types: [{type: 'event.tracked', where: ['email eq ada@x.io']}],
  };
  const written = writtenIn(webhook)!;
  expect(written).toEqual({
    kind: 'webhook',
    id: webhook.id,
    texts: ['https://x.io/', 'event.tracked', 'email eq ada@x.io'],
  });
  expect(foundIn(written, ada).map(({text}) => text)).toEqual(['Ada@x.io']);
});
