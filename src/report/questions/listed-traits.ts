// Lists of the current traits of users, and of the values of one of them.
//   LT1. The users are all that were ever seen, or those with an event in the range.
import {CurrentTraits, type Users} from '../../../actors/report/rows/current-traits.js';
import {KeyTypes} from '../../../actors/report/rows/key-types.js';
import {type TraitsObject, traitOf} from '../../../actors/report/rows/person-traits.js';
import {missingGroup, ValueGroups} from '../../../actors/report/rows/value-groups.js';
import {UserSet} from '../../../actors/table/user-set.js';
import {UserBlockReader} from '../../../actors/user/user-records.js';
import type {QueryOf} from '../../asks/report.js';
import {GroupCounts} from '../operators/grouped-rows.js';
import {checkHeld, keysAnswer, valuesAnswer} from '../operators/ranked-list.js';
import {readTraits} from '../operators/traits.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {RowScan} from '../row-scan.js';

/** JSON text of the answer. @throws MissingPart, DamagedPart, BeyondMemory */
export async function listedTraits(
  reading: Reading,
  query: QueryOf<'traits'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const keys = new KeyTypes();
  const users = await foldUsers(reading, query, snapshots, (traits) => {
    keys.addObject(traits);
    checkHeld(reading, keys.bytes);
  });
  keys.total = users;
  return keysAnswer(reading.scan, query, 'trait', keys);
}

/** JSON text of the answer. @throws MissingPart, DamagedPart, BeyondMemory */
export async function listedTraitValues(
  reading: Reading,
  query: QueryOf<'trait_values'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const groups = new ValueGroups();
  const totals = new GroupCounts();
  let withTraits = 0;
  const users = await foldUsers(reading, query, snapshots, (traits) => {
    withTraits += 1;
    totals.add(groups.groupOf(traitOf(traits, query.trait)), 0);
    checkHeld(reading, groups.bytes);
  });
  totals.add(missingGroup, 0, users - withTraits);
  return valuesAnswer(reading.scan, query, groups, totals.totals());
}

/** Calls `each` with the traits of every user that has any. @returns the number of users. LT1 */
async function foldUsers(
  reading: Reading,
  query: QueryOf<'traits' | 'trait_values'>,
  snapshots: readonly PartitionSnapshot[],
  each: (traits: TraitsObject) => void,
): Promise<number> {
  let count = 0;
  for (const snapshot of snapshots) {
    const active = await activeUsers(reading, query, snapshot);
    const seen = new UserSet();
    const isMeant: Users['has'] = (user) => !snapshot.leftOut.users.has(user) && active?.has(user) !== false;
    const traits = new CurrentTraits((user, object) => {
      if (isMeant(user)) each(object);
    });
    await readTraits(reading.scan, snapshot, {
      addBlock: (payload) => {
        traits.addBlock(payload);
        const reader = new UserBlockReader(payload);
        for (let record = reader.next(); record !== undefined; record = reader.next())
          if (isMeant(record.user)) seen.add(record.user);
      },
    });
    count += active?.count ?? seen.count;
  }
  return count;
}

/** Users with an event in the range; undefined without a range. */
async function activeUsers(
  reading: Reading,
  {active}: QueryOf<'traits' | 'trait_values'>,
  snapshot: PartitionSnapshot,
): Promise<UserSet | undefined> {
  if (active === undefined) return undefined;
  const stretch = {startMs: active.fromMs, lastMs: active.toMs};
  const users = new UserSet();
  await new RowScan(reading, {stretch, selectors: [{}]}).fold(snapshot, ({users: of}, [chosen]) => {
    for (const row of chosen!) users.add(of[row]!);
  });
  return users;
}
