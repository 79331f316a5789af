// Windows: counts of each event by hour, and the active users of each day.
//   Stored as sorted runs of blocks by day (actors/manifest.ts `Run`): the partition appends one run a snapshot and merges
//   runs. A reader adds the counts of all runs and unites their day sets, without `erasedUsers`.
//
//   block = head u32[8]: version firstDay lastDay cells days members 0 0
//     counts f64[cells]  hours u32[cells]  names u32[cells]               (by (hour, name); hour = epoch ms / 3,600,000)
//     days u32[days]  memberOffsets u32[days + 1]  members u32[members]   (user indexes, ascending within a day)
//
//   W1. A cell's count may be negative: an erasure subtracts in a newer run. The sum over all runs never is.
//   W2. A day lies in exactly one block of a run.
import {assert} from '../invariant.js';
import {lowerBound} from '../order/search.js';

export const hoursPerDay = 24;
const windowsVersion = 1;
const headBytes = 32;

export interface WindowsView {
  readonly firstDay: number;
  readonly lastDay: number;
  readonly counts: Float64Array;
  readonly hours: Uint32Array;
  readonly names: Uint32Array;
  readonly days: Uint32Array;
  readonly memberOffsets: Uint32Array;
  readonly members: Uint32Array;
}

export function encodeWindows(view: WindowsView): Uint8Array<ArrayBuffer> {
  const cells = view.counts.length;
  const days = view.days.length;
  const members = view.members.length;
  const bytes = new Uint8Array(headBytes + cells * 16 + days * 4 + (days + 1) * 4 + members * 4);
  new Uint32Array(bytes.buffer, 0, 8).set([windowsVersion, view.firstDay, view.lastDay, cells, days, members]);
  let at = headBytes;
  for (const array of [view.counts, view.hours, view.names, view.days, view.memberOffsets, view.members]) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += array.byteLength;
  }
  return bytes;
}

/** Views a part in place. `bytes` must start at an address divisible by 8 (a buffer of its own does). */
export function viewWindows(bytes: Uint8Array): WindowsView {
  const {buffer, byteOffset} = bytes;
  const [version, firstDay, lastDay, cells, days, members] = new Uint32Array(buffer, byteOffset, 8);
  assert(version === windowsVersion, `windows: block version ${version} is unknown to this program`);
  let at = byteOffset + headBytes;
  const u32 = (length: number): Uint32Array => {
    const array = new Uint32Array(buffer, at, length);
    at += length * 4;
    return array;
  };
  const counts = new Float64Array(buffer, at, cells);
  at += cells * 8;
  return {
    firstDay,
    lastDay,
    counts,
    hours: u32(cells),
    names: u32(cells),
    days: u32(days),
    memberOffsets: u32(days + 1),
    members: u32(members),
  };
}

/** The windows from a day on: views of the same bytes. XP1 (actors/expired-parts.ts) */
export function windowsFrom(view: WindowsView, day: number): WindowsView {
  if (view.firstDay >= day) return view;
  const cell = lowerBound(view.hours, day * hoursPerDay);
  const set = lowerBound(view.days, day);
  return {
    ...view,
    firstDay: day,
    counts: view.counts.subarray(cell),
    hours: view.hours.subarray(cell),
    names: view.names.subarray(cell),
    days: view.days.subarray(set),
    memberOffsets: view.memberOffsets.subarray(set),
  };
}
