// How Trends shows its lines: what adds up can be stacked, anything else is lines.
import {expect, test} from 'vitest';
import {canLook, lookOf} from '../../dashboard/src/reports/trends/look.js';
import type {TrendsDraft} from '../../dashboard/src/reports/trends/series.js';

const of = (...measures: string[]): TrendsDraft =>
  ({
    report: 'counts',
    events: measures.map((measure) => ({event: 'a', measure: {of: measure}})),
    view: {look: 'stacked'},
  }) as unknown as TrendsDraft;

test('counts and sums are stacked; users and means are not, nor what is divided or below zero', () => {
  expect(lookOf(of('total', 'sum'), [[1, null], [0]])).toBe('stacked');
  expect(lookOf(of('total', 'sum'), [[1, -1]])).toBe('lines');
  for (const measure of ['users', 'avg', 'min', 'max', 'p50', 'p99'])
    expect(lookOf(of('total', measure))).toBe('lines');
  expect(lookOf({...of('total', 'total'), formulas: [{as: 'A / B', is: 'A / B'}]})).toBe('lines');
  expect(canLook(of('p50'), 'bars')).toBe(false);
  expect(canLook(of('p50'), 'number')).toBe(true);
});

test('without a choice they are lines', () => {
  expect(lookOf({...of('total'), view: undefined} as TrendsDraft)).toBe('lines');
});
