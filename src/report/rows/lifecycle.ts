// Lifecycle: one pass over the rows of what users did marks the buckets that each user has.
//   LS1. One bucket before the first is read, too, and who did it before that: such a user is not new.

import {intervalText} from '../../../actors/report/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {LifecycleCells, lifecycleFields} from '../../../actors/report/engagement/lifecycle.js';
import type {ReportQuery} from '../../asks/report.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {usersBefore} from './first-time.js';
import {markUsers} from './marked-users.js';
import {type RowReading, RowScan} from './row-scan.js';
import {usersWhere} from './traits.js';

type Query = Extract<ReportQuery, {report: 'lifecycle'}>;

/** JSON text of the answer. @throws MissingPart, DamagedPart */
export async function lifecycle(
  reading: RowReading,
  query: Query,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const {did, fromMs, toMs, beforeMs, userWhere} = query;
  const buckets = Buckets.of(query);
  const placeEnds = Float64Array.from([fromMs, ...buckets.edges.subarray(1)]);
  const cells = new LifecycleCells(buckets.count);
  const scan = new RowScan(reading, {stretch: {startMs: beforeMs, lastMs: toMs}, selectors: [did]});
  for (const snapshot of snapshots) {
    const users = await usersWhere(reading.scan, snapshot, userWhere);
    const known = await usersBefore(reading, snapshot, did, beforeMs, users); // LS1
    await markUsers(
      reading,
      scan,
      snapshot,
      placeEnds,
      (user, places, count) => cells.addUser(places, count, known.has(user)),
      users,
    );
  }
  return `{${intervalText(buckets)},${lifecycleFields(cells, buckets.labels())}${scan.skippedField}}`;
}
