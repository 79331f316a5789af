// Number of distinct users with events of each of some names: one walk over the rows of the range.
import {timeOf} from '../../../actors/chunk/rows.js';
import type {UserFilter} from '../../asks/user-filter.js';
import {nameIndex} from '../name-index.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {RowScan} from '../row-scan.js';
import {filteredUsers} from './filtered-users.js';

/** `names`: in the order of the answer. */
export async function usersOfNames(
  reading: Reading,
  {fromMs, toMs, users: filter}: {readonly fromMs: number; readonly toMs: number; readonly users?: UserFilter},
  names: readonly string[],
  snapshots: readonly PartitionSnapshot[],
): Promise<Float64Array> {
  const users = new Float64Array(names.length);
  const scan = new RowScan(reading, {stretch: {startMs: fromMs, lastMs: toMs}, selectors: [{}]});
  for (const snapshot of snapshots) {
    const places = new Int32Array(snapshot.names.count).fill(-1);
    for (const [place, name] of names.entries()) {
      const index = nameIndex(snapshot, name);
      if (index >= 0) places[index] = place;
    }
    const lastUser = new Float64Array(names.length).fill(-1);
    await scan.walk(
      snapshot,
      (rows, [chosen], walk) => {
        for (const row of chosen!) {
          const place = places[rows.names[row]!]!;
          if (place >= 0) walk.add(rows.users[row]!, timeOf(rows, row), place);
        }
      },
      (user, _, kinds, start, end) => {
        for (let at = start; at < end; at++) {
          const place = kinds[at]!;
          if (lastUser[place] === user) continue;
          lastUser[place] = user;
          users[place]! += 1;
        }
      },
      await filteredUsers(reading, snapshot, filter),
    );
  }
  return users;
}
