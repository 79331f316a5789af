// Fingerprints since the last cut, against a list of their words.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {FreshFingerprints} from '../../actors/fresh-fingerprints.js';

/** The same memory for each. */
const print = Uint32Array.of(0, 0, 7);

const someCount = fc.oneof(fc.integer({min: 0, max: 5_000}), fc.constantFrom(0, 1, 63, 64, 65, 128));

test('all that came are told in their order, but the first ones', () => {
  fc.assert(
    fc.property(someCount, someCount, (count, skipped) => {
      const fresh = new FreshFingerprints(3);
      const words: number[] = [];
      for (let i = 0; i < count; i++) {
        [print[0], print[1]] = [(i * 2_654_435_761) >>> 0, i];
        fresh.add(print);
        words.push(...print);
      }
      expect([fresh.day, fresh.count]).toEqual([3, count]);
      const first = Math.min(skipped, count);
      expect(fresh.wordsFrom(first)).toEqual(Uint32Array.from(words.slice(3 * first)));
      expect(fresh.wordsFrom(0).buffer).toBe(fresh.wordsFrom(first).buffer); // As they stand: nothing is copied at a cut.
    }),
    {numRuns: 100},
  );
});
