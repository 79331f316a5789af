// The buckets in which each user of a partition has chosen rows: one pass over the rows, a bit for each bucket.

import {timeOf} from '../../../actors/chunk/rows.js';
import {UserMarks, type WalkMarks} from '../../../actors/report/engagement/user-marks.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {RowReading, RowScan} from './row-scan.js';

/** `ends`: end of each bucket, ascending, epoch ms; the first bucket has everything before its end that the scan reads. */
export async function markUsers(
  {scan, gatheredBytesMax}: RowReading,
  rowScan: RowScan,
  snapshot: PartitionSnapshot,
  ends: Float64Array,
  walkMarks: WalkMarks,
  users: Users | undefined,
): Promise<void> {
  const marks = new UserMarks(snapshot.index.users.count, ends.length, gatheredBytesMax, walkMarks);
  await scan.borrowing(marks.bytes, () =>
    rowScan.inPasses(
      snapshot,
      marks,
      (rows, [chosen]) => {
        let bucket = 0;
        for (const row of chosen!) {
          const timeMs = timeOf(rows, row);
          while (timeMs >= ends[bucket]!) bucket += 1; // Rows come by time.
          marks.add(rows.users[row]!, bucket);
        }
      },
      users,
    ),
  );
}
