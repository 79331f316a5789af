// Paths: the rows are read twice, for the event that each user's path begins with, and for the nearest ones to it.

import {wtf8} from '../../../actors/bytes/bytes.js';
import {NearestEvents} from '../../../actors/report/engagement/nearest-events.js';
import {PathCounts} from '../../../actors/report/engagement/paths.js';
import type {ReportQuery} from '../../asks/report.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {filteredUsers} from './filtered-users.js';
import {BeyondMemory, type RowReading, RowScan} from './row-scan.js';

/** Counts may take so much in any case. */
const countsBytes = 64 * 1024;

type Query = Extract<ReportQuery, {report: 'paths'}>;

/** JSON text of the answer. @throws MissingPart, DamagedPart, BeyondMemory */
export async function paths(
  reading: RowReading,
  query: Query,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const {event, where, fromMs, toMs, depth, limit} = query;
  const counts = new PathCounts(event, depth);
  const scan = new RowScan(reading, {stretch: {startMs: fromMs, lastMs: toMs}, selectors: [{where}]});
  for (const snapshot of snapshots) await countPaths(reading, scan, query, snapshot, counts);
  return `{${counts.fields(limit)}${scan.skippedField}}`;
}

async function countPaths(
  reading: RowReading,
  rowScan: RowScan,
  {event, depth, direction, users: filter}: Query,
  snapshot: PartitionSnapshot,
  counts: PathCounts,
): Promise<void> {
  const {scan, gatheredBytesMax} = reading;
  const {names, index} = snapshot;
  const users = await filteredUsers(reading, snapshot, filter);
  const bytes = wtf8(event);
  const first = names.find(bytes, 0, bytes.length);
  const countsBytesMax = Math.max(gatheredBytesMax, countsBytes);
  /** Numbers of the partition's names; 0: not looked up. */
  const numbers = new Uint32Array(names.count);
  const numberOf = (name: number): number => {
    if (numbers[name] === 0) numbers[name] = counts.numberOf(names.text(name));
    return numbers[name]!;
  };
  const path = new Uint32Array(depth);
  const rules = {userCount: index.users.count, first, depth, direction, bytesMax: gatheredBytesMax};
  const nearest = new NearestEvents(rules, (ofUser, count) => {
    for (let step = 0; step < count; step++) path[step] = numberOf(ofUser[step]!);
    counts.addPath(path, count);
    if (counts.bytes > countsBytesMax) throw new BeyondMemory('different paths take', countsBytesMax);
  });
  await scan.borrowing(nearest.bytes, () =>
    rowScan.inPasses(snapshot, nearest, (rows, [chosen]) => nearest.add(rows, chosen!), users),
  );
}
