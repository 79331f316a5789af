// Users who completed saved funnels, as complete entries say it.
//   Owns:    these users. Does not own: what a funnel is, nor who completes it: the shell finds that out (src/partition/funnels).
//   CO1. A user completes a funnel once, whatever the log repeats.
//   CO2. Who completed a funnel before it was saved is known, and not told.
//   CO3. A user who leaves for its owner's partition completes no funnel here: it does so there, with all events of that person.

import type {Completion} from '../log/entries.js';
import {UserSet} from '../table/user-set.js';

/** A funnel's share of a snapshot. `users`: undefined when the last snapshot has the same, null for nobody. */
export interface CompletedDelta {
  readonly funnel: string;
  readonly hasBegun: boolean;
  readonly users: Uint8Array | null | undefined;
}

interface Completed {
  readonly users: UserSet;
  hasBegun: boolean;
  isChanged: boolean;
}

export class Completions {
  private readonly byFunnel = new Map<string, Completed>();

  /** Applies a complete entry; `stays`: whether a user is one of this partition. @returns the users to tell of. CO1 to CO3 */
  apply({stage, funnel, users}: Completion, stays: (user: number) => boolean): number[] {
    if (stage === 'removed') {
      this.byFunnel.delete(funnel);
      return [];
    }
    const completed = this.completedOf(funnel);
    if (stage === 'begin') completed.hasBegun = true;
    const added = users.filter((user) => stays(user) && !completed.users.has(user));
    for (const user of added) completed.users.add(user);
    completed.isChanged ||= added.length > 0;
    return stage === 'now' ? added : [];
  }

  private completedOf(funnel: string): Completed {
    let completed = this.byFunnel.get(funnel);
    if (completed === undefined) {
      completed = {users: new UserSet(), hasBegun: false, isChanged: true};
      this.byFunnel.set(funnel, completed);
    }
    return completed;
  }

  /** Ids of the funnels that the log names. */
  get funnels(): readonly string[] {
    return [...this.byFunnel.keys()];
  }

  get byteLength(): number {
    return [...this.byFunnel.values()].reduce((sum, {users}) => sum + users.byteLength, 0);
  }

  hasBegun(funnel: string): boolean {
    return this.byFunnel.get(funnel)?.hasBegun ?? false;
  }

  has(funnel: string, user: number): boolean {
    return this.byFunnel.get(funnel)?.users.has(user) ?? false;
  }

  freeze(): CompletedDelta[] {
    return Array.from(this.byFunnel, ([funnel, completed]) => {
      const {users, hasBegun, isChanged} = completed;
      completed.isChanged = false;
      if (!isChanged) return {funnel, hasBegun, users: undefined};
      return {funnel, hasBegun, users: users.count === 0 ? null : users.encode()};
    });
  }

  /** `bits`: bits of a delta. */
  restore(funnel: string, hasBegun: boolean, bits: Uint8Array | null): void {
    const users = new UserSet();
    if (bits !== null) users.restore(bits);
    this.byFunnel.set(funnel, {users, hasBegun, isChanged: false});
  }
}
