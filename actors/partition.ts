// The partition actor: folds its log, in order, into user actors, the aggregator actor and rows.
//   Owns:    its position in the log, logical time, deletions; composes the other actors and the chunks of rows.
//   Does not own: parts. Closed chunks, cuts and missing profiles are returned to the shell (src/partition), which does the I/O.
//
//   P1. A message at or below the applied sequence, or one that its producer's number shows to be folded, changes nothing.
//   P2. A fold never suspends: it stops before an entry that needs something, and continues when that is there.
//   P5. A user lives in one partition.
//   P6. No clock in a fold: event time, log time, or the time that a tick carries.
//   P8. Received = counted + arrived + duplicate + erased (`tally`), always.

import {Aggregator, type AggregatorDelta, type ErasedRow} from './aggregator/aggregator.js';
import {partitionOf} from './bytes/hash.js';
import {Changes, type ChangesRecord} from './changes.js';
import type {ChunkInMemory} from './chunk/chunk.js';
import {type ChunkRun, Chunks} from './chunk/chunks.js';
import type {RowKernel} from './chunk/event-rows.js';
import type {RestoredChunk, Tables} from './chunk/restored-chunk.js';
import {Dedupe, type DedupeDelta} from './dedupe/dedupe.js';
import {Deletions} from './deletions.js';
import {type CompletedDelta, Completions} from './funnels/completions.js';
import {StepWatch, type WatchedFunnel} from './funnels/step-watch.js';
import {type Generations, newestOf, withGeneration} from './generations.js';
import {Identity, leftByte} from './identity/identity.js';
import {joinedIn, originOf} from './identity/joined.js';
import type {Links, LinksDelta} from './identity/links.js';
import type {Arriving, Moves} from './identity/moves.js';
import {userHashOf} from './identity/user-hash.js';
import {assert, must} from './invariant.js';
import {changesMs, chunkRowsMax, dayMs, tombstoneMs} from './limits.js';
import {type Arrival, anonymousByte, entryKind, nameByte, nameKey} from './log/entries.js';
import {type EntryView, MessageCursor} from './log/entry-view.js';
import {Producers} from './log/producers.js';
import type {DeletionRecord, Move, SnapshotIndex} from './manifest.js';
import type {UserSet} from './table/user-set.js';
import {UserActors, type UsersDelta} from './user/user-actors.js';

export interface PartitionSetup {
  readonly partition: number;
  /** Number of partitions. */
  readonly partitions: number;
  /** Secret of the deployment: the key of message-id fingerprints and user hashes. */
  readonly seeds: readonly [number, number, number];
  readonly dedupeBytesMax: number;
  /** Appends the rows of events; each partition has its own. */
  readonly rowKernel: RowKernel;
}

/** Why a fold stopped before the end of its message. */
export type Suspension =
  | {kind: 'done'}
  /** The entry at the cursor identifies a user whose profile is not active: `activate` it, then continue the fold. */
  | {kind: 'profile'; user: number}
  /** The entry at the cursor erases these users: erase them from all parts, then `applyErasure`, then continue the fold. */
  | {kind: 'erasure'; users: readonly number[]}
  /**
   * The entry at the cursor erases all events of this name: erase them from all parts, then `applyNameErasure`, then continue the
   * fold. -1: there are none.
   */
  | {kind: 'name_erasure'; name: number}
  /** A tick was applied: freeze now, then continue the fold. */
  | {kind: 'tick'; gaps: number};

/** An effect that receivers may be told of; `entry`: number of its entry in the message. */
export type Effect =
  | {readonly type: 'user.identified'; readonly entry: number; readonly user: number}
  | {readonly type: 'funnel.completed'; readonly entry: number; readonly user: number; readonly funnel: string};

/**
 * The frozen changes since the last snapshot, which the shell writes as parts. Iterables are single-use and encode lazily;
 * drain them before `snapshotDone`. Folding may continue meanwhile and does not change them (manifest.ts P7).
 */
export interface SnapshotDelta
  extends DedupeDelta,
    AggregatorDelta,
    LinksDelta,
    Pick<UsersDelta, 'users' | 'userBlocks'> {
  readonly sequence: number;
  readonly mark: string;
  readonly asOfMs: number;
  /** Newly completed deletions, the newest last. */
  readonly completedDeletions: readonly DeletionRecord[];
  readonly changes: ChangesRecord;
  readonly arriving: readonly Arriving[];
  readonly completed: readonly CompletedDelta[];
  /** First logical day whose erased ids are remembered. */
  readonly erasedIdsFromDay: number;
  readonly rest: {readonly dedupeCount: number} & Pick<
    SnapshotIndex,
    | 'erasedUsers'
    | 'candidates'
    | 'moves'
    | 'moveCounts'
    | 'deletions'
    | 'lateLinks'
    | 'deletionsToTell'
    | 'erasedInLogSequence'
    | 'producers'
    | 'nextOrdinal'
    | 'nextChunk'
    | 'logicalMs'
    | 'lastTickMs'
    | 'dedupeHeldFromDay'
  >;
}

/** Number of entries with a known message id: of entries that are kept, and of erased ones. */
interface Copies {
  duplicate: number;
  tombstoned: number;
}

/** A user whose rows were erased from all parts. */
interface ErasedUser {
  readonly user: number;
  readonly rows: readonly ErasedRow[];
  /** Fingerprints of the message ids of these rows, and of the user's identifies. */
  readonly fingerprints: readonly Uint32Array[];
  /** Whether its events are in the log of the partition that it leaves for: they are deleted, and counted, there. */
  readonly isSent: boolean;
}

export interface CorrectedUser {
  readonly user: number;
  readonly createdMs: number;
  readonly lastEventMs: number | undefined;
  readonly isIdentified: boolean;
}

/** Events of a name that were erased from all parts. */
export interface NameErasure {
  readonly name: number;
  /** Number of events that are deleted here: those of users whose events are sent to another partition are counted there. */
  readonly events: number;
  /** Number of events by epoch hour, without those of users who left. */
  readonly cells: ReadonlyMap<number, number>;
  /** Users by the epoch days of which none of their events is left. */
  readonly inactive: ReadonlyMap<number, UserSet>;
  /** Users of whom neither an event nor an identify is left. */
  readonly gone: readonly number[];
  /** What the other users of these events are without them; times in epoch ms. */
  corrected(): Iterable<CorrectedUser>;
  /** Rows of users in moves. */
  readonly rowsInMoves: ReadonlyMap<number, readonly ErasedRow[]>;
  /** Fingerprints of the events' message ids. */
  readonly fingerprints: readonly Uint32Array[];
  /** Ids of the events that came from other partitions. */
  readonly arrived: readonly string[];
}

export class Partition {
  readonly partition: number;
  private readonly partitions: number;
  private readonly seeds: readonly [number, number, number];
  generations: Generations = [{generation: 1, ordinal: 0, users: 0}];
  appliedSequence = 0;
  /** Mark of the message at `appliedSequence`; empty before the first. */
  appliedMark = '';
  private readonly producers = new Producers();
  readonly dedupe: Dedupe;
  readonly users = new UserActors((user) => this.identity.noteNewUser(user));
  readonly identity: Identity;
  readonly links: Links;
  readonly moves: Moves;
  readonly aggregator = new Aggregator();
  private readonly chunks: Chunks;
  /** Whether a row is the first of its user on its day, per row of a run. */
  private readonly isNewDay = new Uint8Array(chunkRowsMax);
  readonly deletions = new Deletions();
  /** Ids of completed deletions that the shell has not told receivers of. */
  readonly deletionsToTell = new Set<string>();
  readonly completions = new Completions();
  /** Absent if no funnel is saved. */
  private stepWatch: StepWatch | undefined;
  private effects: Effect[] = [];
  private readonly changes = new Changes();
  private logicalMs = 0;
  private lastTickMs = 0;
  /** Last message that may hold entries of an erased user after its erase entry (late retries); 0: none in the log. */
  private erasedInLogSequence = 0;
  /** Counts of events since this process started. P8 */
  readonly tally = {counted: 0, arrived: 0, duplicate: 0, tombstoned: 0, redelivered: 0};
  /** Counts of identifies, as in `tally`. */
  readonly identifies = {counted: 0, duplicate: 0, tombstoned: 0};

  constructor(setup: PartitionSetup) {
    this.partition = setup.partition;
    this.partitions = setup.partitions;
    this.identity = new Identity(this.users.table, setup.partitions, () => this.chunks.forget());
    this.links = this.identity.links;
    this.moves = this.identity.moves;
    this.seeds = setup.seeds;
    this.dedupe = new Dedupe(setup.seeds, setup.dedupeBytesMax);
    this.chunks = new Chunks(setup.rowKernel, this.tables);
  }

  /** User keys and event names by index, for readers of rows. */
  get tables(): Tables {
    return {users: this.users.table, names: this.aggregator.names};
  }

  /** The chunk that rows are appended to. */
  get open(): ChunkInMemory {
    return this.chunks.open;
  }

  // ---- folding ----

  /** A cursor over a new message; undefined when P1 says to skip it. */
  openMessage(sequence: number, bytes: Uint8Array): MessageCursor | undefined {
    if (sequence <= this.appliedSequence) return undefined;
    const cursor = new MessageCursor(bytes);
    if (this.producers.accept(cursor.producer, cursor.n, this.logicalMs)) return cursor;
    this.setApplied(sequence, cursor);
    this.tally.redelivered += 1;
    if (this.deletions.size > 0) this.erasedInLogSequence = sequence;
    return undefined;
  }

  /** Folds from the cursor's next entry; `again` repeats the entry that it stopped before. */
  fold(sequence: number, cursor: MessageCursor, again = false): Suspension {
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
          const stop = this.applyIdentify(cursor, sequence, isRepeated);
          if (stop !== undefined) return stop;
          break;
        }
        case entryKind.erase:
          if (this.hasErased(entry)) {
            this.erasedInLogSequence = sequence; // The copy names the user.
            break;
          }
          if (entry.bytes[entry.keyStart] === nameByte && entry.keyEnd > entry.keyStart) {
            return {
              kind: 'name_erasure',
              name: this.aggregator.names.find(entry.bytes, entry.keyStart + 1, entry.keyEnd),
            };
          }
          return {kind: 'erasure', users: this.identity.usersOf(entry)};
        case entryKind.link:
          if (entry.isTakenBack) {
            this.erasedInLogSequence = sequence;
            if (this.identity.takeBackLink(entry)) this.stepWatch?.touchAll();
          } else this.identity.applyLink(entry);
          break;
        case entryKind.leave:
          if (this.identity.applyLeave(entry, this.generation)) this.stepWatch?.touchAll();
          break;
        case entryKind.complete:
          this.applyComplete(cursor);
          break;
        case entryKind.arrive:
          this.applyArrival(must(entry.arrival, 'log: an arrive entry says what arrives'), cursor, sequence);
          break;
        case entryKind.tick: {
          assert(cursor.count === 1, 'a tick is alone in its message: the position of a snapshot is a message');
          this.setApplied(sequence, cursor);
          return this.applyTick(entry);
        }
      }
    }
    this.setApplied(sequence, cursor);
    return {kind: 'done'};
  }

  /** Moves to the next entry that is no ordinary event, and folds the runs of ordinary events before it. */
  private nextEntry(cursor: MessageCursor): boolean {
    const {users} = this;
    for (let run = this.chunks.take(cursor, users); run !== undefined; run = this.chunks.take(cursor, users))
      this.applyRun(run);
    return cursor.next();
  }

  private setApplied(sequence: number, cursor: MessageCursor): void {
    this.appliedSequence = sequence;
    this.appliedMark = cursor.mark;
  }

  /** Generation of the folded log. Only sequences of one generation are comparable. */
  get generation(): number {
    return newestOf(this.generations);
  }

  beginGeneration(generation: number): void {
    const ordinal = this.open.baseOrdinal + this.open.count;
    const users = this.users.table.count;
    this.generations = withGeneration(this.generations, {generation, ordinal, users});
  }

  /** The log lost its tail and is another one: it is read from its start, and P1 skips by producer alone. */
  rewind(): void {
    this.beginGeneration(this.generation + 1);
    this.appliedSequence = 0;
    this.appliedMark = '';
    this.erasedInLogSequence = 0;
  }

  private applyEvent(entry: EntryView, sequence: number): void {
    if (entry.hasMessageId && !this.admit(entry, sequence, this.tally)) return;
    const user = this.users.intern(entry.bytes, entry.keyStart, entry.keyEnd);
    const name = this.aggregator.internName(entry.bytes, entry.textStart, entry.textEnd);
    const isNewDay = this.users.applyEvent(user, entry.timeMs, this.chunks.nextRowChunk);
    this.aggregator.applyEvent(entry.timeMs, name, user, isNewDay);
    this.chunks.append(entry, user, name);
    this.stepWatch?.noteRow(name, user, entry.timeMs);
    this.tally.counted += 1;
  }

  /** Applies rows that the kernel has appended already, like `applyEvent`. */
  private applyRun(run: ChunkRun): void {
    const {isNewDay} = this;
    this.users.applyRun(run, isNewDay);
    this.aggregator.applyRun(run, isNewDay);
    this.stepWatch?.noteRun(run);
    this.tally.counted += run.end - run.start;
  }

  /** Whether to apply an entry that has a message id. */
  private admit(entry: EntryView, sequence: number, tally: Copies): boolean {
    switch (this.dedupe.admit(entry, this.logicalMs)) {
      case 'first':
        return true;
      case 'duplicate':
        tally.duplicate += 1;
        return false;
      case 'erased':
        tally.tombstoned += 1;
        this.erasedInLogSequence = sequence;
        this.identity.noteLateLink(entry);
        return false;
    }
  }

  /** Logical time back to which every message id is remembered. */
  get dedupeWindowMs(): number {
    return this.dedupe.windowMs(this.logicalMs);
  }

  takeClosedChunks(): ChunkInMemory[] {
    return this.chunks.takeClosed();
  }

  /** `isRepeated`: its message id was checked before the fold stopped to load the profile. */
  private applyIdentify(cursor: MessageCursor, sequence: number, isRepeated: boolean): Suspension | undefined {
    const {entry} = cursor;
    if (entry.hasMessageId && !isRepeated && !this.admit(entry, sequence, this.identifies)) return undefined;
    const day = Math.floor(this.logicalMs / dayMs);
    const id = entry.hasMessageId ? {print: this.dedupe.fingerprintOf(entry), day} : undefined;
    const user = this.users.applyIdentify(entry, id);
    if (user !== undefined) return {kind: 'profile', user};
    this.identifies.counted += 1;
    const identified = this.users.table.find(entry.bytes, entry.keyStart, entry.keyEnd);
    this.effects.push({type: 'user.identified', entry: cursor.index, user: identified});
    return undefined;
  }

  private applyTick(entry: EntryView): Suspension {
    // Logical time advances at most one period a tick, and never goes back: a wrong clock expires nothing.
    this.logicalMs += Math.min(Math.max(entry.timeMs - this.lastTickMs, 0), entry.periodMs);
    this.lastTickMs = entry.timeMs;
    this.dedupe.expire(this.logicalMs);
    this.deletions.expireBefore(this.logicalMs);
    this.producers.forgetUnseen(this.logicalMs, entry.periodMs);
    return {kind: 'tick', gaps: this.producers.takeGaps()};
  }

  /** Effects of the entries folded since the last call. */
  takeEffects(): readonly Effect[] {
    const {effects} = this;
    if (effects.length > 0) this.effects = [];
    return effects;
  }

  // ---- saved funnels ----

  /** Watches for rows of these funnels from now on, within `bytesMax`. */
  watchFunnels(funnels: readonly WatchedFunnel[], bytesMax: number): StepWatch | undefined {
    const {names} = this.aggregator;
    const {count} = this.users.table;
    this.stepWatch = funnels.length === 0 ? undefined : new StepWatch(names, funnels, count, bytesMax);
    return this.stepWatch;
  }

  private applyComplete({entry, index}: MessageCursor): void {
    const completion = entry.completion();
    const {funnel} = completion;
    for (const user of this.completions.apply(completion, (one) => this.identity.stays(one)))
      this.effects.push({type: 'funnel.completed', entry: index, user, funnel});
  }

  // ---- identity ----

  /** Fingerprint of a body's message id. A user who left had another key when it sent the event. */
  fingerprintOf(body: EntryView): Uint32Array {
    if (body.bytes[body.keyStart] === leftByte) body.bytes[body.keyStart] = anonymousByte;
    return this.dedupe.fingerprintOf(body);
  }

  private applyArrival(arrival: Arrival, cursor: MessageCursor, sequence: number): void {
    const messages = this.moves.arrive(arrival, cursor.bytes);
    const {counted} = this.tally;
    for (const bytes of messages ?? []) {
      const events = new MessageCursor(bytes);
      events.next();
      while (this.nextArrival(events)) {
        const before = this.tally.counted;
        if (this.wasErased(events.entry)) {
          this.changes.add({kind: 'removed', event: originOf(events.entry)});
          this.erasedInLogSequence = sequence;
          continue;
        }
        this.applyEvent(events.entry, sequence);
        const {entry} = events;
        if (this.tally.counted === before) this.changes.add({kind: 'removed', event: originOf(entry)});
      }
    }
    for (const joined of joinedIn(messages ?? [], this.users.table, (key) => this.hashOf(key)))
      this.changes.add({kind: 'joined', userHash: this.hashOf(this.users.table.bytesOf(joined.user)), ...joined});
    this.tally.arrived += this.tally.counted - counted;
    this.tally.counted = counted;
    cursor.skip(cursor.left, cursor.bytes.length);
    // These bytes may be of a user who was deleted since.
    if (messages === undefined && this.deletions.size > 0) this.erasedInLogSequence = sequence;
  }

  /** Events of a move one by one where a name was deleted, as some may be of this name; else in runs. */
  private nextArrival(cursor: MessageCursor): boolean {
    return this.deletions.hasNames ? cursor.next() : this.nextEntry(cursor);
  }

  /**
   * Whether an event that arrives was received before all events of its name were deleted here: it was on its way. The deletion counts
   * it, and its message id is remembered as an erased one.
   */
  private wasErased(entry: EntryView): boolean {
    if (!this.deletions.hasNames) return false;
    const deletion = this.deletions.newestOf(this.hashOf(nameKey(entry.text())));
    if (deletion?.receivedMs === undefined || entry.receivedMs > deletion.receivedMs) return false;
    if (entry.hasMessageId) this.dedupe.addErased([this.dedupe.fingerprintOf(entry)], this.logicalMs);
    this.deletions.add({...deletion, eventsDeleted: deletion.eventsDeleted + 1});
    return true;
  }

  /**
   * Settles the moves up to `n`: the destination's published snapshot counts them. No snapshot may be in progress. Returns the
   * settled moves.
   */
  settle(to: number, n: number): readonly Move[] {
    const settled = this.moves.settle(to, n);
    for (const {users, contents} of settled) {
      this.aggregator.leave(must(contents, 'a published move has its contents').cells);
      this.users.leaveDays(users);
    }
    return settled;
  }

  /** Forgets rows of users who left, which were removed from their chunk, and names without rows. */
  dropLeft(rows: readonly ErasedRow[]): void {
    this.aggregator.subtract(rows, true);
    this.chunks.forget();
  }

  // ---- erasure ----

  /** Whether this step of the deletion was folded: an owner appends again a step that its predecessor may have appended. */
  private hasErased(entry: EntryView): boolean {
    const held = this.deletions.get(entry.text());
    if (held === undefined || held.userHash !== this.userHash(entry.bytes, entry.keyStart, entry.keyEnd)) return false;
    return (held.stepsLeft ?? 0) <= entry.onward().length;
  }

  /** Replaces the open chunk by one without the rows of a user. */
  replaceOpen(left: RestoredChunk): void {
    this.chunks.replaceOpen(left);
  }

  /** Keyed hash of a user key, hex: identifies a user in deletion records without naming it. */
  userHash(bytes: Uint8Array, start: number, end: number): string {
    return userHashOf(this.seeds, bytes, start, end);
  }

  /**
   * Applies the erase entry at the cursor, after the shell erased its users' rows from all parts. The open chunk has none of
   * them.
   */
  applyErasure(sequence: number, entry: EntryView, erased: readonly ErasedUser[]): void {
    const {bytes, keyStart, keyEnd} = entry;
    for (const one of erased) this.noteErased(one);
    // The user's own partition records the erasure, before any later event of that user.
    const isHere = partitionOf(bytes, keyStart, keyEnd, this.partitions) === this.partition;
    if (isHere && keyEnd > keyStart && bytes[keyStart] !== anonymousByte)
      this.changes.add({kind: 'erased', userHash: this.userHash(bytes, keyStart, keyEnd)});
    let eventsDeleted = 0;
    for (const one of erased) eventsDeleted += this.forgetErased(one);
    const deviceHashes = this.identity.deviceKeysOf(bytes, keyStart, keyEnd).map((key) => this.hashOf(key));
    this.links.forgetOwner(bytes, keyStart, keyEnd);
    this.moves.forgetArriving();
    this.chunks.forget();
    this.recordDeletion(sequence, entry, eventsDeleted, deviceHashes);
  }

  /** Applies the erase entry of a name at the cursor, after the shell erased its events from all parts; undefined: there were none. */
  applyNameErasure(sequence: number, entry: EntryView, erased: NameErasure | undefined): void {
    const eventHash = this.userHash(entry.bytes, entry.keyStart, entry.keyEnd);
    if (erased !== undefined) {
      // A copy deletes what it has of this name up to here. Events that came from other partitions have ids of these.
      const last = this.open.baseOrdinal + this.open.count - 1;
      this.changes.add({kind: 'erased', eventHash, through: `${this.partition}-${last}`});
      for (const event of erased.arrived) this.changes.add({kind: 'removed', event});
      this.aggregator.eraseName(erased.name, erased.cells, erased.inactive);
      this.dedupe.addErased(erased.fingerprints, this.logicalMs);
      for (const [user, rows] of erased.rowsInMoves) this.moves.eraseRows(user, rows);
      for (const {user, createdMs, lastEventMs, isIdentified} of erased.corrected()) {
        this.users.deltas.correct(user, createdMs, lastEventMs);
        if (isIdentified) this.users.deltas.tellAgain(user);
      }
      for (const user of erased.gone) {
        this.moves.erase(user, []);
        this.users.forget(user, false);
      }
    }
    this.moves.forgetArriving();
    this.chunks.forget();
    this.recordDeletion(sequence, entry, erased?.events ?? 0, [], true);
  }

  /** Takes an erased user out of the state. @returns the number of events that are deleted here. */
  private forgetErased({user, rows, fingerprints, isSent}: ErasedUser): number {
    const hasLeft = this.moves.leftOut.has(user);
    this.moves.erase(user, rows);
    this.aggregator.subtract(rows, hasLeft);
    this.dedupe.addErased(fingerprints, this.logicalMs);
    this.users.forget(user, rows.length > 0 && !hasLeft);
    return hasLeft || isSent ? 0 : rows.length;
  }

  /**
   * The deletion has two steps in the user's partition if that has devices of the user, too: the last step follows the events of
   * those devices, and adds to the record of the first.
   */
  private recordDeletion(
    sequence: number,
    entry: EntryView,
    eventsDeleted: number,
    deviceHashes: string[],
    isOfName = false,
  ): void {
    const id = entry.text();
    const held = this.deletions.get(id);
    const partitions = entry.onward();
    this.deletions.add({
      id,
      userHash: held?.userHash ?? this.userHash(entry.bytes, entry.keyStart, entry.keyEnd),
      ...(isOfName && {isOfName, receivedMs: entry.receivedMs}),
      deviceHashes: [...(held?.deviceHashes ?? []), ...deviceHashes],
      position: {generation: this.generation, sequence},
      eventsDeleted: eventsDeleted + (held?.eventsDeleted ?? 0),
      ...(partitions.length > 0 && {onward: {key: entry.userKey(), partitions}, stepsLeft: partitions.length}),
      completed: null,
      expiresLogicalMs: this.logicalMs + tombstoneMs,
    });
  }

  /** Notes an erasure. For an anonymous user it names the range of events: others under the same key may be another user's. */
  private noteErased({user, rows}: ErasedUser): void {
    const [kind] = this.users.table.bytesOf(user);
    if ((kind !== anonymousByte && kind !== leftByte) || rows.length === 0 || this.moves.leftOut.has(user)) return;
    const ordinals = rows.map(({ordinal}) => ordinal);
    const idOf = (ordinal: number): string => `${this.partition}-${ordinal}`;
    const from = idOf(ordinals.reduce((a, b) => Math.min(a, b)));
    const through = idOf(ordinals.reduce((a, b) => Math.max(a, b)));
    this.changes.add({kind: 'erased', userHash: this.hashOf(this.identity.deviceKeyOf(user)), from, through});
  }

  /** Records what the shell did and checked; the next cut has it. */
  completeDeletion(id: string, completed: NonNullable<DeletionRecord['completed']>): void {
    this.deletions.complete(id, completed);
    if (this.deletions.get(id)?.isOfName !== true) this.deletionsToTell.add(id); // Receivers are told of users.
  }

  /** Whether the log has a late entry that names an erased user, and must be cleaned again. */
  get hasErasedInLog(): boolean {
    return this.erasedInLogSequence > 0;
  }

  /** Notes that the log has no message up to `sequence` any more. */
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

  /** Keyed hash of a user key. */
  hashOf(key: Uint8Array): string {
    return this.userHash(key, 0, key.length);
  }

  /** Deletions that the disk may still contradict. */
  pendingDeletions(): DeletionRecord[] {
    return this.deletions.pending();
  }

  // ---- snapshots ----

  /**
   * Freezes what is dirty and marks it clean. Frozen deltas stay readable until `snapshotDone`; no user is erased before that.
   * The shell takes the open chunk.
   */
  freeze(): SnapshotDelta {
    const {erasedUsers, identified, ...users} = this.users.freeze();
    return {
      sequence: this.appliedSequence,
      mark: this.appliedMark,
      asOfMs: this.lastTickMs,
      ...users,
      ...this.aggregator.freeze((user) => !this.users.table.has(user) || this.moves.leftOut.has(user)),
      ...this.dedupe.freeze(),
      ...this.links.freeze(),
      completed: this.completions.freeze(),
      completedDeletions: this.deletions.takeCompleted(),
      changes: {
        generation: this.generation,
        sequence: this.appliedSequence,
        expiresLogicalMs: this.logicalMs + changesMs,
        facts: this.changes.take(),
        identified,
      },
      arriving: this.moves.arriving,
      erasedIdsFromDay: this.dedupe.erasedFromDay(this.logicalMs),
      rest: {
        dedupeCount: this.dedupe.messageIds.count,
        erasedUsers,
        candidates: [...this.moves.candidates],
        moves: [...this.moves.pending],
        moveCounts: this.moves.counts,
        deletions: this.deletions.pending(),
        ...(this.identity.lateLinks.size > 0 && {lateLinks: [...this.identity.lateLinks.values()]}),
        deletionsToTell: [...this.deletionsToTell],
        producers: this.producers.stored(),
        nextOrdinal: this.open.baseOrdinal + this.open.count,
        nextChunk: this.open.chunk,
        logicalMs: this.logicalMs,
        lastTickMs: this.lastTickMs,
        erasedInLogSequence: this.erasedInLogSequence,
        dedupeHeldFromDay: this.dedupe.heldFromDay,
      },
    };
  }

  /** Ends the freeze: the frozen changes are in parts now. */
  snapshotDone(): void {
    this.users.snapshotDone();
  }

  // ---- recovery ----

  /** Restores a snapshot's small state; tables, fingerprints and the open chunk are restored piece by piece. */
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
    this.dedupe.restoreHeldFromDay(index.dedupeHeldFromDay);
    this.users.restoreErased(index.erasedUsers);
    this.moves.restore(index.moveCounts, index.moves, index.candidates);
    for (const deletion of index.deletions) this.deletions.add(deletion);
    for (const link of index.lateLinks ?? []) this.identity.addLateLink(link);
    for (const id of index.deletionsToTell) this.deletionsToTell.add(id);
    this.producers.restore(index.producers);
    this.chunks.restore(open, index.nextChunk, index.nextOrdinal);
    if (nameCounts !== undefined) this.aggregator.restoreCounts(nameCounts);
  }
}
