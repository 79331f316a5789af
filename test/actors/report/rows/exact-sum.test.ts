import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {ExactSum} from '../../../../actors/report/rows/exact-sum.js';
import {runs} from '../../../support/runs.js';

function sumOf(values: readonly number[]): ExactSum {
  const sum = new ExactSum();
  for (const value of values) sum.add(value);
  return sum;
}

describe('an exact sum', () => {
  test('is rounded once', () => {
    expect(sumOf([0.1, 0.2, 0.3]).rounded()).toBe(0.6);
    expect(sumOf([1e308, 1e308, -1e308]).rounded()).toBe(1e308);
    expect(sumOf([1e100, 1, -1e100]).rounded()).toBe(1);
    expect(sumOf([5e-324, 5e-324]).rounded()).toBe(1e-323);
    expect(sumOf(Array.from({length: 10}, () => 0.1)).rounded()).toBe(1);
    expect(sumOf([1e308, 1e308]).rounded()).toBe(Number.POSITIVE_INFINITY);
    expect(sumOf([-0, 0]).rounded()).toBe(0);
    expect(sumOf([]).rounded()).toBe(0);
  });

  test('divides before it rounds', () => {
    expect(sumOf([1, 1, 2]).rounded(3)).toBe(4 / 3);
    expect(sumOf([1e308, 1e308]).rounded(2)).toBe(1e308);
    expect(sumOf([5e-324]).rounded(2)).toBe(0);
    expect(sumOf([-5e-324]).rounded(2)).toBe(0);
    expect(sumOf([5e-324, 1e-323]).rounded(2)).toBe(1e-323);
  });

  const doubles = fc.array(fc.double({noNaN: true, noDefaultInfinity: true}), {maxLength: 12});

  test('of any order is the same, and of two values what the processor makes of them', () => {
    fc.assert(
      fc.property(doubles, (values) => {
        expect(sumOf([...values].reverse()).rounded()).toBe(sumOf(values).rounded());
        const [a = 0, b = 0] = values;
        expect(sumOf([a, b]).rounded()).toBe(a + b + 0);
        expect(sumOf([a]).rounded(3)).toBe(a / 3 + 0);
      }),
      {numRuns: runs(300)},
    );
  });
});
