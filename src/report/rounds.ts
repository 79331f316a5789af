// How a question reads the partitions: in rounds, each of which adds up all of them.
//   RO1. The result of a round depends neither on the order of partitions nor on who folded them (actors/report/partials.ts PA1). So an
//        answer has the same bytes with one process as with several (shards.ts).
//   RO2. A step says which round it is, and what earlier rounds decided. It is JSON: with the query, another process makes the same
//        round of it.
import type {PartialSum} from '../../actors/report/partials.js';
import type {ReportQuery} from '../asks/report.js';
import type {PartitionSnapshot} from './published/newest-snapshots.js';
import type {RowScan} from './row-scan.js';

export interface Round extends PartialSum {
  /** Adds a partition. @throws MissingPart, DamagedPart, BeyondMemory */
  fold(snapshot: PartitionSnapshot): Promise<void>;
  /** Gives back what it took from pools. */
  end?(): void;
}

/** Folds all partitions. */
export type RunRound<Step> = <R extends Round>(round: R, step: Step) => Promise<R>;

export interface Question<Step> {
  /** JSON text of the answer. @throws MissingPart, DamagedPart, BeyondMemory */
  answer(run: RunRound<Step>): Promise<string>;
  /** The round of a step, which another process runs. RO2 */
  round(step: Step): Round;
}

/** The partial of a round that has sums, and what its scan skipped. */
export const partialOf = (scan: RowScan, sums: PartialSum): PartialSum => ({
  *write(to) {
    scan.writeSkipped(to);
    yield* sums.write(to);
  },
  *add(from) {
    scan.addSkipped(from);
    yield* sums.add(from);
  },
});

/** What another process is asked for: what a round has of some partitions. */
export interface AskedShare {
  readonly query: ReportQuery;
  /** JSON text. RO2 */
  readonly step: string;
  /** `Report-Log-Position` of the snapshots, and the key of each one's index: no key is used twice. */
  readonly at: string;
  readonly indexes: readonly string[];
  readonly partitions: readonly number[];
}

/** What other processes folded; `own`: partitions that are to be folded here. Never rejects. */
export type FoldedShare = Promise<{
  readonly partials?: readonly Uint8Array[];
  readonly own: readonly PartitionSnapshot[];
}>;

/** The other processes that answer reports (shards.ts). */
export interface Others {
  /** The partitions that this process folds in any case. */
  ownOf(snapshots: readonly PartitionSnapshot[]): readonly PartitionSnapshot[];
  /** Asks for a round. Together the shares are all partitions. */
  ask(snapshots: readonly PartitionSnapshot[], step: string): readonly FoldedShare[];
}

/** Folds all partitions here, one after the other. */
export async function foldAll<R extends Round>(round: R, snapshots: readonly PartitionSnapshot[]): Promise<R> {
  for (const snapshot of snapshots) await round.fold(snapshot);
  return round;
}
