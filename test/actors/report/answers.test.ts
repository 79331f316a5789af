// Texts of series equal what JSON.stringify makes of one object a bucket, byte by byte.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {countsAnswer} from '../../../actors/report/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {runs} from '../../support/runs.js';

const dayMs = 86_400_000;
const intervalMs = {hour: 3_600_000, day: dayMs, week: 7 * dayMs, month: 31 * dayMs} as const;

const someBuckets = fc
  .record({
    interval: fc.constantFrom('hour', 'day', 'week', 'month' as const),
    // To the year 9999, which is the last that a timestamp can have, and over the ends of centuries.
    fromMs: fc.oneof(
      fc.integer({min: 0, max: Date.UTC(9990, 0, 1)}),
      fc.constantFrom(0, Date.UTC(1999, 11, 20), Date.UTC(2000, 1, 20), Date.UTC(2024, 1, 25), Date.UTC(2100, 1, 25)),
    ),
    length: fc.double({min: 0, max: 120, noNaN: true}),
  })
  .map(({interval, fromMs, length}) => {
    return new Buckets(fromMs, fromMs + Math.floor(length * intervalMs[interval]), interval);
  });
const someCount = fc.oneof(fc.constant(0), fc.integer({min: 1, max: 99}), fc.maxSafeNat());

test('series are written as JSON.stringify writes them', () => {
  const property = fc.property(
    someBuckets,
    fc.infiniteStream(someCount),
    fc.string({unit: 'binary'}),
    (buckets, numbers, event) => {
      const counts = Float64Array.from({length: buckets.count}, () => numbers.next().value!);
      const data = Array.from(counts, (count, bucket) => ({date: buckets.label(bucket), count}));
      const {interval} = buckets;
      const total = counts.reduce((sum, count) => sum + count, 0);
      expect(countsAnswer(event, buckets, counts)).toBe(JSON.stringify({event, interval, data, total}));
    },
  );
  fc.assert(property, {seed: 77, numRuns: runs(400)});
});

test('names of events are escaped', () => {
  const buckets = new Buckets(0, 0, 'day');
  for (const event of ['"', '\\', '\u2028', '\ud800', 'é"\\n', '__proto__']) {
    const text = countsAnswer(event, buckets, Float64Array.of(3));
    expect(text).toBe(JSON.stringify({event, interval: 'day', data: [{date: '1970-01-01', count: 3}], total: 3}));
  }
});
