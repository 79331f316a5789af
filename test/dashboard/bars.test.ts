// Stacked bars: what is above and below zero, and lines at round numbers on both sides.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {areasOf, edgesOf, stacksOf} from '../../dashboard/src/charts/bars.js';

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

test('areas go from bar to bar over those of zero, and what is not over is a part of its own from the last bar that is', () => {
  const [low, high] = edgesOf([series([30, 0, 4]), series([12, 5, 1])], 3);
  expect(low!.map(({from, to}) => [from, to])).toEqual([
    [0, 30],
    [0, 0],
    [0, 4],
  ]);
  expect(areasOf(high!)).toEqual([
    {
      points: [
        [0, 42],
        [1, 5],
        [2, 5],
        [2, 4],
        [1, 0],
        [0, 30],
      ],
      isOpen: false,
    },
  ]);
  const parts = areasOf(high!, 2);
  expect(parts.map(({points, isOpen}) => [isOpen, points.map(([bar]) => bar)])).toEqual([
    [false, [0, 1, 1, 0]],
    [true, [1, 2, 2, 1]],
  ]);
  expect(areasOf(high!, 0).map(({points, isOpen}) => [isOpen, points.length])).toEqual([[true, 6]]);
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
