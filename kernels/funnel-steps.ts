// AssemblyScript: one step of a funnel for a block of users, over the postings in the same memory.
//   Owns: the same answer as PlainFunnelSteps (actors/report/funnel-steps.ts), its plain twin, without a branch where the
//   data decides, except for what is rare: users that are left move on by adding one or zero, and the first four events
//   that may be the next one are compared at once.
//   S1. `keysPastEnd` keys (actors/report/user-postings.ts) can be read behind the last one.

/** Of each user of the block: who (u32), its last key, what is known of the next, ms between them (f64). */
declare const usersAt: usize;
declare const keysAt: usize;
declare const foundAt: usize;
declare const gapsAt: usize;
/** A key that is infinite. */
declare const neverAt: usize;

const perRanksPerMs: f64 = 1.0 / 2048.0;
/** Keys that are compared at once. */
const near: u32 = 4;

/** `heads` of `userCount` users, their `starts`, and the `keys` of all. */
export function advance(
  count: u32,
  userCount: u32,
  heads: usize,
  starts: usize,
  keys: usize,
  endKey: f64,
): u32 {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const user = load<u32>(usersAt + (<usize>i << 2));
    const key = load<f64>(keysAt + (<usize>i << 3));
    let next = load<f64>(foundAt + (<usize>i << 3));
    if (user < userCount) {
      let posted = load<f64>(heads + (<usize>user << 3));
      if (posted <= key) posted = load<f64>(placeAfter(starts + (<usize>user << 2), keys, key));
      next = f64x2.extract_lane(f64x2.pmin(f64x2.splat(next), f64x2.splat(posted)), 0);
    }
    store<u32>(usersAt + (<usize>kept << 2), user);
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
  const sought = f64x2.splat(key);
  const above =
    <u32>i64x2.bitmask(f64x2.gt(v128.load(first), sought)) |
    (<u32>i64x2.bitmask(f64x2.gt(v128.load(first, 16), sought)) << 2) |
    (1 << min<u32>(length, near));
  let place = ctz(above);
  if (place == near && length > near) place = search(keys, start + near, end, key) - start;
  const isFound: usize = 0 - <usize>(place < length);
  return ((first + (<usize>place << 3)) & isFound) | (neverAt & ~isFound);
}

/** As `placeAfter` of actors/report/key-search.ts: steps of growing length, then halving. */
function search(keys: usize, start: u32, end: u32, key: f64): u32 {
  let low = start;
  let high = start;
  for (let step: u32 = near; high < end && load<f64>(keys + (<usize>high << 3)) <= key; step <<= 1) {
    low = high + 1;
    high += step;
  }
  if (high > end) high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<f64>(keys + (<usize>middle << 3)) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
