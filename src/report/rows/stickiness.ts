// Stickiness, from the users of each bucket.

import {intervalText} from '../../../actors/report/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {StickinessCells} from '../../../actors/report/engagement/stickiness.js';
import type {ReportQuery} from '../../asks/report.js';
import {cutsOf} from '../active/held-buckets.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {filteredUsers} from './filtered-users.js';
import {type RowReading, RowScan} from './row-scan.js';
import {usersByBucket} from './users-by-bucket.js';

type Query = Extract<ReportQuery, {report: 'stickiness'}>;

/** JSON text of the answer. @throws MissingPart, DamagedPart */
export async function stickiness(
  reading: RowReading,
  query: Query,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const {did, fromMs, toMs, isAtLeast, users: filter} = query;
  const buckets = Buckets.of(query);
  const {edges, kind} = buckets;
  const asked = {selectors: [did], kind, edges, cuts: cutsOf(edges, fromMs, toMs)};
  const cells = new StickinessCells(buckets.count);
  const scan = new RowScan(reading, {stretch: {startMs: fromMs, lastMs: toMs}, selectors: [did]});
  for (const snapshot of snapshots) {
    const users = await filteredUsers(reading, snapshot, filter);
    await usersByBucket(reading, scan, snapshot, asked, ({sets}) => cells.addSets(sets), users);
  }
  const atLeast = isAtLeast ? '"at_least":true,' : '';
  return `{${intervalText(buckets)},${atLeast}${cells.fields(isAtLeast)}${scan.skippedField}}`;
}
