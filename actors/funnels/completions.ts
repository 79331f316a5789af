// Users who completed saved funnels, as complete entries say it.
//   Owns:    these users. Does not own: what a funnel is, nor who completes it: the shell finds that out (src/partition/funnels).
//   CO1. A user completes a funnel once, whatever the log repeats.
//   CO2. Who completed a funnel before it was saved is known, and not told.
//   CO3. A user who leaves for its owner's partition completes no funnel here: it does so there, with all events of that person.

import {type Actor, bytesIn, type FrozenPart, jsonOf, jsonPart, type Payload} from '../actor.js';
import {must} from '../invariant.js';
import type {Completion} from '../log/entries.js';
import {UserSet} from '../table/user-set.js';

/** Small state: the saved funnels, and whether those who completed each before it was saved are included. */
export type CompletionsState = readonly (readonly [funnel: string, hasBegun: boolean])[];

interface Completed {
  readonly users: UserSet;
  hasBegun: boolean;
  isChanged: boolean;
}

export class Completions implements Actor<Completion> {
  readonly name = 'completions';
  private readonly byFunnel = new Map<string, Completed>();
  /** Funnels of the last snapshot that were removed since. */
  private removed: string[] = [];

  /** `stays`: whether a user is one of this partition. CO3 */
  constructor(private readonly stays: (user: number) => boolean) {}

  /** Applies a complete entry. @returns the users to tell of. CO1 to CO3 */
  apply({stage, funnel, users}: Completion): number[] {
    if (stage === 'removed') {
      if (this.byFunnel.delete(funnel)) this.removed.push(funnel);
      return [];
    }
    const completed = this.completedOf(funnel);
    if (stage === 'begin') completed.hasBegun = true;
    const added = users.filter((user) => this.stays(user) && !completed.users.has(user));
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

  freeze(): FrozenPart[] {
    const parts: FrozenPart[] = this.removed.map((funnel) => ({name: this.partOf(funnel), block: 0, payload: null}));
    this.removed = [];
    for (const [funnel, completed] of this.byFunnel) {
      if (completed.isChanged) parts.push({name: this.partOf(funnel), block: 0, payload: encoded(completed)});
      completed.isChanged = false;
    }
    const funnels = Array.from(this.byFunnel, ([funnel, {hasBegun}]) => [funnel, hasBegun] as const);
    return [...parts, jsonPart(this.name, funnels satisfies CompletionsState)];
  }

  private partOf(funnel: string): string {
    return `${this.name}.${funnel}`;
  }

  restore(name: string, _block: number, payload: Payload): void {
    if (name === this.name) {
      for (const [funnel, hasBegun] of jsonOf<CompletionsState>(payload))
        this.byFunnel.set(funnel, {users: new UserSet(), hasBegun, isChanged: false});
    } else {
      const funnel = name.slice(this.name.length + 1);
      must(this.byFunnel.get(funnel), 'a set of users is of a saved funnel').users.restore(bytesIn(payload));
    }
  }
}

/** Null for nobody: no part is empty. */
const encoded = ({users}: Completed): Uint8Array | null => (users.count === 0 ? null : users.encode());
