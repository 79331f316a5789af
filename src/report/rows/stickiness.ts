// Stickiness: one walk over the chosen rows; the kind of a row is its bucket.

import {timeOf} from '../../../actors/chunk/rows.js';
import {intervalText} from '../../../actors/report/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {StickinessCells} from '../../../actors/report/engagement/stickiness.js';
import type {ReportQuery} from '../../asks.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
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
  const cells = new StickinessCells(buckets.count);
  const scan = new RowScan(reading, {stretch: {startMs, lastMs}, selectors: [did]});
  for (const snapshot of snapshots) {
    await scan.walk(
      snapshot,
      (rows, [chosen], walk) => {
        for (const row of chosen!) {
          const timeMs = timeOf(rows, row);
          walk.add(rows.users[row]!, timeMs, buckets.indexOf(timeMs));
        }
      },
      (_, _times, places, start, end) => cells.addUser(places, start, end),
      await usersWhere(reading.scan, snapshot, userWhere),
    );
  }
  const atLeast = isAtLeast ? '"at_least":true,' : '';
  return `{${intervalText(buckets)},${atLeast}${cells.fields(isAtLeast)}${scan.skippedField}}`;
}
