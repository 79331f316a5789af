// The partition actor: folds its log, in order, into user actors, the aggregator actor and rows.
//   Owns:    its position in the log, logical time, deletions; composes the other actors and the chunks of rows.
//   Does not own: parts. Closed chunks, cuts and missing profiles are returned to the shell (src/partition), which does the I/O.
//
//   P1. A message at or below the applied sequence, or one that its producer's number shows to be folded, changes nothing.
//   P2. A fold never suspends: it stops before an entry that needs something, and continues when that is there.
//   P5. A user lives in one partition.
//   P6. No clock in a fold: event time, log time, or the time that a tick carries.
//   P8 is in events.ts.

import type {Actor} from './actor.js';
import {Aggregator, type ErasedRow} from './aggregator/aggregator.js';
import {Arrivals} from './arrivals.js';
import {Changes} from './changes.js';
import type {ChunkInMemory} from './chunk/chunk.js';
import {Chunks} from './chunk/chunks.js';
import type {RowKernel} from './chunk/event-rows.js';
import type {RestoredChunk, Tables} from './chunk/restored-chunk.js';
import {Dedupe} from './dedupe/dedupe.js';
import {Deletions} from './deletions.js';
import {type AwaitedErasure, Erasures} from './erasures.js';
import {Events} from './events.js';
import {Completions} from './funnels/completions.js';
import {type Generations, newestOf, withGeneration} from './generations.js';
import {Identity, leftByte} from './identity/identity.js';
import type {Links} from './identity/links.js';
import type {Moves} from './identity/moves.js';
import {userHashOf} from './identity/user-hash.js';
import {assert, must} from './invariant.js';
import {dayMs} from './limits.js';
import {anonymousByte, entryKind} from './log/entries.js';
import {type EntryView, MessageCursor} from './log/entry-view.js';
import {LogicalTime} from './log/logical-time.js';
import {Producers} from './log/producers.js';
import type {DeletionRecord, Move, SnapshotDelta, SnapshotIndex} from './manifest.js';
import {EventRetention} from './retention.js';
import {UserActors} from './user/user-actors.js';

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
  | AwaitedErasure
  /**
   * A tick of this epoch was applied: freeze now, then continue the fold. `hasExpired`: events before `retention.fromMs` have expired;
   * before the freeze they are taken out of the open chunk and out of the directory of parts.
   */
  | {kind: 'tick'; epoch: number; gaps: number; hasExpired: boolean};

/** An effect that receivers may be told of; `entry`: number of its entry in the message. */
export type Effect =
  | {readonly type: 'user.identified'; readonly entry: number; readonly user: number}
  | {readonly type: 'funnel.completed'; readonly entry: number; readonly user: number; readonly funnel: string};

export class Partition {
  readonly partition: number;
  private readonly seeds: readonly [number, number, number];
  generations: Generations = [{generation: 1, ordinal: 0, users: 0}];
  appliedSequence = 0;
  /** Mark of the message at `appliedSequence`; empty before the first. */
  appliedMark = '';
  readonly time = new LogicalTime();
  private readonly producers = new Producers();
  readonly dedupe: Dedupe;
  readonly users = new UserActors((user) => this.identity.noteNewUser(user));
  readonly identity: Identity;
  readonly links: Links;
  readonly moves: Moves;
  readonly aggregator = new Aggregator();
  private readonly chunks: Chunks;
  readonly deletions = new Deletions();
  readonly retention = new EventRetention();
  readonly completions = new Completions((user) => this.identity.stays(user));
  private readonly changes = new Changes(() => this.users.identified());
  readonly events: Events;
  readonly erasures: Erasures;
  private readonly arrivals: Arrivals;
  private effects: Effect[] = [];

  constructor(setup: PartitionSetup) {
    this.partition = setup.partition;
    this.identity = new Identity(this.users.table, setup.partitions, () => this.chunks.forget());
    this.links = this.identity.links;
    this.moves = this.identity.moves;
    this.seeds = setup.seeds;
    this.dedupe = new Dedupe(setup.seeds, setup.dedupeBytesMax);
    this.chunks = new Chunks(setup.rowKernel, this.tables);
    const {time, dedupe, deletions, retention, changes, identity, users, aggregator, chunks} = this;
    const hashOf = (key: Uint8Array): string => this.hashOf(key);
    const actors = {time, dedupe, deletions, retention, changes, identity, users, aggregator, chunks, hashOf};
    this.events = new Events(actors);
    this.arrivals = new Arrivals(actors, this.events);
    this.erasures = new Erasures(setup, actors, () => this.generation);
  }

  /** A snapshot has the parts of all of them. The changes are frozen before the users, which have the identified ones. */
  get actors(): readonly Actor[] {
    const {time, producers, dedupe, deletions, retention, completions, changes} = this;
    const {identity, links, moves, users, aggregator} = this;
    const own = [time, producers, dedupe, deletions, retention, completions, changes];
    return [...own, identity, links, moves, users, aggregator, ...this.events.rowActors];
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
    if (this.producers.apply(cursor, this.logicalMs)) return cursor;
    this.setApplied(sequence, cursor);
    this.events.tally.redelivered += 1;
    if (this.deletions.size > 0) this.deletions.noteErasedInLog(sequence);
    return undefined;
  }

  /** Folds from the cursor's next entry; `again` repeats the entry that it stopped before. */
  fold(sequence: number, cursor: MessageCursor, again = false): Suspension {
    const {entry} = cursor;
    let repeats = again;
    while (repeats || this.events.next(cursor)) {
      const isRepeated = repeats;
      repeats = false;
      switch (entry.kind) {
        case entryKind.event:
          this.events.apply(entry, sequence);
          break;
        case entryKind.identify: {
          const stop = this.applyIdentify(cursor, sequence, isRepeated);
          if (stop !== undefined) return stop;
          break;
        }
        case entryKind.erase:
          if (!this.erasures.isRepeated(entry)) {
            const awaited = this.erasures.awaited(entry);
            if (awaited.kind === 'name_erasure') this.events.touchFunnels();
            return awaited;
          }
          this.deletions.noteErasedInLog(sequence); // The copy names the user.
          break;
        case entryKind.link:
          if (entry.isTakenBack) {
            this.deletions.noteErasedInLog(sequence);
            if (this.identity.takeBackLink(entry)) this.events.touchFunnels();
          } else this.identity.apply(entry);
          break;
        case entryKind.leave:
          if (this.identity.applyLeave(entry, this.generation)) this.events.touchFunnels();
          break;
        case entryKind.complete:
          this.applyComplete(cursor);
          break;
        case entryKind.retain:
          this.retention.apply(entry.retaining(), this.logicalMs);
          this.chunks.keepFrom(this.retention.fromMs);
          break;
        case entryKind.arrive:
          this.arrivals.apply(cursor, sequence);
          break;
        case entryKind.tick: {
          assert(cursor.count === 1, 'a tick is alone in its message: the position of a snapshot is a message');
          this.setApplied(sequence, cursor);
          if (this.time.apply(entry)) return this.ticked(entry, sequence);
          break;
        }
      }
    }
    this.setApplied(sequence, cursor);
    return {kind: 'done'};
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
    const ordinal = this.chunks.nextOrdinal;
    const users = this.users.table.count;
    this.generations = withGeneration(this.generations, {generation, ordinal, users});
  }

  /** The log lost its tail and is another one: it is read from its start, and P1 skips by producer alone. */
  rewind(): void {
    this.beginGeneration(this.generation + 1);
    this.appliedSequence = 0;
    this.appliedMark = '';
    this.deletions.noteErasedInLog(0);
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
    if (entry.hasMessageId && !isRepeated && !this.events.admit(entry, sequence, this.events.identifies))
      return undefined;
    const day = Math.floor(this.logicalMs / dayMs);
    const id = entry.hasMessageId ? {print: this.dedupe.fingerprintOf(entry), day} : undefined;
    const user = this.users.applyIdentify(entry, id);
    if (user !== undefined) return {kind: 'profile', user};
    this.events.identifies.counted += 1;
    const identified = this.users.table.find(entry.bytes, entry.keyStart, entry.keyEnd);
    this.effects.push({type: 'user.identified', entry: cursor.index, user: identified});
    return undefined;
  }

  private ticked(entry: EntryView, sequence: number): Suspension {
    this.dedupe.expire(this.logicalMs);
    this.deletions.expireBefore(this.logicalMs);
    this.producers.forgetUnseen(this.logicalMs, entry.periodMs);
    const hasExpired = this.retention.applyTick(entry.timeMs, this.logicalMs);
    if (hasExpired) {
      this.chunks.keepFrom(this.retention.fromMs);
      this.deletions.noteErasedInLog(sequence); // The log may still have them.
    }
    return {kind: 'tick', epoch: entry.epoch, gaps: this.producers.takeGaps(), hasExpired};
  }

  /**
   * Events before `retention.fromMs` have expired. Call it after the tick, in the step in which the directory of parts leaves them
   * out, while no snapshot is being written. `left`: the open chunk without them; undefined: it has none of them.
   */
  expire(left: RestoredChunk | undefined, rows: readonly ErasedRow[]): void {
    this.moves.expire(this.retention.fromMs);
    if (left === undefined) return;
    this.replaceOpen(left);
    this.dropUncounted(rows);
  }

  private get logicalMs(): number {
    return this.time.logicalMs;
  }

  /** Effects of the entries folded since the last call. */
  takeEffects(): readonly Effect[] {
    const {effects} = this;
    if (effects.length > 0) this.effects = [];
    return effects;
  }

  private applyComplete({entry, index}: MessageCursor): void {
    const completion = entry.completion();
    const {funnel} = completion;
    for (const user of this.completions.apply(completion))
      this.effects.push({type: 'funnel.completed', entry: index, user, funnel});
  }

  // ---- identity ----

  /** Fingerprint of a body's message id. A user who left had another key when it sent the event. */
  fingerprintOf(body: EntryView): Uint32Array {
    if (body.bytes[body.keyStart] === leftByte) body.bytes[body.keyStart] = anonymousByte;
    return this.dedupe.fingerprintOf(body);
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

  /** Forgets rows that counted no more, of users who left or expired, which were removed from their chunk, and names without rows. */
  dropUncounted(rows: readonly ErasedRow[]): void {
    this.aggregator.subtract(rows, true);
    this.chunks.forget();
  }

  // ---- erasure ----

  /** Replaces the open chunk by one without the rows of a user. */
  replaceOpen(left: RestoredChunk): void {
    this.chunks.replaceOpen(left);
  }

  /**
   * Whether a deletion is later than this state: an older backup was restored, or the log lost its tail. If its entry had
   * been folded, it would be on record: its record has not expired yet.
   */
  lacks({id, expiresLogicalMs}: Pick<DeletionRecord, 'id' | 'expiresLogicalMs'>): boolean {
    return !this.deletions.has(id) && expiresLogicalMs >= this.logicalMs;
  }

  /** Keyed hash of a user key, hex: identifies a user in records without naming it. */
  hashOf(key: Uint8Array): string {
    return userHashOf(this.seeds, key, 0, key.length);
  }

  // ---- snapshots ----

  /**
   * Freezes what is dirty and marks it clean. What is frozen stays readable until `snapshotDone`; no user is erased before that.
   * The shell takes the open chunk.
   */
  freeze(): SnapshotDelta {
    const {appliedSequence: sequence, generation, logicalMs, users, moves} = this;
    const parts = this.actors.map((actor) => actor.freeze({generation, sequence, logicalMs}));
    return {
      sequence,
      mark: this.appliedMark,
      asOfMs: this.time.lastTickMs,
      nextOrdinal: this.chunks.nextOrdinal,
      nextChunk: this.open.chunk,
      moveCounts: moves.counts,
      moves: [...moves.pending],
      parts,
      windowBlocks: this.aggregator.freezeRun(
        (user) => !users.table.has(user) || moves.leftOut.has(user),
        this.retention.fromDay,
      ),
      userBlocks: users.freezeRun(), // After the changes, which have the identified users.
      erasedUsers: users.erasedInRuns,
    };
  }

  /** Ends the freeze: the frozen changes are in parts now. */
  snapshotDone(): void {
    for (const actor of this.actors) actor.snapshotDone?.();
  }

  // ---- recovery ----

  /** Restores the position and the open chunk of a snapshot; its actors are restored part by part. */
  restore(
    sequence: number,
    mark: string,
    {nextChunk, nextOrdinal}: Pick<SnapshotIndex, 'nextChunk' | 'nextOrdinal'>,
    open: RestoredChunk | undefined,
  ): void {
    this.appliedSequence = sequence;
    this.appliedMark = mark;
    this.chunks.restore(open, nextChunk, nextOrdinal);
    this.chunks.keepFrom(this.retention.fromMs);
  }
}
