// The users of a selector by bucket: out of the aggregator's day sets (users-of-days.ts), or out of the sets that earlier answers
// left behind and the rows that these lack.
//   UB1. Sets that are left behind have all users who count, and the rows of complete chunks alone: every snapshot replaces the
//        open chunk, and each answer reads it again.
import {BucketSets, type WalkSets} from '../../../actors/report/engagement/bucket-sets.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import type {ChosenBuckets, OpenBuckets} from '../active/held-buckets.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import type {RowScan} from './row-scan.js';
import {areOfDays, usersOfDays} from './users-of-days.js';

/** `asked`: buckets of the scan's only selector, without what the scan leaves out. `users`: undefined for all. @throws MissingPart, DamagedPart */
export async function usersByBucket(
  reading: Reading,
  rowScan: RowScan,
  snapshot: PartitionSnapshot,
  asked: ChosenBuckets,
  walkSets: WalkSets,
  users: Users | undefined,
): Promise<void> {
  const {scan, fast, gatheredBytesMax} = reading;
  const chunks = rowScan.chunks(snapshot);
  if (chunks.length === 0) return;
  const isOfDays = fast.daySets === true && areOfDays(snapshot, asked);
  const open = isOfDays ? undefined : fast.sets?.openFor(snapshot, asked, chunks.filter(isComplete(snapshot)));
  const bytesMax = open === undefined ? gatheredBytesMax : Number.POSITIVE_INFINITY;
  const sets = new BucketSets(snapshot.index.users.count, asked.edges, bytesMax, walkSets);
  await scan.borrowing(sets.bytes, async () => {
    if (isOfDays) return usersOfDays(scan, snapshot, asked.edges, sets, users);
    if (open === undefined)
      return rowScan.inPasses(snapshot, sets, (rows, [chosen]) => sets.addRows(rows, chosen!), users, chunks);
    await complete(rowScan, snapshot, open, sets);
    if (users !== undefined) sets.keepOnly(users);
    await scan.inSlices(sets.endPass());
  });
}

/** Fills the sets of all users. UB1 */
async function complete(
  rowScan: RowScan,
  snapshot: PartitionSnapshot,
  open: OpenBuckets<Uint32Array>,
  into: BucketSets,
): Promise<void> {
  const lacking = new Set<number>();
  for (const [bucket, set] of into.sets.entries()) {
    const part = open.partOf(bucket);
    if (part.value !== undefined) set.set(part.value);
    for (const {chunk} of part.lacking) lacking.add(chunk);
  }
  const add = (isAdded: (chunk: number) => boolean): Promise<void> =>
    rowScan.fold(
      snapshot,
      (rows, [chosen]) => into.addRows(rows, chosen!),
      undefined,
      rowScan.chunks(snapshot).filter(({chunk}) => isAdded(chunk)),
    );
  if (lacking.size > 0) {
    await add((chunk) => lacking.has(chunk));
    open.finish(into.sets.map((set) => set.slice()));
  }
  await add((chunk) => chunk === snapshot.index.nextChunk);
}

const isComplete =
  ({index}: PartitionSnapshot) =>
  ({chunk}: {readonly chunk: number}): boolean =>
    chunk !== index.nextChunk;
