import fc from 'fast-check';
import {expect, test} from 'vitest';
import {bitCount} from '../../../actors/order/bit-count.js';
import {firstPlace, lowerBound, upperBound} from '../../../actors/order/search.js';

const ascending = fc.array(fc.nat(20), {maxLength: 40, size: 'max'}).map((numbers) => numbers.sort((a, b) => a - b));

test('bounds are the first places that are not below, and that are above', () => {
  fc.assert(
    fc.property(ascending, fc.nat(21), fc.nat(40), fc.nat(40), (numbers, value, one, other) => {
      const start = Math.min(one, other, numbers.length);
      const end = Math.min(Math.max(one, other), numbers.length);
      const firstOf = (isFound: (number: number) => boolean): number => {
        for (let place = start; place < end; place++) if (isFound(numbers[place]!)) return place;
        return end;
      };
      for (const column of [Uint8Array.from(numbers), Uint32Array.from(numbers), Float64Array.from(numbers)]) {
        expect(lowerBound(column, value, start, end)).toBe(firstOf((number) => number >= value));
        expect(upperBound(column, value, start, end)).toBe(firstOf((number) => number > value));
        expect(lowerBound(column, value)).toBe(numbers.filter((number) => number < value).length);
      }
      expect(firstPlace(start, end, (place) => numbers[place]! < value)).toBe(firstOf((number) => number >= value));
    }),
  );
});

test('bits of a word, of either sign', () => {
  fc.assert(
    fc.property(fc.integer(), (word) => {
      expect(bitCount(word)).toBe((word >>> 0).toString(2).replaceAll('0', '').length);
    }),
  );
});
