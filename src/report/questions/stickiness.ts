// Stickiness, from the users of each bucket.

import {intervalText} from '../../../actors/report/counts/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {StickinessCells, usersByBuckets} from '../../../actors/report/engagement/stickiness.js';
import type {SetsOfPass} from '../../../actors/report/rows/bucket-sets.js';
import type {Point} from '../../asks/people-behind.js';
import type {QueryOf} from '../../asks/report.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {UsersByBucket} from '../operators/users-by-bucket.js';
import type {NoteUser} from '../operators/users-of-rows.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';

/** JSON text of the answer. @throws MissingPart, DamagedPart */
export async function stickiness(
  reading: Reading,
  query: QueryOf<'stickiness'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const {isAtLeast} = query;
  const buckets = Buckets.of(query);
  const cells = new StickinessCells(buckets.count);
  const skipped = await walkSets(reading, query, snapshots, (_, {sets}) => cells.addSets(sets));
  const atLeast = isAtLeast ? '"at_least":true,' : '';
  return `{${intervalText(buckets)},${atLeast}${cells.fields(isAtLeast)}${skipped}}`;
}

/** Hands over the users whom a number counts. @throws MissingPart, DamagedPart */
export async function stickinessUsers(
  reading: Reading,
  query: QueryOf<'stickiness'>,
  {buckets}: Point,
  snapshots: readonly PartitionSnapshot[],
  note: NoteUser,
): Promise<void> {
  const isMeant = (count: number): boolean =>
    buckets === undefined || count === buckets || (query.isAtLeast && count > buckets);
  await walkSets(reading, query, snapshots, (snapshot, {userStart, sets}) =>
    usersByBuckets(sets, isMeant, (user) => note(snapshot, userStart + user)),
  );
}

/** Walks the users of each bucket. @returns the field `skipped` of an answer. */
async function walkSets(
  reading: Reading,
  query: QueryOf<'stickiness'>,
  snapshots: readonly PartitionSnapshot[],
  walk: (snapshot: PartitionSnapshot, pass: SetsOfPass) => Generator<void, void, void>,
): Promise<string> {
  const {did: selector, fromMs, toMs, users: filter} = query;
  const {edges, kind} = Buckets.of(query);
  const active = new UsersByBucket(reading, {selector, kind, edges, fromMs, toMs});
  for (const snapshot of snapshots)
    await active.walk(snapshot, await filteredUsers(reading, snapshot, filter), (pass) => walk(snapshot, pass));
  return active.scan.skippedField;
}
