// The user actors of a partition: one object for all of them, with columns inside. An object for each user would cost 285
// bytes, and garbage collections of a second at two million users.
//   Owns:    the known users, their changes since the last snapshot, profiles in memory, erased users.
//   Does not own: records of earlier snapshots, which are in parts that the shell reads.

import {type Actor, bytesIn, chained, type FrozenPart, jsonOf, jsonPart, type Payload} from '../actor.js';
import {assert} from '../invariant.js';
import type {EntryView} from '../log/entry-view.js';
import type {EncodedBlock} from '../manifest.js';
import {InternedTable, type TableSize} from '../table/interned.js';
import {ActiveProfiles} from './active-profiles.js';
import {Profile} from './profile.js';
import {UserDeltas} from './user-deltas.js';
import {type Traits, UserBlockWriter, type UserRecord} from './user-records.js';

/** Message id of an identify, and the logical day of its arrival. */
interface IdentifyId {
  readonly print: Uint32Array;
  readonly day: number;
}

/** Rows [start, end) of a chunk, in arrival order. */
interface UserRun {
  readonly chunk: number;
  readonly times: Float64Array;
  readonly users: Uint32Array;
  readonly start: number;
  readonly end: number;
  /** Set by `apply`, from 0: whether a row's day differs from that of its user's row before. */
  readonly isNewDay: Uint8Array;
}

/** Small state. */
export interface UsersState {
  readonly keys: TableSize;
  /** Indexes of erased users that window runs may still hold, ascending: readers leave them out of day sets. */
  readonly erased: readonly number[];
}

const keysName = 'users.keys';

export class UserActors implements Actor<UserRun> {
  readonly name = 'users';
  readonly table = new InternedTable();
  /** Changes of users since the last snapshot. */
  deltas = new UserDeltas();
  /** Deltas of the snapshot in progress: still needed to read a user. */
  private frozen: UserDeltas | undefined;
  readonly profiles = new ActiveProfiles();
  /** Erased users that window runs may still hold, ascending. */
  private erased: number[] = [];
  private readonly onNew: (user: number) => void;

  /** `onNew` is called with each user that an event makes known. */
  constructor(onNew: (user: number) => void = () => undefined) {
    this.onNew = onNew;
  }

  /** Interns the user key bytes[start .. end); returns its index. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    const known = this.table.count;
    const user = this.table.intern(bytes, start, end);
    if (user === known) this.onNew(user);
    return user;
  }

  /** `intern` for a key whose hash, with `tableSeed`, is known. */
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

  /** Applies a run of rows, each like `applyEvent`. */
  apply({chunk, times, users, start, end, isNewDay}: UserRun): void {
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
    const timeMs = Math.min(Math.abs(entry.timeMs), entry.receivedMs); // T4 (profile.ts)
    const setMs = entry.timeMs < 0 ? -timeMs : timeMs; // T6
    this.profiles.apply(user, entry.text(), {timeMs: setMs, isTimed: entry.isTimed, isSecret: entry.isSecret});
    this.deltas.addIdentify(user, timeMs);
    if (id !== undefined) this.deltas.addIdentifyId(user, id.print, id.day);
    return undefined;
  }

  /** Takes over what another partition knows of a user, beside its rows. `record.user`: its number here. */
  adopt(record: UserRecord): void {
    this.deltas.adopt(record);
    if (record.traits !== undefined) this.profiles.adopt(record.user, Profile.restore(record.traits));
  }

  /** Brings a profile into memory. */
  activate(user: number, profile: Profile): void {
    this.profiles.activate(user, profile);
  }

  /** A user's records that no part has yet, oldest first, and its traits if its profile is active. */
  unsaved(user: number): {readonly records: readonly (UserRecord | undefined)[]; readonly traits: Traits | undefined} {
    return {
      records: [this.frozen?.record(user, undefined), this.deltas.record(user, undefined)],
      traits: this.profiles.get(user)?.serialized(),
    };
  }

  /** Forgets an erased user. `hadRows`: window runs may hold it as a member of days. */
  forget(user: number, hadRows: boolean): void {
    assert(this.frozen === undefined, 'no snapshot is being written while a user is erased');
    this.table.remove(user);
    this.profiles.forget(user);
    if (hadRows) this.leaveDays([user]);
  }

  /** Excludes these users from day sets of window runs, which may still hold them as members. */
  leaveDays(users: readonly number[]): void {
    this.erased = [...this.erased, ...users].sort((a, b) => a - b);
  }

  /** Drops erased users that no window run holds any more: all runs were merged after their erasure. */
  dropErased(users: ReadonlySet<number>): void {
    this.erased = this.erased.filter((user) => !users.has(user));
  }

  /** Users with an identify entry since the last snapshot, ascending. */
  identified(): readonly number[] {
    return this.deltas.identified();
  }

  freeze(): Iterable<FrozenPart> {
    const state: UsersState = {keys: this.table.size, erased: this.erasedInRuns};
    return chained(this.table.freeze(keysName), [jsonPart(this.name, state)]);
  }

  restore(name: string, _block: number, payload: Payload): void {
    if (name === keysName) this.table.restoreBlock(bytesIn(payload));
    else this.restoreState(jsonOf(payload));
  }

  private restoreState({keys, erased}: UsersState): void {
    this.table.reserve(keys);
    this.erased = [...erased];
  }

  /** Erased users that window runs may still hold, ascending. */
  get erasedInRuns(): readonly number[] {
    return [...this.erased];
  }

  /**
   * Freezes the records of changed users: a run. They stay readable until `snapshotDone`; no user is erased before that. The
   * blocks are read once.
   */
  freezeRun(): Iterable<EncodedBlock> {
    assert(this.frozen === undefined, 'one snapshot is in flight');
    this.frozen = this.deltas;
    this.deltas = new UserDeltas();
    return this.encoded(this.frozen, this.profiles.freeze());
  }

  /** Encodes records, and serialises traits user by user. AP1 (active-profiles.ts) */
  private *encoded(deltas: UserDeltas, profiles: ReadonlyMap<number, Profile>): Generator<EncodedBlock> {
    const writer = new UserBlockWriter();
    for (const record of deltas.records({get: (user) => profiles.get(user)?.serialized()})) {
      if (!this.table.has(record.user)) continue;
      writer.add(record);
      if (writer.isFull) yield writer.finish();
    }
    if (!writer.isEmpty) yield writer.finish();
  }

  /** Ends the freeze: the frozen changes are in parts now. */
  snapshotDone(): void {
    this.frozen = undefined;
    this.profiles.snapshotDone();
  }
}
