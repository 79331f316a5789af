// Questions that take several: what their parts are, and the answers that are made of those of the parts.
import {describe, expect, test} from 'vitest';
import {readFormula, valueOfFormula} from '../../src/asks/question/formula.js';
import {RequestFailure} from '../../src/edge/failure.js';
import type {Front} from '../../src/edge/front.js';
import {partsOf} from '../../src/edge/query/question-parts.js';
import {pointing, readQuestion} from '../../src/edge/query/read-question.js';

const service = {reportZone: undefined, wallMs: () => Date.UTC(2026, 4, 21, 22)} as unknown as Front;
const asked = (question: object) => {
  const read = readQuestion(question, '');
  return pointing('', () => partsOf(read, service));
};

describe('a formula', () => {
  const values: Readonly<Record<string, number | null>> = {A: 6, B: 4, none: null, zero: 0};
  test.each<[string, number | null]>([
    ['A', 6],
    ['A / B', 1.5],
    ['A - B - 1', 1],
    ['A - (B - 1)', 3],
    ['2 + A * B', 26],
    ['(2 + A) * B', 32],
    ['A / B / 2', 0.75],
    ['-A + 10', 4],
    ['2*-A', -12],
    [' ( A ) ', 6],
    ['A * 0.5', 3],
    ['A / zero', null],
    ['zero / zero', null],
    ['none + A', null],
  ])('%s is %s', (text, value) => {
    expect(valueOfFormula(readFormula(text)!, (label) => values[label]!)).toBe(value);
  });

  test.each(['', 'A +', '* A', 'A B', '(A', 'A)', 'A ** B', '1.', 'A / ()', 'A; B', '2A', `A${' + A'.repeat(60)}`])(
    '%s is none',
    (text) => {
      expect(readFormula(text)).toBeUndefined();
    },
  );

  test('of many parentheses is read', () => {
    expect(readFormula(`${'('.repeat(99)}A${')'.repeat(99)}`)).toEqual({is: 'label', label: 'A'});
  });
});

describe('a question of a single part', () => {
  test.each([
    {report: 'counts', events: [{event: 'a'}, {event: 'b'}], where: ['x set']},
    {report: 'counts', events: [{event: 'a', where: ['x set']}]},
    {report: 'counts'},
    {report: 'names'},
  ])('%j has the answer of its route', (question) => {
    const {parts, answerOf, previousOf} = asked(question);
    expect(parts).toEqual([readQuestion(question, '')]);
    expect(answerOf(['{"total": 1}'])).toBe('{"total": 1}');
    expect(previousOf(['{}'])).toBeUndefined();
  });
});

test.each<[object, object]>([
  [{range: {from: '2026-05-01', to: '2026-05-07'}}, {from: '2026-04-24', to: '2026-04-30'}],
  [{range: '-30d'}, {from: '2026-03-23', to: '2026-04-21'}],
  [
    {range: 'today', timezone: 'Asia/Kathmandu'},
    {from: '2026-05-21', to: '2026-05-21'},
  ],
  // The days are 23 and 24 hours long.
  [
    {range: {from: '2026-03-29', to: '2026-03-29'}, timezone: 'Europe/Berlin'},
    {from: '2026-03-28', to: '2026-03-28'},
  ],
  [
    {range: {from: '2026-05-01T10:00Z', to: '2026-05-01T10:59:59.999Z'}},
    {from: '2026-05-01T09:00:00.000Z', to: '2026-05-01T09:59:59.999Z'},
  ],
])('the range before of %j is %j', (times, range) => {
  const {parts, answerOf, previousOf} = asked({report: 'active', ...times, compare: 'previous'});
  const now = readQuestion({report: 'active', ...times}, '');
  expect(parts).toEqual([now, {...now, range}]);
  expect([answerOf(['1', '2']), previousOf(['1', '2'])]).toEqual(['1', '2']);
});

describe('entries', () => {
  const body = (counts: readonly number[], more = {}) =>
    JSON.stringify({
      ...{event: 'a', interval: 'day', timezone: 'Asia/Tokyo'},
      data: counts.map((count, at) => ({
        date: `2026-05-0${at + 1}`,
        count,
        ...('total_value' in more && {value: count / 2}),
      })),
      total: counts.reduce((sum, count) => sum + count, 0),
      ...more,
    });
  const entries = [{event: 'a', where: ['plan eq pro']}, {event: 'a', as: 'all'}, {}];

  test('are asked one by one, and answered beside each other', () => {
    const {parts, answerOf} = asked({report: 'counts', events: entries, where: ['x set'], interval: 'week'});
    const alone = (entry: object) =>
      readQuestion({report: 'counts', events: [entry], where: ['x set'], interval: 'week'}, '');
    expect(parts).toEqual([alone(entries[0]!), alone({event: 'a'}), {...alone({}), events: [{}]}]);
    const answer = JSON.parse(answerOf([body([1, 2], {skipped: 1}), body([3, 4]), body([5, 6], {skipped: 2})]));
    expect(answer).toMatchObject({interval: 'day', timezone: 'Asia/Tokyo', skipped: 3});
    expect(answer).not.toHaveProperty('formulas');
    expect(answer.series.map(({as, total}: {as: string; total: number}) => [as, total])).toEqual([
      ['A', 3],
      ['all', 7],
      ['C', 11],
    ]);
  });

  test('have formulas of each bucket and of the totals, also over the range before', () => {
    const events = [{event: 'a'}, {event: 'b'}];
    const formulas = [{as: 'rate', is: 'A / B'}];
    const {parts, answerOf, previousOf} = asked({report: 'counts', events, formulas, compare: 'previous'});
    expect(parts).toHaveLength(4);
    const bodies = [body([1, 3]), body([0, 4]), body([1, 1]), body([2, 4])];
    const of = (...values: readonly (number | null)[]) =>
      values.map((value, at) => ({date: `2026-05-0${at + 1}`, value}));
    expect(JSON.parse(answerOf(bodies)).formulas).toEqual([{as: 'rate', data: of(null, 0.75), total_value: 1}]);
    expect(JSON.parse(previousOf(bodies)!).formulas).toEqual([{as: 'rate', data: of(0.5, 0.25), total_value: 1 / 3}]);
  });

  test('have measures of their own', () => {
    const events = [{event: 'a', measure: {of: 'sum', property: 'n'}}, {event: 'a'}];
    const {parts} = asked({report: 'counts', events, measure: {of: 'users'}});
    expect(parts).toMatchObject([{measure: {of: 'sum', property: 'n'}}, {measure: {of: 'users'}}]);
  });

  test('of a measure have formulas of its values', () => {
    const {answerOf} = asked({report: 'counts', measure: {of: 'users'}, formulas: [{as: 'twice', is: 'A * 2'}]});
    const {formulas} = JSON.parse(answerOf([body([4, 6], {total_value: 4})]));
    expect(formulas[0]).toMatchObject({data: [{value: 4}, {value: 6}], total_value: 8});
  });

  test.each<[object, string, string]>([
    [{formulas: [{as: 'r', is: 'A / B'}]}, '/formulas/0/is', 'no event has the label B'],
    [{events: [{as: 'x'}, {as: 'x'}]}, '/events/1/as', 'x is given to another one already'],
    [{events: [{as: 'B'}, {}]}, '/events/1/as', 'B is given to another one already'],
    [{formulas: [1, 2].map(() => ({as: 'r', is: 'A'}))}, '/formulas/1/as', 'r is given to another one already'],
    [{events: [{event: 'a', mesure: {of: 'users'}}]}, '/events/0/mesure', 'did you mean measure?'],
    [{formulas: [{as: 'r', is: 'A +'}]}, '/formulas/0/is', 'must be a formula like "A / B * 100"'],
    [{events: [{as: '1'}]}, '/events/0/as', 'must be a label'],
  ])('%j is refused', (members, field, message) => {
    let failure: RequestFailure['failure'] | undefined;
    try {
      asked({report: 'counts', ...members});
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      failure = error.failure;
    }
    expect(failure).toMatchObject({field, message: expect.stringContaining(message)});
  });
});
