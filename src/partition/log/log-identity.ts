// Identity of the log: whether it is the one that was folded. A log that lost its tail (a power cut without sync, a restored
// backup, a deleted stream) returns with other messages at the same sequences.
//   Owns:    the knowledge of that, and the callers who wait for a sequence to be applied or published.
//   Does not own: reading and folding the log (runner.ts), its generation (actors/partition.ts).
//
//   LI1. Until the log is known to be the same, no sequence is reported as reached, and nothing is folded: its sequences may be
//        those of another log, and its producers' numbers would be skipped for ever.
//   LI2. The identity starts unknown: the server may have restarted without its tail since recovery looked.
//   LI3. Each lost connection, and each pull that breaks, raises a doubt: the stream may have been deleted and created again,
//        or be on a server of the cluster that lost its newest messages.
//   LI4. An owner that finds another log publishes a snapshot before it folds anything of that log: in the next generation, at
//        sequence 0. An owner that takes over starts from the same state, and gives each event the same id and position.
//   LI5. Messages that the edge of this process handed over are used only after the log was compared since their connection began.
//        When this thread lost its own connection, or the log is another one, none are used before the edge begins a new one: the
//        log may have come back without them.

import type {Partition} from '../../../actors/partition.js';
import {monotonicMs} from '../../clock.js';
import type {Logger} from '../../observe.js';
import {ConditionVariable} from '../../pacing/condition-variable.js';
import {RetryLog, retryForever} from '../retry.js';
import type {ReceivedMessage} from './handed-messages.js';
import type {LogReader} from './log-reader.js';

export interface LogIdentitySetup {
  readonly partition: Partition;
  readonly reader: LogReader;
  readonly snapshots: {
    /** Position of the newest manifest in this log; 0: none. */
    readonly publishedSequence: number;
    /** Resolves when no snapshot is being written. */
    idle(): Promise<void>;
    /** Publishes a snapshot of the partition before the first message of another log. LI4 */
    logReplaced(): Promise<void>;
  };
  readonly ownership: {
    /** O1 (ownership.ts) */
    isOutlived(): Promise<boolean>;
  };
  /** Notified when the log was compared with the folded state: later positions are of this generation. */
  readonly noteCompared: (generation: number) => void;
  /** Asks the edge of this process to begin a new connection for what it hands over. LI5 */
  readonly renewHandOver: () => void;
  readonly log: Logger;
  readonly onFatal: (error: Error) => void;
}

export class LogIdentity {
  private readonly setup: LogIdentitySetup;
  private readonly retries: RetryLog;
  private state: 'same' | 'unknown' | 'other' = 'unknown'; // LI2
  /** Whether the connection was lost since reading began: messages still to be read may be of the earlier log. */
  private isReadStale = false;
  /** Number of doubts about the log, and of logs that turned out to be other ones: each may have lost a tick. */
  losses = 0;
  /** Sequences reported to callers as applied and as published. LI1 */
  private applied: number;
  private published: number;
  private readonly reached = new ConditionVariable();
  private hasEnded = false;
  /** Number of losses since this process started. */
  logLosses = 0;
  private lastLossMs: number | undefined;

  constructor(setup: LogIdentitySetup) {
    this.setup = setup;
    this.retries = new RetryLog(setup.log, {partition: setup.partition.partition, tried: 'to ask the log'});
    this.applied = setup.partition.appliedSequence;
    this.published = setup.snapshots.publishedSequence;
  }

  get isKnown(): boolean {
    return this.state === 'same' && !this.isReadStale;
  }

  /** Ms since the log was last found to lack messages; null: never. */
  get lossAgeMs(): number | null {
    return this.lastLossMs === undefined ? null : monotonicMs() - this.lastLossMs;
  }

  /** Notes that the log lacks folded messages: found now, or at the recovery. */
  noteLoss(): void {
    this.logLosses += 1;
    this.lastLossMs = monotonicMs();
  }

  /** Reports the partition's applied sequence. @returns whether the log is known to be the same. */
  noteApplied(): boolean {
    if (!this.isKnown) return false;
    this.applied = this.setup.partition.appliedSequence;
    this.reached.notify();
    return true;
  }

  notePublished(sequence: number): void {
    if (!this.isKnown) return;
    this.published = sequence;
    this.reached.notify();
  }

  /** Whether the fold reached `sequence` within `waitMs`, and before it ended. */
  whenApplied(sequence: number, waitMs: number): Promise<boolean> {
    return this.whenReached(sequence, () => this.applied, waitMs);
  }

  /** Whether a snapshot at or after `sequence` was published within `waitMs`, and before the fold ended. */
  whenPublished(sequence: number, waitMs: number): Promise<boolean> {
    return this.whenReached(sequence, () => this.published, waitMs);
  }

  private async whenReached(sequence: number, newest: () => number, waitMs: number): Promise<boolean> {
    this.hurryTo(sequence);
    await this.reached.until(() => this.hasEnded || newest() >= sequence, waitMs);
    return newest() >= sequence;
  }

  /** Nothing more is folded: ends the waits of callers. */
  end(): void {
    this.hasEnded = true;
    this.reached.notify();
  }

  private hurryTo(sequence: number): void {
    const {partition, reader} = this.setup;
    if (sequence > partition.appliedSequence) reader.expedite(sequence);
  }

  /** Call it before reading: rewinds when the log is another one. */
  async agree(): Promise<void> {
    if (this.isReadStale && this.state === 'same') this.state = 'unknown';
    this.isReadStale = false;
    if (this.state === 'unknown') await this.check();
    if (this.state === 'other') await this.rewind();
  }

  /** Notes that a pull has ended. LI3 */
  readingEnded(): void {
    if (this.state === 'same') this.doubt();
  }

  /** Notes that the connection to the log was lost. LI3 */
  disconnected(): void {
    this.isReadStale = true;
    this.doubt();
    this.forgetHanded();
  }

  /** Takes messages that the edge of this process handed over. LI5 */
  takeHanded(connection: number, messages: readonly ReceivedMessage[]): void {
    const {reader} = this.setup;
    if (!reader.takeHanded(connection, messages)) return;
    this.doubt();
    reader.reopen(); // `agree` compares the log before the next read.
  }

  private forgetHanded(): void {
    this.setup.reader.forgetHanded();
    this.setup.renewHandOver();
  }

  /** Asks again for everything that was asked over the lost connection. */
  reconnected(): Promise<void> {
    this.setup.reader.reopen();
    return this.check();
  }

  /** Generation of the log at some moment after the call; undefined when it is not known, and then the log is compared again. */
  async confirmGeneration(): Promise<number | undefined> {
    const {reader, partition, onFatal} = this.setup;
    const {losses} = this;
    const isSame = await reader.holds(partition.appliedSequence, partition.appliedMark).catch(() => undefined);
    if (isSame === undefined || losses !== this.losses || !this.isKnown) return undefined;
    if (isSame) return partition.generation;
    this.disconnected();
    this.reconnected().catch(onFatal);
    return undefined;
  }

  /** Repeats the question until the log answers. */
  ask<T>(question: () => Promise<T>): Promise<T> {
    return retryForever(question, this.retries);
  }

  private doubt(): void {
    this.state = 'unknown';
    this.losses += 1;
    this.forgetReached();
  }

  /** Forgets the reached sequences. LI1 */
  private forgetReached(): void {
    this.applied = 0;
    this.published = 0;
  }

  /** Asks the log for the last folded message; interrupts the reading of another log. */
  private async check(): Promise<void> {
    const {reader, partition, ownership, snapshots, noteCompared} = this.setup;
    const {appliedSequence, appliedMark} = partition;
    const isSame = await this.ask(() => reader.holds(appliedSequence, appliedMark));
    if (!isSame && (await ownership.isOutlived())) return reader.interrupt(); // O1 (ownership.ts)
    // Folding continued meanwhile: the answer is about an earlier position, and the reading loop asks for itself.
    if (this.state !== 'unknown' || partition.appliedSequence !== appliedSequence) return;
    this.state = isSame ? 'same' : 'other';
    if (!isSame) return reader.interrupt();
    noteCompared(partition.generation);
    this.applied = appliedSequence;
    this.published = Math.min(snapshots.publishedSequence, appliedSequence);
    this.reached.notify();
  }

  /** Prepares to fold the log from its first message: producer and number tell which messages were folded before. */
  private async rewind(): Promise<void> {
    const {partition, snapshots, noteCompared, log} = this.setup;
    log.error(
      {partition: partition.partition, sequence: partition.appliedSequence},
      'the log lost messages that were folded (a power cut without sync, a restored backup, or a deleted stream): it is read again from its start',
    );
    this.noteLoss();
    this.losses += 1;
    await snapshots.idle();
    partition.rewind();
    this.forgetReached();
    this.forgetHanded();
    this.state = 'same'; // A doubt that comes while the snapshot is written stays.
    await snapshots.logReplaced(); // LI4
    if (this.isKnown) noteCompared(partition.generation);
  }
}
