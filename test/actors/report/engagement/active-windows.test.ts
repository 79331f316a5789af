// Distinct users of windows out of sets by element: every window by its own union is the plain twin.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {dayMs} from '../../../../actors/limits.js';
import {Buckets} from '../../../../actors/report/counts/buckets.js';
import {planActive} from '../../../../actors/report/engagement/active-plan.js';
import {ActivitySums} from '../../../../actors/report/engagement/activity.js';
import {runs} from '../../../support/runs.js';

const elementsMax = 12;
const wordsMax = 3;

const someSets = fc
  .tuple(fc.integer({min: 1, max: elementsMax}), fc.integer({min: 1, max: wordsMax}))
  .chain(([elements, words]) =>
    fc.array(fc.array(fc.nat({max: 2 ** 32 - 1}), {minLength: words, maxLength: words}), {
      minLength: elements,
      maxLength: elements,
    }),
  )
  .map((sets) => sets.map((set) => Uint32Array.from(set)));

/** Windows [start, end) whose bounds never decrease. */
const someWindows = (elements: number) =>
  fc
    .array(fc.tuple(fc.nat({max: elements - 1}), fc.nat({max: elements - 1})), {minLength: 1, maxLength: 20})
    .map((pairs) => {
      const sorted = (place: 0 | 1) => pairs.map((pair) => pair[place]).sort((a, b) => a - b);
      const [starts, lasts] = [sorted(0), sorted(1)];
      return {
        starts: Int32Array.from(starts),
        ends: Int32Array.from(lasts, (last, window) => Math.max(last, starts[window]!) + 1),
      };
    });

const someCase = someSets.chain((sets) =>
  fc.record({sets: fc.constant(sets), windows: someWindows(sets.length), totalElement: fc.nat({max: sets.length - 1})}),
);

function usersOf(sets: readonly Uint32Array[]): number {
  const users = new Set<number>();
  for (const set of sets)
    for (let user = 0; user < 32 * set.length; user++)
      if ((set[user >>> 5]! & (1 << (user & 31))) !== 0) users.add(user);
  return users.size;
}

test('equal the union of the elements of each window, and those of all passes add up', () => {
  const property = fc.property(someCase, ({sets, windows, totalElement}) => {
    const sums = new ActivitySums({edges: new Float64Array(sets.length + 1), windows, totalElement});
    const before = sets.map((set) => set.slice());
    for (let pass = 1; pass <= 2; pass++) {
      for (const _ of sums.addSets(sets));
      const counts = Array.from(windows.starts, (start, window) => usersOf(sets.slice(start, windows.ends[window]!)));
      expect([...sums.counts]).toEqual(counts.map((count) => count * pass));
      expect(sums.total).toBe(usersOf(sets.slice(totalElement)) * pass);
    }
    expect(sets).toEqual(before);
  });
  fc.assert(property, {numRuns: runs(300)});
});

test('elements are the stretches between the edges of windows alone, however long the look-back is', () => {
  const week = planActive(new Buckets(100 * dayMs, 107 * dayMs - 1, 'day'), 'mau');
  expect(week.edges.length - 1).toBe(6 + 1 + 7);
  expect([week.edges[0], week.edges[6], week.totalElement]).toEqual([71 * dayMs, 77 * dayMs, 7]);
  const cut = planActive(new Buckets(100 * dayMs + 5, 102 * dayMs - 1, 'day'), 'dau');
  expect([...cut.edges]).toEqual([100 * dayMs + 5, 101 * dayMs, 102 * dayMs]);
});
