// Lifecycle, from the users of each bucket.
//   LS1. One bucket before the first is read, too, and who did it before that: such a user is not new.

import {must} from '../../../actors/invariant.js';
import {intervalText} from '../../../actors/report/counts/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {LifecycleCells, lifecycleFields, stageUsers} from '../../../actors/report/engagement/lifecycle.js';
import type {SetsOfPass} from '../../../actors/report/rows/bucket-sets.js';
import type {Point} from '../../asks/people-behind.js';
import type {QueryOf} from '../../asks/report.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {UsersByBucket} from '../operators/users-by-bucket.js';
import type {NoteUser} from '../operators/users-of-rows.js';
import {usersBefore} from '../operators/users-within.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';

/** JSON text of the answer. @throws MissingPart, DamagedPart */
export async function lifecycle(
  reading: Reading,
  query: QueryOf<'lifecycle'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const buckets = Buckets.of(query);
  const cells = new LifecycleCells(buckets.count);
  const skipped = await walkSets(reading, query, snapshots, (_, {sets}, known) => cells.addSets(sets, known));
  return `{${intervalText(buckets)},${lifecycleFields(cells, buckets.labels())}${skipped}}`;
}

/** Hands over the users whom a number counts. @throws MissingPart, DamagedPart */
export async function lifecycleUsers(
  reading: Reading,
  query: QueryOf<'lifecycle'>,
  {bucket, stage}: Point,
  snapshots: readonly PartitionSnapshot[],
  note: NoteUser,
): Promise<void> {
  const asked = {bucket: must(bucket, 'stages are of a bucket'), stage};
  await walkSets(reading, query, snapshots, (snapshot, {userStart, sets}, known) =>
    stageUsers(sets, known, asked, (user) => note(snapshot, userStart + user)),
  );
}

/** Walks the users of each bucket, after those of the bucket before the first. `known`: who did it before these. */
type WalkStages = (snapshot: PartitionSnapshot, pass: SetsOfPass, known: Uint32Array) => Generator<void, void, void>;

/** @returns the field `skipped` of an answer. */
async function walkSets(
  reading: Reading,
  query: QueryOf<'lifecycle'>,
  snapshots: readonly PartitionSnapshot[],
  walk: WalkStages,
): Promise<string> {
  const {did: selector, fromMs, toMs, beforeMs, users: filter} = query;
  const {kind, edges: ends} = Buckets.of(query);
  const edges = Float64Array.from([beforeMs, fromMs, ...ends.subarray(1)]);
  const active = new UsersByBucket(reading, {selector, kind, edges, fromMs: beforeMs, toMs});
  for (const snapshot of snapshots) {
    const users = await filteredUsers(reading, snapshot, filter);
    const known = await usersBefore(reading, snapshot, selector, beforeMs); // LS1
    await active.walk(snapshot, users, (pass) => walk(snapshot, pass, known.subarray(pass.userStart / 32)));
  }
  return active.scan.skippedField;
}
