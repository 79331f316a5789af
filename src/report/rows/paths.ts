// Paths: the users who did the event are found first, then all of their events are walked.

import {timeOf} from '../../../actors/chunk/rows.js';
import {PathCounts} from '../../../actors/report/engagement/paths.js';
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
  for (const snapshot of snapshots) {
    const users = await usersWhere(reading.scan, snapshot, userWhere);
    const onPath = new UserSet();
    const note: ChosenFold = (rows, [chosen]) => {
      for (const row of chosen!) onPath.add(rows.users[row]!);
    };
    await ofEvent.fold(snapshot, note, users);
    if (onPath.count > 0) await walk(reading, ofAll, snapshot, onPath, counts);
  }
  return `{${counts.fields(limit)}}`;
}

async function walk(
  reading: RowReading,
  scan: RowScan,
  snapshot: PartitionSnapshot,
  users: UserSet,
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
