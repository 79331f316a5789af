// A funnel of plain steps.
//   PF1. The numbers are the same whatever answers. This answer has fewer fields than that of walked-funnel.ts, as
//        docs/api/reports/funnel.md says: a member that is given makes it that one, even if the member says what is so without it.
import {type FunnelResult, funnelAnswer, mergeFunnels} from '../../../actors/report/funnel/funnel.js';
import type {QueryOf} from '../../asks/report.js';
import {postedFunnel, scannedFunnel} from '../operators/posted-funnel.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {walkedFunnel} from './walked-funnel.js';

/** @throws MissingPart, DamagedPart, BeyondMemory */
export async function funnel(
  reading: Reading,
  query: QueryOf<'funnel'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  if (!isPlainFunnel(query)) return walkedFunnel(reading, query, snapshots);
  const results: FunnelResult[] = [];
  const names = query.steps.map(({event}) => event);
  try {
    for (const snapshot of snapshots)
      results.push((await postedFunnel(reading, query, snapshot)) ?? (await scannedFunnel(reading, query, snapshot)));
    return funnelAnswer(names, mergeFunnels(names.length, results));
  } finally {
    for (const {durations} of results) for (const list of durations) reading.lists.giveBack(list);
  }
}

/** Whether steps have names alone, and the question nothing but a range and a window. PF1 */
function isPlainFunnel(query: QueryOf<'funnel'>): boolean {
  const {range, users, hold, breakdown, interval, histogram, hasPercentiles, order, where, exclusions, steps} = query;
  const members = [range, users, hold, breakdown, interval, histogram, hasPercentiles, order];
  const lists = [where, exclusions, ...steps.map((step) => step.where)];
  return members.every((member) => member === undefined) && lists.every(isEmpty);
}

const isEmpty = (list: readonly unknown[] | undefined): boolean => list === undefined || list.length === 0;
