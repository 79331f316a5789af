// Active users by hours out of sets equal those out of gathered rows, in one pass over the chunks and in several.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type ActiveMetric, planActive} from '../../../../actors/report/active/active-plan.js';
import {ActiveRowsPartial} from '../../../../actors/report/active/active-rows.js';
import {HourSetsPartial, hourSetWords} from '../../../../actors/report/active/hour-sets.js';
import {Buckets} from '../../../../actors/report/counts/buckets.js';
import {PartsCache} from '../../../../src/parts/parts-cache.js';
import {finish} from '../../../support/postings.js';
import {runs} from '../../../support/runs.js';
import {MemoryParts, TestPartition} from '../../../support/snapshot.js';

const hourMs = 3_600_000;
const users = 150;

const someVisit = fc.record({
  user: fc.nat({max: users - 1}),
  hour: fc.integer({min: 0, max: 900}),
  ms: fc.constantFrom(0, 1, 1_000, hourMs - 1),
});
const someStory = fc.array(fc.oneof({weight: 50, arbitrary: someVisit}, {weight: 1, arbitrary: fc.constant('erase')}), {
  minLength: 1,
  maxLength: 400,
  size: 'max',
});
const someQuestion = fc.record({
  metric: fc.constantFrom<ActiveMetric[]>('dau', 'wau', 'mau'),
  fromMs: fc.nat({max: 900 * hourMs}).map((ms) => (ms % 3 === 0 ? ms : Math.floor(ms / hourMs) * hourMs)),
  lengthMs: fc.nat({max: 300 * hourMs}),
});

async function told(story: readonly (typeof someVisit extends fc.Arbitrary<infer V> ? V | string : never)[]) {
  const parts = new MemoryParts();
  const partition = new TestPartition(parts);
  for (let user = 0; user < users; user++) partition.append({user: `u${user}`, event: 'seen', timeMs: 2_000 * hourMs});
  for (const step of story) {
    if (typeof step === 'string') partition.erase('u7');
    else partition.append({user: `u${step.user}`, event: 'seen', timeMs: step.hour * hourMs + step.ms});
  }
  return {index: partition.publish().index, cache: new PartsCache(parts, 1 << 24)};
}

test('sets of users by hours equal gathered rows', async () => {
  const property = fc.asyncProperty(someStory, someQuestion, async (story, {metric, fromMs, lengthMs}) => {
    const {index, cache} = await told(story);
    const plan = planActive(new Buckets(fromMs, fromMs + lengthMs, 'hour'), metric);
    const answer = async (partial: HourSetsPartial | ActiveRowsPartial) => {
      let passes = 0;
      do {
        for (const chunk of partial.chunks(index)) partial.addRows(await cache.rows.load(chunk));
        passes += 1;
      } while (finish(partial.endPass()));
      return {...partial.result(), passes};
    };
    const {counts, total} = await answer(new ActiveRowsPartial(index, plan, fromMs + lengthMs, 1_000_000));
    expect(await answer(new HourSetsPartial(index, plan, fromMs + lengthMs, 5))).toEqual({counts, total, passes: 1});
    expect(await answer(new HourSetsPartial(index, plan, fromMs + lengthMs, 2))).toEqual({counts, total, passes: 3});
  });
  await fc.assert(property, {seed: 1_993, numRuns: runs(60)});
});

test('sets are taken where they fit in a few passes and rows are not few for them', async () => {
  const {index} = await told(Array.from({length: 300}, (_, i) => ({user: i % users, hour: i % 48, ms: 0})));
  const words = (hours: number, bytesMax: number) => {
    const toMs = hours * hourMs - 1;
    return hourSetWords(index, planActive(new Buckets(0, toMs, 'hour'), 'dau'), toMs, bytesMax);
  };
  expect(words(48, 1 << 20)).toBe(5);
  expect(words(48, 2 * 4 * (48 + 23 + 2))).toBe(2);
  expect(words(48, 4 * (48 + 23 + 1))).toBeUndefined();
  expect(words(1_000, 1 << 20)).toBeUndefined();
});
