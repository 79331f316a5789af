// Lifecycle: each bucket's users by whether they are new, returning or resurrecting, and the users of the bucket before who are
// absent.
//   LC1. new: the user's first event ever is in the bucket. returning: the user was in the bucket before, too. resurrecting:
//        neither of these. dormant: the user was in the bucket before, and is not in this one.
//   LC2. So new + returning + resurrecting are a bucket's users, and dormant is the bucket before minus returning.
import {bitCount} from '../../order/bit-count.js';
import {SumColumns} from '../partials.js';
import {forEachUser, inWordSlices} from '../rows/bucket-sets.js';

export const stages = ['new', 'returning', 'resurrecting', 'dormant'] as const;
export type Stage = (typeof stages)[number];

/** Number of users of each bucket, by kind. */
export class LifecycleCells {
  readonly new: Float64Array;
  readonly returning: Float64Array;
  readonly resurrecting: Float64Array;
  readonly dormant: Float64Array;
  readonly sums: SumColumns;

  constructor(count: number) {
    this.new = new Float64Array(count);
    this.returning = new Float64Array(count);
    this.resurrecting = new Float64Array(count);
    this.dormant = new Float64Array(count);
    this.sums = new SumColumns([this.new, this.returning, this.resurrecting, this.dormant]);
  }

  /**
   * Adds the users of each bucket, after those of the bucket before the first. `known`: users with events before all of these.
   * All sets have the same length.
   */
  addSets(sets: readonly Uint32Array[], known: Uint32Array): Generator<void, void, void> {
    return inWordSlices(sets, (start, end) => {
      const seen = known.slice(start, end);
      let before = new Uint32Array(end - start);
      let countBefore = 0;
      for (const [place, set] of sets.entries()) {
        const now = set.slice(start, end);
        const [count, returning, fresh] = countsIn(now, before, seen);
        if (place > 0) {
          this.new[place - 1] += fresh;
          this.returning[place - 1] += returning;
          this.resurrecting[place - 1] += count - returning - fresh;
          this.dormant[place - 1] += countBefore - returning;
        }
        before = now;
        countBefore = count;
      }
    });
  }
}

/** Number of users, of those of the bucket before, and of those not seen yet; adds the users to the seen ones. LC1 */
function countsIn(now: Uint32Array, before: Uint32Array, seen: Uint32Array): [number, number, number] {
  let [count, returning, fresh] = [0, 0, 0];
  for (let word = 0; word < now.length; word++) {
    const bits = now[word];
    if (bits === 0) continue;
    count += bitCount(bits);
    returning += bitCount(bits & before[word]);
    fresh += bitCount(bits & ~seen[word]);
    seen[word] |= bits;
  }
  return [count, returning, fresh];
}

/** Hands over the users of a bucket: of one stage, or all who have rows in it. The sets are those of `addSets`. LC1 */
export function stageUsers(
  sets: readonly Uint32Array[],
  known: Uint32Array,
  {bucket, stage}: {readonly bucket: number; readonly stage: Stage | undefined},
  note: (user: number) => void,
): Generator<void, void, void> {
  const [before, now] = [sets[bucket], sets[bucket + 1]];
  return inWordSlices(sets, (start, end) => {
    for (let word = start; word < end; word++) {
      let seen = known[word];
      for (let place = 0; place <= bucket; place++) seen |= sets[place][word];
      forEachUser(usersIn(stage, now[word], before[word], seen), word, note);
    }
  });
}

/** LC1 */
function usersIn(stage: Stage | undefined, now: number, before: number, seen: number): number {
  switch (stage) {
    case undefined:
      return now;
    case 'new':
      return now & ~seen;
    case 'returning':
      return now & before;
    case 'resurrecting':
      return now & seen & ~before;
    case 'dormant':
      return before & ~now;
  }
}

/** `"data":[…]` of all buckets. */
export function lifecycleFields(cells: LifecycleCells, labels: readonly string[]): string {
  const data = labels.map((label, bucket) => {
    const [fresh, returning] = [cells.new[bucket], cells.returning[bucket]];
    const [resurrecting, dormant] = [cells.resurrecting[bucket], cells.dormant[bucket]];
    return `{"date":"${label}","new":${fresh},"returning":${returning},"resurrecting":${resurrecting},"dormant":${dormant}}`;
  });
  return `"data":[${data.join()}]`;
}
