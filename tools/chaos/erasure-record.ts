// Which users were deleted, and from when on: what a client numbered before the deletion must be gone, what it made after
// it belongs to a fresh user of the same name.

import type {Thing} from './journal.js';
import type {Fate} from './truth.js';

export class Erasures {
  private readonly deletions = new Map<string, number>();

  constructor(fates: Iterable<Fate>) {
    for (const {thing, acked} of fates) {
      if (thing.kind === 'deletion' && acked > 0) this.deletions.set(thing.userId, thing.n);
    }
  }

  get users(): Iterable<string> {
    return this.deletions.keys();
  }

  have(thing: Thing): boolean {
    const userId = thing.kind === 'event' ? thing.body.userId : thing.userId;
    return userId != null && thing.n < (this.deletions.get(userId) ?? 0);
  }
}
