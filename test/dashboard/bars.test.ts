// Stacked bars: what is above and below zero, and lines at round numbers on both sides.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {stacksOf} from '../../dashboard/src/charts/bars.js';

const series = (values: readonly number[], isBelow = false) => ({label: `${values}`, tone: 1, values, isBelow});

test('series are stacked in their order, those below zero downwards; nothing is drawn for a zero', () => {
  const {bars, ticks} = stacksOf([series([30, 0]), series([12, 5]), series([8, 0], true)], 2);
  expect(bars).toEqual([
    [
      {series: 0, from: 0, to: 30},
      {series: 1, from: 30, to: 42},
      {series: 2, from: 0, to: -8},
    ],
    [{series: 1, from: 0, to: 5}],
  ]);
  expect(ticks).toEqual([-10, 0, 10, 20, 30, 40, 50]);
});

test('without any value there is still an axis', () => {
  expect(stacksOf([series([0, 0])], 2)).toEqual({bars: [[], []], ticks: [0, 1]});
  expect(stacksOf([], 0).ticks).toEqual([0, 1]);
});

test('every bar lies between the outermost lines, and the steps are equal', () => {
  const values = fc.array(fc.nat(100_000), {minLength: 1, maxLength: 20});
  fc.assert(
    fc.property(values, values, (up, down) => {
      const {bars, ticks} = stacksOf([series(up), series(down, true)], Math.max(up.length, down.length));
      for (const {from, to} of bars.flat()) {
        expect(Math.max(from, to)).toBeLessThanOrEqual(ticks.at(-1)! + 1e-6);
        expect(Math.min(from, to)).toBeGreaterThanOrEqual(ticks[0]! - 1e-6);
      }
      const step = ticks[1]! - ticks[0]!;
      for (const [at, tick] of ticks.slice(1).entries()) expect(tick - ticks[at]!).toBeCloseTo(step, 6);
      expect(ticks).toContain(0);
    }),
  );
});
