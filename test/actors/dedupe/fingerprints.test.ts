// The set of message-id fingerprints: against a plain Map, with days that expire and a bound that is kept.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {FingerprintSet} from '../../../actors/dedupe/fingerprints.js';
import {runs} from '../../support/runs.js';

const step = fc.oneof(
  {weight: 9, arbitrary: fc.tuple(fc.constant('add' as const), fc.integer({min: 0, max: 400}), fc.constant(0))},
  {weight: 1, arbitrary: fc.tuple(fc.constant('day' as const), fc.constant(0), fc.integer({min: 0, max: 3}))},
  {weight: 1, arbitrary: fc.tuple(fc.constant('expire' as const), fc.constant(0), fc.integer({min: 0, max: 10}))},
);
// Words that collide in their slot, also in the last one, and in two of three; the first one is all zeros.
const words = (id: number): Uint32Array =>
  Uint32Array.of(Math.min((id % 9) * 2 ** 29, 2 ** 32 - 1), Math.floor(id / 9) % 5, Math.floor(id / 45));

test('holds what a Map holds', () => {
  const bounds = fc.constantFrom(1024 * 1024, Number.POSITIVE_INFINITY); // One segment, and many.
  fc.assert(
    fc.property(
      fc.array(step, {maxLength: 800}),
      fc.integer({min: 0, max: 600}),
      bounds,
      (steps, firstDay, bytesMax) => {
        const set = new FingerprintSet(bytesMax);
        const model = new Map<number, number>();
        const contents = new Map<number, number>();
        let content = 0;
        let day = firstDay;
        for (const [kind, id, amount] of steps) {
          if (kind === 'day') day += amount;
          if (kind === 'add') {
            content = (content + 40_503) & 0xffff;
            if (!model.has(id)) contents.set(id, content); // F5
            expect(set.add(words(id), 0, day, content)).toBe(!model.has(id));
            if (!model.has(id)) model.set(id, day);
          }
          if (kind === 'expire') {
            set.expireBefore(day - amount);
            for (const [held, heldDay] of model) if (heldDay < day - amount) model.delete(held);
          }
        }
        expect(set.count).toBe(model.size);
        for (let id = 0; id <= 400; id++) expect(set.has(words(id))).toBe(model.has(id));
        for (const id of model.keys()) expect(set.contentOf(words(id))).toBe(contents.get(id));
        // Each id leaves with the day of its first insertion. F1
        for (const expired of [...new Set(model.values())].sort((a, b) => a - b)) {
          set.expireBefore(expired + 1);
          const held = [...model.keys()].filter((id) => set.has(words(id)));
          expect(held).toEqual([...model.keys()].filter((id) => model.get(id)! > expired));
        }
        expect(set.count).toBe(0);
      },
    ),
    {numRuns: runs(200)},
  );
});

const print = (i: number) => Uint32Array.of((i * 2_654_435_761) >>> 0, i, 7);
const bytesMax = 15 * 4_000; // 3,000 of them
const generation = 3_000 / 8;

/** Which of the ids 0 to `count` the set holds. */
const heldIds = (set: FingerprintSet, count: number): readonly number[] =>
  Array.from({length: count}, (_, i) => i).filter((i) => set.has(print(i)));

test('whatever days bring, an eighth of the bound goes at once, and the day is told from which all are known', () => {
  const someDays = fc.array(fc.oneof(fc.integer({min: 0, max: 60}), fc.integer({min: 0, max: 4_000})), {
    minLength: 3,
    maxLength: 12,
  });
  fc.assert(
    fc.property(someDays, fc.boolean(), (days, isExpiring) => {
      const set = new FingerprintSet(bytesMax);
      const dayOf: number[] = [];
      let [oldest, expired] = [0, 0];
      for (const [day, ids] of days.entries()) {
        for (let i = 0; i < ids; i++) {
          const before = set.count;
          expect(set.add(print(dayOf.length), 0, day)).toBe(true);
          dayOf.push(day);
          if (set.count > before) continue;
          expect(before).toBe(3_000);
          const gone = before + 1 - set.count;
          expect(gone).toBeLessThanOrEqual(generation);
          expect(gone).toBeGreaterThan((generation * 7) / 8 - 7);
          oldest = dayOf.length - set.count;
        }
        if (isExpiring && day > 2) {
          set.expireBefore(day - 2);
          expired = day - 2;
        }
        const firstKnown = Math.max(
          oldest,
          dayOf.findIndex((of) => of >= expired),
        );
        expect(set.count).toBe(expired > day || firstKnown < 0 ? 0 : dayOf.length - firstKnown);
        for (let i = 0; i < dayOf.length; i += 37) expect(set.has(print(i))).toBe(dayOf[i]! >= expired && i >= oldest);
        const firstWhole = oldest === 0 ? Number.NEGATIVE_INFINITY : dayOf[oldest - 1]! + 1;
        expect(set.heldFromDay).toBe(firstWhole);
      }
    }),
    {numRuns: 30},
  );
});

test('it grows in steps, and no further than the bound', () => {
  const [mib, ids] = [16 * 1024 * 1024, 1_100_000];
  const set = new FingerprintSet(mib);
  let [bytes, largest] = [set.byteLength, 0];
  for (let i = 0; i < ids; i++) {
    set.add(print(i), 0, 1);
    largest = Math.max(largest, set.byteLength - bytes);
    bytes = set.byteLength;
  }
  expect(largest).toBeLessThanOrEqual(mib / 19);
  expect(bytes).toBeLessThanOrEqual(mib);
  expect(bytes).toBeGreaterThan(0.999 * mib);
  expect(set.bytesMax).toBeGreaterThan(0.999 * mib);
});

test('days that bring next to nothing expire behind a burst, however many these are', () => {
  const set = new FingerprintSet(32 * 1024 * 1024);
  const burst = 1_000_000; // Freeing its slots takes more days than a byte tells apart.
  for (let i = 0; i < burst; i++) set.add(print(i), 0, 0);
  for (let day = 1; day < 1_000; day++) {
    set.add(print(burst + day), 0, day);
    set.expireBefore(day - 1);
    expect(set.count).toBe(day === 1 ? burst + 1 : 2);
  }
});

test('days that come in no order leave in their order', () => {
  const set = new FingerprintSet(Number.POSITIVE_INFINITY);
  const days = [3, 1, 2, 3, 1, 9, 2, 0];
  for (const [i, day] of days.entries()) set.add(print(i), 0, day);
  for (let expired = 0; expired <= 10; expired++) {
    set.expireBefore(expired);
    expect(heldIds(set, days.length)).toEqual([...days.keys()].filter((i) => days[i]! >= expired));
  }
  expect(set.heldFromDay).toBe(Number.NEGATIVE_INFINITY); // Nothing left for want of memory.
});
