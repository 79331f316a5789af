// Deleted users, with the time of their deletion: events that a client numbered before it must be gone, later ones belong to a
// new user of the same name.

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
