import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type Numbers, rankedNumber} from '../../../../actors/report/rows/ranked-number.js';
import {runs} from '../../../support/runs.js';

const someNumber = fc.oneof(
  fc.integer({min: -5, max: 5}),
  fc.integer({min: -(2 ** 31), max: 2 ** 31 - 1}),
  fc.constantFrom(0, 1, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 0.1, 1e300),
);

test('a number by its rank is that of the sorted numbers', () => {
  const property = fc.property(
    fc.array(someNumber, {minLength: 1, maxLength: 12}),
    fc.integer({min: 1, max: 3_000}),
    fc.double({min: 0, max: 1, maxExcluded: true, noNaN: true}),
    fc.boolean(),
    (some, times, share, areDense) => {
      // Repeated, and with small distances, so that a cell may hold most of them.
      const all = Array.from({length: some.length * times}, (_, i) => {
        const number = some[i % some.length]!;
        return areDense ? number : number + (i % 997) * 1e-3;
      });
      const sorted = Float64Array.from(all).sort();
      const place = Math.floor(share * sorted.length);
      const whole = all.filter((number) => (number | 0) === number);
      const others = all.filter((number) => (number | 0) !== number);
      const columns: Numbers[] = [Int32Array.from(whole), Float64Array.from(others)];
      expect(rankedNumber(columns, place) + 0).toBe(sorted[place]! + 0);
    },
  );
  fc.assert(property, {numRuns: runs(200)});
});
