// The users of a selector by bucket: out of the sets that earlier answers left behind (held-buckets.ts), and where these lack some,
// out of the aggregator's day sets (users-of-days.ts) or of rows.
//   UB1. Sets that are left behind have all users who count.
//   UB2. Those out of rows have complete chunks alone: every snapshot replaces the open chunk, and each answer reads it again.
//   UB3. Those out of day sets have all chunks, so the days of the open one are made again after each snapshot.
import {BucketSets, type WalkSets, wordsOf} from '../../../actors/report/rows/bucket-sets.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import type {BucketUsers, ChosenBuckets, OpenBuckets} from './held-buckets.js';
import type {ChosenFold, RowScan} from './row-scan.js';
import {addUsersOfDays, areOfDays} from './users-of-days.js';

/** Buckets of the scan's only selector, without what the scan leaves out. */
interface UserBuckets extends ChosenBuckets {
  /** Whether events are counted, too. Day sets have none, and what is left behind has those of all users. */
  readonly countsEvents?: boolean;
}

/** `users`: undefined for all. @throws MissingPart, DamagedPart */
export async function usersByBucket(
  reading: Reading,
  rowScan: RowScan,
  snapshot: PartitionSnapshot,
  {countsEvents = false, ...buckets}: UserBuckets,
  walkSets: WalkSets,
  users: Users | undefined,
): Promise<void> {
  const {scan, fast, gatheredBytesMax} = reading;
  const chunks = rowScan.chunks(snapshot);
  if (chunks.length === 0) return;
  const {edges, kind} = buckets;
  const isOfDays = fast.daySets === true && !countsEvents && areOfDays(snapshot, buckets);
  const asked = {...buckets, kind: isOfDays ? `${kind} of days` : kind};
  const held = countsEvents && users !== undefined ? undefined : fast.sets;
  const open = held?.openFor(snapshot, asked, isOfDays ? chunks : chunks.filter(isComplete(snapshot)));
  const bytesMax = open === undefined ? gatheredBytesMax : Number.POSITIVE_INFINITY;
  const sets = new BucketSets(snapshot.index.users.count, edges, bytesMax, walkSets);
  await scan.borrowing(sets.bytes, async () => {
    if (open !== undefined) {
      await (isOfDays ? completeOfDays(reading, snapshot, asked, open, sets) : complete(rowScan, snapshot, open, sets));
      if (users !== undefined) sets.keepOnly(users);
      await scan.inSlices(sets.endPass());
    } else if (isOfDays) {
      do {
        await addUsersOfDays(scan, snapshot, edges, [...sets.sets.keys()], sets);
        if (users !== undefined) sets.keepOnly(users);
      } while (await scan.inSlices(sets.endPass()));
    } else await rowScan.inPasses(snapshot, sets, (rows, [chosen]) => sets.addRows(rows, chosen!), users, chunks);
  });
}

/** Whether all sets together exceed both the memory of a question and that of the rows. */
export const areRowsLess = (
  {gatheredBytesMax}: Reading,
  rowScan: RowScan,
  snapshot: PartitionSnapshot,
  bucketCount: number,
): boolean => {
  const bytes = bucketCount * 4 * wordsOf(snapshot.index.users.count);
  return bytes > gatheredBytesMax && bytes > rowScan.walkBytes(snapshot);
};

/** Fills the sets of all users. UB2 */
async function complete(
  rowScan: RowScan,
  snapshot: PartitionSnapshot,
  open: OpenBuckets,
  into: BucketSets,
): Promise<void> {
  const chunks = rowScan.chunks(snapshot);
  const parts = into.sets.map((_, bucket) => open.partOf(bucket));
  /** The buckets that lack a chunk. */
  const lacking = new Map<number, Set<number>>();
  for (const [bucket, part] of parts.entries()) {
    if (part.users !== undefined) into.fill(bucket, part.users.sets[0]!, part.users.events);
    for (const {chunk} of part.lacking) lacking.set(chunk, (lacking.get(chunk) ?? new Set()).add(bucket));
  }
  if (lacking.size > 0) {
    const added = chunks.filter(({chunk}) => lacking.has(chunk));
    const add: ChosenFold = (rows, [chosen]) => into.addRows(rows, chosen!, lacking.get(rows.chunk));
    await rowScan.fold(snapshot, add, undefined, added);
    open.finish((bucket) => (parts[bucket]!.lacking.length === 0 ? undefined : usersIn(into, bucket)));
  }
  const opened = chunks.filter(({chunk}) => chunk === snapshot.index.nextChunk);
  await rowScan.fold(snapshot, (rows, [chosen]) => into.addRows(rows, chosen!), undefined, opened);
}

/** Fills the sets of all users. UB3 */
async function completeOfDays(
  {scan}: Reading,
  snapshot: PartitionSnapshot,
  {edges}: ChosenBuckets,
  open: OpenBuckets,
  into: BucketSets,
): Promise<void> {
  const lacking = new Set<number>();
  for (const bucket of into.sets.keys()) {
    const held = open.of(bucket);
    if (held !== undefined) into.fill(bucket, held.sets[0]!, held.events);
    else if (!open.isEmpty(bucket)) lacking.add(bucket);
  }
  if (lacking.size === 0) return;
  await addUsersOfDays(scan, snapshot, edges, [...lacking], into);
  open.finish((bucket) => (lacking.has(bucket) ? usersIn(into, bucket) : undefined));
}

const usersIn = ({sets, events}: BucketSets, bucket: number): BucketUsers => ({
  events: events[bucket]!,
  sets: [sets[bucket]!.slice()],
});

const isComplete =
  ({index}: PartitionSnapshot) =>
  ({chunk}: {readonly chunk: number}): boolean =>
    chunk !== index.nextChunk;
