// Entry of the second thread for long funnels (second-walker.ts, which has the rules J1 to J7): counts blocks of users
// that the report thread has not taken, out of postings in shared memory, and finds medians of steps that it has not. The
// durations of a walk lie where the report thread reads them, until the next walk uses that memory again: new memory for
// each funnel, of megabytes, is pages that are touched for the first time, up to 13 us each (bench/PROFILES.md).

import {parentPort, receiveMessageOnPort, workerData} from 'node:worker_threads';
import {must} from '../../../actors/invariant.js';
import {medianOfStep} from '../../../actors/report/funnel/funnel.js';
import {type ListPlaces, listAt, type NumberList, NumberLists} from '../../../actors/report/funnel/median.js';
import {PostedFunnel, walkBlocks} from '../../../actors/report/funnel/posted-funnel.js';
import {UserPostings} from '../../../actors/report/funnel/user-postings.js';
import {monotonicMs} from '../../clock.js';
import {KernelFunnelSteps, seats} from './funnel-kernel.js';
import {
  type FoundMedians,
  type FromSecondWalker,
  foundAt,
  nextBlockAt,
  type SecondWalkerData,
  stateAt,
  states,
  type ToldMedians,
  type ToldSegment,
  type ToldWalk,
  type ToSecondWalker,
  takeSteps,
  type Walked,
} from './second-walker.js';

/** J7: longer than the report thread is at its last block. */
const lookOutMs = 1;

const {kernel, lists: memories, results: resultsPort} = workerData as SecondWalkerData;
const port = must(parentPort, 'the second walker runs in a thread');

const segments = new Map<number, UserPostings>();
const lists = new NumberLists(memories.second);
/** The last walk that it took part in, and what it counted of each partition. */
let walked: {readonly told: ToldWalk; readonly counted: readonly Counted[]} | undefined;
type Counted = Pick<PostedFunnel, 'reached' | 'durations'>;

port.on('message', hear);
port.postMessage({kind: 'ready'} satisfies FromSecondWalker);

function hear(message: ToSecondWalker): void {
  if (message.kind === 'segment') segments.set(message.number, postingsOf(message));
  else if (message.kind === 'forget') segments.delete(message.number);
  else if (message.kind === 'walk') walk(message);
  else findMedians(message);
}

function postingsOf({memory, columns, ranks}: ToldSegment): UserPostings {
  const steps = memory && new KernelFunnelSteps(kernel, memory, seats.second);
  return new UserPostings(columns, {buffer: columns.keys.buffer, offset: 0, steps}, ranks.start, ranks.end);
}

function walk(told: ToldWalk): void {
  const {number, partitions, asked, turns} = told;
  if (Atomics.compareExchange(turns, stateAt, states.offered, states.taken) !== states.offered) return;
  Atomics.notify(turns, stateAt); // J5
  for (const {durations} of walked?.counted ?? []) for (const list of durations) lists.giveBack(list);
  const funnels = partitions.map(({segments: numbers, stepNames}) => {
    const postings = numbers.map((each) => must(segments.get(each), 'the second walker has the segments of a walk'));
    return new PostedFunnel(postings, stepNames, asked.stretch, asked.windowMs, lists);
  });
  walked = {told, counted: funnels.map(({reached, durations}) => ({reached, durations}))};
  for (const _ of walkBlocks(funnels, () => Atomics.add(turns, nextBlockAt, 1)));
  const results = funnels.map(({reached, durations}) => ({reached, durations: durations.map(toldList)}));
  const copies = results.flatMap(({durations}) => durations.filter((each) => each instanceof Float64Array));
  const buffers = copies.map(({buffer}) => buffer as ArrayBuffer);
  resultsPort.postMessage({kind: 'walked', number, results} satisfies Walked, buffers);
  Atomics.store(turns, stateAt, states.counted);
  Atomics.notify(turns, stateAt); // J6
  lookOut();
}

/** Where the list lies, or a copy of what did not fit there: the next walk uses the memory of that again, too. */
function toldList(list: NumberList): ListPlaces | Float64Array {
  const places = lists.placesOf(list);
  if (places !== undefined) return places;
  const copy = new Float64Array(list.count);
  let filled = 0;
  for (const numbers of list.columns()) {
    copy.set(numbers, filled);
    filled += numbers.length;
  }
  return copy;
}

/** For the next message, awake. J7 */
function lookOut(): void {
  const endMs = monotonicMs() + lookOutMs;
  let received = receiveMessageOnPort(port);
  while (received === undefined && monotonicMs() < endMs) received = receiveMessageOnPort(port);
  if (received !== undefined) hear(received.message as ToSecondWalker);
}

/** J7 */
function findMedians({number, durations}: ToldMedians): void {
  if (walked?.told.number !== number) return;
  const {told, counted} = walked;
  const others = durations.map((places) => ({durations: places.map((each) => listAt(memories.asker, each))}));
  const all = [...counted, ...others];
  const tell = (): void => {
    Atomics.add(told.turns, foundAt, 1);
    Atomics.notify(told.turns, foundAt);
  };
  const found = takeSteps(told.turns, told.medians, (step) => medianOfStep(all, step, lists.room), tell);
  if (found > 0) resultsPort.postMessage({kind: 'found', number} satisfies FoundMedians);
}
