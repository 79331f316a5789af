// The numbers of one partition, for /metrics.
import {wallMs} from '../../clock.js';
import type {AlarmKind, PartitionMeasures} from '../../measures.js';
import type {Runner} from '../runner.js';

/** How folding everything that was in the log at a moment went. */
export interface CatchUp {
  readonly isCaughtUp: boolean;
  /** Messages that were not folded at that moment; null when the log did not say. */
  readonly behind: number | null;
  readonly waitedMs: number;
}

export function measurePartition(runner: Runner, caughtUp: CatchUp, alarms: AlarmKind[]): PartitionMeasures {
  const {partition, snapshots, damage} = runner.view;
  const {counted, arrived, duplicate, tombstoned, redelivered} = partition.tally;
  const {joined, shared, tooLarge} = partition.linkTally;
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
    events: {counted, arrived, duplicate, erased: tombstoned},
    identifies: {
      counted: partition.identifies.counted,
      duplicate: partition.identifies.duplicate,
      erased: partition.identifies.tombstoned,
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
    dedupe: {
      ids: messageIds.count,
      bytes: messageIds.byteLength,
      bytesMax: messageIds.bytesMax,
      windowMs: partition.dedupeWindowMs,
      erasedIds: tombstones.count,
      erasedBytes: tombstones.byteLength,
    },
    deletions: {pending, oldestPendingMs, completed: runner.deletions.completed},
  };
}

/**
 * How long it took to fold what was there; while that is not done, the age of what is being folded. (The age alone would
 * be wrong for a log that was silent for an hour and got a message just now.)
 */
function lagMs(runner: Runner, {isCaughtUp, waitedMs}: CatchUp): number {
  const foldedMs = runner.foldingLogMs ?? runner.published?.asOfMs;
  return isCaughtUp || foldedMs === undefined ? waitedMs : Math.max(waitedMs, wallMs() - foldedMs);
}
