// Measures of one partition, for /metrics.
import {wallMs} from '../../clock.js';
import type {AlarmKind, PartitionMeasures} from '../../measures.js';
import type {Runner} from '../runner.js';

/** Progress of folding what was in the log at one moment. */
export interface CatchUp {
  readonly isCaughtUp: boolean;
  /** Number of messages not folded at that moment; null when the log did not answer. */
  readonly behind: number | null;
  readonly waitedMs: number;
}

export function measurePartition(runner: Runner, caughtUp: CatchUp, alarms: AlarmKind[]): PartitionMeasures {
  const {partition, snapshots, damage} = runner.view;
  const {counted, arrived, duplicate, tombstoned, expired, redelivered} = partition.events.tally;
  const {joined, shared, tooLarge} = partition.identity.tally;
  const {messageIds, tombstones, conflicts} = partition.dedupe;
  const {count: pending, oldestAgeMs: oldestPendingMs} = runner.deletions.pending;
  const ageMs = runner.snapshotAgeMs;
  return {
    alarms,
    lagMessages: caughtUp.behind,
    lagMs: lagMs(runner, caughtUp),
    generation: partition.generation,
    snapshot: ageMs === null ? null : {sequence: snapshots.publishedSequence, ageMs},
    snapshotMs: snapshots.lastMs,
    snapshots: snapshots.count,
    events: {counted, arrived, duplicate, erased: tombstoned, expired},
    identifies: {
      counted: partition.events.identifies.counted,
      duplicate: partition.events.identifies.duplicate,
      erased: partition.events.identifies.tombstoned,
    },
    joins: {joined, shared, too_large: tooLarge},
    moves: {
      candidates: partition.moves.candidates.size,
      pending: partition.moves.pending.length,
      waitedMs: runner.mover.waitedMs,
    },
    conflicts: conflicts.count,
    redelivered,
    gaps: runner.gaps,
    logLosses: runner.identity.logLosses,
    damagedParts: damage.countOf(partition.partition),
    users: partition.users.table.live,
    names: partition.aggregator.names.live,
    profiles: partition.users.profiles.size,
    dictionaries: runner.dictionaries,
    dedupe: {
      ids: messageIds.count,
      bytes: messageIds.byteLength,
      bytesMax: messageIds.bytesMax,
      windowMs: partition.dedupeWindowMs,
      erasedIds: tombstones.count,
      erasedBytes: tombstones.byteLength,
    },
    funnels: runner.funnelMemory,
    expiredBytesPending: runner.expiry.pendingBytes,
    deletions: {pending, oldestPendingMs, completed: runner.deletions.completed},
  };
}

/**
 * Time that folding the present messages took; while it is not finished, the age of the message being folded. (The age alone
 * would be wrong for a log that was silent for an hour and has just got a message.)
 */
function lagMs(runner: Runner, {isCaughtUp, waitedMs}: CatchUp): number {
  const foldedMs = runner.foldingLogMs ?? runner.published?.asOfMs;
  return isCaughtUp || foldedMs === undefined ? waitedMs : Math.max(waitedMs, wallMs() - foldedMs);
}
