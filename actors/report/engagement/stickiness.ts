// Stickiness: the number of users active in exactly k buckets of the range.
import {SumColumns} from '../partials.js';
import {inWordSlices} from '../rows/bucket-sets.js';

export class StickinessCells {
  /** Number of users active in exactly k buckets, at k - 1. */
  private readonly users: Float64Array;
  readonly sums: SumColumns;

  constructor(bucketCount: number) {
    this.users = new Float64Array(bucketCount);
    this.sums = new SumColumns([this.users]);
  }

  /** Adds the users of each bucket. */
  addSets(sets: readonly Uint32Array[]): Generator<void, void, void> {
    return inWordSlices(sets, (start, end) => {
      const bucketsOf = bucketCounts(sets, start, end);
      for (let at = 0; at < bucketsOf.length; at++) if (bucketsOf[at] > 0) this.users[bucketsOf[at] - 1] += 1;
    });
  }

  /** `"data":[…],"total":n`. `isAtLeast`: users active in k or more buckets. */
  fields(isAtLeast: boolean): string {
    const users = this.users.slice();
    if (isAtLeast) for (let at = users.length - 2; at >= 0; at--) users[at] += users[at + 1];
    const data = Array.from(users, (count, at) => `{"buckets":${at + 1},"users":${count}}`);
    const total = this.users.reduce((sum, count) => sum + count, 0);
    return `"data":[${data.join()}],"total":${total}`;
  }
}

/** Calls `note` with each user, by index, for whose number of active buckets `isMeant` is true. */
export function usersByBuckets(
  sets: readonly Uint32Array[],
  isMeant: (buckets: number) => boolean,
  note: (user: number) => void,
): Generator<void, void, void> {
  return inWordSlices(sets, (start, end) => {
    const bucketsOf = bucketCounts(sets, start, end);
    for (let at = 0; at < bucketsOf.length; at++)
      if (bucketsOf[at] > 0 && isMeant(bucketsOf[at])) note(32 * start + at);
  });
}

/** Number of buckets of each user of words [start, end). */
function bucketCounts(sets: readonly Uint32Array[], start: number, end: number): Uint32Array {
  const bucketsOf = new Uint32Array(32 * (end - start));
  for (const set of sets) addBits(bucketsOf, set.subarray(start, end));
  return bucketsOf;
}

/** Adds one for each user of the set. */
function addBits(counts: Uint32Array, set: Uint32Array): void {
  for (let word = 0; word < set.length; word++)
    for (let bits = set[word]; bits !== 0; bits &= bits - 1) counts[32 * word + 31 - Math.clz32(bits & -bits)] += 1;
}
