// Fingerprints since the last cut, against a list of them, and as they are read back.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {FreshFingerprints, StoredFingerprints} from '../../../actors/dedupe/fresh-fingerprints.js';

/** The same memory for each. */
const print = Uint32Array.of(0, 0, 7);

const someCount = fc.oneof(fc.integer({min: 0, max: 5_000}), fc.constantFrom(0, 1, 63, 64, 65, 128));

test('all that came are told in their order, but the first ones, and read back as they were', () => {
  fc.assert(
    fc.property(someCount, someCount, (count, skipped) => {
      const fresh = new FreshFingerprints(3);
      const added: number[][] = [];
      for (let i = 0; i < count; i++) {
        [print[0], print[1]] = [(i * 2_654_435_761) >>> 0, i];
        fresh.add(print, (i * 40_503) & 0xffff);
        added.push([...print, (i * 40_503) & 0xffff]);
      }
      expect([fresh.day, fresh.count]).toEqual([3, count]);
      const first = Math.min(skipped, count);
      const part = fresh.bytesFrom(first);
      expect(part.length).toBe(14 * (count - first));
      expect(fresh.bytesFrom(0).buffer).toBe(part.buffer); // As they stand: nothing is copied at a cut.
      // Joined, as a snapshot joins small parts, and at an odd place.
      const joined = Buffer.concat([Buffer.of(0), fresh.bytesFrom(0), part]).subarray(1);
      const stored = new StoredFingerprints(joined);
      expect(stored.count).toBe(2 * count - first);
      const read: number[][] = [];
      stored.forEach(first, (words, content) => read.push([...words, content]));
      expect(read).toEqual([...added.slice(first), ...added.slice(first)]);
    }),
    {numRuns: 40},
  );
});
