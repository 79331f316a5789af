// Addresses of the report pages: a question to a query and back.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Form, type QuestionOf, readAddress, writeAddress} from '../../dashboard/src/address/codec.js';
import {retentionForm} from '../../dashboard/src/address/engagement-address.js';
import {parseRange} from '../../dashboard/src/address/range.js';
import {
  activeForm,
  countsPath,
  curlOf,
  funnelForm,
  funnelPath,
  historyPath,
  overviewForm,
  peopleForm,
  seriesOf,
  trendsForm,
  withSeries,
} from '../../dashboard/src/address/report-address.js';

const name = fc.string({minLength: 1, maxLength: 256, unit: 'grapheme-ascii'});
const text = fc.oneof(
  name,
  fc.string({minLength: 1, maxLength: 60, unit: 'binary'}).filter((one) => one.length <= 256),
);
const filter = fc.option(fc.tuple(text, text).map(([property, value]) => `${property.replaceAll('=', '-')}=${value}`));
const range = fc
  .constantFrom('today', 'yesterday', '30d', '12mo', '2026-10', '2026-11-03..2026-11-09')
  .map((one) => parseRange(one)!);
const every = fc.constantFrom(null, 'hour' as const, 'day' as const, 'week' as const, 'month' as const);
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
  test('of Overview and Active users is read as it was written', () => {
    readsItself(overviewForm, fc.record({range, every, compare}));
    readsItself(activeForm, fc.record({range, every, compare}));
  });

  test('of Trends is read as it was written, each event with its property', () => {
    const series = fc.array(fc.record({event: text, filter}), {maxLength: 6});
    const empty = readAddress(trendsForm, '').question;
    fc.assert(
      fc.property(series, (asked) => {
        const {question, problems} = readAddress(trendsForm, writeAddress(trendsForm, withSeries(empty, asked)));
        expect(problems).toEqual([]);
        expect(seriesOf(question)).toEqual(asked);
      }),
    );
  });

  test('of Funnels and People is read as it was written', () => {
    const window = fc.option(
      fc.tuple(fc.integer({min: 1, max: 999}), fc.constantFrom(...'smhd')).map((one) => one.join('')),
    );
    readsItself(funnelForm, fc.record({step: fc.array(text, {maxLength: 50}), window, range}));
    readsItself(peopleForm, fc.record({user: fc.option(text), anonymous: fc.option(text), receipt: fc.option(text)}));
  });

  test('of Retention is read as it was written', () => {
    readsItself(
      retentionForm,
      fc.record({
        start: fc.option(text),
        return: fc.option(text),
        cohort: fc.constantFrom('first' as const, 'recurring' as const),
        criteria: fc.constantFrom('on' as const, 'on_or_after' as const),
        frame: fc.constantFrom('calendar' as const, 'rolling' as const),
        periods: fc.integer({min: 1, max: 60}),
        show: fc.constantFrom('share' as const, 'users' as const),
        range,
        every,
      }),
    );
  });

  test('that is as usual has no query, and one that is not says only that', () => {
    const usual = readAddress(trendsForm, '').question;
    expect(writeAddress(trendsForm, usual)).toBe('');
    const asked = withSeries(usual, [
      {event: 'signup', filter: 'plan=pro'},
      {event: 'a, b', filter: null},
    ]);
    expect(writeAddress(trendsForm, {...asked, range: parseRange('7d')!})).toBe(
      '?event=signup&event=a,+b&filter1=plan=pro&range=7d',
    );
  });
});

describe('what means nothing in an address', () => {
  test('is named, and the rest counts', () => {
    const {question, problems} = readAddress(trendsForm, '?event=signup&range=soon&colour=red&compare=off&every=year');
    expect(question.event).toEqual(['signup']);
    expect(question.compare).toBe('off');
    expect(question.range).toEqual(parseRange('30d'));
    expect(problems.map(({name: part, text: said, expected}) => [part, said, expected === undefined])).toEqual([
      ['colour', 'red', true],
      ['range', 'soon', false],
      ['every', 'year', false],
    ]);
  });

  test('is a parameter that comes twice, a name that is too long, a filter without a value, too many events', () => {
    const bad = (search: string): string[] => readAddress(trendsForm, search).problems.map((one) => one.name);
    expect(bad('range=7d&range=30d')).toEqual(['range']);
    expect(bad(`event=${'x'.repeat(257)}`)).toEqual(['event']);
    expect(bad('event=')).toEqual(['event']);
    expect(bad('event=a&filter1=plan')).toEqual(['filter1']);
    expect(bad('event=a&event=b&event=c&event=d&event=e&event=f&event=g')).toEqual(['event']);
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
    expect(countsPath({event: 'a&b', filter: 'plan=p=q'}, span, 'day')).toBe(
      'v1/reports/events?event=a%26b&filter=plan%3Dp%3Dq&interval=day&timezone=UTC&from=2024-10-04&to=2024-10-05',
    );
    expect(funnelPath(['a', 'b'], '7d', {...span, untilMs: Date.UTC(2024, 9, 5, 12, 0, 0, 7)})).toBe(
      'v1/reports/funnel?steps%5B%5D=a&steps%5B%5D=b&window=7d&timezone=UTC&from=2024-10-04&to=2024-10-05T12%3A00%3A00.007Z',
    );
    expect(historyPath({kind: 'anonymous', id: 'a b/../c'}, 10, 'x=')).toBe(
      'v1/events?anonymousId=a+b%2F..%2Fc&limit=10&cursor=x%3D',
    );
  });

  test('stands in a command that a shell reads as one word', () => {
    const path = countsPath({event: "it's $HOME", filter: null}, span, 'day');
    expect(curlOf('http://127.0.0.1:8080', path)).toContain(
      "'http://127.0.0.1:8080/v1/reports/events?event=it%27s+%24HOME&interval=day&timezone=UTC&from=2024-10-04&to=2024-10-05'",
    );
  });
});
