// Texts of series equal what JSON.stringify makes of one object a bucket, byte by byte.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {activeFields, intervalText} from '../../../../actors/report/counts/answers.js';
import {Buckets} from '../../../../actors/report/counts/buckets.js';
import {MeasuredCells} from '../../../../actors/report/rows/measures.js';
import {seriesFields} from '../../../../actors/report/rows/series-answer.js';
import {PartsCache} from '../../../../src/parts/parts-cache.js';
import {Evaluation} from '../../../../src/report/evaluate.js';
import {runs} from '../../../support/runs.js';
import {MemoryParts, TestPartition} from '../../../support/snapshot.js';

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
  const property = fc.property(someBuckets, fc.infiniteStream(someCount), (buckets, numbers) => {
    const counts = Float64Array.from({length: buckets.count}, () => numbers.next().value!);
    const data = Array.from(counts, (count, bucket) => ({date: buckets.label(bucket), count}));
    const {interval} = buckets;
    const text = `{${intervalText(buckets)},${activeFields(buckets.labels(), counts, 12)}}`;
    expect(text).toBe(JSON.stringify({interval, data, total: 12}));
    const cells = new MeasuredCells(undefined, 1, buckets.count);
    cells.counts.set(counts);
    cells.finish();
    const total = counts.reduce((sum, count) => sum + count, 0);
    expect(`{${seriesFields(cells, 0, buckets.labels())}}`).toBe(JSON.stringify({data, total}));
  });
  fc.assert(property, {seed: 77, numRuns: runs(400)});
});

test('names of events are escaped', async () => {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  const names = ['"', '\\', '\u2028', '\ud800', 'é"\\n', '__proto__'];
  for (const event of names) partition.append({user: 'ada', event, timeMs: 0});
  const evaluation = new Evaluation(new PartsCache(parts, 1 << 20), 1 << 20);
  const snapshot = partition.publish();
  for (const event of names) {
    const query = {report: 'counts', events: [event], interval: 'day', fromMs: 0, toMs: 0} as const;
    const expected = {event, interval: 'day', data: [{date: '1970-01-01', count: 1}], total: 1};
    expect(await evaluation.answer(query, [snapshot])).toBe(JSON.stringify(expected));
  }
});
