// Addresses of the pages that are no question of a report: what they show, to a query and back.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Form, type QuestionOf, readAddress, writeAddress} from '../../dashboard/src/address/codec.js';
import type {Condition} from '../../dashboard/src/address/conditions.js';
import {parseRange} from '../../dashboard/src/address/range.js';
import {
  countsQuestion,
  curlOf,
  historyPath,
  overviewForm,
  peopleForm,
} from '../../dashboard/src/address/report-address.js';
import {peopleListForm, traitColumn, usualColumns, withins} from '../../dashboard/src/pages/people/people-address.js';
import {flatOf} from '../../src/asks/question/flat.js';

const text = fc.oneof(
  fc.string({minLength: 1, maxLength: 256, unit: 'grapheme-ascii'}),
  fc.string({minLength: 1, maxLength: 60, unit: 'binary'}).filter((one) => one.length <= 256),
);
const someCondition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({property: text, op: fc.constantFrom('eq' as const, 'has' as const), values: fc.tuple(text)}),
  fc.record({property: text, op: fc.constant('nin' as const), values: fc.array(text, {minLength: 1, maxLength: 3})}),
  fc.record({property: text, op: fc.constant('unset' as const), values: fc.constant([])}),
);
const range = fc
  .constantFrom(
    'today',
    'yesterday',
    '30d',
    '12mo',
    'this-week',
    'last-sunday-week',
    'last-quarter',
    '2026-10',
    '2026-11-03..2026-11-09',
  )
  .map((one) => parseRange(one)!);
const every = fc.constantFrom(
  null,
  'hour' as const,
  'day' as const,
  'week' as const,
  'month' as const,
  'year' as const,
);
const compare = fc.constantFrom('off' as const, 'before' as const, 'year' as const);

/** A1 */
function readsItself<F extends Form>(form: F, questions: fc.Arbitrary<QuestionOf<F>>): void {
  fc.assert(
    fc.property(questions, (question) => {
      expect(readAddress(form, writeAddress(form, question))).toEqual({question, problems: []});
    }),
  );
}

const not_segment = fc.option(fc.constant('sg_0123456789abcdef'));
const zone = fc.option(fc.constantFrom('UTC', 'Asia/Kolkata'));

describe('a question', () => {
  test('of Overview is read as it was written', () => {
    readsItself(overviewForm, fc.record({range, every, compare, zone, not_segment}));
  });

  test('of People is read as it was written', () => {
    const ids = {user: fc.option(text), anonymous: fc.option(text), receipt: fc.option(text)};
    const names = {search: fc.option(text), event: fc.option(text)};
    const within = fc.constantFrom(null, ...withins);
    const user_where = fc.array(someCondition, {maxLength: 3});
    const some = fc.oneof(fc.constantFrom(...usualColumns), text.map(traitColumn));
    const column = fc.uniqueArray(some, {minLength: 1, maxLength: 12});
    readsItself(peopleListForm, fc.record({...ids, ...names, within, user_where, zone, not_segment, column}));
  });

  test('that is as usual has no query, and one that is not says only that', () => {
    const usual = readAddress(overviewForm, '').question;
    expect(writeAddress(overviewForm, usual)).toBe('');
    expect(writeAddress(overviewForm, {...usual, range: parseRange('7d')!})).toBe('?range=7d');
  });
});

describe('what means nothing in an address', () => {
  test('is named, and the rest counts', () => {
    const {question, problems} = readAddress(overviewForm, '?range=soon&colour=red&compare=off&every=decade');
    expect(question).toEqual({range: parseRange('30d'), every: null, compare: 'off', zone: null, not_segment: null});
    expect(problems.map(({name: part, text: said, expected}) => [part, said, expected === undefined])).toEqual([
      ['colour', 'red', true],
      ['range', 'soon', false],
      ['every', 'decade', false],
    ]);
  });

  test('is a parameter that comes twice, or a name that is too long', () => {
    expect(readAddress(overviewForm, 'range=7d&range=30d').problems.map((one) => one.name)).toEqual(['range']);
    expect(readAddress(peopleForm, `user=${'x'.repeat(257)}`).problems.map((one) => one.name)).toEqual(['user']);
  });

  test('is a part of a list: it is named alone, and the others count', () => {
    const {question, problems} = readAddress(peopleListForm, '?user_where=seats gt x&user_where=plan eq pro');
    expect(problems.map(({name: part, text: said}) => [part, said])).toEqual([['user_where', 'seats gt x']]);
    expect(question.user_where).toEqual([{property: 'plan', op: 'eq', values: ['pro']}]);
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.webQueryParameters(), (search) => {
        readAddress(peopleListForm, search);
      }),
    );
  });
});

describe('a path that asks the service', () => {
  const span = {from: 20_000, to: 20_001};

  test('has days as dates, and a moment to the millisecond', () => {
    const noon = {...span, untilMs: Date.UTC(2024, 9, 5, 12, 0, 0, 7)};
    expect(flatOf(countsQuestion('a&b', noon, 'day'))).toBe(
      'v1/reports/events?event=a%26b&interval=day&timezone=UTC&from=2024-10-04&to=2024-10-05T12%3A00%3A00.007Z',
    );
    expect(historyPath({kind: 'anonymous', id: 'a b/../c'}, 10, 'x=')).toBe(
      'v1/events?anonymousId=a+b%2F..%2Fc&limit=10&cursor=x%3D',
    );
  });

  test('names a zone, and a moment of it without an offset', () => {
    const noon = {...span, zone: 'Europe/Berlin', untilMs: Date.UTC(2024, 9, 5, 12)};
    expect(flatOf(countsQuestion('a', noon, 'day'))).toBe(
      'v1/reports/events?event=a&interval=day&timezone=Europe%2FBerlin&from=2024-10-04&to=2024-10-05T12%3A00%3A00.000',
    );
  });

  test('stands in a command that a shell reads as one word', () => {
    const path = flatOf(countsQuestion("it's $HOME", span, 'day'));
    expect(curlOf('http://127.0.0.1:8080', path)).toContain(
      "'http://127.0.0.1:8080/v1/reports/events?event=it%27s+%24HOME&interval=day&timezone=UTC&from=2024-10-04&to=2024-10-05'",
    );
  });
});
