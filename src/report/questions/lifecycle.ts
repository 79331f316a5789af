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
import {partialOf, type Question, type RunRound} from '../rounds.js';

export class Lifecycle implements Question<null> {
  private readonly reading: Reading;
  private readonly query: QueryOf<'lifecycle'>;
  private readonly buckets: Buckets;

  constructor(reading: Reading, query: QueryOf<'lifecycle'>) {
    this.reading = reading;
    this.query = query;
    this.buckets = Buckets.of(query);
  }

  round() {
    const cells = new LifecycleCells(this.buckets.count);
    const {scan, walk} = stageWalk(this.reading, this.query);
    const fold = (snapshot: PartitionSnapshot) => walk(snapshot, ({sets}, known) => cells.addSets(sets, known));
    return {cells, scan, fold, ...partialOf(scan, cells.sums)};
  }

  async answer(run: RunRound<null>): Promise<string> {
    const {cells, scan} = await run(this.round(), null);
    return `{${intervalText(this.buckets)},${lifecycleFields(cells, this.buckets.labels())}${scan.skippedField}}`;
  }
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
  const {walk} = stageWalk(reading, query);
  for (const snapshot of snapshots)
    await walk(snapshot, ({userStart, sets}, known) =>
      stageUsers(sets, known, asked, (user) => note(snapshot, userStart + user)),
    );
}

/** `known`: who did it before the sets. */
type WalkStages = (pass: SetsOfPass, known: Uint32Array) => Generator<void, void, void>;

/** Walks the users of each bucket, after those of the bucket before the first. */
function stageWalk(reading: Reading, query: QueryOf<'lifecycle'>) {
  const {did: selector, fromMs, toMs, beforeMs, users: filter} = query;
  const {kind, edges: ends} = Buckets.of(query);
  const edges = Float64Array.from([beforeMs, fromMs, ...ends.subarray(1)]);
  const active = new UsersByBucket(reading, {selector, kind, edges, fromMs: beforeMs, toMs});
  const walk = async (snapshot: PartitionSnapshot, stages: WalkStages): Promise<void> => {
    const users = await filteredUsers(reading, snapshot, filter);
    const known = await usersBefore(reading, snapshot, selector, beforeMs); // LS1
    await active.walk(snapshot, users, (pass) => stages(pass, known.subarray(pass.userStart / 32)));
  };
  return {scan: active.scan, walk};
}
