// The users who start and return by bucket: out of the sets that earlier answers left behind, and out of the rows of buckets
// without valid ones. Whether a return comes after the start event takes all rows of a bucket: these sets do not grow by chunks.

import type {ReturnSets} from '../../../actors/report/engagement/retention.js';
import {UserPeriods} from '../../../actors/report/engagement/user-periods.js';
import {wordsOf} from '../../../actors/report/rows/bucket-sets.js';
import type {Stretch} from '../../../actors/report/selection.js';
import type {BucketUsers, ChosenBuckets, OpenBuckets} from '../derived/held-buckets.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {type ChosenFold, RowScan} from '../row-scan.js';

/** Sets of a bucket that are held: those of `ReturnSets`. */
export const setsOfReturns = 3;

/** Buckets of start events and returns, which the two selectors choose. */
export interface ReturnBuckets extends ChosenBuckets {
  /** The rows that are read. */
  readonly stretch: Stretch;
  /** Start events in it do not count. */
  readonly cut: Stretch;
}

/** Sets of all users of a partition, by bucket, all of the same length. @throws MissingPart, DamagedPart */
export async function returnSets(
  reading: Reading,
  snapshot: PartitionSnapshot,
  asked: ReturnBuckets,
  open: OpenBuckets,
): Promise<readonly ReturnSets[]> {
  const words = wordsOf(snapshot.index.users.count);
  const held = Array.from({length: asked.edges.length - 1}, (_, bucket) => open.of(bucket));
  const buckets = held.map((sets) => setsOfLength(words, sets));
  const lacking = [...held.keys()].filter((bucket) => held[bucket] === undefined && !open.isEmpty(bucket));
  if (lacking.length === 0) return buckets;
  await readBuckets(reading, snapshot, asked, lacking, buckets);
  open.finish((bucket) => {
    const {starts, returns, returnsWithin} = buckets[bucket]!;
    return {events: 0, sets: [starts, returns, returnsWithin]};
  });
  return buckets;
}

/** Reads the rows of some buckets, and writes their users into the sets. */
async function readBuckets(
  reading: Reading,
  snapshot: PartitionSnapshot,
  {selectors, edges, stretch, cut}: ReturnBuckets,
  lacking: readonly number[],
  into: readonly ReturnSets[],
): Promise<void> {
  const {gatheredBytesMax} = reading;
  const [first, end] = [lacking[0]!, lacking.at(-1)! + 1];
  const startMs = Math.max(stretch.startMs, edges[first]!);
  const lastMs = Math.min(stretch.lastMs, edges[end]! - 1);
  const rowScan = new RowScan(reading, {stretch: {startMs, lastMs}, selectors});
  const note = (users: UserPeriods, place: number): void => {
    for (const bucket of lacking) {
      const {starts, returns, returnsWithin} = into[bucket]!;
      const user = users.userAt(place);
      if (users.hasStart(place, bucket - first)) addTo(starts, user);
      if (users.hasReturn(place, bucket - first)) addTo(returns, user);
      if (users.returnsWithin(place, bucket - first)) addTo(returnsWithin, user);
    }
  };
  const edgesRead = edges.subarray(first, end + 1);
  const users = new UserPeriods(snapshot.index.users.count, edgesRead, false, gatheredBytesMax, note);
  const fold: ChosenFold = (rows, [starts, returns]) => {
    users.addStarts(rows, starts!, cut);
    users.addReturns(rows, returns!);
    users.nextChunk();
  };
  await rowScan.inPasses(snapshot, users, fold);
}

const addTo = (set: Uint32Array, user: number): void => {
  set[user >>> 5]! |= 1 << (user & 31);
};

/** Sets of `length` words: the held ones may be of fewer users, or of more, of whom none is in them. */
function setsOfLength(length: number, held: BucketUsers | undefined): ReturnSets {
  const [starts, returns, returnsWithin] = [0, 1, 2].map((place) => {
    const set = held?.sets[place];
    if (set?.length === length) return set;
    const copy = new Uint32Array(length);
    if (set !== undefined) copy.set(set.subarray(0, length));
    return copy;
  });
  return {starts: starts!, returns: returns!, returnsWithin: returnsWithin!};
}
