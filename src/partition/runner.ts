// The loop of one partition: read this first.
//   read a message -> await what is missing -> fold synchronously -> effects (chunks to parts, deltas to snapshots)
//   P1 to P8 are in actors/partition.ts and src/partition/snapshot/snapshots.ts.
import type {JetStreamManager} from '@nats-io/jetstream';
import type {NameErasure} from '../../actors/erasures.js';
import type {MessageCursor} from '../../actors/log/entry-view.js';
import type {Suspension} from '../../actors/partition.js';
import type {StatusAnswer} from '../asks/partition.js';
import {monotonicMs, wallMs} from '../clock.js';
import type {AlarmKind, DictionaryMeasures, FunnelMemory} from '../measures.js';
import {DamagedState} from '../parts/damage.js';
import type {PartsCache} from '../parts/parts-cache.js';
import {MissingPart} from '../parts/stored-parts.js';
import {Alarms} from './alarms.js';
import {ConflictWarning} from './conflict-warning.js';
import {dictionariesOf} from './dictionaries.js';
import type {Effects} from './effects.js';
import type {DeletionJournal} from './erasure/deletion-journal.js';
import type {Erasure} from './erasure/erasure.js';
import type {NoteStep} from './erasure/erasure-steps.js';
import {eraseLacking} from './erasure/lacking-deletions.js';
import {LateCopies} from './erasure/late-copies.js';
import {OnwardDeletions} from './erasure/onward.js';
import {type ErasureReach, Scrub} from './erasure/scrub.js';
import {Expiry} from './expiry.js';
import type {FoldPace} from './fold-pace.js';
import {SavedFunnels, type SavedFunnelsSetup} from './funnels/saved-funnels.js';
import {type Destination, Mover} from './identity/mover.js';
import type {ReceivedMessage} from './log/handed-messages.js';
import {LogIdentity, type LogIdentitySetup} from './log/log-identity.js';
import type {PartitionView} from './partition-view.js';
import {Replaced} from './snapshot/manifest-store.js';
import type {OwnershipState} from './snapshot/ownership.js';
import type {Published} from './snapshot/snapshots.js';
import {Ticks, type TicksSetup} from './snapshot/ticks.js';
import {loadProfile} from './snapshot/user-loader.js';
import type {Throttle} from './throttle.js';

/** Closed chunks that are being written, about 5 MB of memory each. Beyond this the fold waits. */
const chunksWritingMax = 4;
/** Triggers that wait to be queued, some hundred bytes each. Beyond this the fold waits. */
const triggersWaitingMax = 4_096;
/** Bytes of active profiles that stay in memory after a snapshot. */
const profileCacheBytesMax = 4 * 1024 * 1024;
/** A caller that waits for a sequence checks this often whether the log is still the same. */
const lookAgainMs = 5_000;
/** A start that waits says so every 10 s. */
const sayEveryLooks = 2;

/** Least interval of snapshots that clients force by waiting for a report. */
const forcedMsMin = 5_000;

/** Time after which an owner checks alarms even without an answer of the store. A process that resumes reconnects within it. */
const ownershipMsMax = 10_000;

/** `halted`: folding needs a part that is unreadable. A halted partition drains, too, and publishes nothing. */
type Phase = 'recovering' | 'live' | 'halted' | 'draining' | 'draining, halted' | 'stopped';

/** A tick that is on its way to the log. `losses`: those of the log when it was sent. */
interface AppendedTick {
  readonly losses: number;
  readonly sequence: Promise<number>;
}

export interface RunnerSetup
  extends PartitionView,
    Omit<TicksSetup, keyof PartitionView>,
    Omit<LogIdentitySetup, keyof PartitionView> {
  /** Reads parts for folding: waits while the store is unreachable. */
  readonly foldCache: PartsCache;
  readonly erasure: Erasure;
  /** Opens a destination of users who leave this partition; called once per partition. */
  readonly destination: (partition: number) => Destination;
  /** Tells every edge to forget links of this user. */
  readonly forgetLinks: (userKey: Uint8Array) => void;
  /** Notified of each step of an erasure. */
  readonly note: NoteStep;
  readonly throttle: Throttle;
  /** Absent: the thread folds without pauses. */
  readonly foldPace?: FoldPace | undefined;
  readonly jsm: JetStreamManager;
  /** Copies on the disk that an erasure reaches (docs/architecture.md, Deletion). */
  readonly erasureReach: ErasureReach;
  readonly journal: DeletionJournal;
  readonly effects: Effects;
  /** Asks the report thread for the users who completed a funnel here. */
  readonly converted: SavedFunnelsSetup['converted'];
  readonly funnelBytesMax: number;
  /** Days for which events are kept; 0: for ever. */
  readonly retentionDays: number;
  /** This partition's share of the memory that is here. */
  readonly memoryBytesMax: number;
  /** Notified of the applied sequence after each message. */
  readonly noteApplied: (sequence: number) => void;
  /** Called with an error that ends the process: a lost fence, a broken invariant. */
  readonly onFatal: (error: Error) => void;
}

export class Runner {
  private readonly setup: RunnerSetup;
  private now: Phase = 'recovering';
  readonly identity: LogIdentity;
  private readonly ticks: Ticks;
  private readonly scrub: Scrub;
  private readonly lateCopies: LateCopies;
  readonly mover: Mover;
  readonly expiry: Expiry;
  private readonly onward: OnwardDeletions;
  private readonly savedFunnels: SavedFunnels;
  private readonly alarms: Alarms;
  private readonly conflictWarning: ConflictWarning;
  private readonly createdMs = monotonicMs();
  private lastGapMs: number | undefined;
  private forcedMs = Number.NEGATIVE_INFINITY;
  /** Number of gaps since this process started. */
  gaps = 0;
  /** Log time of the message that is being folded, or was folded last. */
  foldingLogMs: number | undefined;

  constructor(setup: RunnerSetup) {
    this.setup = setup;
    this.ticks = new Ticks(setup);
    this.conflictWarning = new ConflictWarning(setup.partition.partition, setup.log);
    this.alarms = new Alarms(setup.partition.partition, setup.log);
    this.identity = new LogIdentity(setup);
    setup.snapshots.onPublished = ({sequence}) => {
      this.identity.notePublished(sequence);
      this.savedFunnels.notePublished();
    };
    this.scrub = new Scrub({
      ...setup,
      publish: () => this.publishNow(),
      notifyDeleted: (id) => setup.effects.notifyDeleted(id),
      onFatal: setup.onFatal,
    });
    this.mover = new Mover({
      ...setup,
      cache: setup.foldCache,
      publish: () => this.publishNow(),
      isLive: () => this.isLive,
    });
    this.expiry = new Expiry({...setup, isLive: () => this.isLive});
    this.onward = new OnwardDeletions({
      ...setup,
      whenAppended: (waitMs) => this.mover.whenAppended(waitMs),
      logOf: (to) => this.mover.logOf(to),
      wentOn: () => this.scrub.request(),
      isLive: () => this.isLive,
    });
    this.savedFunnels = new SavedFunnels({
      ...setup,
      publishedPosition: () => setup.snapshots.position,
      whenApplied: (sequence, waitMs) => this.whenApplied(sequence, waitMs),
      isLive: () => this.isLive,
    });
    this.savedFunnels.define();
    this.lateCopies = new LateCopies({
      ...setup,
      scrub: this.scrub,
      logOf: (to) => this.mover.logOf(to),
      periodMs: () => this.ticks.periodMs,
      isLive: () => this.isLive,
    });
  }

  /** As clients see it. */
  get phase(): StatusAnswer['phase'] {
    return this.now === 'stopped' || this.now === 'draining, halted' ? 'draining' : this.now;
  }

  private get isLive(): boolean {
    return this.now === 'live';
  }

  /** Whether the partition is not live yet, and neither halted nor draining. */
  private get isStarting(): boolean {
    return this.now === 'recovering';
  }

  private get isHalted(): boolean {
    return this.now === 'halted' || this.now === 'draining, halted';
  }

  get view(): PartitionView {
    return this.setup;
  }

  get published(): Published | null {
    return this.setup.snapshots.published;
  }

  /** Endpoints or saved funnels are others. */
  definitionsChanged(): void {
    this.savedFunnels.define();
    this.setup.effects.tellAgain();
  }

  get deletions(): Scrub {
    return this.scrub;
  }

  /** Wall-clock age of the snapshot that reports see; null before the first one. */
  get snapshotAgeMs(): number | null {
    return this.published === null ? null : Math.max(0, wallMs() - this.published.asOfMs);
  }

  /**
   * Checks the alarms, and logs when one begins or ends. `standing`: the newest answer about the ownership. If it is no longer
   * fresh, nothing is checked: an owner that was paused would find its snapshot late. O1
   */
  lookForAlarms(standing: Exclude<OwnershipState, 'outlived'>): AlarmKind[] {
    if (standing === 'owner' && !this.setup.ownership.isConfirmed) return this.raisedAlarms;
    const ageMs = this.snapshotAgeMs;
    const sinceStartMs = this.isStarting ? monotonicMs() - this.createdMs : Number.POSITIVE_INFINITY;
    return this.alarms.look({
      snapshotAgeMs: ageMs === null ? null : Math.min(ageMs, sinceStartMs),
      refreshMs: this.setup.refresh.ms,
      isHalted: this.isHalted,
      dedupeWindowMs: this.setup.partition.dedupeWindowMs,
      gapAgeMs: this.lastGapMs === undefined ? null : monotonicMs() - this.lastGapMs,
      logLossAgeMs: this.identity.lossAgeMs,
      lateUsers: this.funnelMemory.lateUsers,
      dictionaries: this.dictionaries,
      movesWaitedMs: this.mover.waitedMs,
    });
  }

  /** What clients can make grow. */
  get dictionaries(): DictionaryMeasures[] {
    const {partition, layout, memoryBytesMax} = this.setup;
    return dictionariesOf(partition, layout, memoryBytesMax);
  }

  get funnelMemory(): FunnelMemory {
    return this.savedFunnels.memory;
  }

  /** Alarms of the last check. */
  get raisedAlarms(): AlarmKind[] {
    return this.alarms.newest;
  }

  /**
   * Starts folding. Resolves once a published snapshot has everything that was in the log, or never will have it, and
   * `warmedUp` has resolved.
   */
  start(warmedUp?: Promise<void>): Promise<void> {
    return this.setup.throttle.expedite(this.catchUp(warmedUp).catch((error: Error) => this.startEnded(error)));
  }

  private async catchUp(warmedUp: Promise<void> | undefined): Promise<void> {
    const {partition, noteApplied} = this.setup;
    noteApplied(partition.appliedSequence);
    const opened = this.appendTick(); // O4 (ownership.ts)
    await this.identity.ask(() => this.mover.noteReceived());
    this.run().catch((error: unknown) => void this.foldingEnded(error as Error));
    await this.untilCaughtUp();
    if (!this.isStarting) return; // A drain appends a last tick itself.
    const lacking = await eraseLacking(this.setup);
    if (!this.isStarting) return;
    await this.publishNow(lacking === undefined ? opened : undefined);
    lacking?.report();
    if (this.isHalted) return;
    this.scrub.request();
    if (!this.isStarting) return; // A drain has stopped the timers already.
    this.ticks.start(() => this.tick());
    for (const id of partition.deletions.toTell) void this.setup.effects.notifyDeleted(id); // EF2 (effects.ts)
    this.setup.log.info({partition: partition.partition, sequence: partition.appliedSequence}, 'partition is live');
    await warmedUp;
    if (!this.isStarting) return;
    this.now = 'live';
    this.savedFunnels.wake();
    this.lateCopies.cleanSoon();
    this.mover.wake();
    this.expiry.wake();
    this.onward.wake();
    this.giveUpLost();
  }

  /** Resolves when what the log has is folded, or the start is over. */
  private async untilCaughtUp(): Promise<void> {
    const {reader, partition, log} = this.setup;
    // Asked repeatedly: a log that loses its tail may not reach that sequence for long.
    for (let before = -1, looks = 1; ; looks++) {
      const newest = await this.identity.ask(() => reader.newestSequence());
      if ((await this.whenApplied(newest, lookAgainMs)) || !this.isStarting) return;
      const applied = partition.appliedSequence;
      // Nothing came for a whole look: nats-server never sends a message that it cannot read.
      if (applied === before) await this.identity.ask(() => reader.checkReadable(applied + 1));
      before = applied;
      if (looks % sayEveryLooks === 0)
        log.warn({partition: partition.partition, applied, newest}, 'the start still waits for the log to be folded');
    }
  }

  /** A start that finds a damaged log halts as folding does. */
  private async startEnded(error: Error): Promise<void> {
    if (!(error instanceof DamagedState)) throw error;
    await this.foldingEnded(error);
  }

  /** Moves that went with the tail of the log, or with snapshots. */
  private giveUpLost(): void {
    if (this.identity.lossAgeMs === null) return;
    this.mover.giveUpLost().catch((error: unknown) => this.setup.onFatal(error as Error));
  }

  /**
   * Folding needs a part that is unreadable: the partition is halted and answers 503 until a start finds the part. Ending
   * the process would end its other partitions, too, again after every start.
   */
  private async foldingEnded(error: Error): Promise<void> {
    const isOfStore = error instanceof MissingPart || error instanceof DamagedState;
    if (isOfStore && (await this.setup.ownership.isOutlived())) return; // O1 (ownership.ts)
    if (!this.setup.damage.note(error)) {
      this.fail(error);
      return;
    }
    if (this.now === 'draining') this.now = 'draining, halted';
    else if (this.isLive || this.isStarting) this.now = 'halted';
    this.stopTimers();
  }

  private async run(): Promise<void> {
    const {reader, partition} = this.setup;
    for (;;) {
      await this.identity.agree();
      if (this.isOver) return;
      for await (const messages of reader.read(partition.appliedSequence)) {
        if (!(await this.foldMessages(messages))) break;
      }
      if (this.isOver) return;
      this.identity.readingEnded();
    }
  }

  private get isOver(): boolean {
    return this.now === 'stopped' || this.setup.ownership.isLost;
  }

  /** @returns false when the log may be another one by now, or another owner may have truncated it. */
  private async foldMessages(messages: readonly ReceivedMessage[]): Promise<boolean> {
    const {partition, ownership, layout, effects, foldPace} = this.setup;
    for (const message of messages) {
      if (message.sequence > partition.appliedSequence + 1 && !(await this.mayPass(message.sequence - 1))) return false;
      if (!this.identity.isKnown || ownership.isLost) return false; // LI1 (log/log-identity.ts)
      const folding = this.foldMessage(message);
      if (folding !== undefined) await folding;
      if (layout.writing.size > chunksWritingMax) await layout.settle(chunksWritingMax);
      this.noteFolded();
      if (effects.waiting > triggersWaitingMax) await effects.settle(triggersWaitingMax);
      this.ticks.folded(message.bytes.length, this.isStarting);
      const turn = this.foldingLogMs === undefined ? undefined : foldPace?.pauseIfDue(this.foldingLogMs);
      if (turn !== undefined) await turn;
    }
    return true;
  }

  /**
   * Whether the messages from the one that is due to `last`, which did not come, may be passed over. @throws DamagedState when
   * nats-server has one of them, or had it, and cannot read it: it brings what is behind that without a word.
   */
  private async mayPass(last: number): Promise<boolean> {
    const {partition, reader, ownership} = this.setup;
    // A successor that has folded them may have truncated the log. O1 (ownership.ts)
    if (await ownership.isOutlived()) return false;
    await this.identity.ask(() => reader.checkReadable(partition.appliedSequence + 1, last));
    return true;
  }

  private noteFolded(): void {
    const {partition, noteApplied} = this.setup;
    if (!this.identity.noteApplied()) return;
    noteApplied(partition.appliedSequence);
    this.conflictWarning.note(partition.dedupe.conflicts.count, monotonicMs());
    this.savedFunnels.noteFolded();
    this.lateCopies.cleanSoon();
    this.mover.wake();
  }

  /** Folds synchronously unless the fold suspends for a load, an erasure or a tick. */
  private foldMessage({sequence, bytes}: ReceivedMessage): Promise<void> | undefined {
    const {partition} = this.setup;
    const cursor = partition.openMessage(sequence, bytes);
    if (cursor === undefined) return undefined;
    this.foldingLogMs = cursor.logTimeMs;
    const stop = this.fold(sequence, cursor);
    return stop.kind === 'done' ? undefined : this.foldOn(stop, sequence, cursor);
  }

  /** Moves closed chunks to the layout in the same synchronous step: live reads search for them there. */
  private fold(sequence: number, cursor: MessageCursor, again = false): Suspension {
    const {partition, layout, effects} = this.setup;
    const stop = partition.fold(sequence, cursor, again);
    effects.tell(partition.takeEffects(), sequence, cursor.logTimeMs);
    for (const chunk of partition.takeClosedChunks()) layout.writeClosed(chunk);
    return stop;
  }

  private async foldOn(stop: Suspension, sequence: number, cursor: MessageCursor): Promise<void> {
    for (let next = stop; next.kind !== 'done'; ) next = await this.resolve(next, sequence, cursor);
  }

  /** Provides what the fold stopped for, and continues it. */
  private async resolve(
    stop: Exclude<Suspension, {kind: 'done'}>,
    sequence: number,
    cursor: MessageCursor,
  ): Promise<Suspension> {
    const {partition, layout, foldCache, snapshots, ownership, erasure, note} = this.setup;
    switch (stop.kind) {
      case 'profile':
        partition.users.activate(stop.user, await loadProfile(partition, layout, foldCache, stop.user));
        return this.fold(sequence, cursor, true);
      case 'erasure': {
        note('entry reached');
        await snapshots.idle();
        await this.mover.sendBeforeErasure(stop.users);
        const taken = await erasure.takeOut(stop.users);
        erasure.replace(taken);
        note('users taken out');
        const erased = stop.users.map((user) => ({...taken.erased.of(user), isSent: this.mover.isSent(user)}));
        partition.erasures.applyUsers(sequence, cursor.entry, erased);
        note('entry folded');
        this.scrub.request();
        this.onward.wake();
        return this.fold(sequence, cursor);
      }
      case 'name_erasure': {
        note('entry reached');
        await snapshots.idle();
        partition.erasures.applyName(sequence, cursor.entry, await this.takeOutName(stop.name));
        note('entry folded');
        this.savedFunnels.define(); // The name may come again, with another index.
        this.scrub.request();
        this.onward.wake();
        return this.fold(sequence, cursor);
      }
      case 'tick':
        // What waits for an own tick waits for the one of the new epoch.
        if (await ownership.meet(stop.epoch, (epoch) => snapshots.raiseEpoch(epoch))) void this.ticks.send();
        if (stop.gaps > 0) {
          this.gaps += stop.gaps;
          this.lastGapMs = monotonicMs();
          this.setup.log.error(
            {partition: partition.partition, gaps: stop.gaps},
            'a producer skipped a number: the log lacks a message that may have been acked',
          );
        }
        if (stop.hasExpired) await this.expiry.expire();
        this.beginSnapshot();
        return this.fold(sequence, cursor);
    }
  }

  /** `name`: -1 for one without events here. */
  private async takeOutName(name: number): Promise<NameErasure | undefined> {
    if (name < 0) return undefined;
    const {partition, erasure, note} = this.setup;
    await this.mover.sendBeforeErasure(partition.moves.pending.flatMap(({users}) => users));
    const taken = await erasure.takeOutName(name, (user) => this.mover.isSent(user));
    erasure.replace(taken);
    note('users taken out');
    return taken.erased;
  }

  private beginSnapshot(): void {
    const {snapshots} = this.setup;
    if (snapshots.isRunning) {
      this.ticks.skip();
      return;
    }
    this.ticks.snapshotBegun();
    this.savedFunnels.snapshotBegun(this.setup.partition.appliedSequence);
    snapshots
      .take()
      .then(() => this.snapshotDone())
      .catch((error: unknown) => this.fail(error as Error));
  }

  private fail(error: Error): void {
    if (error instanceof Replaced) this.setup.ownership.lose(error);
    else this.setup.onFatal(error);
  }

  private snapshotDone(): Promise<void> {
    this.ticks.snapshotDone();
    return this.passivate();
  }

  /** Drops profiles that are in parts now, a piece at a time: no caller waits for that. */
  private async passivate(): Promise<void> {
    const {partition, throttle} = this.setup;
    const slicer = throttle.slicer();
    for (const _piece of partition.users.profiles.passivate(profileCacheBytesMax)) await slicer.pause();
  }

  private async tick(): Promise<void> {
    const ownership = await this.setup.ownership.state(ownershipMsMax);
    if (ownership === 'outlived') return;
    this.lookForAlarms(ownership);
    if (!this.isLive && !this.isStarting) return; // A drain appends a last tick itself.
    this.giveUpLost();
    this.ticks.appendOfInterval();
    this.lateCopies.clean();
  }

  /** Publishes a snapshot for a client that waits, unless another client forced one just now. Never rejects. */
  async force(): Promise<void> {
    const {ownership, onFatal} = this.setup;
    const nowMs = monotonicMs();
    if (!this.isLive || nowMs < this.forcedMs + forcedMsMin) return;
    this.forcedMs = nowMs;
    try {
      if ((await ownership.state(ownershipMsMax)) === 'owner' && this.isLive) await this.publishNow();
    } catch (error) {
      onFatal(error as Error);
    }
  }

  /** Whether the fold reached `sequence` within `waitMs`. */
  whenApplied(sequence: number, waitMs: number): Promise<boolean> {
    return this.identity.whenApplied(sequence, Math.min(waitMs, timerMsMax));
  }

  isErased(id: string): boolean {
    return this.scrub.isCompleted(id);
  }

  /** Whether the deletion is completed within `waitMs`. */
  whenErased(id: string, waitMs: number): Promise<boolean> {
    return this.scrub.whenCompleted(id, Math.min(waitMs, timerMsMax));
  }

  private whenPublished(sequence: number, waitMs: number): Promise<boolean> {
    return this.setup.throttle.expedite(this.identity.whenPublished(sequence, waitMs));
  }

  private appendTick(): AppendedTick {
    const {losses} = this.identity;
    const sequence = this.ticks.append();
    sequence.catch(() => undefined); // Whoever waits for it hears of it.
    return {losses, sequence};
  }

  /** Waits until a snapshot at or after a tick is published; false: the partition is halted, or stopped. */
  private async publishNow(first = this.appendTick()): Promise<boolean> {
    for (let tick = first; ; tick = this.appendTick()) {
      const sequence = await tick.sequence;
      do {
        if (await this.whenPublished(sequence, lookAgainMs)) return true;
        if (this.isHalted || this.now === 'stopped') return false;
        // A log that was away may have lost this tick: then another one is needed.
      } while (tick.losses === this.identity.losses);
    }
  }

  private stopTimers(): void {
    this.ticks.stop();
    this.lateCopies.stop();
    this.mover.stop();
    this.expiry.stop();
    this.savedFunnels.stop();
  }

  /** Publishes a last snapshot and stops everything. */
  drain(): Promise<void> {
    return this.setup.throttle.expedite(this.finish());
  }

  private async finish(): Promise<void> {
    await this.publishLast();
    if (!this.isHalted) {
      this.lateCopies.clean(); // A stopped service leaves nothing of erased users on the disk.
      await this.scrub.idle();
    }
    this.end();
    await this.mover.idle();
    await this.expiry.idle();
    await this.setup.snapshots.idle();
    await this.setup.sweep.stop();
  }

  private async publishLast(): Promise<void> {
    if (this.hasEnded) return; // It was abandoned while it was released: nothing is published any more.
    this.now = this.isHalted ? 'draining, halted' : 'draining';
    this.stopTimers();
    if (this.isHalted) return;
    await this.onward.idle();
    await this.lateCopies.idle();
    await this.scrub.idle();
    await this.expiry.idle();
    await this.mover.idle(); // A move may wait for a snapshot, and none follows the last one.
    await this.savedFunnels.idle();
    await this.publishNow();
  }

  private end(): void {
    this.now = 'stopped';
    this.identity.end();
    this.scrub.end();
    this.setup.reader.interrupt();
  }

  /**
   * Ends with a last snapshot from which the next owner begins at once, and which is small: one more is taken before, while this owner
   * still answers. The next owner also erases and truncates what this one has not.
   */
  async release(): Promise<void> {
    const {throttle, sweep} = this.setup;
    if (this.isLive) await throttle.expedite(this.publishNow());
    await throttle.expedite(this.publishLast());
    this.end();
    void sweep.stop();
  }

  /** Ends at once, and publishes nothing: another process owns the partition. */
  abandon(): void {
    this.stopTimers();
    this.end();
    void this.setup.sweep.stop();
  }

  /** Nothing is folded any more, so nothing is answered. */
  get hasEnded(): boolean {
    return this.now === 'stopped';
  }
}

const timerMsMax = 2 ** 31 - 1;
