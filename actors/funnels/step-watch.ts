// Finds rows that matter to saved funnels. It is no state: the shell gives it the funnels, and its findings are hints.
//   SW1. A user who completes a funnel by their newest event is found at once, because that event is of the last step.
//   SW2. A user who completes it by a late event is not found. The funnel is `touched` then, and the shell asks for the users who
//        completed it once the rows are published.

import {wtf8} from '../bytes/bytes.js';
import type {InternedTable} from '../table/interned.js';

/** Bits of a mask: a funnel each. */
export const funnelsWatchedMax = 20;

/** Users at once; more are left to SW2. */
const usersMax = 4_096;

/** A saved funnel to watch. */
export interface WatchedFunnel {
  readonly steps: readonly string[];
  /** Whether a user completed it already. Once true it stays so. */
  readonly isDone: (user: number) => boolean;
}

/** Rows [start, end) of these columns. */
interface NamedRows {
  readonly names: Uint32Array;
  readonly users: Uint32Array;
  readonly start: number;
  readonly end: number;
}

export class StepWatch {
  private readonly names: InternedTable;
  private readonly funnels: readonly WatchedFunnel[];
  /** Masks by name: the funnels that have it as a step, and those that end with it. */
  private steps = new Uint32Array(0);
  private ends = new Uint32Array(0);
  private namesKnown = -1;
  private touched = 0;
  /** Bits by user: the funnels that it is known to have completed, each of which `isDone` said once. */
  private done = new Uint32Array(0);
  /** Mask of the funnels that a user may have completed, by user. */
  private readonly users = new Map<number, number>();

  /** `funnels`: at most `funnelsWatchedMax`. */
  constructor(names: InternedTable, funnels: readonly WatchedFunnel[]) {
    this.names = names;
    this.funnels = funnels;
  }

  noteRun({names, users, start, end}: NamedRows): void {
    if (this.namesKnown !== this.names.count) this.look();
    const {steps} = this;
    for (let row = start; row < end; row++) if (steps[names[row]] !== 0) this.note(names[row], users[row]);
  }

  noteRow(name: number, user: number): void {
    if (this.namesKnown !== this.names.count) this.look();
    if (this.steps[name] !== 0) this.note(name, user);
  }

  private note(name: number, user: number): void {
    this.touched |= this.steps[name];
    const mask = this.ends[name];
    if (mask === 0 || this.users.size >= usersMax) return;
    const waiting = this.users.get(user) ?? 0;
    let found = 0;
    for (let left = mask & ~this.doneOf(user) & ~waiting; left !== 0; left &= left - 1) {
      const at = 31 - Math.clz32(left & -left);
      if (this.funnels[at].isDone(user)) this.done[user] |= 1 << at;
      else found |= 1 << at;
    }
    if (found !== 0) this.users.set(user, waiting | found);
  }

  private doneOf(user: number): number {
    if (user >= this.done.length) {
      const done = new Uint32Array(Math.ceil((user + 1) * 1.5));
      done.set(this.done);
      this.done = done;
    }
    return this.done[user];
  }

  /** A name came, or comes again under another number. */
  private look(): void {
    const {names, funnels} = this;
    this.namesKnown = names.count;
    this.steps = new Uint32Array(names.count);
    this.ends = new Uint32Array(names.count);
    for (const [at, {steps}] of funnels.entries())
      for (const [place, step] of steps.entries()) {
        const bytes = wtf8(step);
        const name = names.find(bytes, 0, bytes.length);
        if (name < 0) continue;
        this.steps[name] |= 1 << at;
        if (place === steps.length - 1) this.ends[name] |= 1 << at;
      }
  }

  get hasUsers(): boolean {
    return this.users.size > 0;
  }

  /** Users who may have completed funnels (bits, by the funnel's place), the oldest `countMax` that no call returned. */
  takeUsers(countMax = usersMax): ReadonlyMap<number, number> {
    const taken = new Map<number, number>();
    for (const [user, mask] of this.users) {
      if (taken.size === countMax) break;
      taken.set(user, mask);
      this.users.delete(user);
    }
    return taken;
  }

  /** Funnels with rows since the last call. */
  takeTouched(): number {
    const {touched} = this;
    this.touched = 0;
    return touched;
  }
}
