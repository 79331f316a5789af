// Lifecycle, from the users of each bucket.
//   LS1. One bucket before the first is read, too, and who did it before that: such a user is not new.

import {intervalText} from '../../../actors/report/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {LifecycleCells, lifecycleFields} from '../../../actors/report/engagement/lifecycle.js';
import type {ReportQuery} from '../../asks/report.js';
import {cutsOf} from '../active/held-buckets.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {filteredUsers} from './filtered-users.js';
import {usersBefore} from './first-time.js';
import {type RowReading, RowScan} from './row-scan.js';
import {usersByBucket} from './users-by-bucket.js';

type Query = Extract<ReportQuery, {report: 'lifecycle'}>;

/** JSON text of the answer. @throws MissingPart, DamagedPart */
export async function lifecycle(
  reading: RowReading,
  query: Query,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const {did, fromMs, toMs, beforeMs, users: filter} = query;
  const buckets = Buckets.of(query);
  const edges = Float64Array.from([beforeMs, fromMs, ...buckets.edges.subarray(1)]);
  const asked = {selectors: [did], kind: buckets.kind, edges, cuts: cutsOf(edges, beforeMs, toMs)};
  const cells = new LifecycleCells(buckets.count);
  const scan = new RowScan(reading, {stretch: {startMs: beforeMs, lastMs: toMs}, selectors: [did]});
  for (const snapshot of snapshots) {
    const users = await filteredUsers(reading, snapshot, filter);
    const known = await usersBefore(reading, snapshot, did, beforeMs, users); // LS1
    await usersByBucket(
      reading,
      scan,
      snapshot,
      asked,
      ({userStart, sets}) => cells.addSets(sets, known.subarray(userStart / 32)),
      users,
    );
  }
  return `{${intervalText(buckets)},${lifecycleFields(cells, buckets.labels())}${scan.skippedField}}`;
}
