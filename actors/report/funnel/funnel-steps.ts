// One step of a funnel for a block of users: which of them have an event of the step's name after their last step.
import {upperBound} from '../../order/search.js';
import {PlainEntrySteps} from './entry-steps.js';
import {timeOfKey} from './event-key.js';
import {blockUsers, type DensePostings, type EntrySteps, type FunnelSteps} from './funnel-block.js';

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
