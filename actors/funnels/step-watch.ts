// Finds rows that matter to saved funnels. It is no state: the shell gives it the funnels, and its findings are hints.
//   SW1. A user who completes a funnel by their newest event is found at once, because that event is of the last step, or in a
//        funnel of any order of some step. Conditions and exclusions are not looked at: a hint may be wrong.
//   SW2. A user who completes it by a late event is not found. The funnel is `touched` then, and the shell asks for the users who
//        completed it once the rows are published.
//   SW3. A user cannot complete a funnel without a row of each of its steps within the window before. So a user whose rows are all
//        known is found only if the newest row of each step allows it; one with rows from before the watch always.
//   SW4. Users from `usersMax` on are not found: what is kept of a user would not fit. The funnel is `touched`, as in SW2.

import type {RowRun} from '../aggregator/aggregator.js';
import {wtf8} from '../bytes/bytes.js';
import type {InternedTable} from '../table/interned.js';

/** Bits of a mask: a funnel each. */
export const funnelsWatchedMax = 20;

/** Found users at once; more are left to SW2. */
const foundMax = 4_096;
/** Free room that an array of users gets when it grows. */
const growth = 1.5;

/** Names whose newest times are kept for each user; more names share places. */
const placesMax = 6;
/** Words of a user. */
const doneWord = 0;
const waitingWord = 1;
const newestWord = 2;

/** A saved funnel to watch. */
export interface WatchedFunnel {
  readonly steps: readonly string[];
  readonly windowMs?: number | undefined;
  /** Whether its steps may come in any order. */
  readonly isAnyOrder?: boolean | undefined;
  /** Whether a user completed it already. Once true it stays so. */
  readonly isDone: (user: number) => boolean;
}

/** Steps and window of a funnel, against which the newest times of a user are judged. */
interface Needs {
  /** Places of the names of its steps. */
  readonly places: Uint8Array;
  readonly windowSeconds: number;
}

/** A user who may have completed funnels (bits, by the funnel's place). */
export type FoundUser = readonly [user: number, mask: number];

export class StepWatch {
  private readonly names: InternedTable;
  private readonly funnels: readonly WatchedFunnel[];
  /** Users from this number on have no rows that came before. */
  private readonly firstUser: number;
  /** Users below this number have words. SW4 */
  readonly usersMax: number;
  /** Place of each step, by its name. */
  private readonly placeOf: ReadonlyMap<string, number>;
  private readonly needs: readonly Needs[];
  /** Masks by name: the funnels that have it as a step, and those that end with it. */
  private steps = new Uint32Array(0);
  private ends = new Uint32Array(0);
  /** Places by name, of steps. */
  private places = new Uint8Array(0);
  private namesKnown = -1;
  private touched = 0;
  /**
   * `stride` words a user, next to each other, as each row of a step needs them: masks of the funnels that it is known to have
   * completed (`isDone` said so once), and of those that it may have completed and no call returned; then the newest time by
   * place, in seconds from 1, or 0 without such a row (SW3).
   */
  private words = new Uint32Array(0);
  private readonly stride: number;
  /** Users with such funnels, oldest first. */
  private found: number[] = [];

  /**
   * `funnels`: at most `funnelsWatchedMax`. `firstUser`: the number of users so far. `bytesMax`: bound of the words of users, and of
   * the sets of users who completed these funnels (completions.ts).
   */
  constructor(names: InternedTable, funnels: readonly WatchedFunnel[], firstUser: number, bytesMax: number) {
    this.names = names;
    this.funnels = funnels;
    this.firstUser = firstUser;
    const steps = [...new Set(funnels.flatMap((funnel) => funnel.steps))];
    this.stride = newestWord + Math.min(steps.length, placesMax);
    const userBytes = this.stride * Uint32Array.BYTES_PER_ELEMENT + (funnels.length / 8) * growth;
    this.usersMax = Math.floor(bytesMax / userBytes);
    this.placeOf = new Map(steps.map((step, i) => [step, i % placesMax]));
    this.needs = funnels.map((funnel) => ({
      places: Uint8Array.from(new Set(funnel.steps.map((step) => this.placeOf.get(step)!))),
      windowSeconds: Math.ceil((funnel.windowMs ?? Number.POSITIVE_INFINITY) / 1_000),
    }));
  }

  noteRun({times, names, users, start, end}: RowRun): void {
    if (this.namesKnown !== this.names.count) this.look();
    const {steps} = this;
    for (let row = start; row < end; row++) if (steps[names[row]] !== 0) this.note(names[row], users[row], times[row]);
  }

  noteRow(name: number, user: number, timeMs: number): void {
    if (this.namesKnown !== this.names.count) this.look();
    if (this.steps[name] !== 0) this.note(name, user, timeMs);
  }

  private note(name: number, user: number, timeMs: number): void {
    this.touched |= this.steps[name];
    const first = user * this.stride;
    if (first >= this.words.length && !this.grow(user)) return;
    const {words} = this;
    const second = secondOf(timeMs);
    const newest = first + newestWord + this.places[name];
    if (words[newest] < second) words[newest] = second;
    const open = this.ends[name] & ~(words[first + doneWord] | words[first + waitingWord]);
    if (open !== 0) this.find(open, user, second);
  }

  /** The user has a row with which it may complete these funnels. */
  private find(mask: number, user: number, second: number): void {
    if (this.found.length >= foundMax) return;
    const {words} = this;
    const first = user * this.stride;
    let found = 0;
    for (let left = mask; left !== 0; left &= left - 1) {
      const at = 31 - Math.clz32(left & -left);
      if (user >= this.firstUser && !this.mayComplete(at, first + newestWord, second)) continue;
      if (this.funnels[at].isDone(user)) words[first + doneWord] |= 1 << at;
      else found |= 1 << at;
    }
    if (found === 0) return;
    if (words[first + waitingWord] === 0) this.found.push(user);
    words[first + waitingWord] |= found;
  }

  /** `newest`: place of the user's newest times. SW3 */
  private mayComplete(funnel: number, newest: number, second: number): boolean {
    const {words} = this;
    const {places, windowSeconds} = this.needs[funnel];
    for (let i = 0; i < places.length; i++) {
      const time = words[newest + places[i]];
      if (time === 0 || second - time > windowSeconds) return false;
    }
    return true;
  }

  /** @returns false: the user has no words. SW4 */
  private grow(user: number): boolean {
    if (user >= this.usersMax) return false;
    const words = new Uint32Array(Math.min(Math.ceil((user + 1) * growth), this.usersMax) * this.stride);
    words.set(this.words);
    this.words = words;
    return true;
  }

  get byteLength(): number {
    return this.words.byteLength;
  }

  /** A name came, or comes again under another number. */
  private look(): void {
    const {names, funnels} = this;
    this.namesKnown = names.count;
    this.steps = new Uint32Array(names.count);
    this.ends = new Uint32Array(names.count);
    this.places = new Uint8Array(names.count);
    for (const [at, {steps, isAnyOrder}] of funnels.entries())
      for (const [place, step] of steps.entries()) {
        const bytes = wtf8(step);
        const name = names.find(bytes, 0, bytes.length);
        if (name < 0) continue;
        this.steps[name] |= 1 << at;
        this.places[name] = this.placeOf.get(step)!;
        if (isAnyOrder || place === steps.length - 1) this.ends[name] |= 1 << at;
      }
  }

  get hasUsers(): boolean {
    return this.found.length > 0;
  }

  /** The oldest `countMax` users that no call returned. */
  takeUsers(countMax = foundMax): FoundUser[] {
    const users = this.found.slice(0, countMax);
    this.found = this.found.slice(countMax);
    return users.map((user) => {
      const at = user * this.stride + waitingWord;
      const mask = this.words[at];
      this.words[at] = 0;
      return [user, mask];
    });
  }

  /** Events are deleted, or some user was to leave, and stays: users may have completed any funnel. As in SW2. */
  touchAll(): void {
    for (const at of this.funnels.keys()) this.touched |= 1 << at;
  }

  /** Funnels with rows since the last call. */
  takeTouched(): number {
    const {touched} = this;
    this.touched = 0;
    return touched;
  }
}

/** From 1 on. Times outside of what fits only cost hints. */
const secondOf = (timeMs: number): number => (timeMs * 0.001 + 1) >>> 0;
