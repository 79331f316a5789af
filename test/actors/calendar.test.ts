// Dates and labels equal those of JavaScript's own Date, from before year 0 to past year 9999.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {bucketLabel, bucketLabels, dateText, isoText} from '../../actors/calendar.js';
import {runs} from '../support/runs.js';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const [firstMs, lastMs] = [Date.parse('-000002-01-01T00:00Z'), Date.parse('+010001-01-01T00:00Z')];
const edges = ['0000-01-01', '-000001-12-31', '0001-01-01', '1970-01-01', '9999-12-31', '+010000-01-01'];
const someTime = fc.oneof(
  fc.integer({min: firstMs, max: lastMs}),
  fc.constantFrom(...edges.map((date) => Date.parse(date))),
);

test('a time, its date and its labels', () => {
  const property = fc.property(someTime, (timeMs) => {
    const iso = new Date(timeMs).toISOString();
    const [date, clock] = iso.split('T');
    expect(isoText(timeMs)).toBe(iso);
    expect(dateText(Math.floor(timeMs / dayMs))).toBe(date);
    const hour = Math.floor(timeMs / hourMs) * hourMs;
    expect(bucketLabel(hour, 'hour')).toBe(`${date}T${clock!.slice(0, 2)}:00:00Z`);
  });
  fc.assert(property, {numRuns: runs(2_000)});
});

test('labels of many buckets are those of each', () => {
  const property = fc.property(someTime, fc.constantFrom('hour', 'day' as const), (timeMs, interval) => {
    const stepMs = interval === 'hour' ? hourMs : dayMs;
    const startMs = Math.floor(timeMs / stepMs) * stepMs;
    const starts = Float64Array.from({length: 80}, (_, i) => startMs + i * stepMs);
    expect(bucketLabels(starts, interval)).toEqual(Array.from(starts, (start) => bucketLabel(start, interval)));
  });
  fc.assert(property);
});
