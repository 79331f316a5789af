// Cleans the disk after erase entries were folded (docs/architecture.md, Deletion). The state is free of the user by then; old parts
// and the entries in the log are left.
//   filler -> snapshot A -> snapshot B -> purge of the log through A -> read back -> journal -> receipt
//   Z1. A storage block of the log is unlinked once all of its messages are purged; the filler is longer than a block, so
//       the tick at A lies in a younger block than any entry before the filler.
//   Z2. With A and B published both kept manifests are free of the user, and the sweep gets the parts that only older ones
//       named. It erases all parts that it has by then, also those that waited since before the entry was folded, and reads back.
//   Z3. Crash-safe: until the receipt is in a manifest the deletion is pending, and the next start does all of this again.
//   Z4. Parts that a killed owner wrote and no manifest names may hold the user, too. The server may complete such a write after
//       the sweep at the start searched for orphans: the scrub searches again.
//   Z5. Late copies of erased events that came meanwhile are cleaned from the log before the receipt. A client that never stops
//       sending them cannot hold up the receipt: it is given, and the log is cleaned once more after it (late-copies.ts).
//   Z6. A halted partition publishes nothing: the deletion stays pending, and the next start completes it.
//   Z7. A deletion that comes here twice (onward.ts) is in the log twice before the scrub: both entries are before A.
//   Deletions that come while a scrub runs share the next one.
import type {JetStreamManager} from '@nats-io/jetstream';
import {must} from '../../../actors/invariant.js';
import type {DeletionRecord, Position} from '../../../actors/manifest.js';
import type {Partition} from '../../../actors/partition.js';
import {monotonicMs, wallMs} from '../../clock.js';
import {positionText} from '../../log-position.js';
import {logStream} from '../../nats/topology.js';
import type {Logger} from '../../observe.js';
import {ConditionVariable} from '../../pacing/condition-variable.js';
import {PacedWork} from '../../pacing/paced-work.js';
import type {LogWriter} from '../log/log-writer.js';
import {RetryLog, retryForever} from '../retry.js';
import type {PartSweep} from '../snapshot/part-sweep.js';
import type {Snapshots} from '../snapshot/snapshots.js';
import type {DeletionJournal} from './deletion-journal.js';
import type {NoteStep} from './erasure-steps.js';

/** nats-server's storage blocks of a stream without a size limit hold 8 MiB. */
const logBlockBytes = 8 * 1024 * 1024;
const fillerBytes = logBlockBytes + 1024 * 1024;

/** Scrubs in a row that postpone receipts for late copies. Z5 */
const deferralsMax = 2;

/** `bytes`: our own server, which overwrites crash-atomically. `logical`: our own, but older. `records`: a server that others run. */
export type ErasureReach = 'bytes' | 'logical' | 'records';

interface ScrubSetup {
  readonly partition: Partition;
  readonly sweep: PartSweep;
  readonly snapshots: Snapshots;
  readonly writer: LogWriter;
  readonly jsm: JetStreamManager;
  readonly erasureReach: ErasureReach;
  readonly journal: DeletionJournal;
  readonly log: Logger;
  readonly note: NoteStep;
  /** Publishes a tick. Resolves to whether a snapshot at or after it is published: never in a halted partition. Z6 */
  readonly publish: () => Promise<boolean>;
  /** Notifies webhooks of a completed deletion, after its receipt. */
  readonly notifyDeleted: (id: string) => Promise<void>;
  readonly onFatal: (error: Error) => void;
}

export class Scrub {
  private readonly setup: ScrubSetup;
  private readonly retries: RetryLog;
  private readonly journalRetries: RetryLog;
  private readonly scrubbing: PacedWork;
  private readonly announced = new ConditionVariable();
  /** Deletions whose receipt is in no manifest yet. */
  private readonly unpublished = new Set<string>();
  /** Time at which this process took up each pending deletion, by id; the oldest first. */
  private readonly takenUpMs = new Map<string, number>();
  /** Scrubs that postponed receipts, since the last receipt. Z5 */
  private deferrals = 0;
  /** Values of older snapshots that were overwritten and not found again, since the last receipt. */
  private erasedValues = 0;
  /** Receipts given by this process. */
  completed = 0;
  private hasEnded = false;

  constructor(setup: ScrubSetup) {
    this.setup = setup;
    this.scrubbing = new PacedWork({work: () => this.scrubOnce(), onFailed: setup.onFatal});
    this.retries = new RetryLog(setup.log, {
      partition: setup.partition.partition,
      tried: 'to read the first sequence of the log',
    });
    this.journalRetries = new RetryLog(setup.log, {
      partition: setup.partition.partition,
      tried: 'to write the journal of deletions',
    });
  }

  /** Starts a scrub for all entries that are folded by now, if a deletion is due or late copies are in the log. */
  request(): void {
    const {partition} = this.setup;
    for (const {id} of partition.deletions.pending()) {
      if (!this.takenUpMs.has(id)) this.takenUpMs.set(id, monotonicMs());
    }
    if (this.due().length > 0 || partition.deletions.hasErasedInLog) this.scrubbing.wake();
  }

  /** Deletions without a published receipt, and how long this process has known the oldest. */
  get pending(): {readonly count: number; readonly oldestAgeMs: number} {
    const [oldest] = this.takenUpMs.values();
    return {count: this.takenUpMs.size, oldestAgeMs: oldest === undefined ? 0 : monotonicMs() - oldest};
  }

  get isRunning(): boolean {
    return this.scrubbing.isBusy;
  }

  /** Resolves when no scrub is running. */
  idle(): Promise<void> {
    return this.scrubbing.idle();
  }

  /** Pending deletions that need not go on to another partition any more (onward.ts). */
  private due(): DeletionRecord[] {
    return this.setup.partition.deletions.pending().filter(({onward}) => onward === undefined);
  }

  private async scrubOnce(): Promise<undefined> {
    const {partition, sweep, snapshots, writer, publish, note} = this.setup;
    const deletions = this.due();
    const {appliedSequence} = partition;
    sweep.note();
    await writer.filler(fillerBytes); // Z1
    note('filler written');
    if (!(await publish())) return; // A, Z6
    note('snapshot A published');
    if (!(await publish())) return; // B, Z6
    note('snapshot B published');
    await snapshots.idle(); // Z2
    snapshots.sweepOrphans(); // Z4
    await sweep.settle();
    note('old parts erased');
    const older = must(snapshots.older, 'two snapshots were just published');
    const position = {generation: partition.generation, sequence: older.sequence};
    await snapshots.truncateNow(older);
    note('log purged');
    const erased = sweep.takeNoted();
    const remaining = await sweep.stillThere(erased);
    this.erasedValues += erased.length - remaining.length;
    const first = await this.firstSequence();
    note('read back');
    const isPurged = older.sequence > 0 && first >= older.sequence; // Sequence 0: a snapshot before another log (LI4, log-identity.ts)
    if (remaining.length > 0 || !isPurged) {
      this.setup.log.error(
        {remaining: remaining.length, first, position},
        'an erasure left old values or log entries on disk: it is repeated',
      );
      sweep.add(remaining);
      this.scrubbing.wake();
      return;
    }
    partition.deletions.logCleaned(appliedSequence); // Z1: entries after the filler may share a block with A.
    if (deletions.length === 0) {
      // The erased values may include those of a deletion that came meanwhile: then they count for its receipt.
      if (partition.deletions.pending().length === 0) this.erasedValues = 0;
      return;
    }
    if (partition.deletions.hasErasedInLog && this.deferrals < deferralsMax) {
      this.deferrals += 1; // Z5
      this.scrubbing.wake();
      return;
    }
    this.deferrals = 0;
    const done = deletions.map(({id}) => must(partition.deletions.get(id), 'a pending deletion is on record')); // Z7
    await retryForever(() => this.journal(done), this.journalRetries); // DJ1 (deletion-journal.ts)
    note('journal written');
    for (const deletion of done) this.complete(deletion, position);
    this.erasedValues = 0;
    note('receipt made');
    if (!(await publish())) return; // Z3
    note('receipt published');
    for (const {id} of done) this.announce(id);
  }

  private async firstSequence(): Promise<number> {
    const {jsm, partition} = this.setup;
    const {state} = await retryForever(() => jsm.streams.info(logStream(partition.partition)), this.retries);
    return state.first_seq;
  }

  private journal(deletions: readonly DeletionRecord[]): Promise<void> {
    const {journal} = this.setup;
    const timeMs = wallMs();
    return journal.add(
      deletions.map(({id, userHash, deviceHashes, position, expiresLogicalMs}) => ({
        id,
        user: journal.hashOf(userHash),
        devices: deviceHashes.map((hash) => journal.hashOf(hash)),
        position,
        expiresLogicalMs,
        timeMs,
      })),
    );
  }

  private complete({id, isOfName}: DeletionRecord, position: Position): void {
    const {partition, erasureReach} = this.setup;
    const place = positionText({partition: partition.partition, ...position});
    const verified = [
      `state: the live state, and both kept snapshots (from ${place} on), were written without ${isOfName ? 'events of the name' : 'the user'}`,
      `parts: ${this.erasedValues} values of older snapshots were overwritten, and a read of each found nothing`,
      `log: it begins at ${place}, after the erase entry; the storage blocks before were removed`,
      limits[erasureReach],
    ];
    this.unpublished.add(id);
    partition.deletions.complete(id, {timeMs: wallMs(), verified});
  }

  private announce(id: string): void {
    this.unpublished.delete(id);
    this.takenUpMs.delete(id);
    this.completed += 1;
    this.announced.notify();
    if (this.setup.partition.deletions.toTell.has(id)) void this.setup.notifyDeleted(id);
  }

  /** Whether the receipt is in a published manifest: before that no client gets it. */
  isCompleted(id: string): boolean {
    return this.setup.partition.deletions.get(id)?.completed != null && !this.unpublished.has(id);
  }

  /** Whether the deletion is completed within `waitMs`, and before this owner ended. */
  async whenCompleted(id: string, waitMs: number): Promise<boolean> {
    await this.announced.until(() => this.hasEnded || this.isCompleted(id), waitMs);
    return this.isCompleted(id);
  }

  /** This owner gives no more receipts: ends the waits of callers. */
  end(): void {
    this.hasEnded = true;
    this.announced.notify();
  }
}

const limits: Readonly<Record<ErasureReach, string>> = {
  bytes: 'reach: every file under DATA_DIR, except definitions that people wrote (named_by)',
  logical:
    'reach: reports and answers; the bytes may still be in files, because this nats-server cannot overwrite them safely (2.14.5 and 2.12.15 can)',
  records: 'reach: the live records; replicas, backups and volumes of an external NATS were not checked',
};
