// The user actors of a partition: one object for all of them, with columns inside. An object per user would cost 285 bytes, and
// garbage collections of a second at two million users.
//   Owns:    who is known, what users gained since the last cut, profiles in memory, who was erased.
//   Does not own: records of earlier cuts: they are in parts, and the shell reads them.

import {assert} from '../invariant.js';
import type {EntryView} from '../log/entries.js';
import type {EncodedBlock} from '../manifest.js';
import {type EncodedTable, InternedTable} from '../table/interned.js';
import {ActiveProfiles} from './active-profiles.js';
import {Profile} from './profile.js';
import {UserDeltas} from './user-deltas.js';
import {type Traits, UserBlockWriter, type UserRecord} from './user-records.js';

/** The message id of an identify, and the logical day on which it came. */
interface IdentifyId {
  readonly print: Uint32Array;
  readonly day: number;
}

/** Rows [start, end) of a chunk, in the order of arrival. */
interface UserRun {
  readonly chunk: number;
  readonly times: Float64Array;
  readonly users: Uint32Array;
  readonly start: number;
  readonly end: number;
}

/** What a snapshot takes. What is iterable is iterated once, before `snapshotDone`. */
export interface UsersCut {
  readonly users: EncodedTable;
  readonly userBlocks: Iterable<EncodedBlock>;
  readonly erasedUsers: readonly number[];
  /** Ascending. */
  readonly identified: readonly number[];
}

export class UserActors {
  readonly table = new InternedTable();
  /** What users gained since the last cut. */
  deltas = new UserDeltas();
  /** Deltas of the cut whose snapshot is being written: still needed to read a user. */
  private frozen: UserDeltas | undefined;
  readonly profiles = new ActiveProfiles();
  /** Ascending. Window runs may still hold them. */
  private erased: number[] = [];
  private readonly onNew: (user: number) => void;

  /** `onNew` is told of each user that an event makes known. */
  constructor(onNew: (user: number) => void = () => undefined) {
    this.onNew = onNew;
  }

  /** The number of a user, whose key is in `bytes` from `start` to `end`. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    const known = this.table.count;
    const user = this.table.intern(bytes, start, end);
    if (user === known) this.onNew(user);
    return user;
  }

  /** The same; `hash` is that of the key, with `tableSeed`. */
  internHashed(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const known = this.table.count;
    const user = this.table.internHashed(bytes, start, end, hash);
    if (user === known) this.onNew(user);
    return user;
  }

  /** @returns whether the event's day differs from that of the user's event before. */
  applyEvent(user: number, timeMs: number, chunk: number): boolean {
    return this.deltas.addEvent(user, timeMs, chunk);
  }

  /** The same for a run of rows. Writes to `isNewDay`, from 0 on, what `applyEvent` returns. */
  applyRun({chunk, times, users, start, end}: UserRun, isNewDay: Uint8Array): void {
    const {deltas} = this;
    for (let row = start; row < end; row++)
      isNewDay[row - start] = deltas.addEvent(users[row], times[row], chunk) ? 1 : 0;
  }

  /**
   * Applies an identify entry; `id`: undefined for one without a message id.
   * @returns the user whose profile must be active first (`activate`); undefined: the entry is applied.
   */
  applyIdentify(entry: EntryView, id: IdentifyId | undefined): number | undefined {
    const known = this.table.count;
    const user = this.table.intern(entry.bytes, entry.keyStart, entry.keyEnd);
    if (this.profiles.get(user) === undefined) {
      if (user < known) return user;
      this.activate(user, new Profile());
    }
    const timeMs = Math.min(entry.timeMs, entry.receivedMs); // T4 (profile.ts)
    this.profiles.apply(user, entry.text(), {timeMs, isTimed: entry.isTimed});
    this.deltas.addIdentify(user, timeMs);
    if (id !== undefined) this.deltas.addIdentifyId(user, id.print, id.day);
    return undefined;
  }

  /** Brings a profile into memory. */
  activate(user: number, profile: Profile): void {
    this.profiles.activate(user, profile);
  }

  /** What no part has yet of a user, oldest first, and the traits, where its profile is in memory. */
  unsaved(user: number): {readonly records: readonly (UserRecord | undefined)[]; readonly traits: Traits | undefined} {
    return {
      records: [this.frozen?.record(user, undefined), this.deltas.record(user, undefined)],
      traits: this.profiles.get(user)?.printed(),
    };
  }

  /** The user is erased. `hadRows`: window runs may hold it as a member of days. */
  forget(user: number, hadRows: boolean): void {
    assert(this.frozen === undefined, 'no snapshot is being written while a user is erased');
    this.table.remove(user);
    this.profiles.forget(user);
    if (hadRows) this.leaveDays([user]);
  }

  /** Window runs may hold these users as members of days, and they are none any more. */
  leaveDays(users: readonly number[]): void {
    this.erased.push(...users);
    this.erased.sort((a, b) => a - b);
  }

  /** Window runs no longer hold these users: all runs were merged after their erasure. */
  dropErased(users: ReadonlySet<number>): void {
    this.erased = this.erased.filter((user) => !users.has(user));
  }

  /** Sets aside what users gained; it stays readable until `snapshotDone`, before which no user is erased. */
  cut(): UsersCut {
    assert(this.frozen === undefined, 'one snapshot is in flight');
    this.frozen = this.deltas;
    this.deltas = new UserDeltas();
    return {
      users: this.table.cut(),
      userBlocks: this.encoded(this.frozen, this.profiles.cut()),
      erasedUsers: [...this.erased],
      identified: this.frozen.identified(),
    };
  }

  /** Traits are printed user by user. AP1 (active-profiles.ts) */
  private *encoded(deltas: UserDeltas, profiles: ReadonlyMap<number, Profile>): Generator<EncodedBlock> {
    const writer = new UserBlockWriter();
    for (const record of deltas.records({get: (user) => profiles.get(user)?.printed()})) {
      if (!this.table.has(record.user)) continue;
      writer.add(record);
      if (writer.isFull) yield writer.finish();
    }
    if (!writer.isEmpty) yield writer.finish();
  }

  /** What was set aside is in parts now. */
  snapshotDone(): void {
    this.frozen = undefined;
    this.profiles.cutDone();
  }

  restoreErased(users: readonly number[]): void {
    this.erased = [...users];
  }
}
