// The users of a selector by bucket: out of the sets that earlier answers left behind (held-buckets.ts), and where these lack some,
// out of the aggregator's day sets (users-of-days.ts) or of rows.
//   UB1. Sets that are left behind have all users who count.
//   UB2. Those out of rows have complete chunks alone: every snapshot replaces the open chunk, and each answer reads it again.
//   UB3. Those out of day sets have all chunks, so the days of the open one are made again after each snapshot.
import type {ChunkEntry} from '../../../actors/manifest.js';
import {BucketSets, type WalkSets, wordsOf} from '../../../actors/report/rows/bucket-sets.js';
import type {Users} from '../../../actors/report/rows/current-traits.js';
import type {Selector} from '../../../actors/report/rows/row-choice.js';
import {type BucketUsers, cutsOf, type OpenBuckets} from '../derived/held-buckets.js';
import type {PartScan} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {type ChosenFold, RowScan} from '../row-scan.js';
import {addUsersOfDays, areOfDays} from './users-of-days.js';

/** The range [fromMs, toMs] and its buckets. */
export interface UserBuckets {
  readonly selector: Selector;
  /** Equal for buckets of the same interval and zone. */
  readonly kind: string;
  /** Starts of all buckets and the end of the last, epoch ms. */
  readonly edges: Float64Array;
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether events are counted, too. Day sets have none, and what is left behind has those of all users. */
  readonly countsEvents?: boolean;
}

/** Compiled once for all partitions. */
export class UsersByBucket {
  private readonly reading: Reading;
  private readonly asked: UserBuckets;
  readonly scan: RowScan;

  constructor(reading: Reading, asked: UserBuckets) {
    const {selector, fromMs: startMs, toMs: lastMs} = asked;
    this.reading = reading;
    this.asked = asked;
    this.scan = new RowScan(reading, {stretch: {startMs, lastMs}, selectors: [selector]});
  }

  /** Whether the sets of a partition exceed both the memory of a question and that of the rows. */
  areRowsLess(snapshot: PartitionSnapshot): boolean {
    const bytes = (this.asked.edges.length - 1) * 4 * wordsOf(snapshot.index.users.count);
    return bytes > this.reading.gatheredBytesMax && bytes > this.scan.walkBytes(snapshot);
  }

  /** Walks the sets of a partition. `users`: undefined for all. @throws MissingPart, DamagedPart */
  async walk(snapshot: PartitionSnapshot, users: Users | undefined, walkSets: WalkSets): Promise<void> {
    const {scan, fast, gatheredBytesMax} = this.reading;
    const {selector, kind, edges, fromMs, toMs, countsEvents = false} = this.asked;
    const chunks = this.scan.chunks(snapshot);
    if (chunks.length === 0) return;
    const chosen = {selectors: [selector], kind, edges, cuts: cutsOf(edges, fromMs, toMs)};
    const isOfDays = fast.daySets === true && !countsEvents && areOfDays(snapshot, chosen);
    const asked = isOfDays ? {...chosen, kind: `${kind} of days`} : chosen;
    const held = countsEvents && users !== undefined ? undefined : fast.sets;
    const open = held?.openFor(snapshot, asked, isOfDays ? chunks : chunks.filter(isComplete(snapshot)));
    const bytesMax = open === undefined ? gatheredBytesMax : Number.POSITIVE_INFINITY;
    const sets = new BucketSets(snapshot.index.users.count, edges, bytesMax, walkSets);
    if (open !== undefined) {
      await (isOfDays
        ? completeOfDays(scan, snapshot, edges, open, sets)
        : complete(this.scan, snapshot, chunks, open, sets));
      if (users !== undefined) sets.keepOnly(users);
      await scan.inSlices(sets.endPass());
    } else if (isOfDays) {
      do {
        await addUsersOfDays(scan, snapshot, edges, [...sets.sets.keys()], sets);
        if (users !== undefined) sets.keepOnly(users);
      } while (await scan.inSlices(sets.endPass()));
    } else await this.scan.inPasses(snapshot, sets, (rows, [all]) => sets.addRows(rows, all!), users, chunks);
  }
}

/** Fills the sets of all users. UB2 */
async function complete(
  rowScan: RowScan,
  snapshot: PartitionSnapshot,
  chunks: readonly ChunkEntry[],
  open: OpenBuckets,
  into: BucketSets,
): Promise<void> {
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
  scan: PartScan,
  snapshot: PartitionSnapshot,
  edges: Float64Array,
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
