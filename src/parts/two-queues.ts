// A cache within a bound of bytes, in which one large scan does not evict values that are used again and again.
//   2Q (Johnson and Shasha, VLDB 1994): a new value waits in `probation`; it becomes `frequent` only when it is asked for again
//   after it was evicted from there. A scan goes through `probation` alone, however many hits the pieces of one part have while
//   they are new.
//   TQ1. While everything fits, nothing is evicted from any queue.
//   TQ2. The bound holds after every call; a value above it is not cached.
//   TQ3. A value that was written here and not asked for yet is `unasked`: it has free room, and a share of the rest. Once it is
//       asked for it is in `probation`, as if it had been read then.

/** Share of `probation` while `frequent` wants room. */
const probationShare = 1 / 4;
/** Share of `unasked` while others want room. TQ3 */
const unaskedShare = 1 / 8;
/** Bound of remembered keys that left `probation`, in bytes of their values, as a share, and in number. */
const rememberedShare = 1 / 2;
const rememberedKeysMax = 16_384;

interface QueueEntry<V> {
  readonly value: V;
  readonly bytes: number;
}

/** Least recently used first. */
class Queue<V> {
  private readonly entries = new Map<string, QueueEntry<V>>();
  bytes = 0;

  get(key: string): QueueEntry<V> | undefined {
    return this.entries.get(key);
  }

  get oldest(): string {
    return this.entries.keys().next().value!;
  }

  add(key: string, entry: QueueEntry<V>): void {
    this.entries.set(key, entry);
    this.bytes += entry.bytes;
  }

  /** Undefined when it is not in this queue. */
  take(key: string): QueueEntry<V> | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.bytes -= entry.bytes;
    return entry;
  }
}

export class TwoQueues<V> {
  private bytesBound: number;
  private readonly unasked = new Queue<V>();
  private readonly probation = new Queue<V>();
  private readonly frequent = new Queue<V>();
  /** Keys that left `probation`, with the bytes of their values. */
  private readonly remembered = new Map<string, number>();
  private rememberedBytes = 0;

  constructor(bytesMax: number) {
    this.bytesBound = bytesMax;
  }

  get bytesMax(): number {
    return this.bytesBound;
  }

  /** Changes the bound. */
  bound(bytesMax: number): void {
    this.bytesBound = bytesMax;
    this.makeRoom();
  }

  get bytes(): number {
    return this.unasked.bytes + this.probation.bytes + this.frequent.bytes;
  }

  get(key: string): V | undefined {
    const frequent = this.frequent.take(key);
    if (frequent !== undefined) this.frequent.add(key, frequent);
    const entry = frequent ?? this.probation.take(key) ?? this.unasked.take(key);
    if (entry !== undefined && entry !== frequent) this.probation.add(key, entry);
    return entry?.value;
  }

  /** The value without counting a use. */
  peek(key: string): V | undefined {
    return (this.unasked.get(key) ?? this.probation.get(key) ?? this.frequent.get(key))?.value;
  }

  /** Caches a value under a new key. */
  add(key: string, value: V, bytes: number): void {
    if (bytes > this.bytesMax) return; // TQ2
    const isRemembered = this.remembered.has(key);
    if (isRemembered) this.forget(key);
    (isRemembered ? this.frequent : this.probation).add(key, {value, bytes});
    this.makeRoom();
  }

  /** Caches a value under a new key that was never asked for. TQ3 */
  addUnasked(key: string, value: V, bytes: number): void {
    if (bytes > this.bytesMax) return; // TQ2
    this.unasked.add(key, {value, bytes});
    this.makeRoom();
  }

  /** Drops the value, and forgets its key. */
  drop(key: string): void {
    for (const queue of [this.unasked, this.probation, this.frequent]) queue.take(key);
  }

  private makeRoom(): void {
    const {unasked, probation, frequent, bytesMax} = this;
    while (this.bytes > bytesMax) {
      if (unasked.bytes === this.bytes || unasked.bytes > bytesMax * unaskedShare) unasked.take(unasked.oldest);
      else if (frequent.bytes === 0 || probation.bytes > bytesMax * probationShare) this.dropProbation();
      else frequent.take(frequent.oldest);
    }
  }

  private dropProbation(): void {
    const key = this.probation.oldest;
    const {bytes} = this.probation.take(key)!;
    this.remembered.set(key, bytes);
    this.rememberedBytes += bytes;
    for (const first of this.remembered.keys()) {
      const isFull = this.rememberedBytes > this.bytesMax * rememberedShare || this.remembered.size > rememberedKeysMax;
      if (!isFull) break;
      this.forget(first);
    }
  }

  private forget(key: string): void {
    this.rememberedBytes -= this.remembered.get(key) ?? 0;
    this.remembered.delete(key);
  }
}
