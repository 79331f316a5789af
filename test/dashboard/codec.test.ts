// Addresses of the report pages: a question to a query and back.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Form, type QuestionOf, readAddress, writeAddress} from '../../dashboard/src/address/codec.js';
import type {Condition} from '../../dashboard/src/address/conditions.js';
import {
  addressOfFollowed,
  type FunnelQuestion,
  followedBy,
  funnelForm,
  funnelQuestion,
} from '../../dashboard/src/address/funnel-address.js';
import {parseRange} from '../../dashboard/src/address/range.js';
import {
  countsQuestion,
  curlOf,
  historyPath,
  overviewForm,
  peopleForm,
} from '../../dashboard/src/address/report-address.js';
import {
  type AskedSeries,
  labelsOf,
  seriesOf,
  seriesQuestion,
  trendsForm,
  withSeries,
} from '../../dashboard/src/address/trends-address.js';
import {flatOf} from '../../src/asks/question/flat.js';

const name = fc.string({minLength: 1, maxLength: 256, unit: 'grapheme-ascii'});
const text = fc.oneof(
  name,
  fc.string({minLength: 1, maxLength: 60, unit: 'binary'}).filter((one) => one.length <= 256),
);
const someCondition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({property: text, op: fc.constantFrom('eq' as const, 'has' as const), values: fc.tuple(text)}),
  fc.record({property: text, op: fc.constant('nin' as const), values: fc.array(text, {minLength: 1, maxLength: 3})}),
  fc.record({property: text, op: fc.constant('unset' as const), values: fc.constant([])}),
);
const someConditions = fc.array(someCondition, {maxLength: 3});
const segment = fc.constantFrom(null, 'sg_0123456789abcdef');
const isPro: Condition = {property: 'plan', op: 'eq', values: ['pro']};
const plain = {measure: 'total', property: '', where: []} as const;
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

describe('a question', () => {
  test('of Overview is read as it was written', () => {
    readsItself(overviewForm, fc.record({range, every, compare}));
  });

  test('of Trends is read as it was written, each event with its measure and its conditions', () => {
    const measured = fc.oneof(
      fc.record({measure: fc.constantFrom('total' as const, 'users' as const), property: fc.constant('')}),
      fc.record({measure: fc.constantFrom('sum' as const, 'p90' as const), property: text}),
    );
    const series = fc.array(
      fc.tuple(text, measured, someConditions).map(([event, how, where]): AskedSeries => ({event, ...how, where})),
      {maxLength: 6},
    );
    const empty = readAddress(trendsForm, '').question;
    fc.assert(
      fc.property(series, someConditions, fc.option(text), (asked, user_where, by) => {
        const written = writeAddress(trendsForm, {...empty, ...withSeries(asked), user_where, by});
        const {question, problems} = readAddress(trendsForm, written);
        expect(problems).toEqual([]);
        expect(seriesOf(question)).toEqual(asked);
        expect([question.user_where, question.by]).toEqual([user_where, by]);
      }),
    );
  });

  test('of Funnels and People is read as it was written', () => {
    const window = fc.option(
      fc.tuple(fc.integer({min: 1, max: 999}), fc.constantFrom(...'smhd')).map((one) => one.join('')),
    );
    const exclusion = fc.record({
      event: text,
      between: fc.constantFrom(null, [1, 2] as const, [3, 50] as const),
    });
    const where = fc.array(fc.array(someCondition, {minLength: 1, maxLength: 2}), {maxLength: 5});
    const funnel: fc.Arbitrary<FunnelQuestion> = fc.record({
      step: fc.array(text, {maxLength: 50}),
      where,
      all_where: someConditions,
      user_where: someConditions,
      segment,
      window,
      order: fc.constantFrom(null, 'strict' as const, 'any' as const),
      exclude: fc.array(exclusion, {maxLength: 3}),
      hold: fc.option(text),
      paths: fc.constantFrom(null, 'entry' as const),
      by: fc.option(text),
      by_limit: fc.option(fc.integer({min: 1, max: 999})),
      by_at: fc.constantFrom(null, 'first', 'last', '1', '50'),
      range,
      every,
      zone: fc.constantFrom('UTC', 'Europe/Berlin'),
    });
    readsItself(funnelForm, funnel);
    readsItself(peopleForm, fc.record({user: fc.option(text), anonymous: fc.option(text), receipt: fc.option(text)}));
  });

  test('that is as usual has no query, and one that is not says only that', () => {
    const usual = readAddress(trendsForm, '').question;
    expect(writeAddress(trendsForm, usual)).toBe('');
    const asked = withSeries([
      {event: 'signup', ...plain, where: [isPro]},
      {event: 'a, b', measure: 'sum', property: 'seats', where: []},
    ]);
    expect(writeAddress(trendsForm, {...usual, ...asked, range: parseRange('7d')!})).toBe(
      '?event=signup&event=a,+b&measure=2:sum:seats&where=1:plan+eq+pro&range=7d',
    );
  });
});

describe('what means nothing in an address', () => {
  test('is named, and the rest counts', () => {
    const {question, problems} = readAddress(
      trendsForm,
      '?event=signup&range=soon&colour=red&compare=off&every=decade',
    );
    expect(question.event).toEqual(['signup']);
    expect(question.compare).toBe('off');
    expect(question.range).toEqual(parseRange('30d'));
    expect(problems.map(({name: part, text: said, expected}) => [part, said, expected === undefined])).toEqual([
      ['colour', 'red', true],
      ['range', 'soon', false],
      ['every', 'decade', false],
    ]);
  });

  test('is a parameter that comes twice, a name that is too long, too many events', () => {
    const bad = (search: string): string[] => readAddress(trendsForm, search).problems.map((one) => one.name);
    expect(bad('range=7d&range=30d')).toEqual(['range']);
    expect(bad(`event=${'x'.repeat(257)}`)).toEqual(['event']);
    expect(bad('event=')).toEqual([]); // Any event.
    expect(bad('event=a&divide=7')).toEqual(['divide']);
    expect(bad('event=a&zone=Mars/Olympus')).toEqual(['zone']);
    expect(bad('event=a&event=b&event=c&event=d&event=e&event=f&event=g')).toEqual(['event']);
  });

  test('is a part of a list: it is named alone, and the others count', () => {
    const {question, problems} = readAddress(
      trendsForm,
      '?event=a&where=1:plan eq pro&where=1:plan&where=7:plan eq pro&measure=1:users&measure=1:sum&user_where=seats gt x',
    );
    expect(problems.map(({name: part, text: said}) => [part, said])).toEqual([
      ['measure', '1:sum'],
      ['where', '1:plan'],
      ['where', '7:plan eq pro'],
      ['user_where', 'seats gt x'],
    ]);
    expect(seriesOf(question)).toEqual([{event: 'a', measure: 'users', property: '', where: [isPro]}]);
  });

  test('stays in an address that a page completes', () => {
    const {question, problems} = readAddress(trendsForm, '?events[]=a%26b&where=1:plan&range=soon&compare=off');
    expect(writeAddress(trendsForm, {...question, event: ['signup']}, problems)).toBe(
      '?event=signup&compare=off&events%5B%5D=a%26b&where=1:plan&range=soon',
    );
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.webQueryParameters(), (search) => {
        readAddress(trendsForm, search);
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
    const {question} = readAddress(funnelForm, '?step=a&step=b&window=7d');
    expect(flatOf(funnelQuestion(question, span))).toBe(
      'v1/reports/funnel?steps%5B%5D=a&steps%5B%5D=b&window=7d&timezone=UTC&from=2024-10-04&to=2024-10-05',
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

  test('has what a series shows, whose, and by what', () => {
    const series: AskedSeries = {event: 'a', measure: 'sum', property: 'seats', where: [isPro]};
    expect(flatOf(seriesQuestion(series, {user_where: [isPro], by: 'trait:plan', weeks: 'sunday'}, span, 'week'))).toBe(
      'v1/reports/events?event=a&where=plan+eq+pro&user_where=plan+eq+pro&measure=sum&property=seats' +
        '&breakdown=trait%3Aplan&breakdown_limit=25&interval=week&week_start=sunday&timezone=UTC&from=2024-10-04&to=2024-10-05',
    );
  });

  test.each([
    '?step=a&step=b&where=2:plan+eq+pro',
    '?step=a&step=b&window=none',
    '?step=a&step=b&window=7d&order=strict',
    '?step=a&step=b&all_where=plan+eq+pro&exclude=1-2:x',
  ])('a saved funnel leads to the address that it was saved from: %s', (search) => {
    const {question, problems} = readAddress(funnelForm, search);
    const led = addressOfFollowed(followedBy(question));
    expect([problems, readAddress(funnelForm, led)]).toEqual([[], {question, problems: []}]);
    expect(led.length).toBe(search.length);
  });

  test('leaves out what other parts of a funnel make meaningless', () => {
    const asked = readAddress(
      funnelForm,
      '?step=a&step=b&where=2:plan eq pro&where=3:plan eq pro&order=any&exclude=all:x&paths=entry&window=none&by=trait:plan&by_at=first',
    ).question;
    expect(decodeURIComponent(flatOf(funnelQuestion(asked, span)))).toBe(
      'v1/reports/funnel?steps[]=a&steps[]=b&where[2]=plan+eq+pro&order=any&breakdown=trait:plan&breakdown_limit=6' +
        '&timezone=UTC&from=2024-10-04&to=2024-10-05',
    );
    expect(decodeURIComponent(flatOf(funnelQuestion({...asked, order: null, by: null}, span)))).toBe(
      'v1/reports/funnel?steps[]=a&steps[]=b&where[2]=plan+eq+pro&exclude[1]=x' +
        '&timezone=UTC&from=2024-10-04&to=2024-10-05',
    );
  });

  test('stands in a command that a shell reads as one word', () => {
    const path = flatOf(countsQuestion("it's $HOME", span, 'day'));
    expect(curlOf('http://127.0.0.1:8080', path)).toContain(
      "'http://127.0.0.1:8080/v1/reports/events?event=it%27s+%24HOME&interval=day&timezone=UTC&from=2024-10-04&to=2024-10-05'",
    );
  });
});

test('equal series are told apart by a number', () => {
  const series: AskedSeries[] = [
    {event: 'a', ...plain},
    {event: 'a', ...plain, where: [isPro]},
    {event: 'a', ...plain},
    {event: 'a', measure: 'avg', property: 'seats', where: []},
  ];
  expect(labelsOf(series)).toEqual(['a', 'a, plan is pro', 'a (2)', 'average of seats of a']);
});
