// The users of a question's buckets, as an earlier answer left them behind: sets, and the number of their events.
//   Owns: whether they are still valid for a snapshot. Does not own: which questions they are kept for
//   (left-behind.ts) and how long (derived-indexes.ts).
//   HB1. A bucket's sets stand for the rows of some chunks that count (`countedKey`), in all of its bucket. It answers only if those are
//        the bucket's rows in the question, or together with the chunks that it lacks. Only sets of such buckets are kept.
//   HB2. Buckets that would take more than a share of the room are not kept: a bit for each user of each hour is more than its
//        events.
import type {ChunkEntry} from '../../../actors/manifest.js';
import {firstPlace} from '../../../actors/order/search.js';
import {wordsOf} from '../../../actors/report/rows/bucket-sets.js';
import {type Selector, skipsRows, textOfSelector} from '../../../actors/report/rows/row-choice.js';
import {countedKey, liesWithin, type Stretch} from '../../../actors/report/selection.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {DerivedIndexes} from './derived-indexes.js';
import {LeftBehind} from './left-behind.js';

/** HB2 */
const bytesShare = 1 / 16;
/** Bytes of a bucket beside its sets, and of the key of a chunk. */
const bucketBytes = 512;
const sourceBytes = 48;

/** Buckets of the rows that selectors choose. */
export interface ChosenBuckets {
  readonly selectors: readonly Selector[];
  /** Equal for buckets of the same interval and zone. */
  readonly kind: string;
  /** Starts of all buckets and the end of the last, epoch ms. */
  readonly edges: Float64Array;
  /** Stretches within the buckets whose rows the question leaves out. */
  readonly cuts: readonly Stretch[];
}

/** The users of one bucket. */
export interface BucketUsers {
  readonly events: number;
  readonly sets: readonly Uint32Array[];
}

/** What the range [fromMs, toMs] leaves out of its buckets. */
export const cutsOf = (edges: Float64Array, fromMs: number, toMs: number): readonly [Stretch, Stretch] => [
  {startMs: edges[0]!, lastMs: fromMs - 1},
  {startMs: toMs + 1, lastMs: edges.at(-1)! - 1},
];

interface KnownBucket {
  /** Keys of its chunks, in their order. */
  readonly sources: readonly string[];
  readonly users: BucketUsers;
}

/** By start and end. */
type ByBounds = ReadonlyMap<string, KnownBucket>;

interface KnownBuckets {
  readonly bytes: number;
  readonly byBounds: ByBounds;
}

export class HeldBuckets {
  private readonly derived: DerivedIndexes;
  private readonly buckets: LeftBehind<KnownBuckets>;

  constructor(derived: DerivedIndexes, partitionCount: number) {
    this.derived = derived;
    this.buckets = new LeftBehind(derived, partitionCount);
  }

  /**
   * For one answer; undefined: buckets are neither held nor kept. `chunks`: those that may hold rows of the selectors. `setCount`: of
   * each bucket.
   */
  openFor(
    {manifest: {partition}, index}: PartitionSnapshot,
    asked: ChosenBuckets,
    chunks: readonly ChunkEntry[],
    setCount = 1,
  ): OpenBuckets | undefined {
    const {selectors, kind, edges} = asked;
    const bytesMax = (edges.length - 1) * (bucketBytes + setCount * 4 * wordsOf(index.users.count));
    if (selectors.some(skipsRows) || bytesMax > this.bytesMax) return undefined;
    const left = this.buckets.asked(`${partition} ${selectors.map(textOfSelector).join(' ')} ${kind}`);
    if (left === undefined) return undefined;
    const known: ByBounds = left.held?.byBounds ?? new Map();
    return new OpenBuckets(asked, chunks, known, (fresh) => left.keep(this.within(known, fresh)));
  }

  private get bytesMax(): number {
    return this.derived.roomBytes * bytesShare;
  }

  /** The fresh buckets, and the others if both are few enough. HB2 */
  private within(known: ByBounds, fresh: ByBounds): KnownBuckets {
    const all = new Map([...known, ...fresh]);
    const byBounds = this.bytesIn(all) > this.bytesMax ? fresh : all;
    return {bytes: this.bytesIn(byBounds), byBounds};
  }

  private bytesIn(byBounds: ByBounds): number {
    let bytes = 0;
    for (const {sources, users} of byBounds.values()) {
      bytes += bucketBytes + sources.length * sourceBytes;
      for (const {byteLength} of users.sets) bytes += byteLength;
    }
    return bytes;
  }
}

/** What is known of a bucket, and the chunks whose rows that lacks. */
interface PartOfBucket {
  readonly users: BucketUsers | undefined;
  readonly lacking: readonly ChunkEntry[];
}

/** The buckets of one partition while an answer is made. */
export class OpenBuckets {
  private readonly asked: ChosenBuckets;
  private readonly held: ByBounds;
  private readonly keep: (fresh: ByBounds) => void;
  /** Chunks that may hold rows of each bucket, in order. */
  private readonly chunks: ChunkEntry[][];

  constructor(asked: ChosenBuckets, chunks: readonly ChunkEntry[], held: ByBounds, keep: (fresh: ByBounds) => void) {
    this.asked = asked;
    this.held = held;
    this.keep = keep;
    this.chunks = chunksOfBuckets(asked.edges, chunks);
  }

  /** Whether the bucket has no rows. */
  isEmpty(bucket: number): boolean {
    return this.chunks[bucket]!.length === 0;
  }

  /** Undefined: its rows are to be read. HB1 */
  of(bucket: number): BucketUsers | undefined {
    const {users, lacking} = this.partOf(bucket);
    return lacking.length === 0 ? users : undefined;
  }

  /** For sets that grow by the rows of further chunks. HB1 */
  partOf(bucket: number): PartOfBucket {
    const chunks = this.chunks[bucket]!;
    const known = this.held.get(this.boundsOf(bucket));
    if (known === undefined || !this.isWhole(bucket)) return {users: undefined, lacking: chunks};
    const lacking: ChunkEntry[] = [];
    let at = 0;
    for (const chunk of chunks) {
      if (known.sources[at] === countedKey(chunk)) at += 1;
      else lacking.push(chunk);
    }
    return at === known.sources.length ? {users: known.users, lacking} : {users: undefined, lacking: chunks};
  }

  /** Leaves the users behind of buckets that they stand for. `usersOf` undefined: what is held stays. */
  finish(usersOf: (bucket: number) => BucketUsers | undefined): void {
    const fresh = new Map<string, KnownBucket>();
    for (const bucket of this.chunks.keys()) {
      if (this.isEmpty(bucket) || !this.isWhole(bucket)) continue;
      const bounds = this.boundsOf(bucket);
      const users = usersOf(bucket);
      const known = users === undefined ? this.held.get(bounds) : this.known(bucket, users);
      if (known !== undefined) fresh.set(bounds, known);
    }
    this.keep(fresh);
  }

  private known(bucket: number, users: BucketUsers): KnownBucket {
    return {sources: this.chunks[bucket]!.map(countedKey), users};
  }

  /** Whether none of its chunks may have rows that the question leaves out. */
  private isWhole(bucket: number): boolean {
    const [startMs, lastMs] = [this.asked.edges[bucket]!, this.asked.edges[bucket + 1]! - 1];
    return this.asked.cuts.every((cut) => {
      const within = {startMs: Math.max(startMs, cut.startMs), lastMs: Math.min(lastMs, cut.lastMs)};
      return this.chunks[bucket]!.every((chunk) => !liesWithin(chunk, within));
    });
  }

  private boundsOf(bucket: number): string {
    const {edges} = this.asked;
    return `${edges[bucket]} ${edges[bucket + 1]}`;
  }
}

function chunksOfBuckets(edges: Float64Array, chunks: readonly ChunkEntry[]): ChunkEntry[][] {
  const byBucket = Array.from({length: edges.length - 1}, (): ChunkEntry[] => []);
  for (const chunk of chunks) {
    const first = firstPlace(0, byBucket.length, (bucket) => edges[bucket + 1]! <= chunk.minTimeMs);
    for (let bucket = first; bucket < byBucket.length && edges[bucket]! <= chunk.maxTimeMs; bucket++)
      byBucket[bucket]!.push(chunk);
  }
  return byBucket;
}
