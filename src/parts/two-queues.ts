// A cache within a bound of bytes, in which one large scan does not drop what is asked for again and again.
//   2Q (Johnson and Shasha, VLDB 1994): a value that comes for the first time waits in `probation`; only one that is asked for
//   again after it had to leave from there becomes `frequent`. A scan goes through `probation` alone, however many hits the
//   pieces of one part have while they are new.
//   TQ1. While everything fits nothing leaves, whichever queue it is in.
//   TQ2. The bound holds after every call; a value above it is not kept at all.
//   TQ3. A value that was written here and that nobody asked for yet is `unasked`: it has free room, and others leave it a
//       share of the rest. Once it is asked for it is in `probation`, as if it had been read then.

/** What `probation` may hold while `frequent` wants room. */
const probationShare = 1 / 4;
/** What `unasked` may hold while others want room. TQ3 */
const unaskedShare = 1 / 8;
/** Keys that left `probation` are remembered for so many bytes of their values, and for so many of them. */
const rememberedShare = 1 / 2;
const rememberedKeysMax = 16_384;

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
}

/** Least recently used first. */
class Queue<V> {
  private readonly entries = new Map<string, Entry<V>>();
  bytes = 0;

  get(key: string): Entry<V> | undefined {
    return this.entries.get(key);
  }

  get oldest(): string {
    return this.entries.keys().next().value!;
  }

  add(key: string, entry: Entry<V>): void {
    this.entries.set(key, entry);
    this.bytes += entry.bytes;
  }

  /** Undefined when it is not here. */
  take(key: string): Entry<V> | undefined {
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
  /** Keys that left `probation`, and what they held. */
  private readonly remembered = new Map<string, number>();
  private rememberedBytes = 0;

  constructor(bytesMax: number) {
    this.bytesBound = bytesMax;
  }

  get bytesMax(): number {
    return this.bytesBound;
  }

  /** Another bound from now on. */
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

  /** Leaves no trace: does not count as a use. */
  peek(key: string): V | undefined {
    return (this.unasked.get(key) ?? this.probation.get(key) ?? this.frequent.get(key))?.value;
  }

  /** Keeps a value under a key that nothing is kept under. */
  add(key: string, value: V, bytes: number): void {
    if (bytes > this.bytesMax) return; // TQ2
    const isRemembered = this.remembered.has(key);
    if (isRemembered) this.forget(key);
    (isRemembered ? this.frequent : this.probation).add(key, {value, bytes});
    this.makeRoom();
  }

  /** TQ3. Under a key that nothing is kept under, and that was never asked for. */
  addUnasked(key: string, value: V, bytes: number): void {
    if (bytes > this.bytesMax) return; // TQ2
    this.unasked.add(key, {value, bytes});
    this.makeRoom();
  }

  /** Whether so many bytes fit without any but unasked values, which leave now. */
  hasFree(bytes: number): boolean {
    while (this.bytes + bytes > this.bytesMax && this.unasked.bytes > 0) this.unasked.take(this.unasked.oldest);
    return this.bytes + bytes <= this.bytesMax;
  }

  /** Keeps it no longer; nothing is remembered of it. */
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
