// Lines of trends: measures, breakdowns, colours; lines that lie on each other; buckets of zones.
import {describe, expect, test} from 'vitest';
import {wallMs} from '../../dashboard/src/address/zone.js';
import {chartOf, csvRows, figuresOf} from '../../dashboard/src/charts/charted.js';
import {computedLines} from '../../dashboard/src/charts/computed.js';
import {rimsOf} from '../../dashboard/src/charts/overlap.js';
import {drawnOf, linesOf, rowText} from '../../dashboard/src/charts/series-lines.js';
import {ticksAround} from '../../dashboard/src/charts/ticks.js';
import type {CountsAnswer} from '../../src/edge/answers/counts.js';

const dates = ['2026-11-01', '2026-11-02'];
const numbers = (counts: number[], values?: (number | null)[], total_value?: number | null) => ({
  data: counts.map((count, at) => ({date: dates[at]!, count, ...(values && {value: values[at]})})),
  total: counts.reduce((all, one) => all + one, 0),
  ...(values && {total_value}),
});
const answer = (more: object): CountsAnswer => ({event: 'a', interval: 'day', ...more}) as CountsAnswer;
const meta = {as_of: '2026-11-30T00:00:00Z', next_by: '2026-11-30T00:05:00Z', incomplete_from: null};

describe('a series', () => {
  test('shows its counts, or what it measures, which may be nothing', () => {
    const sums = answer(numbers([2, 0], [7.5, null], 7.5));
    const lines = linesOf([
      {label: 'a', measure: 'total', answer: sums, meta},
      {label: 'sum', measure: 'sum', answer: sums, meta, past: answer(numbers([1, 1], [1, 2], 3))},
    ]);
    expect(lines.map(({label, tone, total, pastTotal}) => [label, tone, total, pastTotal])).toEqual([
      ['a', 1, 2, undefined],
      ['sum', 2, 7.5, 3],
    ]);
    expect(lines[1]!.answer.data.map(({count}) => count)).toEqual([7.5, null]);
    expect(figuresOf(lines[1]!.answer, meta)).toMatchObject({mean: 7.5, last: null});
  });

  test('that is broken down has a line for each row; what is no value is faint', () => {
    const rows = [
      {value: 'pro', ...numbers([3, 1])},
      {value: '', ...numbers([2, 1])},
      {kind: 'missing', ...numbers([1, 1])},
      {kind: 'other', values: 1, ...numbers([1, 0])},
    ];
    const past = answer({...numbers([9, 9]), breakdown: {rows: [{value: 'pro', ...numbers([5, 5])}]}});
    const broken = answer({...numbers([7, 3]), breakdown: {property: 'plan', additive: true, rows}});
    const lines = linesOf([{label: 'a', measure: 'total', answer: broken, meta, past}]);
    expect(lines.map(({label, tone, pastTotal}) => [label, tone, pastTotal])).toEqual([
      ['pro', 1, 10],
      ['(empty)', 2, 0],
      ['not set', 0, 0],
      ['other (1 value)', 0, 0],
    ]);
    expect(csvRows(lines)[0]).toEqual(['date', 'pro', '(empty)', 'not set', 'other (1 value)']);
    const rest = {
      ...past,
      breakdown: {...past.breakdown!, rows: [{kind: 'other', ...numbers([9, 9])}]},
    } as CountsAnswer;
    expect(linesOf([{label: 'a', measure: 'total', answer: broken, meta, past: rest}])[0]!.pastTotal).toBeUndefined();
    expect(drawnOf(lines)).toHaveLength(4);
  });

  test('that is broken down by several has a line for each combination, the largest first', () => {
    const [pro, free, missing] = [{value: 'pro'}, {value: 'free'}, {kind: 'missing'}] as const;
    const [de, other] = [{value: 'DE'}, {kind: 'other', values: 2}] as const;
    const rows = [
      {by: [pro, de], ...numbers([1, 1])},
      {by: [pro, other], ...numbers([9, 9])},
      {by: [free, de], ...numbers([2, 1])},
      {by: [missing, de], ...numbers([1, 1])},
    ];
    const of = (some: readonly object[]) =>
      answer({...numbers([9, 9]), breakdown: {properties: ['plan', 'country'], additive: true, rows: some}});
    const past = of([{by: [free, de], ...numbers([1, 0])}]);
    const lines = linesOf([{label: 'a', measure: 'total', answer: of(rows), meta, past}]);
    expect(lines.map(({label, tone, pastTotal}) => [label, tone, pastTotal])).toEqual([
      ['free · DE', 1, 1],
      ['pro · DE', 2, 0],
      ['pro · other (2 values)', 0, 0],
      ['not set · DE', 0, 0],
    ]);
    // A combination that the time before has none of may be among its others.
    const rest = of([{by: [free, other], ...numbers([1, 0])}]);
    expect(linesOf([{label: 'a', measure: 'total', answer: of(rows), meta, past: rest}])[0]!.pastTotal).toBeUndefined();
    const two = linesOf(['a', 'b'].map((label) => ({label, measure: 'total' as const, answer: of(rows), meta})));
    const computed = computedLines(two, [{as: 'A / B', is: 'A / B'}], ['a', 'b']);
    expect(computed.map(({label, total}) => [label, total])).toEqual([
      ['free · DE', 1],
      ['pro · DE', 1],
      ['not set · DE', 1],
    ]);
  });

  test('of several that are broken down share the colours: what has none is in the table alone', () => {
    const rows = ['x', 'y', 'z', 'w'].map((value) => ({value, ...numbers([1, 1])}));
    const broken = answer({...numbers([4, 4]), breakdown: {rows: [...rows, {kind: 'missing', ...numbers([1, 1])}]}});
    const asked = {label: 'a', measure: 'total', answer: broken, meta} as const;
    const lines = linesOf([asked, undefined, {...asked, label: 'b'}]);
    expect(lines).toHaveLength(10);
    expect(drawnOf(lines).map(({label}) => label)).toEqual(['a: x', 'a: y', 'a: z', 'a: w', 'b: x', 'b: y']);
  });

  test('of which no row has a value is drawn as it is', () => {
    const broken = answer({...numbers([1, 1]), breakdown: {rows: [{kind: 'missing', ...numbers([1, 1])}]}});
    const asked = {label: 'a', measure: 'total', answer: broken, meta} as const;
    const lines = linesOf([asked, {...asked, label: 'b'}]);
    expect(drawnOf(lines).map(({label, tone}) => [label, tone])).toEqual([
      ['a: not set', 0],
      ['b: not set', 0],
    ]);
  });
});

test('rows have words', () => {
  expect(
    [{value: 'pro'}, {value: ''}, {kind: 'other', values: 3}, {kind: 'not_scalar'}].map((row) => rowText(row as never)),
  ).toEqual(['pro', '(empty)', 'other (3 values)', 'lists and objects']);
});

test('equal lines are seen: a lower one is wider for each that lies on it', () => {
  expect(
    rimsOf([
      [0, 0, 0, 1],
      [0, 0, 0, 2],
    ]),
  ).toEqual([0, 0]);
  expect(
    rimsOf([
      [0, 0],
      [0, 0],
    ]),
  ).toEqual([1, 0]);
  expect(
    rimsOf([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 4],
      [1, 2, 3],
    ]),
  ).toEqual([2, 1, 0, 0]);
  expect(
    rimsOf([
      [1, null],
      [1, 5],
      [null, 7],
    ]),
  ).toEqual([1, 0, 0]);
  expect(rimsOf([[], []])).toEqual([0, 0]);
});

test('ticks reach below zero where values do', () => {
  expect(ticksAround(0, 10)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(ticksAround(-3, 10)).toEqual([-4, -2, 0, 2, 4, 6, 8, 10]);
  expect(ticksAround(-10, 0)).toEqual([-10, -8, -6, -4, -2, 0]);
});

describe('buckets of a zone', () => {
  test('stand at what its clocks show, and ascend where an hour comes twice', () => {
    const data = ['2026-10-25T01:00:00+02:00', '2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00'].map(
      (date) => ({
        date,
        count: 1,
      }),
    );
    const {times} = chartOf([{label: 'a', tone: 1, answer: {data}, meta: undefined}], 'hour');
    expect(times.map((seconds) => new Date(seconds * 1_000).toISOString().slice(11, 16))).toEqual([
      '01:00',
      '02:00',
      '02:30',
    ]);
  });

  test('have begun when the day has begun there', () => {
    const data = ['2026-11-27', '2026-11-28', '2026-11-29'].map((date) => ({date, count: 1}));
    const asOf = {...meta, as_of: '2026-11-27T20:00:00Z', incomplete_from: '2026-11-28'};
    const chart = (zone: string) =>
      chartOf([{label: 'a', tone: 1, answer: {data}, meta: asOf}], 'day', (ms) => wallMs(zone, ms));
    expect(chart('Pacific/Auckland').series[0]!.values).toEqual([1, 1, null]);
    expect(chart('UTC').series[0]!.values).toEqual([1, null, null]);
  });
});
