// The set of message-id fingerprints: against a plain Map, with days that expire and a bound that is kept.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {FingerprintSet} from '../../actors/fingerprints.js';

const step = fc.oneof(
  {weight: 9, arbitrary: fc.tuple(fc.constant('add' as const), fc.integer({min: 0, max: 400}), fc.constant(0))},
  {weight: 1, arbitrary: fc.tuple(fc.constant('day' as const), fc.constant(0), fc.integer({min: 0, max: 3}))},
  {weight: 1, arbitrary: fc.tuple(fc.constant('expire' as const), fc.constant(0), fc.integer({min: 0, max: 10}))},
);
// Halves that collide in their slot and in one half.
const halves = (id: number): [number, number] => [((id % 7) * 2 ** 29) >>> 0, Math.floor(id / 7)];

test('holds what a Map holds', () => {
  fc.assert(
    fc.property(fc.array(step, {maxLength: 800}), fc.integer({min: 0, max: 600}), (steps, firstDay) => {
      const set = new FingerprintSet(1024 * 1024);
      const model = new Map<number, number>();
      let day = firstDay;
      for (const [kind, id, amount] of steps) {
        if (kind === 'day') day += amount;
        if (kind === 'add') {
          expect(set.add(...halves(id), day)).toBe(!model.has(id));
          if (!model.has(id)) model.set(id, day);
        }
        if (kind === 'expire') {
          set.expireBefore(day - amount);
          for (const [held, heldDay] of model) if (heldDay < day - amount) model.delete(held);
        }
      }
      expect(set.count).toBe(model.size);
      for (let id = 0; id <= 400; id++) expect(set.has(...halves(id))).toBe(model.has(id));
      const days = new Map<string, number>();
      set.forEach((high, low, heldDay) => {
        days.set(`${high} ${low}`, heldDay);
      });
      for (const [id, heldDay] of model) expect(days.get(halves(id).join(' '))).toBe(heldDay);
    }),
    {numRuns: 200},
  );
});

test('at its bound it drops its oldest day, says so, and keeps the newest', () => {
  const bytesMax = 9 * 4_000;
  const set = new FingerprintSet(bytesMax);
  for (let i = 0; i < 10_000; i++) set.add((i * 2_654_435_761) >>> 0, i, Math.floor(i / 1_000));
  expect(set.daysDropped).toBeGreaterThan(0);
  expect(set.count).toBeLessThanOrEqual(3_000);
  expect(set.newestDay).toBe(9);
  expect(set.oldestDay).toBeGreaterThan(5);
  expect(set.has((9_999 * 2_654_435_761) >>> 0, 9_999)).toBe(true);
  expect(set.has(0, 0)).toBe(false);
});
