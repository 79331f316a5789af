// The set of message-id fingerprints: against a plain Map, with days that expire and a bound that is kept.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {FingerprintSet} from '../../actors/fingerprints.js';

const step = fc.oneof(
  {weight: 9, arbitrary: fc.tuple(fc.constant('add' as const), fc.integer({min: 0, max: 400}), fc.constant(0))},
  {weight: 1, arbitrary: fc.tuple(fc.constant('day' as const), fc.constant(0), fc.integer({min: 0, max: 3}))},
  {weight: 1, arbitrary: fc.tuple(fc.constant('expire' as const), fc.constant(0), fc.integer({min: 0, max: 10}))},
);
// Words that collide in their slot and in two of three; the first one is all zeros.
const words = (id: number): Uint32Array =>
  Uint32Array.of((id % 7) * 2 ** 29, Math.floor(id / 7) % 5, Math.floor(id / 35));

test('holds what a Map holds', () => {
  fc.assert(
    fc.property(fc.array(step, {maxLength: 800}), fc.integer({min: 0, max: 600}), (steps, firstDay) => {
      const set = new FingerprintSet(1024 * 1024);
      const model = new Map<number, number>();
      let day = firstDay;
      for (const [kind, id, amount] of steps) {
        if (kind === 'day') day += amount;
        if (kind === 'add') {
          expect(set.add(words(id), 0, day)).toBe(!model.has(id));
          if (!model.has(id)) model.set(id, day);
        }
        if (kind === 'expire') {
          set.expireBefore(day - amount);
          for (const [held, heldDay] of model) if (heldDay < day - amount) model.delete(held);
        }
      }
      expect(set.count).toBe(model.size);
      for (let id = 0; id <= 400; id++) expect(set.has(words(id))).toBe(model.has(id));
      const days = new Map<string, number>();
      set.forEach((held, start, heldDay) => {
        days.set(held.subarray(start, start + 3).join(' '), heldDay);
      });
      for (const [id, heldDay] of model) expect(days.get(id === 0 ? '1 0 0' : words(id).join(' '))).toBe(heldDay);
    }),
    {numRuns: 200},
  );
});

test('at its bound it drops its oldest day, says so, and keeps the newest', () => {
  const bytesMax = 13 * 4_000;
  const print = (i: number) => Uint32Array.of((i * 2_654_435_761) >>> 0, i, 7);
  const set = new FingerprintSet(bytesMax);
  for (let i = 0; i < 10_000; i++) set.add(print(i), 0, Math.floor(i / 1_000));
  expect(set.daysDropped).toBeGreaterThan(0);
  expect(set.count).toBeLessThanOrEqual(3_000);
  expect(set.newestDay).toBe(9);
  expect(set.oldestDay).toBeGreaterThan(5);
  expect(set.byteLength).toBeLessThanOrEqual(bytesMax);
  expect(set.has(print(9_999))).toBe(true);
  expect(set.has(print(0))).toBe(false);
});
