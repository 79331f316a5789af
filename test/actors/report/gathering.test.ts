// What reports are built from: gathering within a bound, sorting by time, medians.

import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {medianOf, NumberList, NumberLists, percentilesOf} from '../../../actors/report/funnel/median.js';
import {GatheredRows, groupByUser} from '../../../actors/report/rows/gathered-rows.js';
import {TimeSort} from '../../../actors/report/rows/time-sort.js';
import {finish} from '../../support/postings.js';
import {runs} from '../../support/runs.js';

const someRows = fc.array(fc.tuple(fc.nat(9), fc.nat(50), fc.nat(3)), {maxLength: 60, size: 'max'});

describe('gathered rows', () => {
  test('whatever the bound, every row is gathered once, with its user, in the order of adding', () => {
    fc.assert(
      fc.property(someRows, fc.integer({min: 2, max: 70}), (rows, rowsMax) => {
        const gathered = new GatheredRows(10, rowsMax, rows.length);
        const found: [number, number, number][] = [];
        do {
          for (const [user, time, kind] of rows) gathered.add(user, time, kind);
          const {starts, times, kinds} = finish(groupByUser(gathered));
          for (let i = 0; i + 1 < starts.length; i++) {
            for (let at = starts[i]!; at < starts[i + 1]!; at++) {
              found.push([gathered.userStart + i, times[at]!, kinds[at]!]);
            }
          }
        } while (gathered.nextPass());
        expect(found).toEqual(rows.toSorted((a, b) => a[0] - b[0]));
      }),
      {numRuns: runs(500)},
    );
  });

  test('memory stays within the bound, and passes are few', () => {
    const rowsMax = 2_000;
    const users = 10_000;
    const gathered = new GatheredRows(users, rowsMax, 50_000);
    let passes = 0;
    do {
      for (let i = 0; i < 50_000; i++) gathered.add((i * 7_919) % users, i, 0);
      passes += 1;
      expect(gathered.users.length).toBeLessThanOrEqual(rowsMax);
    } while (gathered.nextPass());
    expect(passes).toBeLessThanOrEqual((2 * 50_000) / rowsMax + 1);
  });

  test('one user alone may exceed the bound', () => {
    const gathered = new GatheredRows(3, 2, 10);
    for (let time = 0; time < 10; time++) gathered.add(time % 2, time, 0);
    expect([gathered.userEnd, gathered.count]).toEqual([1, 5]);
  });
});

test('time sort equals a stable sort', () => {
  const timeSort = new TimeSort((count) => new Uint8Array(count));
  fc.assert(
    fc.property(someRows, fc.nat(5), (rows, skipped) => {
      const start = Math.min(skipped, rows.length);
      const times = Float64Array.from(rows, ([, time]) => time);
      const kinds = Uint8Array.from(rows, ([, , kind]) => kind);
      timeSort.sort(times, kinds, start, rows.length);
      const sorted = [...rows.slice(0, start), ...rows.slice(start).toSorted((a, b) => a[1] - b[1])];
      expect([...times].map((time, i) => [time, kinds[i]])).toEqual(sorted.map(([, time, kind]) => [time, kind]));
    }),
    {numRuns: runs(500)},
  );
});

const percents = [1, 50, 75, 90, 95, 100];

/** The first number that at least `percent` % do not exceed; `sorted` ascends. */
function nearestRank(sorted: readonly number[], percent: number): number | null {
  const at = sorted.findIndex((number, i) => number !== sorted[i + 1] && 100 * (i + 1) >= percent * sorted.length);
  return at < 0 ? null : sorted[at]!;
}

test('the median and the percentiles of several lists equal those of the sorted whole', () => {
  const someNumbers = fc.array(fc.oneof(fc.nat(5), fc.nat(2 ** 40), fc.constant(2 ** 52)), {
    maxLength: 50,
    size: 'max',
  });
  // Copies that lie near each other share cells and spread over several.
  const someCopies = fc.constantFrom(1, 2, 9, 30);
  fc.assert(
    fc.property(fc.array(someNumbers, {maxLength: 3}), someCopies, fc.nat(3), (originals, copies, distance) => {
      const numbers = originals.map((values) =>
        values.flatMap((value) => Array.from({length: copies}, (_, copy) => value + copy * distance)),
      );
      const lists = numbers.map((values, i) => {
        const list = new NumberList();
        if (i % 2 === 0) for (const value of values) list.push(value);
        else list.pushAll(Float64Array.from([...values, 1]), values.length);
        return list;
      });
      const sorted = numbers.flat().toSorted((a, b) => a - b);
      const upper = sorted[sorted.length >> 1];
      const lower = sorted[(sorted.length - 1) >> 1];
      expect(medianOf(lists)).toBe(upper === undefined ? null : (lower! + upper) / 2);
      expect(percentilesOf(lists, percents)).toEqual(percents.map((percent) => nearestRank(sorted, percent)));
    }),
    {numRuns: runs(500)},
  );
});

test.each([
  ['as they come', (numbers: number[]) => numbers],
  ['ascending', (numbers: number[]) => numbers.sort((a, b) => a - b)],
  ['descending', (numbers: number[]) => numbers.sort((a, b) => b - a)],
  ['nearly all equal', (numbers: number[]) => numbers.map((number, i) => (i % 1_000 === 0 ? number : 5_000))],
])('the median and the percentiles of many numbers, %s', (_, order) => {
  let state = 3;
  for (const count of [50_016, 8_192, 8_195, 50_000]) {
    const drawn = Array.from({length: count}, () => {
      state = Math.imul(state, 48_271) >>> 0;
      return Math.floor(10_000_000 * (state / 2 ** 32) ** 3);
    });
    const numbers = order(drawn);
    const lists = [numbers.slice(0, 1_008), numbers.slice(1_008, 1_024), numbers.slice(1_024)].map((part) => {
      const list = new NumberList();
      for (const number of part) list.push(number);
      return list;
    });
    const sorted = numbers.toSorted((a, b) => a - b);
    const upper = sorted[sorted.length >> 1]!;
    const lower = sorted[(sorted.length - 1) >> 1]!;
    expect(medianOf(lists)).toBe((lower + upper) / 2);
    expect(percentilesOf(lists, percents)).toEqual(percents.map((percent) => nearestRank(sorted, percent)));
  }
});

test('lists hold what was pushed to them, and chunks of lists that were given back are used again within a bound', () => {
  const kept = new NumberLists(64 * 1_024);
  const steps = fc.array(fc.tuple(fc.nat(3), fc.integer({min: 0, max: 3_000}), fc.boolean()), {maxLength: 40});
  fc.assert(
    fc.property(steps, (pushes) => {
      const lists = Array.from({length: 4}, () => ({list: kept.take(), numbers: [] as number[]}));
      let next = 0;
      for (const [at, count, isGivenBack] of pushes) {
        const {list, numbers} = lists[at]!;
        const more = Float64Array.from({length: count}, () => next++);
        list.pushAll(more, count);
        list.push(next);
        numbers.push(...more, next++);
        if (!isGivenBack) continue;
        kept.giveBack(list);
        expect([list.count, list.columns()]).toEqual([0, []]);
        expect(kept.bytesFree).toBeLessThanOrEqual(64 * 1_024);
        lists[at] = {list: kept.take(), numbers: []};
      }
      for (const {list, numbers} of lists) {
        expect(list.count).toBe(numbers.length);
        expect(list.columns().flatMap((column) => [...column])).toEqual(numbers);
        kept.giveBack(list);
      }
    }),
    {numRuns: runs(200)},
  );
});
