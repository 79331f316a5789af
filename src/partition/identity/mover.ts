// Takes users who leave a partition from candidate to settled (actors/identity/moves.ts). The partition's owner runs it.
//   candidate -> leave entry and tick -> published -> events appended to the destination's log -> published there -> settled
//   Owns:    when each step happens. Does not own: the fold (actors/partition.ts), nor the publishing (snapshot/).
//   MV1. Moves are appended in the order of their numbers, and only those of a published snapshot (J2). A new owner appends
//        again what its predecessor may have appended. A move is also appended again when its destination does not publish it
//        for long. Repeated moves count once (J3).
//   MV2. An unreadable part holds up the users who have rows in it, and later moves to their destination. No other user waits.

import {setTimeout as pause} from 'node:timers/promises';
import {ByteWriter} from '../../../actors/bytes/bytes.js';
import {throwBroken} from '../../../actors/invariant.js';
import {leaverRowsMax, leaversMax} from '../../../actors/limits.js';
import {writeArrivedEvent} from '../../../actors/log/arrived-event.js';
import type {Move} from '../../../actors/manifest.js';
import {UserSet} from '../../../actors/table/user-set.js';
import {monotonicMs} from '../../clock.js';
import {PacedWork} from '../../pacing/paced-work.js';
import type {TimeSlicer} from '../../pacing/time-slicer.js';
import type {Damage} from '../../parts/damage.js';
import type {Erasure} from '../erasure/erasure.js';
import {arriveBytesMax, type DestinationLog} from '../log/log-writer.js';
import type {PartitionView, RowSources} from '../partition-view.js';
import type {ManifestStore} from '../snapshot/manifest-store.js';
import type {Throttle} from '../throttle.js';
import {contentsOf, countRows, eventsOf} from './left-rows.js';

/** Candidates of one beat leave together. Each leave takes a snapshot, so there is at most one per `leaveMs`. */
const beatMs = 1_000;
const leaveMs = 4_000;
/** Rows of one leave entry: their contents are in memory while their events are appended. */
const leavingRowsMax = 50_000;
/** MV1: a move that its destination has not published after this many refreshes is appended again. */
const appendAgainRefreshes = 3;
const appendAgainMsMin = 60_000;
const appendedPollMs = 20;
/** A chunk is rewritten when this share of its rows no longer counts. */
const leftShareMax = 1 / 4;

/** The partition that users leave for. */
export interface Destination {
  readonly writer: DestinationLog;
  readonly manifests: Pick<ManifestStore, 'read'>;
}

export interface MoverSetup
  extends Pick<PartitionView, 'partition' | 'layout' | 'snapshots' | 'cache' | 'writer' | 'refresh' | 'damage'> {
  readonly throttle: Throttle;
  readonly erasure: Pick<Erasure, 'idle' | 'takeOutLeft' | 'replaceLeft'>;
  /** Opens a destination; called once per partition. */
  readonly destination: (partition: number) => Destination;
  /** Publishes a tick. Resolves to whether a snapshot at or after it is published. */
  readonly publish: () => Promise<boolean>;
  readonly isLive: () => boolean;
  readonly onFatal: (error: Error) => void;
}

export class Mover {
  private readonly setup: MoverSetup;
  private readonly destinations = new Map<number, Destination>();
  /** Time at which the events of a pending move were appended. */
  private readonly appendedMs = new Map<Move, number>();
  /** Users whose events are in the log of their destination, as far as this process knows. */
  private readonly appendedUsers = new UserSet();
  private readonly beats: PacedWork;
  private leftMs = Number.NEGATIVE_INFINITY;
  /** Time at which this process first saw a pending move that is not appended. */
  private waitingSinceMs: number | undefined;

  constructor(setup: MoverSetup) {
    this.setup = setup;
    this.beats = new PacedWork({work: () => this.beat(), isAllowed: setup.isLive, onFailed: setup.onFatal});
  }

  /** Call it when there may be a candidate or a pending move. */
  wake(): void {
    if (this.hasWork) this.beats.wake(beatMs);
  }

  private get hasWork(): boolean {
    const {candidates, pending} = this.setup.partition.moves;
    return candidates.size > 0 || pending.length > 0;
  }

  private async beat(): Promise<number | undefined> {
    try {
      await this.leave();
      await this.append();
      await this.settle();
    } catch (error) {
      throwBroken(error);
      if (!this.setup.damage.note(error as Error)) throw error; // MV2
    }
    return this.hasWork ? beatMs : undefined;
  }

  private async leave(): Promise<void> {
    const {partition, writer, publish} = this.setup;
    if (partition.moves.candidates.size === 0 || monotonicMs() - this.leftMs < leaveMs) return;
    const users = [...partition.moves.candidates].slice(0, leaversMax);
    const counts = await countRows(this.setup, users, this.turns());
    let rows = 0;
    const leavers = [];
    for (const user of users) {
      const count = counts.get(user) ?? 0;
      rows += Math.min(count, leaverRowsMax);
      if (leavers.length > 0 && rows > leavingRowsMax) break;
      leavers.push({user, isTooLarge: count > leaverRowsMax});
    }
    await writer.leave(leavers);
    await publish();
    this.leftMs = monotonicMs();
  }

  private turns(): () => Promise<void> {
    const slicer = this.setup.throttle.slicer();
    return () => slicer.pause();
  }

  /** MV1 */
  private async append(): Promise<void> {
    const {partition, snapshots} = this.setup;
    const heldUp = new Set<number>();
    for (const move of [...partition.moves.pending]) {
      if (this.isAppended(move) || heldUp.has(move.to)) continue;
      await snapshots.idle(); // A snapshot that is being written sets a move's contents before it is published.
      if (move.contents === null || move.n > (snapshots.movesPublished[move.to] ?? 0)) heldUp.add(move.to);
      else await this.appendMove(move);
    }
    for (const move of this.appendedMs.keys())
      if (!partition.moves.pending.includes(move)) this.appendedMs.delete(move);
    this.waitingSinceMs = partition.moves.pending.every((move) => this.isAppended(move))
      ? undefined
      : (this.waitingSinceMs ?? monotonicMs());
  }

  private isAppended(move: Move): boolean {
    const appendedMs = this.appendedMs.get(move);
    const forMs = Math.max(appendAgainMsMin, appendAgainRefreshes * this.setup.refresh.ms);
    return appendedMs !== undefined && monotonicMs() - appendedMs < forMs;
  }

  private async appendMove(move: Move): Promise<void> {
    const {partition} = this.setup.partition;
    const {writer} = this.destinationOf(move.to);
    const pieces = await this.piecesOf(move.users);
    for (const [piece, {events, count}] of pieces.entries())
      await writer.arrive({from: partition, n: move.n, piece, pieces: pieces.length}, events, count);
    this.appendedMs.set(move, monotonicMs());
    for (const user of move.users) this.appendedUsers.add(user);
  }

  /** Events of users who left, as entries of their owners, one piece per message of the destination's log. */
  private async piecesOf(users: readonly number[]): Promise<{readonly events: Uint8Array; readonly count: number}[]> {
    const {partition} = this.setup;
    const pieces: {events: Uint8Array; count: number}[] = [];
    const writer = new ByteWriter(64 * 1024);
    let count = 0;
    const end = (): void => {
      pieces.push({events: writer.finish(), count});
      writer.position = 0;
      count = 0;
    };
    for await (const {entry, user, ordinal} of eventsOf(this.setup, [...users])) {
      if (!partition.users.table.has(user)) continue; // Erased meanwhile.
      writeArrivedEvent(writer, entry, partition.identity.ownerKeyOf(user), `${partition.partition}-${ordinal}`);
      count += 1;
      if (writer.position >= arriveBytesMax) end();
    }
    if (count > 0 || pieces.length === 0) end();
    return pieces;
  }

  /** The log of a destination, through the writer that moves are appended with: later entries come after the moves. */
  logOf(to: number): DestinationLog {
    return this.destinationOf(to).writer;
  }

  private destinationOf(to: number): Destination {
    let destination = this.destinations.get(to);
    if (destination === undefined) {
      destination = this.setup.destination(to);
      this.destinations.set(to, destination);
    }
    return destination;
  }

  private async settle(): Promise<void> {
    const {partition} = this.setup;
    const awaited = new Set(partition.moves.pending.filter((move) => this.appendedMs.has(move)).map(({to}) => to));
    for (const to of awaited) {
      const received = await this.receivedBy(to);
      if (partition.moves.pending.some((move) => move.to === to && move.n <= received))
        await this.settleWith(to, received);
    }
  }

  /** Number of the newest move that the destination has published. */
  private async receivedBy(to: number): Promise<number> {
    const stored = await this.destinationOf(to).manifests.read();
    return stored?.manifest.moves.received[this.setup.partition.partition] ?? 0;
  }

  /**
   * Call it at a start, before rows are read: an owner before this one appended moves that are not settled. Without it their rows
   * would be read here and in their destination.
   */
  async noteReceived(): Promise<void> {
    const {pending} = this.setup.partition.moves;
    for (const to of new Set(pending.map((move) => move.to))) {
      try {
        const received = await this.receivedBy(to);
        for (const move of pending)
          if (move.to === to && move.n <= received) for (const user of move.users) this.appendedUsers.add(user);
      } catch (error) {
        if (!this.setup.damage.note(error as Error)) throw error; // The destination is halted, and answers 503 to each read of its rows.
      }
    }
  }

  private async settleWith(to: number, received: number): Promise<void> {
    const {partition, layout, snapshots, erasure} = this.setup;
    await erasure.idle(); // Its chunks say how many of their rows had left when it wrote them.
    while (snapshots.isRunning || layout.writing.size > 0) {
      await snapshots.idle();
      await layout.settle(0);
      await erasure.idle();
    }
    const touched = new Set<number>();
    for (const {contents} of partition.settle(to, received)) {
      for (const [chunk, rows] of contents?.chunks ?? []) {
        const entry = layout.chunks.get(chunk);
        if (entry === undefined) continue;
        layout.setChunk({...entry, leftOut: entry.leftOut + rows});
        touched.add(chunk);
      }
    }
    for (const chunk of touched) await this.clean(chunk);
  }

  /** Rewrites a chunk without the rows that no longer count, if they are many. */
  private async clean(chunk: number): Promise<void> {
    const {layout, erasure, snapshots} = this.setup;
    const entry = layout.chunks.get(chunk);
    if (entry === undefined || entry.leftOut < leftShareMax * entry.count) return;
    const left = await erasure.takeOutLeft(entry);
    await this.turns()();
    await snapshots.idle();
    erasure.replaceLeft(entry, left);
  }

  /**
   * Call it before the rows of users are erased, so that their destination counts them (`isSent`). The previous owner may have
   * sent users of a published move: they are sent now. Moves that this process sent are sent again: another erasure may have made
   * the destination forget the first of several pieces (J4). Nothing is folded meanwhile.
   */
  async sendBeforeErasure(users: readonly number[]): Promise<void> {
    const moves = new Set(users.flatMap((user) => this.setup.partition.moves.moveOf(user) ?? []));
    if (moves.size === 0) return;
    const sent = [...moves].filter((move) => this.isAppended(move));
    try {
      await this.append();
      for (const move of sent) await this.appendMove(move);
    } catch (error) {
      throwBroken(error);
      if (!this.setup.damage.note(error as Error)) throw error; // MV2
    }
  }

  /** Whether this process appended the events of the pending move that the user is in. */
  isSent(user: number): boolean {
    const move = this.setup.partition.moves.moveOf(user);
    return move !== undefined && this.appendedMs.has(move);
  }

  /** Whether the events of all moves are appended within `waitMs`. Moves that are in no snapshot yet count, too. */
  async whenAppended(waitMs: number): Promise<boolean> {
    const moves = [...this.setup.partition.moves.pending];
    const isWaiting = (move: Move): boolean =>
      !this.isAppended(move) && this.setup.partition.moves.pending.includes(move);
    const deadlineMs = monotonicMs() + waitMs;
    while (moves.some(isWaiting)) {
      if (monotonicMs() >= deadlineMs) return false;
      await pause(appendedPollMs);
    }
    return true;
  }

  /**
   * Call it while the log may have lost its tail, and snapshots with it. Other partitions may have settled moves that this
   * partition lost; without this call no set of snapshots would agree again (actors/identity/snapshot-set.ts). J6
   */
  async giveUpLost(): Promise<void> {
    const {partition, writer} = this.setup;
    for (const from of partition.moves.counts.received.keys()) {
      if (from === partition.partition) continue;
      const n = await this.settledOf(from);
      if (n > partition.moves.receivedFrom(from))
        await writer.arrive({from, n, piece: 0, pieces: 0}, new Uint8Array(0), 0);
    }
  }

  /**
   * Number of our moves that `from` has settled; also 0 while its manifest cannot be read. The next tick asks again, and a damaged
   * manifest is an alarm of that partition.
   */
  private async settledOf(from: number): Promise<number> {
    try {
      const stored = await this.destinationOf(from).manifests.read();
      return stored?.manifest.moves.settled[this.setup.partition.partition] ?? 0;
    } catch (error) {
      throwBroken(error);
      return 0;
    }
  }

  /** Age of the oldest move that waits to be appended, in ms; 0: no move waits. */
  get waitedMs(): number {
    return this.waitingSinceMs === undefined ? 0 : monotonicMs() - this.waitingSinceMs;
  }

  /** Whether the user's events count in its destination: readers of all rows leave them out. */
  hasLeft(user: number): boolean {
    return this.setup.partition.moves.leftOut.has(user) || this.appendedUsers.has(user);
  }

  stop(): void {
    this.beats.stop();
  }

  /** Resolves when no beat is running. */
  idle(): Promise<void> {
    return this.beats.idle();
  }
}

/** Sets the contents of those of these moves that have none yet and whose rows can be read. MV2 */
export async function completeMoves(
  view: RowSources,
  moves: readonly Move[],
  slicer: TimeSlicer,
  damage: Damage,
): Promise<void> {
  for (const move of moves) {
    if (move.contents !== null) continue;
    try {
      move.contents = await contentsOf(view, move.users, () => slicer.pause());
    } catch (error) {
      if (!damage.note(error as Error)) throw error;
    }
  }
}
