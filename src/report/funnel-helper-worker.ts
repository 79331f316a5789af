// Entry of the thread that helps with long funnels (funnel-helper.ts): counts blocks of users that the report thread has not
// taken, out of postings in shared memory.

import {parentPort, workerData} from 'node:worker_threads';
import {must} from '../../actors/invariant.js';
import {NumberLists} from '../../actors/report/median.js';
import {PostedFunnel, walkBlocks} from '../../actors/report/posted-funnel.js';
import {UserPostings} from '../../actors/report/user-postings.js';
import {
  type FromHelper,
  type FunnelHelperWorkerData,
  nextBlockAt,
  type SharedPostings,
  type SharedWalk,
  stateAt,
  states,
  type ToHelper,
} from './funnel-helper.js';
import {KernelFunnelSteps, seats} from './funnel-kernel.js';

const {kernel, listBytesMax} = workerData as FunnelHelperWorkerData;
const port = must(parentPort, 'the helper of funnels runs in a thread');
const say = (message: FromHelper): void => port.postMessage(message);

const segments = new Map<number, UserPostings>();
const sharedNumbers = (count: number): Float64Array => new Float64Array(new SharedArrayBuffer(count * 8));
const lists = new NumberLists(listBytesMax, sharedNumbers);
/** Of the last walk: their durations were read until this one was asked for (J4). */
let walked: readonly PostedFunnel[] = [];

port.on('message', (message: ToHelper) => {
  if (message.kind === 'segment') segments.set(message.number, postingsOf(message.postings));
  else walk(message);
});
say({kind: 'ready'});

function postingsOf({memory, buffer, columns, ranks}: SharedPostings): UserPostings {
  const steps = memory && new KernelFunnelSteps(kernel, memory, seats.helper);
  return new UserPostings(columns, {buffer, offset: 0, steps}, ranks.start, ranks.end);
}

function walk({number, partitions, stretch, windowMs, turns}: SharedWalk): void {
  if (Atomics.compareExchange(turns, stateAt, states.offered, states.taken) !== states.offered) return;
  Atomics.notify(turns, stateAt); // J5
  for (const {durations} of walked) for (const list of durations) lists.giveBack(list);
  walked = partitions.map(({segments: shared, stepNames}) => {
    const postings = shared.map((segment) =>
      typeof segment === 'number'
        ? must(segments.get(segment), 'the helper has the segments of a walk')
        : postingsOf(segment),
    );
    return new PostedFunnel(postings, stepNames, stretch, windowMs, lists);
  });
  for (const _ of walkBlocks(walked, () => Atomics.add(turns, nextBlockAt, 1)));
  const results = walked.map(({reached, durations}) => ({reached, durations: durations.map((list) => list.values())}));
  say({kind: 'walked', number, results});
}
