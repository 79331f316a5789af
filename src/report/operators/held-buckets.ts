// Values of a question's buckets, as an earlier answer left them behind: users of an event, sets of users.
//   Owns: whether a value is still valid for a snapshot. Does not own: which questions they are kept for
//   (repeated-questions.ts) and how long (derived-indexes.ts).
//   HB1. A value stands for the rows of some chunks that count (`countedKey`), in all of its bucket. It answers only if those are
//        the bucket's rows in the question, or together with the chunks that it lacks. Only values of such buckets are kept.
//   HB2. Buckets that would take more than a share of the room are not kept: a bit for each user of each hour is more than its
//        events.
import type {ChunkEntry} from '../../../actors/manifest.js';
import {firstPlace} from '../../../actors/order/search.js';
import type {ReturnSets} from '../../../actors/report/engagement/retention.js';
import {wordsOf} from '../../../actors/report/rows/bucket-sets.js';
import {type BucketUsers, bucketUsersBytesMax} from '../../../actors/report/rows/bucket-users.js';
import {type Selector, skipsRows, textOfSelector} from '../../../actors/report/rows/row-choice.js';
import {countedKey, liesWithin, type Stretch} from '../../../actors/report/selection.js';
import type {Derived, DerivedIndexes} from '../derived-indexes.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {newRepeated, type Repeated, RepeatedQuestions} from '../repeated-questions.js';

/** HB2 */
const bytesShare = 1 / 64;
/** Bytes of a bucket beside its value, and of the key of a chunk. */
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

/** Sizes of values, in bytes: of one value, and of the largest that a partition with `userCount` users can have. */
interface ValueBytes<V> {
  of(value: V): number;
  max(userCount: number): number;
}

/** What the range [fromMs, toMs] leaves out of its buckets. */
export const cutsOf = (edges: Float64Array, fromMs: number, toMs: number): readonly [Stretch, Stretch] => [
  {startMs: edges[0]!, lastMs: fromMs - 1},
  {startMs: toMs + 1, lastMs: edges.at(-1)! - 1},
];

interface KnownBucket<V> {
  /** Keys of its chunks, in their order. */
  readonly sources: readonly string[];
  readonly value: V;
}

/** By start and end. */
type ByBounds<V> = ReadonlyMap<string, KnownBucket<V>>;

interface KnownBuckets<V> {
  readonly bytes: number;
  readonly byBounds: ByBounds<V>;
}

interface BucketsState extends Repeated {
  readonly key: string;
}

export class HeldBuckets<V> {
  private readonly derived: DerivedIndexes;
  private readonly buckets: Derived<KnownBuckets<V>>;
  private readonly questions: RepeatedQuestions<BucketsState>;
  private readonly valueBytes: ValueBytes<V>;
  private questionsKnown = 0;

  constructor(derived: DerivedIndexes, partitionCount: number, valueBytes: ValueBytes<V>) {
    this.derived = derived;
    this.buckets = derived.kind();
    this.valueBytes = valueBytes;
    const newState = (): BucketsState => ({...newRepeated(), key: `${(this.questionsKnown += 1)}`});
    this.questions = new RepeatedQuestions(derived, partitionCount, newState, ({key}) => this.buckets.drop(key));
  }

  /** For one answer; undefined: buckets are neither held nor kept. `chunks`: those that may hold rows of the selectors. */
  openFor(
    {manifest: {partition}, index}: PartitionSnapshot,
    asked: ChosenBuckets,
    chunks: readonly ChunkEntry[],
  ): OpenBuckets<V> | undefined {
    const {selectors, kind, edges} = asked;
    const bytesMax = (edges.length - 1) * (bucketBytes + this.valueBytes.max(index.users.count));
    if (selectors.some(skipsRows) || bytesMax > this.bytesMax) return undefined;
    const state = this.questions.asked(`${partition} ${selectors.map(textOfSelector).join(' ')} ${kind}`);
    const held = this.buckets.get(state.key);
    if (held === undefined && !this.questions.isDue(state)) return undefined;
    const known: ByBounds<V> = held?.byBounds ?? new Map();
    return new OpenBuckets(asked, chunks, known, (fresh) => this.keep(state, known, fresh));
  }

  private get bytesMax(): number {
    return this.derived.roomBytes * bytesShare;
  }

  /** Keeps the fresh buckets, and the others if there is room for both. */
  private keep(state: BucketsState, known: ByBounds<V>, fresh: ByBounds<V>): void {
    const all = new Map([...known, ...fresh]);
    const byBounds = this.bytesIn(all) > this.bytesMax ? fresh : all;
    const bytes = this.bytesIn(byBounds);
    const need = {keptBytes: bytes, passingBytes: 0, freedBytes: this.buckets.get(state.key)?.bytes ?? 0};
    const isKept = this.derived.makeRoom(need, state.asks) && this.buckets.keep(state.key, {bytes, byBounds});
    state.refused = isKept ? undefined : {...need, freedBytes: 0};
  }

  private bytesIn(byBounds: ByBounds<V>): number {
    let bytes = 0;
    for (const {sources, value} of byBounds.values())
      bytes += bucketBytes + sources.length * sourceBytes + this.valueBytes.of(value);
    return bytes;
  }
}

/** Events and users of a selector. */
export const heldUsers = (derived: DerivedIndexes, partitionCount: number): HeldBuckets<BucketUsers> =>
  new HeldBuckets(derived, partitionCount, {of: ({users}) => users.bytes, max: bucketUsersBytesMax});

/** Sets of a selector's users. */
export const heldUserSets = (derived: DerivedIndexes, partitionCount: number): HeldBuckets<Uint32Array> =>
  new HeldBuckets(derived, partitionCount, {of: ({byteLength}) => byteLength, max: (count) => 4 * wordsOf(count)});

/** Sets of the users who start and return. */
export const heldReturns = (derived: DerivedIndexes, partitionCount: number): HeldBuckets<ReturnSets> =>
  new HeldBuckets(derived, partitionCount, {
    of: ({starts}) => 3 * starts.byteLength,
    max: (count) => 12 * wordsOf(count),
  });

/** A value that is known of a bucket, and the chunks whose rows it lacks. */
interface PartOfBucket<V> {
  readonly value: V | undefined;
  readonly lacking: readonly ChunkEntry[];
}

/** The buckets of one partition while an answer is made. */
export class OpenBuckets<V> {
  private readonly asked: ChosenBuckets;
  private readonly held: ByBounds<V>;
  private readonly keep: (fresh: ByBounds<V>) => void;
  /** Chunks that may hold rows of each bucket, in order. */
  private readonly chunks: ChunkEntry[][];

  constructor(
    asked: ChosenBuckets,
    chunks: readonly ChunkEntry[],
    held: ByBounds<V>,
    keep: (fresh: ByBounds<V>) => void,
  ) {
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
  of(bucket: number): V | undefined {
    const {value, lacking} = this.partOf(bucket);
    return lacking.length === 0 ? value : undefined;
  }

  /** For values that grow by the rows of further chunks. HB1 */
  partOf(bucket: number): PartOfBucket<V> {
    const chunks = this.chunks[bucket]!;
    const known = this.held.get(this.boundsOf(bucket));
    if (known === undefined || !this.isWhole(bucket)) return {value: undefined, lacking: chunks};
    const lacking: ChunkEntry[] = [];
    let at = 0;
    for (const chunk of chunks) {
      if (known.sources[at] === countedKey(chunk)) at += 1;
      else lacking.push(chunk);
    }
    return at === known.sources.length ? {value: known.value, lacking} : {value: undefined, lacking: chunks};
  }

  /** Leaves the values behind that stand for all of their bucket. `valueOf` undefined: the held one stays. */
  finish(valueOf: (bucket: number) => V | undefined): void {
    const fresh = new Map<string, KnownBucket<V>>();
    for (const bucket of this.chunks.keys()) {
      if (this.isEmpty(bucket) || !this.isWhole(bucket)) continue;
      const bounds = this.boundsOf(bucket);
      const value = valueOf(bucket);
      const known = value === undefined ? this.held.get(bounds) : this.known(bucket, value);
      if (known !== undefined) fresh.set(bounds, known);
    }
    this.keep(fresh);
  }

  private known(bucket: number, value: V): KnownBucket<V> {
    return {sources: this.chunks[bucket]!.map(countedKey), value};
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
