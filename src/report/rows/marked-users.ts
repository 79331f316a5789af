// The buckets in which each user of a partition has chosen rows: one pass over the rows, a bit for each bucket.

import {firstPlace} from '../../../actors/order/search.js';
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
        const {users: ofRows, times, timeBase} = rows;
        let [bucket, start, end] = [0, 0, 0];
        for (let i = 0; i < chosen!.length; i++) {
          const row = chosen![i]!;
          const time = times[row]!;
          if (time < start || time >= end) {
            bucket = firstPlace(0, ends.length, (place) => ends[place]! <= timeBase + time);
            start = (ends[bucket - 1] ?? Number.NEGATIVE_INFINITY) - timeBase;
            end = ends[bucket]! - timeBase;
          }
          marks.add(ofRows[row]!, bucket);
        }
      },
      users,
    ),
  );
}
