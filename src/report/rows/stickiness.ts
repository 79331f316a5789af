// Stickiness: one pass over the rows of what users did marks the buckets that each user has.

import {intervalText} from '../../../actors/report/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {StickinessCells} from '../../../actors/report/engagement/stickiness.js';
import type {ReportQuery} from '../../asks/report.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {markUsers} from './marked-users.js';
import {type RowReading, RowScan} from './row-scan.js';
import {usersWhere} from './traits.js';

type Query = Extract<ReportQuery, {report: 'stickiness'}>;

/** JSON text of the answer. @throws MissingPart, DamagedPart */
export async function stickiness(
  reading: RowReading,
  query: Query,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const {did, fromMs: startMs, toMs: lastMs, isAtLeast, userWhere} = query;
  const buckets = Buckets.of(query);
  const ends = buckets.edges.subarray(1);
  const cells = new StickinessCells(buckets.count);
  const scan = new RowScan(reading, {stretch: {startMs, lastMs}, selectors: [did]});
  for (const snapshot of snapshots) {
    const users = await usersWhere(reading.scan, snapshot, userWhere);
    await markUsers(reading, scan, snapshot, ends, (_, _buckets, count) => cells.addUser(count), users);
  }
  const atLeast = isAtLeast ? '"at_least":true,' : '';
  return `{${intervalText(buckets)},${atLeast}${cells.fields(isAtLeast)}${scan.skippedField}}`;
}
