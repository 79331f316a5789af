// Whether the log is the one that was folded. A log that lost its tail (a power cut without sync, a restored backup, a deleted
// stream) comes back with other messages at the same sequences.
//   Owns:    what is known of that, who waits for a sequence to be applied or published.
//   Does not own: the reading and folding of the log (runner.ts), its generation (actors/partition.ts).
//
//   LI1. Until the log is known to be the same, no caller is told that a sequence is reached, and nothing is folded: its
//        sequences may be those of another log, and its producers' numbers would be skipped for ever.
//   LI2. It starts unknown: the server may have restarted without its tail since recovery looked.
//   LI3. A doubt comes with every lost connection, and with every way through the log that breaks: its stream may have been
//        deleted and made again, or be of a server of the cluster that lost its newest messages.

import type {Partition} from '../../../actors/partition.js';
import {monotonicMs} from '../../clock.js';
import type {Logger} from '../../observe.js';
import {Condition} from '../../pacing/condition.js';
import {retryForever, Trouble} from '../retry.js';
import type {LogReader} from './log-reader.js';

export interface LogIdentitySetup {
  readonly partition: Partition;
  readonly reader: LogReader;
  readonly snapshots: {
    /** Position of the newest manifest in this log; 0: none. */
    readonly publishedSequence: number;
    /** Resolves when no snapshot is being written. */
    idle(): Promise<void>;
    /** The log is another one. */
    logReplaced(): void;
  };
  readonly ownership: {
    /** O1 (ownership.ts) */
    isOutlived(): Promise<boolean>;
  };
  /** Is told when the log was compared with what is folded: positions from now on are of this generation. */
  readonly noteCompared: (generation: number) => void;
  readonly log: Logger;
  readonly onFatal: (error: Error) => void;
}

export class LogIdentity {
  private readonly setup: LogIdentitySetup;
  private readonly trouble: Trouble;
  private state: 'same' | 'unknown' | 'other' = 'unknown'; // LI2
  /** The connection was lost since reading began: what is still to be read of that may be of a log that is gone. */
  private isReadStale = false;
  /** Doubts about the log, and logs that turned out to be other ones: each may have taken a tick with it. */
  losses = 0;
  /** Sequences that callers are told of as applied and as published. LI1 */
  private applied: number;
  private published: number;
  private readonly reached = new Condition();
  /** Since this process started. */
  logLosses = 0;
  private lastLossMs: number | undefined;

  constructor(setup: LogIdentitySetup) {
    this.setup = setup;
    this.trouble = new Trouble(setup.log, {partition: setup.partition.partition, tried: 'to ask the log'});
    this.applied = setup.partition.appliedSequence;
    this.published = setup.snapshots.publishedSequence;
  }

  get isKnown(): boolean {
    return this.state === 'same' && !this.isReadStale;
  }

  /** Since the log was last found to lack messages; null: never. */
  get lossAgeMs(): number | null {
    return this.lastLossMs === undefined ? null : monotonicMs() - this.lastLossMs;
  }

  /** The log lacks messages that were folded: now, or when the partition was recovered. */
  noteLoss(): void {
    this.logLosses += 1;
    this.lastLossMs = monotonicMs();
  }

  /** The fold is as far as the partition says. @returns whether that is in a log that is known. */
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

  /** Whether the fold reached `sequence` within `waitMs`. */
  whenApplied(sequence: number, waitMs: number): Promise<boolean> {
    this.hurryTo(sequence);
    return this.reached.until(() => this.applied >= sequence, waitMs);
  }

  /** Whether a snapshot at or after `sequence` was published within `waitMs`. */
  whenPublished(sequence: number, waitMs: number): Promise<boolean> {
    this.hurryTo(sequence);
    return this.reached.until(() => this.published >= sequence, waitMs);
  }

  private hurryTo(sequence: number): void {
    const {partition, reader} = this.setup;
    if (sequence > partition.appliedSequence) reader.hurry(sequence);
  }

  /** Before reading: rewinds when the log is another one than was folded. */
  async agree(): Promise<void> {
    if (this.isReadStale && this.state === 'same') this.state = 'unknown';
    this.isReadStale = false;
    if (this.state === 'unknown') await this.check();
    if (this.state === 'other') await this.rewind();
  }

  /** LI3 */
  readingEnded(): void {
    if (this.state === 'same') this.doubt();
  }

  /** LI3. The connection to the log was lost. */
  disconnected(): void {
    this.isReadStale = true;
    this.doubt();
  }

  /** The connection is back: what was asked for over the lost one is asked again. */
  reconnected(): Promise<void> {
    this.setup.reader.reopen();
    return this.check();
  }

  /** Generation of the log as it is after the call; undefined when that is not known: then the log is compared again. */
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

  /** Tries until the log answers. */
  ask<T>(question: () => Promise<T>): Promise<T> {
    return retryForever(question, this.trouble);
  }

  private doubt(): void {
    this.state = 'unknown';
    this.losses += 1;
    this.forgetReached();
  }

  /** LI1 */
  private forgetReached(): void {
    this.applied = 0;
    this.published = 0;
  }

  /** Asks the log for the message that was folded last; interrupts the reading of another one. */
  private async check(): Promise<void> {
    const {reader, partition, ownership, snapshots, noteCompared} = this.setup;
    const {appliedSequence, appliedMark} = partition;
    const isSame = await this.ask(() => reader.holds(appliedSequence, appliedMark));
    if (!isSame && (await ownership.isOutlived())) return reader.interrupt(); // O1 (ownership.ts)
    // Folding went on meanwhile: what was asked about is the position no more, and the reading loop asks for itself.
    if (this.state !== 'unknown' || partition.appliedSequence !== appliedSequence) return;
    this.state = isSame ? 'same' : 'other';
    if (!isSame) return reader.interrupt();
    noteCompared(partition.generation);
    this.applied = appliedSequence;
    this.published = Math.min(snapshots.publishedSequence, appliedSequence);
    this.reached.notify();
  }

  /** The log is folded from its first message on: what was folded before is skipped by producer and number. */
  private async rewind(): Promise<void> {
    const {partition, snapshots, noteCompared, log} = this.setup;
    log.error(
      {partition: partition.partition, sequence: partition.appliedSequence},
      'the log lost messages that were folded (a power cut without sync, a restored backup, or a deleted stream): it is read again from its start',
    );
    this.noteLoss();
    this.losses += 1;
    await snapshots.idle();
    snapshots.logReplaced();
    partition.rewind();
    this.forgetReached();
    this.state = 'same';
    noteCompared(partition.generation);
  }
}
