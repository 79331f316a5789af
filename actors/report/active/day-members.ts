// Users active on a day, from one block of a window run.

import type {WindowsView} from '../../aggregator/windows.js';
import {lowerBound} from '../../order/search.js';
import type {SlidingUsers} from './sliding-users.js';

/** Visits the users of the day's set; a block without the day visits none. */
export function visitMembers(sliding: SlidingUsers, {days, members, memberOffsets}: WindowsView, day: number): void {
  const place = placeOf(days, day);
  if (place < 0) return;
  const end = memberOffsets[place + 1];
  for (let at = memberOffsets[place]; at < end; at++) sliding.visit(members[at]);
}

/** Position of `day` in ascending days; -1 if it is not there. */
function placeOf(days: Uint32Array, day: number): number {
  const place = lowerBound(days, day);
  return days[place] === day ? place : -1;
}
