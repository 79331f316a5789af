// One step of a funnel for a block of users: which of them have an event of the step's name after their last step.
//   S1. The block is scratch: it holds no state between calls of a walk.
import {upperBound} from '../../order/search.js';
import {type EntrySteps, PlainEntrySteps} from './entry-steps.js';
import {timeOfKey} from './event-key.js';
import type {DensePostings} from './user-postings.js';

/** Users [n, n + blockUsers) are walked together: their state stays in the first caches of a core. */
export const blockUsers = 4_096;

/** State of a block of users, columns of `blockUsers`, and the steps on it. S1 */
export interface FunnelSteps {
  /** Ascending. */
  readonly users: Uint32Array;
  /** Key of the step that each user reached. */
  readonly keys: Float64Array;
  /** Key of the step that is searched. */
  readonly found: Float64Array;
  /** Ms from the step before. */
  readonly gaps: Float64Array;
  /** Notes in `found` the next event of the first `count` users in `postings`, infinite where there is none. */
  find(count: number, postings: DensePostings): void;
  /** Takes the first `count` users on to what is found; those that have nothing below `endKey` are dropped. Returns how many are left. */
  keep(count: number, endKey: number): number;
  /** For funnels with a conversion window. S1 */
  entrySteps(): EntrySteps;
}

/** The plain twin of kernels/funnel-steps.ts. */
export class PlainFunnelSteps implements FunnelSteps {
  readonly users = new Uint32Array(blockUsers);
  readonly keys = new Float64Array(blockUsers);
  readonly found = new Float64Array(blockUsers);
  readonly gaps = new Float64Array(blockUsers);

  find(count: number, postings: DensePostings): void {
    this.found.fill(Number.POSITIVE_INFINITY, 0, count);
    findDense(this, count, postings);
  }

  entrySteps(): EntrySteps {
    return new PlainEntrySteps(this);
  }

  keep(count: number, endKey: number): number {
    const {users, keys, found, gaps} = this;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const next = found[i];
      if (!(next < endKey)) continue;
      gaps[kept] = timeOfKey(next) - timeOfKey(keys[i]);
      users[kept] = users[i];
      keys[kept++] = next;
    }
    return kept;
  }
}

/** Notes in `found` where a user's next event in `postings` is earlier. */
export function findDense({users, keys, found}: FunnelSteps, count: number, postings: DensePostings): void {
  const {heads, starts, keys: posted} = postings;
  for (let i = 0; i < count && users[i] < heads.length; i++) {
    const user = users[i];
    let key = heads[user];
    if (key <= keys[i]) {
      const end = starts[user + 1];
      const place = upperBound(posted, keys[i], starts[user] + 1, end);
      if (place === end) continue;
      key = posted[place];
    }
    if (key < found[i]) found[i] = key;
  }
}
