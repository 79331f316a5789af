// The end of a pass over what was gathered: in slices, so that the thread's loop gets its turn however much memory there is.
import {describe, expect, test} from 'vitest';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {planActive} from '../../../actors/report/engagement/active-plan.js';
import {ActivitySums} from '../../../actors/report/engagement/activity.js';
import {BucketSets} from '../../../actors/report/rows/bucket-sets.js';
import {sliceRows} from '../../../actors/report/rows/gathered-rows.js';
import {UserWalk} from '../../../actors/report/rows/user-walk.js';
import {chunkOf} from '../../support/postings.js';

const hourMs = 3_600_000;
const [hours, rows] = [240, 300_000];
const toMs = hours * hourMs - 1;

const gathered = (userCount: number) =>
  chunkOf(
    Array.from({length: rows}, (_, i) => ({user: (i * 7_919) % userCount, name: i % 2, timeMs: (i % hours) * hourMs})),
  );

function turnsOf(pass: Generator<void, boolean, void>): number {
  let turns = 0;
  let step = pass.next();
  for (; !step.done; step = pass.next()) turns += 1;
  expect(step.value).toBe(false);
  return turns;
}

describe.each([
  ['few users', 500],
  ['many users', 1_000_000],
])('a pass over the rows of %s gives way', (_, userCount) => {
  test('of a walk of users', () => {
    let walked = 0;
    const walk = new UserWalk(userCount, rows, rows, (_user, _times, _kinds, start, end) => {
      walked += end - start;
    });
    const chunk = gathered(userCount);
    for (const row of chunk.order) walk.add(chunk.users[row]!, chunk.times[row]!, chunk.names[row]!);
    // Rows are counted, placed and walked, users added up and walked.
    const turns = turnsOf(walk.endPass());
    expect(walked).toBe(chunk.order.length);
    expect(turns).toBeGreaterThanOrEqual(Math.floor((3 * rows) / sliceRows));
    expect(turns).toBeLessThan((3 * rows + 2 * userCount) / sliceRows + 5);
  });

  test('of active users by hours', () => {
    const plan = planActive(new Buckets(0, toMs, 'hour'), 'dau');
    const sums = new ActivitySums(plan);
    const bytesMax = Number.POSITIVE_INFINITY;
    const sets = new BucketSets(userCount, plan.edges, bytesMax, ({sets}) => sums.addSets(sets));
    const chunk = gathered(userCount);
    sets.addRows(chunk, chunk.order);
    const words = sets.bytes / 4;
    expect(turnsOf(sets.endPass())).toBeGreaterThanOrEqual(Math.ceil(words / 32_768));
  });
});
