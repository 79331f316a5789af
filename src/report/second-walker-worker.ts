// Entry of the second thread for long funnels (second-walker.ts): counts blocks of users that the report thread has not
// taken, out of postings in shared memory. Of a walk that is over it keeps the memory alone that its results lay in: new memory
// for each funnel, of megabytes, is pages that are touched for the first time, up to 13 us each (bench/PROFILES.md).

import {parentPort, workerData} from 'node:worker_threads';
import {must} from '../../actors/invariant.js';
import {type NumberList, NumberLists} from '../../actors/report/median.js';
import {PostedFunnel, walkBlocks} from '../../actors/report/posted-funnel.js';
import {UserPostings} from '../../actors/report/user-postings.js';
import {KernelFunnelSteps, seats} from './funnel-kernel.js';
import {
  type FromSecondWalker,
  nextBlockAt,
  type SecondWalkerData,
  stateAt,
  states,
  type ToldSegment,
  type ToldWalk,
  type ToSecondWalker,
  type Walked,
} from './second-walker.js';

const {kernel, listBytesMax, results: resultsPort} = workerData as SecondWalkerData;
const port = must(parentPort, 'the second walker runs in a thread');

const segments = new Map<number, UserPostings>();
let room = new SharedArrayBuffer(0);
const lists = new NumberLists(listBytesMax);

port.on('message', (message: ToSecondWalker) => {
  if (message.kind === 'segment') segments.set(message.number, postingsOf(message));
  else if (message.kind === 'forget') segments.delete(message.number);
  else walk(message);
});
port.postMessage({kind: 'ready'} satisfies FromSecondWalker);

function postingsOf({memory, columns, ranks}: ToldSegment): UserPostings {
  const steps = memory && new KernelFunnelSteps(kernel, memory, seats.second);
  return new UserPostings(columns, {buffer: columns.keys.buffer, offset: 0, steps}, ranks.start, ranks.end);
}

function walk({number, partitions, asked: {stretch, windowMs}, turns}: ToldWalk): void {
  if (Atomics.compareExchange(turns, stateAt, states.offered, states.taken) !== states.offered) return;
  Atomics.notify(turns, stateAt); // J5
  const funnels = partitions.map(({segments: numbers, stepNames}) => {
    const postings = numbers.map((each) => must(segments.get(each), 'the second walker has the segments of a walk'));
    return new PostedFunnel(postings, stepNames, stretch, windowMs, lists);
  });
  for (const _ of walkBlocks(funnels, () => Atomics.add(turns, nextBlockAt, 1)));
  const buffer = roomFor(bytesOf(funnels));
  const results = resultsOf(funnels, buffer);
  for (const {durations} of funnels) for (const list of durations) lists.giveBack(list);
  resultsPort.postMessage({number, results} satisfies Walked, buffer instanceof ArrayBuffer ? [buffer] : []);
  Atomics.store(turns, stateAt, states.counted);
  Atomics.notify(turns, stateAt); // J6
}

/** Durations in memory that is the asker's until it offers the next walk: lists are used again before. */
function resultsOf(funnels: readonly PostedFunnel[], buffer: ArrayBuffer | SharedArrayBuffer): Walked['results'] {
  let at = 0;
  const copied = (list: NumberList): Float64Array => {
    const copy = new Float64Array(buffer, at, list.count);
    let filled = 0;
    for (const numbers of list.columns()) {
      copy.set(numbers, filled);
      filled += numbers.length;
    }
    at += copy.byteLength;
    return copy;
  };
  return funnels.map(({reached, durations}) => ({reached, durations: durations.map(copied)}));
}

function bytesOf(funnels: readonly PostedFunnel[]): number {
  const count = funnels.reduce((sum, {durations}) => durations.reduce((all, list) => all + list.count, sum), 0);
  return count * Float64Array.BYTES_PER_ELEMENT;
}

/**
 * Kept for the next walk. What is larger than that may be is handed over instead, as nobody counts the bytes of shared
 * memory that became garbage: collections came too late for it.
 */
function roomFor(bytes: number): ArrayBuffer | SharedArrayBuffer {
  if (bytes > listBytesMax) return new ArrayBuffer(bytes);
  if (bytes > room.byteLength) room = new SharedArrayBuffer(Math.min(bytes + (bytes >> 1), listBytesMax));
  return room;
}
