// Users active on a day, from one block of a window run.

import type {WindowsView} from '../../aggregator/windows.js';
import {lowerBound} from '../../order/search.js';
import type {SlidingUsers} from './sliding-users.js';

/** Visits the users of the day's set; a block without the day visits none. */
export function visitMembers(sliding: SlidingUsers, windows: WindowsView, day: number): void {
  const members = membersOf(windows, day);
  for (let at = 0; at < members.length; at++) sliding.visit(members[at]);
}

/** User indexes of the day's set; empty for a block without the day. */
export function membersOf({days, members, memberOffsets}: WindowsView, day: number): Uint32Array {
  const place = placeOf(days, day);
  return place < 0 ? members.subarray(0, 0) : members.subarray(memberOffsets[place], memberOffsets[place + 1]);
}

/** Position of `day` in ascending days; -1 if it is not there. */
function placeOf(days: Uint32Array, day: number): number {
  const place = lowerBound(days, day);
  return days[place] === day ? place : -1;
}
