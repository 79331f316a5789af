// Pieces of the fold: keys, names, users and windows of what comes.

import {DaySets} from '../../actors/aggregator/day-sets.js';
import {equalRanges, viewOf} from '../../actors/bytes/byte-ranges.js';
import {hashBytes} from '../../actors/bytes/hash.js';
import {hourMs} from '../../actors/limits.js';
import {PairSums} from '../../actors/order/pair-sums.js';
import {dayMs, eventMix, userId} from '../workload/events.js';
import {type Piece, runningSum, sumOf, told} from './piece.js';
import type {SomeEvents} from './some-events.js';

export function foldPieces({count, times, users, names}: SomeEvents): Piece[] {
  // In one piece, as in a message of the log.
  const keys = Buffer.from(Array.from(users, (user) => `u${userId(user)}`).join(''));
  const keyEnds = runningSum(Array.from(users, (user) => 1 + userId(user).length));
  const hashed = (hash: (bytes: Uint8Array, start: number, end: number) => number) => () => {
    let sum = 0;
    for (let i = 0, start = 0; i < count; start = keyEnds[i++]!) sum = (sum + hash(keys, start, keyEnds[i]!)) | 0;
    return sum;
  };
  return [
    {
      quick: 'hash of a user key: words',
      plain: 'hash of a user key: bytes',
      work: {quick: hashed((bytes, start, end) => hashBytes(bytes, start, end, 1)), plain: hashed(hashBytewise)},
      count,
    },
    {
      quick: 'keys compared: words',
      plain: 'keys compared: bytes',
      work: {quick: comparing(keys, keyEnds, equalRanges), plain: comparing(keys, keyEnds, equalBytewise)},
      count,
    },
    {
      quick: 'users of a day: bits and lists',
      plain: 'users of a day: a Set',
      work: {
        quick: () => {
          const sets = new DaySets();
          for (const [row, user] of users.entries()) sets.add(Math.floor(times[row]! / dayMs), user);
          return sets.sorted().map((set) => [set.day, set.users]);
        },
        plain: () => {
          const sets = new Map<number, Set<number>>();
          for (const [row, user] of users.entries()) {
            const day = Math.floor(times[row]! / dayMs);
            const set = sets.get(day);
            if (set === undefined) sets.set(day, new Set([user]));
            else set.add(user);
          }
          const days = [...sets].sort(([a], [b]) => a - b);
          return days.map(([day, set]) => [day, Uint32Array.from(set).sort()]);
        },
      },
      count,
    },
    hourlyCells({count, times, users, names}),
  ];
}

/** Each key with the one before, as far as both go: equal but for their ends mostly. */
function comparing(keys: Uint8Array, ends: Uint32Array, equal: typeof equalRanges) {
  const [one, other] = [viewOf(keys), viewOf(keys.slice())];
  return () => {
    let equals = 0;
    for (let i = 0, start = 0; i < ends.length; start = ends[i++]!) {
      if (equal(one, start, other, start, ends[i]! - start)) equals += 1;
    }
    return equals;
  };
}

function equalBytewise(a: DataView, aStart: number, b: DataView, bStart: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a.getUint8(aStart + i) !== b.getUint8(bStart + i)) return false;
  return true;
}

/** However many names there are. */
const cellsPerHour = 2 ** 32;

/** What windows add up: of each name its events of an hour, up to one of another hour. */
function hourlyCells(events: SomeEvents): Piece {
  const {hours, names, counts} = additionsOf(events);
  return {
    quick: 'hourly cells: appended, then joined',
    plain: 'hourly cells: a Map',
    work: {
      quick: () => {
        const sums = new PairSums();
        for (let i = 0; i < hours.length; i++) sums.add(hours[i]!, names[i]!, counts[i]!);
        const {first, second, values} = sums.sorted();
        return told(() => [sumOf(first), sumOf(second), sumOf(values)]);
      },
      plain: () => {
        const sums = new Map<number, number>();
        for (let i = 0; i < hours.length; i++) {
          const key = hours[i]! * cellsPerHour + names[i]!;
          sums.set(key, (sums.get(key) ?? 0) + counts[i]!);
        }
        const keys = Float64Array.from(sums.keys()).sort();
        const values = keys.map((key) => sums.get(key)!);
        return told(() => [
          sumOf(keys.map((key) => Math.floor(key / cellsPerHour))),
          sumOf(keys.map((key) => key % cellsPerHour)),
          sumOf(values),
        ]);
      },
    },
    count: hours.length,
  };
}

function additionsOf({count, times, names}: SomeEvents) {
  const additions = {hours: [] as number[], names: [] as number[], counts: [] as number[]};
  const [hours, counts] = [eventMix.map(() => 0), eventMix.map(() => 0)];
  const flush = (name: number): void => {
    if (counts[name] === 0) return;
    additions.hours.push(hours[name]!);
    additions.names.push(name);
    additions.counts.push(counts[name]!);
    counts[name] = 0;
  };
  for (let row = 0; row < count; row++) {
    const [name, hour] = [names[row]!, Math.floor(times[row]! / hourMs)];
    if (hours[name] !== hour) flush(name);
    hours[name] = hour;
    counts[name]! += 1;
  }
  for (let name = 0; name < counts.length; name++) flush(name);
  return additions;
}

/** As actors/bytes/hash.ts, each word put together from its bytes. */
function hashBytewise(bytes: Uint8Array, start: number, end: number): number {
  let h = 1;
  let k = 0;
  for (let at = start; at < end; at++) {
    const place = (at - start) & 3;
    k |= bytes[at]! << (8 * place);
    if (place !== 3 && at !== end - 1) continue;
    k = Math.imul(k, 0xcc9e2d51);
    h ^= Math.imul((k << 15) | (k >>> 17), 0x1b873593);
    if (place === 3) h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
    k = 0;
  }
  h ^= end - start;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
