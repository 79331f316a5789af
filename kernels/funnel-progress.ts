// AssemblyScript: progress of a block of users through a funnel, over the postings in the same memory.
//   Owns: the steps of actors/report/funnel/funnel-progress.ts, with the same results as its plain twin
//   (test/twins/funnel-progress.ts).
//   Common paths are branch-free: a branch mispredicted before a load delays the next user's loads. A list of users grows by
//   one or zero for each of them, and eight keys are compared at once.
//   S1. `keysPastEnd` keys (actors/report/funnel/user-postings.ts) can be read after the last one.

/** Columns by position in the block: user (u32), key reached, next key, ms between the two (f64). */
declare const usersAt: usize;
declare const keysAt: usize;
declare const foundAt: usize;
declare const gapsAt: usize;
/** Positions of the users whose next key is not their first one (u32). */
declare const lateAt: usize;
/** An infinite key. */
declare const neverAt: usize;

/** Slots by position in the block, and slots of the users that walk in this round (u32). Slot n is the n-th user that entered. */
declare const slotsAt: usize;
declare const walkingAt: usize;
/**
 * Columns by slot: user, depth of this round's walk and of the deepest one (u32), the entries of both, and the next key found
 * (f64).
 */
declare const entrantsAt: usize;
declare const depthsAt: usize;
declare const deepestAt: usize;
declare const entryKeysAt: usize;
declare const deepestKeysAt: usize;
declare const nextKeysAt: usize;

const ranksPerMs: f64 = 2048.0;
const perRanksPerMs: f64 = 1.0 / ranksPerMs;
/** Keys compared at once. */
const near: u32 = 8;
/** Strides of `near` keys after which a search halves instead: keys may be unevenly spaced. */
const stepsMax: u32 = 16;

/** Finds the next key of each user. `heads` of `userCount` users, their `starts`, and the `keys` of all. */
export function seek(count: u32, userCount: u32, heads: usize, starts: usize, keys: usize): void {
  findPosted(takeHeads(count, userCount, heads), starts, keys);
}

/** Writes a user's first event where it is above the user's key; lists the other users. @returns how many it listed. */
function takeHeads(count: u32, userCount: u32, heads: usize): u32 {
  let late: u32 = 0;
  let i: u32 = 0;
  for (; i < count; i++) {
    const user = get32(usersAt, i);
    if (user >= userCount) break;
    const head = load<f64>(heads + (<usize>user << 3));
    putKey(foundAt, i, head);
    put32(lateAt, late, i);
    late += <u32>(head <= getKey(keysAt, i));
  }
  for (; i < count; i++) putKey(foundAt, i, Infinity);
  return late;
}

/** Writes the next events of the listed users: the loads of many users overlap. */
function findPosted(late: u32, starts: usize, keys: usize): void {
  for (let at: u32 = 0; at < late; at++) {
    const i = get32(lateAt, at);
    const user = get32(usersAt, i);
    putKey(foundAt, i, load<f64>(placeAfter(starts + (<usize>user << 2), keys, getKey(keysAt, i))));
  }
}

export function advance(count: u32, endKey: f64): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const key = getKey(keysAt, i);
    const next = getKey(foundAt, i);
    put32(usersAt, kept, get32(usersAt, i));
    putKey(keysAt, kept, next);
    putKey(gapsAt, kept, timeOf(next) - timeOf(key));
    kept += <u32>(next < endKey);
  }
  return kept;
}

@inline
function timeOf(key: f64): f64 {
  return floor(key * perRanksPerMs);
}

/** Address of the first key above `key` among the keys from the start at `startAt` to the next start. */
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

/** Two bits for each key from `at` on: set if it is above `sought`. */
@inline
function firstAbove(at: usize, sought: v128): u32 {
  const low = i16x8.narrow_i32x4_s(f64x2.gt(v128.load(at), sought), f64x2.gt(v128.load(at, 16), sought));
  const high = i16x8.narrow_i32x4_s(f64x2.gt(v128.load(at, 32), sought), f64x2.gt(v128.load(at, 48), sought));
  return <u32>i8x16.bitmask(i8x16.narrow_i16x8_s(low, high));
}

/**
 * As `upperBound` of actors/order/search.ts, for keys of which the first is not above `key`. Interpolates, then strides from
 * there: halving mispredicts at nearly every step.
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

// -- with a conversion window --

export function begin(count: u32): void {
  for (let slot: u32 = 0; slot < count; slot++) {
    put32(entrantsAt, slot, get32(usersAt, slot));
    put32(deepestAt, slot, 0);
    startAt(slot, slot, getKey(keysAt, slot));
  }
}

@inline
function startAt(place: u32, slot: u32, key: f64): void {
  put32(slotsAt, place, slot);
  put32(walkingAt, place, slot);
  putKey(entryKeysAt, slot, key);
  put32(depthsAt, slot, 1);
}

export function keepWithin(count: u32, step: u32, windowMs: f64, endKey: f64): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const slot = get32(slotsAt, i);
    const found = getKey(foundAt, i);
    const next = found < endKey ? found : Infinity;
    const isKept = <u32>(next < (timeOf(getKey(entryKeysAt, slot)) + windowMs + 1) * ranksPerMs);
    putKey(nextKeysAt, slot, next);
    put32(depthsAt, slot, step + isKept);
    put32(usersAt, kept, get32(usersAt, i));
    put32(slotsAt, kept, slot);
    putKey(keysAt, kept, next);
    kept += isKept;
  }
  return kept;
}

/** Keeps the users who may get further from a later entry. ER1 to ER3 of actors/report/funnel/entry-rounds.ts. */
export function seekLater(walked: u32, stepCount: u32, windowMs: f64): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < walked; i++) {
    const slot = get32(walkingAt, i);
    const depth = get32(depthsAt, slot);
    const next = getKey(nextKeysAt, slot);
    const deepest = get32(deepestAt, slot);
    const isDeeper = depth > deepest;
    put32(deepestAt, slot, isDeeper ? depth : deepest);
    putKey(deepestKeysAt, slot, isDeeper ? getKey(entryKeysAt, slot) : getKey(deepestKeysAt, slot));
    put32(usersAt, count, get32(entrantsAt, slot));
    put32(slotsAt, count, slot);
    putKey(keysAt, count, (timeOf(next) - windowMs) * ranksPerMs - 1);
    count += <u32>(depth < stepCount) & <u32>(next < Infinity);
  }
  return count;
}

export function takeLater(count: u32, endKey: f64): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const found = getKey(foundAt, i);
    put32(usersAt, kept, get32(usersAt, i));
    putKey(keysAt, kept, found);
    startAt(kept, get32(slotsAt, i), found);
    kept += <u32>(found < endKey);
  }
  return kept;
}

export function beginDeepest(entered: u32): u32 {
  let count: u32 = 0;
  for (let slot: u32 = 0; slot < entered; slot++) {
    put32(usersAt, count, get32(entrantsAt, slot));
    putKey(keysAt, count, getKey(deepestKeysAt, slot));
    put32(slotsAt, count, slot);
    count += <u32>(get32(deepestAt, slot) > 1);
  }
  return count;
}

export function takeDeepest(count: u32, step: u32): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const slot = get32(slotsAt, i);
    const found = getKey(foundAt, i);
    putKey(gapsAt, i, timeOf(found) - timeOf(getKey(keysAt, i)));
    put32(usersAt, kept, get32(usersAt, i));
    put32(slotsAt, kept, slot);
    putKey(keysAt, kept, found);
    kept += <u32>(get32(deepestAt, slot) > step + 1);
  }
  return kept;
}

@inline
function get32(at: usize, i: u32): u32 {
  return load<u32>(at + (<usize>i << 2));
}

@inline
function put32(at: usize, i: u32, value: u32): void {
  store<u32>(at + (<usize>i << 2), value);
}

@inline
function getKey(at: usize, i: u32): f64 {
  return load<f64>(at + (<usize>i << 3));
}

@inline
function putKey(at: usize, i: u32, key: f64): void {
  store<f64>(at + (<usize>i << 3), key);
}
