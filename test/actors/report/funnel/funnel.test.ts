import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {PartsCache} from '../../../../src/parts/parts-cache.js';
import {Evaluation} from '../../../../src/report/evaluate.js';
import {searchOf} from '../../../support/postings.js';
import {runs} from '../../../support/runs.js';
import {MemoryParts, TestPartition} from '../../../support/snapshot.js';

test('an answer has every field, in the order of docs/api/reports/funnel.md', async () => {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts).append(
    {user: 'ada', event: 'A', timeMs: 0},
    {user: 'bob', event: 'A', timeMs: 0},
    {user: 'cyd', event: 'A', timeMs: 0},
    {user: 'cyd', event: 'B', timeMs: 1_001},
    {user: 'ada', event: 'B', timeMs: 2_000},
  );
  const evaluation = new Evaluation(new PartsCache(parts, 1 << 20), 1 << 20);
  const query = {report: 'funnel', steps: [{event: 'A'}, {event: 'B'}], fromMs: 0, toMs: 10_000} as const;
  expect(await evaluation.answer(query, [partition.publish()])).toBe(
    '{"steps":[' +
      '{"event":"A","count":3,"conversion_rate":1,"step_conversion_rate":1,"drop_off":0,"median_seconds":null},' +
      '{"event":"B","count":2,"conversion_rate":0.6666666666666666,"step_conversion_rate":0.6666666666666666,' +
      '"drop_off":1,"median_seconds":1.5005}],"conversion_rate":0.6666666666666666,"total":3}',
  );
});

describe('the search of sequential steps', () => {
  /** Every entry, every event: without SQ2 of sequential-search.ts. */
  function slowWalk(steps: readonly number[], windowMs: number, times: readonly number[], kinds: readonly number[]) {
    let deepest: number[] = [];
    for (let entry = 0; entry < kinds.length; entry++) {
      if (kinds[entry] !== steps[0]) continue;
      const reached: number[] = [];
      for (let at = entry; at < kinds.length && times[at]! - times[entry]! <= windowMs; at++) {
        if (kinds[at] === steps[reached.length]) reached.push(times[at]!);
      }
      if (reached.length > deepest.length) deepest = reached;
    }
    return deepest;
  }

  test('equals the slow walk, for one user after the other', () => {
    const someEvents = fc.array(fc.tuple(fc.nat(30), fc.nat(2)), {maxLength: 40, size: 'max'});
    const someSteps = fc.array(fc.nat(2), {minLength: 1, maxLength: 6});
    fc.assert(
      fc.property(fc.array(someEvents, {maxLength: 3}), someSteps, fc.nat(20), (users, steps, windowMs) => {
        const {search, setOf} = searchOf(steps, 3, windowMs);
        for (const events of users) {
          const sorted = events.toSorted((a, b) => a[0] - b[0]);
          const times = sorted.map(([time]) => time);
          const kinds = sorted.map(([, kind]) => kind);
          const sets = Uint32Array.from(kinds, (kind) => setOf[kind]!);
          const depth = search.find(Float64Array.from(times), sets, times.length);
          const reached = [...search.places.subarray(0, depth)].map((place) => times[place]);
          expect(reached).toEqual(slowWalk(steps, windowMs, times, kinds));
        }
      }),
      {numRuns: runs(1_000)},
    );
  });

  test('many entries that do not convert cost no more than their number', () => {
    // 100,000 entries, each of which sees 50,000 events that it cannot use: a walk per entry would take minutes.
    const count = 200_000;
    const times = Float64Array.from({length: count}, (_, i) => i);
    const {search, setOf} = searchOf([0, 1, 2], 3, 50_000);
    const sets = Uint32Array.from({length: count}, (_, i) => setOf[i % 2]!);
    expect(search.find(times, sets, count)).toBe(2);
  });
});
