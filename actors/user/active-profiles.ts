// Profiles in memory: those that identify entries are applied to, and those that no part has yet.
//   Does not own: restoring a profile from parts; the shell does that (src/partition/snapshot/user-loader.ts).
//
//   AP1. A frozen profile does not change while it is serialised (manifest.ts P7): a profile is copied before its first change
//        after the freeze. Serialising all of them at the freeze would stop the fold: 50,000 took 0.15 to 0.4 s.
//   AP2. A profile that no part has yet, because it changed since the last snapshot or was frozen by it, is not dropped: its traits
//        exist nowhere else.
import {wtf8} from '../bytes/bytes.js';
import {must} from '../invariant.js';
import {DistinctNames} from '../table/distinct-names.js';
import type {IdentifyOrigin, Profile} from './profile.js';

/** Profiles examined in one piece, well below 1 ms. */
const passivatedAtOnce = 1_024;

export class ActiveProfiles {
  /** Active profiles, least recently used first. */
  private readonly active = new Map<number, Profile>();
  /** Profiles that changed since the last snapshot. */
  private dirty = new Map<number, Profile>();
  private frozen: ReadonlyMap<number, Profile> = new Map();
  /** Names of traits in the entries that were applied since this process started. */
  readonly traitNames = new DistinctNames();
  private readonly noteTrait = (name: string): void => {
    const bytes = wtf8(name);
    this.traitNames.note(bytes, 0, bytes.length);
  };
  /** Bytes of the active profiles. */
  bytes = 0;

  get size(): number {
    return this.active.size;
  }

  get(user: number): Profile | undefined {
    return this.active.get(user);
  }

  /** Brings a profile into memory, or marks it as recently used. */
  activate(user: number, profile: Profile): void {
    this.drop(user);
    this.active.set(user, profile);
    this.bytes += profile.byteLength;
  }

  /** Brings in a profile that no part of this partition has. AP2 */
  adopt(user: number, profile: Profile): void {
    this.activate(user, profile);
    this.dirty.set(user, profile);
  }

  /** Applies an identify entry to an active profile. */
  apply(user: number, traitsJson: string, origin: IdentifyOrigin): void {
    const held = must(this.active.get(user), 'a profile is active before an entry is applied to it');
    const profile = this.frozen.get(user) === held ? held.copy() : held; // AP1
    this.bytes -= held.byteLength;
    profile.apply(traitsJson, origin, this.noteTrait);
    this.bytes += profile.byteLength;
    this.active.delete(user);
    this.active.set(user, profile);
    this.dirty.set(user, profile);
  }

  /** Forgets an erased user. No snapshot may be in progress. */
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

  /** Freezes the profiles that changed since the last snapshot, and returns them; they stay unchanged until `snapshotDone`. AP1 */
  freeze(): ReadonlyMap<number, Profile> {
    this.frozen = this.dirty;
    this.dirty = new Map();
    return this.frozen;
  }

  /** Ends the freeze: the frozen profiles are in parts now. */
  snapshotDone(): void {
    this.frozen = new Map();
  }

  /**
   * Drops the least recently used profiles until the rest fits, except those that no part has yet (AP2). Folding may continue
   * between two pieces: the profiles that it uses move to the end, and are not examined again.
   */
  *passivate(bytesMax: number): Generator<undefined> {
    let left = this.active.size;
    for (const user of this.active.keys()) {
      if (left === 0 || this.bytes <= bytesMax) return;
      left -= 1;
      if (!this.dirty.has(user) && !this.frozen.has(user)) this.drop(user);
      if (left % passivatedAtOnce === 0) yield;
    }
  }
}
