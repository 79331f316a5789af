// Paths: the users who did the event are found first, then all of their events are walked.
//   PH1. With a condition on numbers the events of all users are walked: what the condition cannot judge is counted.

import {timeOf} from '../../../actors/chunk/rows.js';
import {PathCounts} from '../../../actors/report/engagement/paths.js';
import {comparesNumbers} from '../../../actors/report/rows/condition.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import {UserSet} from '../../../actors/table/user-set.js';
import type {ReportQuery} from '../../asks.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {BeyondMemory, type ChosenFold, type RowReading, RowScan} from './row-scan.js';
import {usersWhere} from './traits.js';

/** Counts may take so much in any case. */
const countsBytes = 64 * 1024;

type Query = Extract<ReportQuery, {report: 'paths'}>;

/** JSON text of the answer. @throws MissingPart, DamagedPart, BeyondMemory */
export async function paths(
  reading: RowReading,
  query: Query,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const {event, where, fromMs, toMs, depth, direction, limit, userWhere} = query;
  const counts = new PathCounts(event, depth, direction);
  const stretch = {startMs: fromMs, lastMs: toMs};
  const ofEvent = new RowScan(reading, {stretch, selectors: [{event, where}]});
  const ofAll = new RowScan(reading, {stretch, selectors: [{where}]});
  const isCounted = where.some(({op}) => comparesNumbers(op));
  for (const snapshot of snapshots) {
    const users = await usersWhere(reading.scan, snapshot, userWhere);
    const onPath = isCounted ? users : await usersOf(ofEvent, snapshot, users); // PH1
    await walk(reading, ofAll, snapshot, onPath, counts);
  }
  return `{${counts.fields(limit)}${ofAll.skippedField}}`;
}

/** Users with an event that the scan chooses. */
async function usersOf(scan: RowScan, snapshot: PartitionSnapshot, among: Users | undefined): Promise<Users> {
  const found = new UserSet();
  const note: ChosenFold = (rows, [chosen]) => {
    for (const row of chosen!) found.add(rows.users[row]!);
  };
  await scan.fold(snapshot, note, among);
  return found;
}

async function walk(
  reading: RowReading,
  scan: RowScan,
  snapshot: PartitionSnapshot,
  users: Users | undefined,
  counts: PathCounts,
): Promise<void> {
  const {names} = snapshot;
  const bytesMax = Math.max(reading.gatheredBytesMax, countsBytes);
  /** Numbers of the partition's names; 0: not looked up. */
  const numbers = new Uint32Array(names.count);
  await scan.walk(
    snapshot,
    (rows, [chosen], walk) => {
      for (const row of chosen!) {
        const name = rows.names[row]!;
        if (numbers[name] === 0) numbers[name] = counts.numberOf(names.text(name));
        walk.add(rows.users[row]!, timeOf(rows, row), numbers[name]!);
      }
    },
    (_, _times, kinds, start, end) => {
      counts.addUser(kinds, start, end);
      if (counts.bytes > bytesMax) throw new BeyondMemory('different paths take', bytesMax);
    },
    users,
  );
}
