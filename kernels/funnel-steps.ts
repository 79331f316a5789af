// AssemblyScript: one step of a funnel for a block of users, over the postings in the same memory.
//   Owns: the same answer as PlainFunnelSteps (actors/report/funnel-steps.ts), its plain twin, without a branch where the
//   data decides, except for what is rare: users that are left, and those that need more than a look at their first event,
//   are listed by adding one or zero, and the first eight events that may be the next one are compared at once. A branch
//   mispredicted before a load makes the next user's loads wait for it.
//   S1. `keysPastEnd` keys (actors/report/user-postings.ts) can be read behind the last one.

/** Of each user of the block: who (u32), its last key, what is known of the next, ms between them (f64). */
declare const usersAt: usize;
declare const keysAt: usize;
declare const foundAt: usize;
declare const gapsAt: usize;
/** Which of them are looked for among all their keys (u32). */
declare const lateAt: usize;
/** A key that is infinite. */
declare const neverAt: usize;

const perRanksPerMs: f64 = 1.0 / 2048.0;
/** Keys that are compared at once. */
const near: u32 = 8;
/** How often a search goes on by so many keys: halving is the better way through what is not evenly apart. */
const stepsMax: u32 = 16;

/** `heads` of `userCount` users, their `starts`, and the `keys` of all. */
export function advance(
  count: u32,
  userCount: u32,
  heads: usize,
  starts: usize,
  keys: usize,
  endKey: f64,
): u32 {
  if (userCount > 0) findPosted(takeHeads(count, userCount, heads), starts, keys);
  return keepFound(count, endKey);
}

/** Of those whose first event is above their key it is the next one. Lists the others, and returns how many they are. */
function takeHeads(count: u32, userCount: u32, heads: usize): u32 {
  let late: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const user = load<u32>(usersAt + (<usize>i << 2));
    if (user >= userCount) break;
    const head = load<f64>(heads + (<usize>user << 3));
    const isLate = <u32>(head <= load<f64>(keysAt + (<usize>i << 3)));
    const at = foundAt + (<usize>i << 3);
    const found = f64x2.splat(load<f64>(at));
    const next = f64x2.pmin(found, f64x2.splat(head));
    store<f64>(at, f64x2.extract_lane(v128.bitselect(found, next, i64x2.splat(-<i64>isLate)), 0));
    store<u32>(lateAt + (<usize>late << 2), i);
    late += isLate;
  }
  return late;
}

/** The next events of those that were listed: the loads of many of them are under way at once. */
function findPosted(late: u32, starts: usize, keys: usize): void {
  for (let at: u32 = 0; at < late; at++) {
    const i = load<u32>(lateAt + (<usize>at << 2));
    const user = load<u32>(usersAt + (<usize>i << 2));
    const key = load<f64>(keysAt + (<usize>i << 3));
    const posted = f64x2.splat(load<f64>(placeAfter(starts + (<usize>user << 2), keys, key)));
    const found = foundAt + (<usize>i << 3);
    store<f64>(found, f64x2.extract_lane(f64x2.pmin(f64x2.splat(load<f64>(found)), posted), 0));
  }
}

function keepFound(count: u32, endKey: f64): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const key = load<f64>(keysAt + (<usize>i << 3));
    const next = load<f64>(foundAt + (<usize>i << 3));
    store<u32>(usersAt + (<usize>kept << 2), load<u32>(usersAt + (<usize>i << 2)));
    store<f64>(keysAt + (<usize>kept << 3), next);
    store<f64>(gapsAt + (<usize>kept << 3), floor(next * perRanksPerMs) - floor(key * perRanksPerMs));
    kept += <u32>(next < endKey);
  }
  return kept;
}

/** Where the first key above `key` stands, of those from the start at `startAt` to the next start. */
@inline
function placeAfter(startAt: usize, keys: usize, key: f64): usize {
  const start = load<u32>(startAt);
  const end = load<u32>(startAt, 4);
  const length = end - start;
  const first = keys + (<usize>start << 3);
  const above = firstAbove(first, f64x2.splat(key)) | (1 << (2 * min<u32>(length, near)));
  let place = <u32>ctz(above) >>> 1;
  if (place == near && length > near) place = search(keys, start + near - 1, end, key) - start;
  const isFound: usize = 0 - <usize>(place < length);
  return ((first + (<usize>place << 3)) & isFound) | (neverAt & ~isFound);
}

/** Two bits a key from `at` on: whether it is above the one that is sought. */
@inline
function firstAbove(at: usize, sought: v128): u32 {
  const low = i16x8.narrow_i32x4_s(f64x2.gt(v128.load(at), sought), f64x2.gt(v128.load(at, 16), sought));
  const high = i16x8.narrow_i32x4_s(f64x2.gt(v128.load(at, 32), sought), f64x2.gt(v128.load(at, 48), sought));
  return <u32>i8x16.bitmask(i8x16.narrow_i16x8_s(low, high));
}

/**
 * As `placeAfter` of actors/report/key-search.ts, for keys of which the first is not above `key`. Begins where the place would
 * be if events were evenly apart, and goes on from there key by key: halving mispredicts at nearly every step.
 */
function search(keys: usize, start: u32, end: u32, key: f64): u32 {
  const first = load<f64>(keys + (<usize>start << 3));
  const last = load<f64>(keys + (<usize>(end - 1) << 3));
  if (last <= key) return end;
  const guess = <u32>(((key - first) / (last - first)) * <f64>(end - 1 - start));
  let at = start + (guess > near / 2 ? guess - near / 2 : 0);
  let tries: u32 = 0;
  for (; load<f64>(keys + (<usize>at << 3)) > key; tries++) {
    if (tries == stepsMax) return halve(keys, start, at, key);
    at = at > start + near ? at - near : start;
  }
  const sought = f64x2.splat(key);
  let above = firstAbove(keys + (<usize>at << 3), sought);
  for (; above == 0; tries++) {
    if (tries == stepsMax) return halve(keys, at, end, key);
    at += near;
    above = firstAbove(keys + (<usize>at << 3), sought);
  }
  return at + (<u32>ctz(above) >>> 1);
}

function halve(keys: usize, start: u32, end: u32, key: f64): u32 {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<f64>(keys + (<usize>middle << 3)) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
