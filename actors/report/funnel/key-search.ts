// Searches in the ascending keys of one user and name (user-postings.ts), and in the ascending users of one name.
//   Steps of growing length, then halving: what lies near the start is found in a few comparisons, whatever the length.

/** First place in [start, end) whose key is above `key`; `end` when there is none. */
export function placeAfter(keys: Float64Array, start: number, end: number, key: number): number {
  if (start === end || keys[start] > key) return start;
  let low = start + 1;
  let high = low;
  for (let step = 1; high < end && keys[high] <= key; step *= 2) {
    low = high + 1;
    high += step;
  }
  if (high > end) high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle] <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First place in [start, end) whose user is `user` or a later one; `end` when there is none. */
export function placeOfUser(users: Uint32Array, start: number, end: number, user: number): number {
  if (start === end || users[start] >= user) return start;
  let low = start + 1;
  let high = low;
  for (let step = 1; high < end && users[high] < user; step *= 2) {
    low = high + 1;
    high += step;
  }
  if (high > end) high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (users[middle] < user) low = middle + 1;
    else high = middle;
  }
  return low;
}
