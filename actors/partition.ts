// The partition actor: folds its log, in order, into user actors and the aggregator actor.
//   Owns:    identities, the open chunk of rows, what windows and users gained since the last cut, message ids, deletions.
//   Does not own: parts. What is closed, cut or missing is said to the shell (src/partition), which reads and writes.
//
//   P1. A message at or below the applied sequence, or that a producer counted before, changes nothing.
//   P2. A fold never suspends: it stops before an entry that needs something, and goes on when that is there.
//   P5. A user lives in one partition.
//   P6. No clock in a fold: event time, log time, or the time that a tick carries.
//   P8. Received = counted + duplicate + erased (`tally`), always.

import {WindowDeltas} from './aggregator/window-deltas.js';
import {encodeWindows} from './aggregator/windows.js';
import {bytesOf} from './bytes/bytes.js';
import {hashBytes} from './bytes/hash.js';
import type {ChunkInMemory} from './chunk/chunk.js';
import {EventRows, type RowKernel} from './chunk/event-rows.js';
import {KernelChunk} from './chunk/kernel-chunk.js';
import {OpenChunk} from './chunk/open-chunk.js';
import {RestoredChunk} from './chunk/restored-chunk.js';
import {Conflicts} from './dedupe/conflicts.js';
import {FingerprintSet, fingerprintWords} from './dedupe/fingerprints.js';
import {addFresh, type FreshFingerprints, StoredFingerprints} from './dedupe/fresh-fingerprints.js';
import {Deletions} from './deletions.js';
import {assert, must} from './invariant.js';
import {chunkRowsMax, dayMs, dedupeMs, producerMs, tombstoneMs} from './limits.js';
import {contentHash, type EntryView, entryKind, fingerprint, MessageCursor} from './log/entries.js';
import type {DeletionRecord, SnapshotIndex} from './manifest.js';
import {InternedTable} from './table/interned.js';
import {ActiveProfiles} from './user/active-profiles.js';
import {Profile} from './user/profile.js';
import {UserDeltas} from './user/user-deltas.js';
import {UserBlockWriter} from './user/user-records.js';

/** A producer is forgotten behind `producerMs`, or so many periods of the ticks: the log is cut at the second one behind a message at the earliest, once its snapshot is there. */
const producerPeriods = 3;

export interface PartitionSetup {
  readonly partition: number;
  /** Secret of the deployment: message-id fingerprints and user hashes are keyed by it. */
  readonly seeds: readonly [number, number, number];
  readonly dedupeBytesMax: number;
  /** Makes rows of ordinary events, many at a time; no other partition's. Without it they are made one by one. */
  readonly rowKernel?: RowKernel | undefined;
}

/** Why a fold stopped before the end of its message. */
export type Stop =
  | {kind: 'done'}
  /** The entry at the cursor identifies a user whose profile is not active: `activate` it, then fold on. */
  | {kind: 'profile'; user: number}
  /** The entry at the cursor erases a user: take it out of all parts, then `applyErasure`, then fold on. */
  | {kind: 'erasure'; user: number | undefined}
  /** A tick was applied: cut now, then fold on. */
  | {kind: 'tick'; gaps: number};

export interface ErasedRow {
  readonly timeMs: number;
  readonly name: number;
}

/** One of a run's blocks, encoded. */
export interface EncodedBlock {
  readonly first: number;
  readonly last: number;
  readonly payload: Uint8Array;
}

export interface EncodedFingerprints {
  readonly logicalDay: number;
  readonly count: number;
  readonly payload: Uint8Array;
}

/**
 * State that was dirty at a cut. The shell writes it as parts. What is iterable is iterated once, before `snapshotDone`, and
 * is encoded block by block meanwhile: folding may go on between any two of them, and changes none (manifest.ts P7).
 */
export interface Cut {
  readonly sequence: number;
  readonly mark: string;
  readonly asOfMs: number;
  readonly users: {count: number; blocks: Iterable<readonly [number, Uint8Array]>};
  readonly names: {count: number; blocks: Iterable<readonly [number, Uint8Array]>};
  readonly nameCounts: Uint8Array;
  readonly windowBlocks: Iterable<EncodedBlock>;
  readonly userBlocks: Iterable<EncodedBlock>;
  /** New message ids that are remembered, the newest last. */
  readonly fingerprints: Iterable<EncodedFingerprints>;
  /** New ones, the newest last. */
  readonly completedDeletions: readonly DeletionRecord[];
  /** New ones of erased events. */
  readonly erasedIds: Iterable<EncodedFingerprints>;
  /** Those of earlier logical days are remembered no more. */
  readonly erasedIdsFromDay: number;
  readonly rest: {readonly dedupeCount: number} & Pick<
    SnapshotIndex,
    | 'erasedUsers'
    | 'deletions'
    | 'erasedInLogSequence'
    | 'producers'
    | 'nextOrdinal'
    | 'nextChunk'
    | 'logicalMs'
    | 'lastTickMs'
    | 'dedupeHeldFromDay'
  >;
}

/** Entries whose message id was there before: of entries that are kept, and of erased ones. */
interface Copies {
  duplicate: number;
  tombstoned: number;
}

export class Partition {
  readonly partition: number;
  private readonly seeds: readonly [number, number, number];
  /** Generation of the log that is folded. Only sequences of one generation compare with each other. */
  generation = 1;
  appliedSequence = 0;
  /** Of the message at `appliedSequence`; empty before the first. */
  appliedMark = '';
  readonly users = new InternedTable();
  readonly names = new InternedTable();
  private nameCounts = new Float64Array(64);
  private readonly rows: EventRows | undefined;
  open: OpenChunk | KernelChunk | RestoredChunk;
  /** Of the rows of a run. */
  private readonly isNewDay = new Uint8Array(chunkRowsMax);
  private readonly foundUsers = new Uint32Array(chunkRowsMax);
  /** Closed since the shell last took them. */
  private closed: ChunkInMemory[] = [];
  private windows = new WindowDeltas();
  userDeltas = new UserDeltas();
  /** Deltas of the cut whose snapshot is being written: still needed to read a user. */
  frozenDeltas: UserDeltas | undefined;
  readonly profiles = new ActiveProfiles();
  readonly messageIds: FingerprintSet;
  /** Of the entry that is being folded. */
  private readonly fingerprint = new Uint32Array(fingerprintWords);
  private freshIds: FreshFingerprints[] = [];
  /** Of erased events. Without a bound: what it dropped would bring a deleted user back. */
  readonly tombstones = new FingerprintSet(Number.POSITIVE_INFINITY);
  private freshTombstones: FreshFingerprints[] = [];
  private erasedUsers: number[] = [];
  readonly deletions = new Deletions();
  private readonly producers = new Map<string, {n: number; seenLogicalMs: number}>();
  private logicalMs = 0;
  private lastTickMs = 0;
  private gaps = 0;
  /** Last message that may hold entries of an erased user behind its erase entry (late retries); 0: none in the log. */
  private erasedInLogSequence = 0;
  /** Since this process started. P8 */
  readonly tally = {counted: 0, duplicate: 0, tombstoned: 0, redelivered: 0};
  /** As `tally`, for identifies. */
  readonly identifies = {counted: 0, duplicate: 0, tombstoned: 0};
  /** Duplicate events and identifies that were no retries. */
  readonly conflicts = new Conflicts();

  constructor(setup: PartitionSetup) {
    this.partition = setup.partition;
    this.seeds = setup.seeds;
    this.messageIds = new FingerprintSet(setup.dedupeBytesMax);
    this.rows = setup.rowKernel === undefined ? undefined : new EventRows(setup.rowKernel);
    this.open = this.nextChunk(0, 0);
  }

  // ---- folding ----

  /** A cursor over a message that is new; undefined when P1 says to skip it. */
  openMessage(sequence: number, bytes: Uint8Array): MessageCursor | undefined {
    if (sequence <= this.appliedSequence) return undefined;
    const cursor = new MessageCursor(bytes);
    if (this.isNew(cursor)) return cursor;
    this.setApplied(sequence, cursor);
    this.tally.redelivered += 1;
    if (this.deletions.size > 0) this.erasedInLogSequence = sequence;
    return undefined;
  }

  private isNew(cursor: MessageCursor): boolean {
    const last = this.producers.get(cursor.producer)?.n ?? 0;
    if (cursor.n <= last) return false;
    if (cursor.n !== last + 1) this.gaps += 1;
    this.producers.set(cursor.producer, {n: cursor.n, seenLogicalMs: this.logicalMs});
    return true;
  }

  /** Folds from the cursor's next entry on; `again` repeats the entry that it stopped before. */
  fold(sequence: number, cursor: MessageCursor, again = false): Stop {
    const {entry} = cursor;
    let repeats = again;
    while (repeats || this.nextEntry(cursor)) {
      const isRepeated = repeats;
      repeats = false;
      switch (entry.kind) {
        case entryKind.event:
          this.applyEvent(entry, sequence);
          break;
        case entryKind.identify: {
          const stop = this.applyIdentify(entry, sequence, isRepeated);
          if (stop !== undefined) return stop;
          break;
        }
        case entryKind.erase: {
          const user = this.users.find(entry.bytes, entry.keyStart, entry.keyEnd);
          return {kind: 'erasure', user: user >= 0 ? user : undefined};
        }
        case entryKind.tick: {
          assert(cursor.count === 1, 'a tick has a message of its own: a snapshot stands at a message');
          this.setApplied(sequence, cursor);
          return this.applyTick(entry);
        }
      }
    }
    this.setApplied(sequence, cursor);
    return {kind: 'done'};
  }

  /** Moves to the next entry that is folded by itself: runs of ordinary events before it are folded here. */
  private nextEntry(cursor: MessageCursor): boolean {
    while (this.open instanceof KernelChunk) {
      const taken = this.open.take(cursor);
      if (taken === 0) break;
      this.applyRun(this.open, taken);
      if (this.open.isFull) this.closeChunk();
    }
    return cursor.next();
  }

  private setApplied(sequence: number, cursor: MessageCursor): void {
    this.appliedSequence = sequence;
    this.appliedMark = cursor.mark;
  }

  /** The log is another one than was folded (it lost its tail): it is read from its start, and P1 skips by producer alone. */
  rewind(): void {
    this.generation += 1;
    this.appliedSequence = 0;
    this.appliedMark = '';
    this.erasedInLogSequence = 0;
  }

  private applyEvent(entry: EntryView, sequence: number): void {
    if (entry.hasMessageId && !this.isFirstCopy(entry, sequence, this.tally)) return;
    const user = this.users.intern(entry.bytes, entry.keyStart, entry.keyEnd);
    const name = this.names.intern(entry.bytes, entry.textStart, entry.textEnd);
    if (name >= this.nameCounts.length) this.growNameCounts();
    this.nameCounts[name] += 1;
    const open = this.appendable();
    const isNewDay = this.userDeltas.addEvent(user, entry.timeMs, open.chunk);
    this.windows.add(entry.timeMs, name, user, isNewDay);
    open.append(entry, user, name);
    this.tally.counted += 1;
    if (open.isFull) this.closeChunk();
  }

  private appendable(): OpenChunk | KernelChunk {
    if (!(this.open instanceof RestoredChunk)) return this.open;
    const opened = this.open.opened();
    if (opened === undefined) return this.closeChunk();
    this.open = opened;
    return opened;
  }

  /** What `applyEvent` does beside the row, for the last `taken` rows. */
  private applyRun(open: KernelChunk, taken: number): void {
    const {kernel} = must(this.rows, 'a kernel made these rows');
    const {times, users, names} = kernel;
    const end = open.count;
    const start = end - taken;
    this.lookUpUsers(kernel, start);
    this.userDeltas.addEvents({times, users, start, end}, this.users.count, open.chunk, this.isNewDay);
    const {nameCounts, windows, isNewDay} = this;
    for (let row = start; row < end; row++) {
      nameCounts[names[row]] += 1;
      windows.add(times[row], names[row], users[row], isNewDay[row - start] !== 0);
    }
    this.tally.counted += taken;
  }

  /** Those that the kernel does not know; `first`: the first row of the run. */
  private lookUpUsers(
    {memory, users, missedRows, userStarts, userLengths, userHashes, calls}: RowKernel,
    first: number,
  ) {
    const missed = calls.missedUsers();
    if (missed === 0) return;
    const found = this.foundUsers;
    this.users.internMany(memory, userStarts, userLengths, userHashes, missed, found);
    for (let i = 0; i < missed; i++) users[first + missedRows[i]] = found[i];
    calls.learnUsers(first);
  }

  private isFirstCopy(entry: EntryView, sequence: number, tally: Copies): boolean {
    const print = this.fingerprint;
    fingerprint(entry, this.seeds, print);
    if (this.tombstones.count > 0 && this.tombstones.has(print)) {
      tally.tombstoned += 1;
      this.erasedInLogSequence = sequence;
      return false;
    }
    const day = this.logicalDay;
    const content = contentHash(entry, this.seeds[0]);
    if (!this.messageIds.add(print, 0, day, content)) {
      tally.duplicate += 1;
      if (this.messageIds.contentOf(print) !== content) this.noteConflict(entry);
      return false;
    }
    addFresh(this.freshIds, print, day, content);
    return true;
  }

  private noteConflict(entry: EntryView): void {
    this.conflicts.add({timeMs: entry.receivedMs, event: entry.kind === entryKind.event ? entry.text() : null});
  }

  private get logicalDay(): number {
    return Math.floor(this.logicalMs / dayMs);
  }

  /** Logical time back to which every message id is remembered: less than `dedupeMs` once memory did not suffice. */
  get dedupeWindowMs(): number {
    return Math.min(dedupeMs, Math.max(0, this.logicalMs - this.messageIds.heldFromDay * dayMs));
  }

  private growNameCounts(): void {
    const grown = new Float64Array(this.nameCounts.length * 2);
    grown.set(this.nameCounts);
    this.nameCounts = grown;
  }

  /** Closes the open chunk, which has rows, and opens the next. */
  private closeChunk(): OpenChunk | KernelChunk {
    const {open} = this;
    if (open instanceof KernelChunk) open.close();
    this.closed.push(open);
    const next = this.nextChunk(open.chunk + 1, open.baseOrdinal + open.count, open);
    this.open = next;
    return next;
  }

  /**
   * The open chunk goes on as it is without the rows of a user: closed for each, many small ones would be left. One that is
   * half full is closed all the same, as rows are added to it one by one from now on.
   */
  replaceOpen(left: RestoredChunk): void {
    const {open} = this;
    assert(left.chunk === open.chunk && left.count === open.count, 'an erased row keeps its place');
    if (open instanceof KernelChunk) open.leave(); // Who reads the rows as they were goes on.
    this.open = left;
    if (2 * left.count >= chunkRowsMax) this.closeChunk();
  }

  private nextChunk(chunk: number, baseOrdinal: number, like?: Partition['open']): OpenChunk | KernelChunk {
    if (this.rows !== undefined) return new KernelChunk(this.rows, chunk, baseOrdinal);
    return new OpenChunk(chunk, baseOrdinal, like instanceof OpenChunk ? like : undefined);
  }

  takeClosedChunks(): ChunkInMemory[] {
    const closed = this.closed;
    this.closed = [];
    return closed;
  }

  /** `isRepeated`: its message id was checked before the fold stopped to load the profile. */
  private applyIdentify(entry: EntryView, sequence: number, isRepeated: boolean): Stop | undefined {
    if (entry.hasMessageId && !isRepeated && !this.isFirstCopy(entry, sequence, this.identifies)) return undefined;
    const known = this.users.count;
    const user = this.users.intern(entry.bytes, entry.keyStart, entry.keyEnd);
    if (this.profiles.get(user) === undefined) {
      if (user < known) return {kind: 'profile', user};
      this.activate(user, new Profile());
    }
    const timeMs = Math.min(entry.timeMs, entry.receivedMs); // T4 (profile.ts)
    this.profiles.apply(user, entry.text(), {timeMs, isTimed: entry.isTimed});
    this.userDeltas.addIdentify(user, timeMs);
    if (entry.hasMessageId) this.userDeltas.addIdentifyId(user, this.fingerprintOf(entry), this.logicalDay);
    this.identifies.counted += 1;
    return undefined;
  }

  /** Brings a profile into memory: the fold stopped for it. */
  activate(user: number, profile: Profile): void {
    this.profiles.activate(user, profile);
  }

  private applyTick(entry: EntryView): Stop {
    // Logical time takes at most one period a tick and never runs back: a wrong clock expires nothing.
    this.logicalMs += Math.min(Math.max(entry.timeMs - this.lastTickMs, 0), entry.periodMs);
    this.lastTickMs = entry.timeMs;
    this.messageIds.expireBefore(Math.floor((this.logicalMs - dedupeMs) / dayMs));
    this.tombstones.expireBefore(this.tombstonesFromDay);
    this.deletions.expireBefore(this.logicalMs);
    this.forgetProducers(entry.periodMs);
    const gaps = this.gaps;
    this.gaps = 0;
    return {kind: 'tick', gaps};
  }

  private get tombstonesFromDay(): number {
    return Math.floor((this.logicalMs - tombstoneMs) / dayMs);
  }

  private forgetProducers(periodMs: number): void {
    const seenSinceMs = this.logicalMs - Math.max(producerMs, producerPeriods * periodMs);
    for (const [id, {seenLogicalMs}] of this.producers) {
      if (seenLogicalMs < seenSinceMs) this.producers.delete(id);
    }
  }

  // ---- erasure ----

  /** Keyed hash of a user key, hex: names a user in deletion records without telling who it is. */
  userHash(bytes: Uint8Array, start: number, end: number): string {
    return this.seeds
      .map((seed) =>
        hashBytes(bytes, start, end, seed ^ 0x75736572)
          .toString(16)
          .padStart(8, '0'),
      )
      .join('');
  }

  fingerprintOf(entry: EntryView): Uint32Array {
    const words = new Uint32Array(fingerprintWords);
    fingerprint(entry, this.seeds, words);
    return words;
  }

  /**
   * Applies the erase entry at the cursor after the shell took the user's rows out of all parts.
   * `fingerprints`: those of the message ids of these rows and of the user's identifies. No open chunk holds rows of the user.
   */
  applyErasure(
    sequence: number,
    entry: EntryView,
    user: number | undefined,
    rows: readonly ErasedRow[],
    fingerprints: readonly Uint32Array[],
  ): void {
    for (const row of rows) {
      this.windows.subtract(row.timeMs, row.name);
      this.nameCounts[row.name] -= 1;
    }
    for (const name of new Set(rows.map((row) => row.name))) if (this.nameCounts[name] === 0) this.names.remove(name);
    for (const print of fingerprints) this.addTombstone(print, this.logicalDay);
    if (user !== undefined) this.forgetUser(user, rows.length > 0);
    this.rows?.forget();
    this.deletions.add({
      id: entry.text(),
      userHash: this.userHash(entry.bytes, entry.keyStart, entry.keyEnd),
      position: {generation: this.generation, sequence},
      eventsDeleted: rows.length,
      completed: null,
      expiresLogicalMs: this.logicalMs + tombstoneMs,
    });
  }

  private addTombstone(print: Uint32Array, day: number): void {
    if (this.tombstones.add(print, 0, day)) addFresh(this.freshTombstones, print, day);
  }

  /** Records what the shell did and checked; part of the next cut. */
  completeDeletion(id: string, completed: NonNullable<DeletionRecord['completed']>): void {
    this.deletions.complete(id, completed);
  }

  /** The log is to be cleaned again: a late retry of an erased user's event stands in it. */
  get hasErasedInLog(): boolean {
    return this.erasedInLogSequence > 0;
  }

  /** Nothing up to `sequence` is in the log any more. */
  logCleaned(sequence: number): void {
    if (this.erasedInLogSequence <= sequence) this.erasedInLogSequence = 0;
  }

  /**
   * Whether a deletion is later than this state: an older backup was restored, or the log lost its tail. If its entry had
   * been folded, it would be on record: its record has not expired yet.
   */
  lacks({id, expiresLogicalMs}: Pick<DeletionRecord, 'id' | 'expiresLogicalMs'>): boolean {
    return !this.deletions.has(id) && expiresLogicalMs >= this.logicalMs;
  }

  /** Keyed hash of the key of a known user. */
  hashOfUser(user: number): string {
    const key = this.users.bytesOf(user);
    return this.userHash(key, 0, key.length);
  }

  /** Deletions that the disk may still contradict. */
  pendingDeletions(): DeletionRecord[] {
    return this.deletions.pending();
  }

  private forgetUser(user: number, hadRows: boolean): void {
    assert(this.frozenDeltas === undefined, 'no snapshot is being written while a user is erased');
    this.users.remove(user);
    this.profiles.forget(user);
    if (!hadRows) return;
    this.erasedUsers.push(user);
    this.erasedUsers.sort((a, b) => a - b);
  }

  /** Window runs no longer hold these users: all runs were merged after their erasure. */
  dropErasedUsers(users: ReadonlySet<number>): void {
    this.erasedUsers = this.erasedUsers.filter((user) => !users.has(user));
  }

  // ---- the cut ----

  /**
   * Sets aside what is dirty, and marks it clean; deltas stay readable as frozen until `snapshotDone`, before which no user is
   * erased. The open chunk is the shell's.
   */
  cut(): Cut {
    assert(this.frozenDeltas === undefined, 'one snapshot is in flight');
    const cut: Cut = {
      sequence: this.appliedSequence,
      mark: this.appliedMark,
      asOfMs: this.lastTickMs,
      users: {count: this.users.count, blocks: this.users.takeDirtyBlocks()},
      names: {count: this.names.count, blocks: this.names.takeDirtyBlocks()},
      nameCounts: bytesOf(this.nameCounts.slice(0, this.names.count)),
      windowBlocks: this.encodeWindows(this.windows),
      userBlocks: this.encodeUsers(this.userDeltas, this.profiles.cut()),
      fingerprints: encodeFresh(this.freshIds, this.messageIds.count),
      completedDeletions: this.deletions.takeCompleted(),
      erasedIds: encodeFresh(this.freshTombstones),
      erasedIdsFromDay: this.tombstonesFromDay,
      rest: {
        dedupeCount: this.messageIds.count,
        erasedUsers: [...this.erasedUsers],
        deletions: this.deletions.pending(),
        producers: [...this.producers].map(([id, {n, seenLogicalMs}]) => [id, n, seenLogicalMs] as const),
        nextOrdinal: this.open.baseOrdinal + this.open.count,
        nextChunk: this.open.chunk,
        logicalMs: this.logicalMs,
        lastTickMs: this.lastTickMs,
        erasedInLogSequence: this.erasedInLogSequence,
        dedupeHeldFromDay: Number.isFinite(this.messageIds.heldFromDay) ? this.messageIds.heldFromDay : null,
      },
    };
    this.windows = new WindowDeltas();
    this.frozenDeltas = this.userDeltas;
    this.userDeltas = new UserDeltas();
    this.freshIds = [];
    this.freshTombstones = [];
    return cut;
  }

  private *encodeWindows(windows: WindowDeltas): Generator<EncodedBlock> {
    const isErased = (user: number) => !this.users.has(user);
    for (const view of windows.encode(isErased))
      yield {first: view.firstDay, last: view.lastDay, payload: encodeWindows(view)};
  }

  /** Traits are printed user by user. AP1 (actors/user/active-profiles.ts) */
  private *encodeUsers(deltas: UserDeltas, profiles: ReadonlyMap<number, Profile>): Generator<EncodedBlock> {
    const writer = new UserBlockWriter();
    for (const record of deltas.records({get: (user) => profiles.get(user)?.printed()})) {
      if (!this.users.has(record.user)) continue;
      writer.add(record);
      if (writer.isFull) yield writer.finish();
    }
    if (!writer.isEmpty) yield writer.finish();
  }

  /** The frozen deltas are in parts now. */
  snapshotDone(): void {
    this.frozenDeltas = undefined;
    this.profiles.cutDone();
  }

  // ---- recovery ----

  /** Takes over a snapshot's small state; tables, fingerprints and the open chunk are restored piece by piece. */
  restore(
    sequence: number,
    mark: string,
    index: SnapshotIndex,
    nameCounts: Uint8Array | undefined,
    open: RestoredChunk | undefined,
  ): void {
    this.appliedSequence = sequence;
    this.appliedMark = mark;
    this.logicalMs = index.logicalMs;
    this.lastTickMs = index.lastTickMs;
    this.erasedInLogSequence = index.erasedInLogSequence;
    this.messageIds.heldFromDay = Math.max(
      this.messageIds.heldFromDay,
      index.dedupeHeldFromDay ?? Number.NEGATIVE_INFINITY,
    );
    this.erasedUsers = [...index.erasedUsers];
    for (const deletion of index.deletions) this.deletions.add(deletion);
    for (const [id, n, seenLogicalMs] of index.producers) this.producers.set(id, {n, seenLogicalMs});
    this.open = open ?? this.nextChunk(index.nextChunk, index.nextOrdinal);
    if (nameCounts === undefined) return;
    const counts = new Float64Array(nameCounts.slice().buffer);
    this.nameCounts = new Float64Array(Math.max(64, counts.length * 2));
    this.nameCounts.set(counts);
  }

  /**
   * Parts come in their order. `forgotten`: so many of the oldest ids in this part and those behind it are remembered no
   * more: one that was forgotten and came again is where it came last.
   * @returns how many are left of `forgotten`.
   */
  restoreMessageIds(day: number, payload: Uint8Array, forgotten: number): number {
    const stored = new StoredFingerprints(payload);
    const first = Math.min(forgotten, stored.count);
    stored.forEach(first, (print, content) => this.messageIds.add(print, 0, day, content));
    return forgotten - first;
  }

  restoreErasedIds(day: number, payload: Uint8Array): void {
    const stored = new StoredFingerprints(payload);
    this.tombstones.reserve(stored.count);
    stored.forEach(0, (print) => this.tombstones.add(print, 0, day));
  }
}

/** The newest `held` of them at most: the others are forgotten already. */
function* encodeFresh(
  fresh: readonly FreshFingerprints[],
  held = Number.POSITIVE_INFINITY,
): Generator<EncodedFingerprints> {
  let forgotten = Math.max(0, fresh.reduce((sum, {count}) => sum + count, 0) - held);
  for (const ofDay of fresh) {
    const skipped = Math.min(forgotten, ofDay.count);
    forgotten -= skipped;
    const count = ofDay.count - skipped;
    if (count > 0) yield {logicalDay: ofDay.day, count, payload: ofDay.bytesFrom(skipped)};
  }
}
