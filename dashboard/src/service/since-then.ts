// Events accepted since a moment, and the partition with the oldest snapshot, for the freshness of a page.
import type {LoadAnswer} from '../../../src/edge/dashboard/answers/load.js';

interface SinceThen {
  readonly accepted: number;
  /** The ring of the service begins after the moment: there were more. */
  readonly isAtLeast: boolean;
  /** Other edges take events, too, and are not counted. */
  readonly isOfThisEdge: boolean;
  /** The partition whose snapshot is oldest; undefined while none is known. */
  readonly slowest:
    | {readonly partition: number; readonly snapshotMs: number; readonly behindMs: number | null}
    | undefined;
}

/** `asOfMs`: epoch ms by the service's clock. A rate counts for the time since the row before it. */
export function sinceThen({at, columns, state}: LoadAnswer, asOfMs: number): SinceThen {
  const rates = ['batch', 'single'].map((name) => columns[name] ?? []);
  let accepted = 0;
  for (let row = 1; row < at.length; row++) {
    const seconds = (at[row]! - Math.max(at[row - 1]!, asOfMs)) / 1_000;
    if (seconds > 0) for (const rate of rates) accepted += (rate[row] ?? 0) * seconds;
  }
  const known = state.partitions.filter(({snapshot_age_ms: age}) => age !== null);
  const slowest = known.reduce<(typeof known)[number] | undefined>(
    (worst, one) => (worst === undefined || one.snapshot_age_ms! > worst.snapshot_age_ms! ? one : worst),
    undefined,
  );
  return {
    accepted: Math.round(accepted),
    isAtLeast: (at[0] ?? Number.POSITIVE_INFINITY) > asOfMs,
    isOfThisEdge: !state.is_whole,
    slowest: slowest && {
      partition: slowest.partition,
      snapshotMs: slowest.snapshot_age_ms!,
      behindMs: slowest.behind_ms,
    },
  };
}
