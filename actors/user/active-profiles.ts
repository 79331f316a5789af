// Profiles in memory: what identify entries are applied to, and what no part has yet.
//   Does not own: how one is read back from parts; the shell does that (src/partition/snapshot/user-loader.ts).
//
//   AP1. What a cut set aside stays as it was, for as long as it is printed (manifest.ts P7): a profile is copied before its
//        first change after the cut. To print all of them at the cut would stop the fold: 50,000 took 0.15 to 0.4 s.
//   AP2. A profile that no part has yet, because it changed since the last cut or was set aside by it, is not dropped: nothing
//        else knows its traits.
import {must} from '../invariant.js';
import type {IdentifyTime, Profile} from './profile.js';

/** Looked at in one go, well below 1 ms. */
const passivatedAtOnce = 1_024;

export class ActiveProfiles {
  /** Least recently used first. */
  private readonly active = new Map<number, Profile>();
  /** Changed since the last cut. */
  private dirty = new Map<number, Profile>();
  private setAside: ReadonlyMap<number, Profile> = new Map();
  /** Of those that are active. */
  bytes = 0;

  get size(): number {
    return this.active.size;
  }

  get(user: number): Profile | undefined {
    return this.active.get(user);
  }

  /** Brings a profile into memory, or marks it as just used. */
  activate(user: number, profile: Profile): void {
    this.drop(user);
    this.active.set(user, profile);
    this.bytes += profile.byteLength;
  }

  /** Applies an identify entry to a profile that is active. */
  apply(user: number, traitsJson: string, time: IdentifyTime): void {
    const held = must(this.active.get(user), 'a profile is active before an entry is applied to it');
    const profile = this.setAside.get(user) === held ? held.copy() : held; // AP1
    this.bytes -= held.byteLength;
    profile.apply(traitsJson, time);
    this.bytes += profile.byteLength;
    this.active.delete(user);
    this.active.set(user, profile);
    this.dirty.set(user, profile);
  }

  /** The user is erased: no snapshot is being written. */
  forget(user: number): void {
    this.drop(user);
    this.dirty.delete(user);
  }

  private drop(user: number): void {
    const held = this.active.get(user);
    if (held === undefined) return;
    this.bytes -= held.byteLength;
    this.active.delete(user);
  }

  /** Sets aside those that changed since the last cut, and returns them: they stay as they are until `cutDone`. AP1 */
  cut(): ReadonlyMap<number, Profile> {
    this.setAside = this.dirty;
    this.dirty = new Map();
    return this.setAside;
  }

  /** What was set aside is in parts now. */
  cutDone(): void {
    this.setAside = new Map();
  }

  /**
   * Drops the longest unused ones until the rest fits, but what no part has yet (AP2). Between two pieces folding may go on:
   * those that it uses come last, and are not looked at again.
   */
  *passivate(bytesMax: number): Generator<undefined> {
    let left = this.active.size;
    for (const user of this.active.keys()) {
      if (left === 0 || this.bytes <= bytesMax) return;
      left -= 1;
      if (!this.dirty.has(user) && !this.setAside.has(user)) this.drop(user);
      if (left % passivatedAtOnce === 0) yield;
    }
  }
}
