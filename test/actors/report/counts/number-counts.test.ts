// Events counted by number give the rows of a breakdown that counting each event in its group gives.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {Buckets} from '../../../../actors/report/counts/buckets.js';
import {NumberCounts} from '../../../../actors/report/counts/number-counts.js';
import type {TimedNumbers} from '../../../../actors/report/counts/timed-numbers.js';
import {chooseGroups, ValueGroups} from '../../../../actors/report/rows/value-groups.js';
import {runs} from '../../../support/runs.js';

const hourMs = 3_600_000;
const timeBase = Date.UTC(2024, 1, 28);

interface Event {
  readonly time: number;
  readonly number: number;
}

function chunkOf(events: readonly Event[]): TimedNumbers {
  const byTime = [...events].sort((a, b) => a.time - b.time);
  const numbers = Int32Array.from(byTime, ({number}) => number);
  const end = numbers.length === 0 ? 0 : Math.max(...numbers) + 1;
  return {bytes: 0, timeBase, times: Uint32Array.from(byTime, ({time}) => time), numbers, end};
}

const someNumber = fc.oneof(fc.integer({min: 0, max: 6}), fc.constantFrom(1_000, 2 ** 18 - 1));
const someChunk = fc.array(fc.record({time: fc.integer({min: 0, max: 60 * hourMs}), number: someNumber}), {
  minLength: 1,
  maxLength: 30,
});

test('rows by bucket and totals are those of the events one by one', () => {
  const someBounds = fc.tuple(fc.integer({min: -1, max: 61}), fc.integer({min: -1, max: 61}));
  const someOthers = fc.array(fc.tuple(fc.constantFrom('3', 'x'), fc.integer({min: 1, max: 9})), {maxLength: 3});
  const property = fc.property(
    fc.array(someChunk, {maxLength: 4}),
    someBounds,
    someOthers,
    fc.integer({min: 1, max: 5}),
    fc.constantFrom('hour' as const, 'day' as const, 'month' as const),
    (chunks, hours, others, limit, interval) => {
      const [first, last] = [Math.min(...hours), Math.max(...hours)];
      const buckets = new Buckets(timeBase + first * hourMs, timeBase + last * hourMs, interval);
      const groups = new ValueGroups();
      const ofOthers = new Float64Array(16);
      for (const [text, events] of others) ofOthers[groups.groupOf(text)]! += events;
      const counted = new NumberCounts();
      for (const chunk of chunks) expect(counted.add(chunkOf(chunk), buckets)).toBe(true);
      const totals = counted.totals(groups, ofOthers);

      const events = chunks.flat().filter(({time}) => time >= first * hourMs && time <= last * hourMs);
      const expected = new Float64Array(totals.length);
      expected.set(ofOthers);
      for (const {number} of events) expected[groups.groupOf(number)]! += 1;
      expect(totals).toEqual(expected);

      const shown = chooseGroups(groups, totals, limit);
      const rows = new Map<string, number>();
      const note = (row: number, bucket: number, count: number) => {
        if (count > 0) rows.set(`${row} ${bucket}`, (rows.get(`${row} ${bucket}`) ?? 0) + count);
      };
      for (const _ of counted.rowsByBucket(groups, shown, buckets, note));
      const expectedRows = new Map<string, number>();
      for (const {time, number} of events) {
        const key = `${shown.rowOf[groups.groupOf(number)]} ${buckets.indexOf(timeBase + time)}`;
        expectedRows.set(key, (expectedRows.get(key) ?? 0) + 1);
      }
      expect(new Map([...rows].sort())).toEqual(new Map([...expectedRows].sort()));
    },
  );
  fc.assert(property, {numRuns: runs(400)});
});

test('chunks with other numbers are left to the caller, and none of their events is counted', () => {
  const buckets = new Buckets(timeBase, timeBase + hourMs, 'day');
  const counted = new NumberCounts();
  const whole = chunkOf([{time: 0, number: 2 ** 18}]);
  const fractions = {...whole, numbers: Float64Array.of(0.5), end: 0};
  for (const chunk of [whole, fractions, {...chunkOf([{time: 0, number: -1}]), end: 0}])
    expect(counted.add(chunk, buckets)).toBe(false);
  expect(counted.totals(new ValueGroups(), new Float64Array(4))).toEqual(new Float64Array(4));
});
