// Stickiness, from the users of each bucket.

import {intervalText} from '../../../actors/report/counts/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {StickinessCells, usersByBuckets} from '../../../actors/report/engagement/stickiness.js';
import type {WalkSets} from '../../../actors/report/rows/bucket-sets.js';
import type {Point} from '../../asks/people-behind.js';
import type {QueryOf} from '../../asks/report.js';
import {filteredUsers} from '../operators/filtered-users.js';
import {UsersByBucket} from '../operators/users-by-bucket.js';
import type {NoteUser} from '../operators/users-of-rows.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {partialOf, type Question, type RunRound} from '../rounds.js';

export class Stickiness implements Question<null> {
  private readonly reading: Reading;
  private readonly query: QueryOf<'stickiness'>;
  private readonly buckets: Buckets;

  constructor(reading: Reading, query: QueryOf<'stickiness'>) {
    this.reading = reading;
    this.query = query;
    this.buckets = Buckets.of(query);
  }

  round() {
    const cells = new StickinessCells(this.buckets.count);
    const {scan, walk} = setsWalk(this.reading, this.query);
    const fold = (snapshot: PartitionSnapshot) => walk(snapshot, ({sets}) => cells.addSets(sets));
    return {cells, scan, fold, ...partialOf(scan, cells.sums)};
  }

  async answer(run: RunRound<null>): Promise<string> {
    const {isAtLeast} = this.query;
    const {cells, scan} = await run(this.round(), null);
    const atLeast = isAtLeast ? '"at_least":true,' : '';
    return `{${intervalText(this.buckets)},${atLeast}${cells.fields(isAtLeast)}${scan.skippedField}}`;
  }
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
  const {walk} = setsWalk(reading, query);
  for (const snapshot of snapshots)
    await walk(snapshot, ({userStart, sets}) =>
      usersByBuckets(sets, isMeant, (user) => note(snapshot, userStart + user)),
    );
}

/** Walks the users of each bucket. */
function setsWalk(reading: Reading, query: QueryOf<'stickiness'>) {
  const {did: selector, fromMs, toMs, users: filter} = query;
  const {edges, kind} = Buckets.of(query);
  const active = new UsersByBucket(reading, {selector, kind, edges, fromMs, toMs});
  const walk = async (snapshot: PartitionSnapshot, sets: WalkSets): Promise<void> =>
    active.walk(snapshot, await filteredUsers(reading, snapshot, filter), sets);
  return {scan: active.scan, walk};
}
