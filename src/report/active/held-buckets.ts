// Users of an event by bucket (actors/report/rows/bucket-users.ts), as an earlier answer left them behind.
//   Owns: whether a bucket is still valid for a snapshot. Does not own: which questions they are kept for
//   (repeated-questions.ts) and how long (derived-indexes.ts).
//   HB1. A bucket is valid while the rows of its chunks that count are the same. Only buckets that are whole in [from, to] are kept.
//   HB2. Buckets that would take more than a share of the room are not kept: a bit for each user of each hour is more than its
//        events.
import type {ChunkEntry} from '../../../actors/manifest.js';
import type {Buckets} from '../../../actors/report/counts/buckets.js';
import {type BucketUsers, newBucketUsers} from '../../../actors/report/rows/bucket-users.js';
import {type Selector, skipsRows, textOfSelector} from '../../../actors/report/rows/row-choice.js';
import {countedKey, liesWithin} from '../../../actors/report/selection.js';
import type {Derived, DerivedIndexes} from '../derived-indexes.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import {newRepeated, type Repeated, RepeatedQuestions} from '../repeated-questions.js';

/** HB2 */
const bytesShare = 1 / 64;
/** Bytes of a bucket beside its set, and of a user in it: sets grow by half. */
const bucketBytes = 512;
const userBytes = 1.5 / 8;

interface KnownBucket {
  readonly source: string;
  readonly bucket: BucketUsers;
}

/** By start and end. */
interface KnownBuckets {
  readonly bytes: number;
  readonly byBounds: ReadonlyMap<string, KnownBucket>;
}

interface BucketsState extends Repeated {
  readonly key: string;
}

export class HeldBuckets {
  private readonly derived: DerivedIndexes;
  private readonly buckets: Derived<KnownBuckets>;
  private readonly questions: RepeatedQuestions<BucketsState>;
  private questionsKnown = 0;

  constructor(derived: DerivedIndexes, partitionCount: number) {
    this.derived = derived;
    this.buckets = derived.kind();
    const newState = (): BucketsState => ({...newRepeated(), key: `${(this.questionsKnown += 1)}`});
    this.questions = new RepeatedQuestions(derived, partitionCount, newState, ({key}) => this.buckets.drop(key));
  }

  /** For one answer; undefined: buckets are neither held nor kept. `chunks`: those that may hold events of the selector. */
  openFor(
    {manifest: {partition}, index}: PartitionSnapshot,
    selector: Selector,
    asked: Buckets,
    chunks: readonly ChunkEntry[],
  ): OpenBuckets | undefined {
    const bytesMax = asked.count * (bucketBytes + index.users.count * userBytes);
    if (skipsRows(selector) || bytesMax > this.derived.roomBytes * bytesShare) return undefined;
    const {interval, zone} = asked;
    const state = this.questions.asked(JSON.stringify([partition, textOfSelector(selector), interval, zone]));
    const held = this.buckets.get(state.key);
    if (held === undefined && !this.questions.isDue(state)) return undefined;
    return new OpenBuckets(asked, chunks, held?.byBounds ?? new Map(), (known) => this.keep(state, known));
  }

  private keep(state: BucketsState, byBounds: ReadonlyMap<string, KnownBucket>): void {
    let bytes = 0;
    for (const {source, bucket} of byBounds.values()) bytes += bucketBytes + 2 * source.length + bucket.users.bytes;
    const need = {keptBytes: bytes, passingBytes: 0, freedBytes: this.buckets.get(state.key)?.bytes ?? 0};
    const isKept = this.derived.makeRoom(need, state.asks) && this.buckets.keep(state.key, {bytes, byBounds});
    state.refused = isKept ? undefined : {...need, freedBytes: 0};
  }
}

/** The buckets of one partition while an answer is made. */
export class OpenBuckets {
  private readonly asked: Buckets;
  private readonly chunks: readonly ChunkEntry[];
  private readonly held: ReadonlyMap<string, KnownBucket>;
  private readonly keep: (known: ReadonlyMap<string, KnownBucket>) => void;

  constructor(
    asked: Buckets,
    chunks: readonly ChunkEntry[],
    held: ReadonlyMap<string, KnownBucket>,
    keep: (known: ReadonlyMap<string, KnownBucket>) => void,
  ) {
    this.asked = asked;
    this.chunks = chunks;
    this.held = held;
    this.keep = keep;
  }

  /** Undefined: its events are to be counted. HB1 */
  of(bucket: number): BucketUsers | undefined {
    const source = this.sourceOf(bucket);
    if (source === '') return newBucketUsers();
    const known = this.isWhole(bucket) ? this.held.get(this.boundsOf(bucket)) : undefined;
    return known?.source === source ? known.bucket : undefined;
  }

  /** Leaves the buckets of the answer behind. */
  finish(all: readonly BucketUsers[]): void {
    const known = new Map<string, KnownBucket>();
    for (const [bucket, users] of all.entries())
      if (this.isWhole(bucket)) known.set(this.boundsOf(bucket), {source: this.sourceOf(bucket), bucket: users});
    this.keep(known);
  }

  private isWhole(bucket: number): boolean {
    const {fromMs, toMs, edges} = this.asked;
    return edges[bucket]! >= fromMs && edges[bucket + 1]! - 1 <= toMs;
  }

  private boundsOf(bucket: number): string {
    const {edges} = this.asked;
    return `${edges[bucket]} ${edges[bucket + 1]}`;
  }

  private sourceOf(bucket: number): string {
    const {edges} = this.asked;
    const stretch = {startMs: edges[bucket]!, lastMs: edges[bucket + 1]! - 1};
    let source = '';
    for (const chunk of this.chunks) if (liesWithin(chunk, stretch)) source += `${countedKey(chunk)} `;
    return source;
  }
}
