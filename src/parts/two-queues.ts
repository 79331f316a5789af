// What a cache keeps within a bound of bytes, so that one large scan does not drop what is asked for again and again.
//   2Q (Johnson and Shasha, VLDB 1994): what comes for the first time waits in `recent`; only what is asked for again
//   after it had to leave from there becomes `frequent`. A scan goes through `recent` alone, however many hits the pieces
//   of one part have while they are new.
//   T1. While everything fits nothing leaves, whichever queue it is in.
//   T2. The bound holds after every call; a value above it is not kept at all.
//   T3. What is worked out of a value takes free room, and that of values that nobody asks for any more (the parts of old
//       snapshots), never that of others: values that all fit just so must go on fitting.
//   T4. What was made out of other values, because it is asked for again and again, is never `recent`, and outlasts
//       `frequent` values by its worth: the bytes that whoever asks for it need not read, for each byte that it takes
//       (GreedyDual-Size, Cao and Irani, USITS 1997). A scan of what it was made from drops it only after several rounds.
//   T5. What nobody asked for yet, as it was written here and not read, is `unasked`: it has free room, and others leave it
//       a share of the rest. Once it is asked for it is `recent`, as if it had been read then.

/** What `recent` may hold while `frequent` wants room. */
const recentShare = 1 / 4;
/** What `unasked` may hold while others want room. T5 */
const unaskedShare = 1 / 8;
/** Keys that left `recent` are remembered for so many bytes of their values, and for so many of them. */
const rememberedShare = 1 / 2;
const rememberedKeysMax = 16_384;
/** Going through all values in turn asks for each after as many others: what was passed over four times is stale. */
const staleRounds = 4;

interface Entry<V> {
  readonly value: V;
  bytes: number;
  /** The number of the last question for it. */
  asked: number;
  /** 1 unless it was made. T4 */
  readonly worth: number;
  /** It leaves once `level` has come this far. T4 */
  leavesAt: number;
}

export class TwoQueues<V> {
  private bytesBound: number;
  /** Oldest first. T5 */
  private readonly unasked = new Map<string, Entry<V>>();
  /** Least recently used first, all four. */
  private readonly recent = new Map<string, Entry<V>>();
  private readonly frequent = new Map<string, Entry<V>>();
  private readonly made = new Map<string, Entry<V>>();
  /** Keys that left `recent`, and what they held. */
  private readonly remembered = new Map<string, number>();
  private unaskedBytes = 0;
  private recentBytes = 0;
  private frequentBytes = 0;
  private madeBytes = 0;
  private rememberedBytes = 0;
  private questions = 0;
  /** Grows by 1 at most while all that is frequent leaves and comes again. */
  private level = 0;

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
    return this.unaskedBytes + this.recentBytes + this.frequentBytes + this.madeBytes;
  }

  get(key: string): V | undefined {
    this.noteAsked(key);
    const queue = this.queueOf(key);
    const entry = queue.get(key);
    if (entry === undefined) return undefined;
    queue.delete(key);
    queue.set(key, entry);
    entry.asked = this.questions += 1;
    entry.leavesAt = this.level + entry.worth;
    return entry.value;
  }

  /** T5 */
  private noteAsked(key: string): void {
    const entry = this.unasked.get(key);
    if (entry === undefined) return;
    this.unasked.delete(key);
    this.unaskedBytes -= entry.bytes;
    this.recent.set(key, entry);
    this.recentBytes += entry.bytes;
  }

  /** Without a trace: who asks so keeps nothing here any longer. */
  peek(key: string): V | undefined {
    return (this.unasked.get(key) ?? this.queueOf(key).get(key))?.value;
  }

  /** The one that it would be in. */
  private queueOf(key: string): Map<string, Entry<V>> {
    if (this.recent.has(key)) return this.recent;
    return this.made.has(key) ? this.made : this.frequent;
  }

  /** Keeps a value under a key that nothing is kept under. */
  add(key: string, value: V, bytes: number): void {
    if (bytes > this.bytesMax) return; // T2
    if (this.remembered.has(key)) {
      this.forget(key);
      this.frequent.set(key, this.entryOf(value, bytes, 1));
      this.frequentBytes += bytes;
    } else {
      this.recent.set(key, this.entryOf(value, bytes, 1));
      this.recentBytes += bytes;
    }
    this.makeRoom();
  }

  /** T5. Under a key that nothing is kept under, and that was never asked for. */
  addUnasked(key: string, value: V, bytes: number): void {
    if (bytes > this.bytesMax) return; // T2
    this.unasked.set(key, this.entryOf(value, bytes, 1));
    this.unaskedBytes += bytes;
    this.makeRoom();
  }

  /** T4. `sparedBytes`: of other values, which a question for it need not read. */
  addMade(key: string, value: V, bytes: number, sparedBytes: number): void {
    if (bytes > this.bytesMax) return; // T2
    this.made.set(key, this.entryOf(value, bytes, Math.max(1, sparedBytes / Math.max(1, bytes))));
    this.madeBytes += bytes;
    this.makeRoom();
  }

  private entryOf(value: V, bytes: number, worth: number): Entry<V> {
    return {value, bytes, asked: this.questions, worth, leavesAt: this.level + worth};
  }

  /**
   * The value is going to take so many bytes more (or less, below 0). False: it must not, as there is no room for them
   * (T3), or as it is not kept any more.
   */
  reserve(key: string, value: V, bytes: number): boolean {
    const isRecent = this.recent.has(key);
    const entry = (isRecent ? this.recent : this.frequent).get(key);
    if (entry?.value !== value) return false;
    entry.asked = this.questions; // It is being used, and not what leaves for itself.
    if (!this.dropStale(bytes)) return false;
    entry.bytes += bytes;
    if (isRecent) this.recentBytes += bytes;
    else this.frequentBytes += bytes;
    return true;
  }

  /** Makes room for so many bytes out of values that nobody asks for any more; false when that is not enough. */
  dropStale(bytes: number): boolean {
    while (this.bytes + bytes > this.bytesMax) {
      if (this.unasked.size > 0) {
        this.dropUnasked();
        continue;
      }
      const recent = oldest(this.recent)?.asked ?? Infinity;
      const frequent = oldest(this.frequent)?.asked ?? Infinity;
      const age = this.questions - Math.min(recent, frequent);
      if (age <= staleRounds * (this.recent.size + this.frequent.size + this.made.size)) return false;
      if (recent < frequent) this.dropRecent();
      else this.dropFrequent();
    }
    return true;
  }

  /** Keeps it no longer; nothing is remembered of it. */
  drop(key: string): void {
    this.unaskedBytes -= this.unasked.get(key)?.bytes ?? 0;
    this.recentBytes -= this.recent.get(key)?.bytes ?? 0;
    this.frequentBytes -= this.frequent.get(key)?.bytes ?? 0;
    this.madeBytes -= this.made.get(key)?.bytes ?? 0;
    for (const queue of [this.unasked, this.recent, this.frequent, this.made]) queue.delete(key);
  }

  private makeRoom(): void {
    while (this.bytes > this.bytesMax) {
      const areAllUnasked = this.unaskedBytes === this.bytes;
      const areAllRecent = this.frequent.size === 0 && this.made.size === 0;
      if (areAllUnasked || this.unaskedBytes > this.bytesMax * unaskedShare) this.dropUnasked();
      else if (areAllRecent || this.recentBytes > this.bytesMax * recentShare) this.dropRecent();
      else this.dropLowest();
    }
  }

  private dropUnasked(): void {
    const [key, {bytes}] = this.unasked.entries().next().value!;
    this.unasked.delete(key);
    this.unaskedBytes -= bytes;
  }

  private dropRecent(): void {
    const [key, {bytes}] = this.recent.entries().next().value!;
    this.recent.delete(key);
    this.recentBytes -= bytes;
    this.remembered.set(key, bytes);
    this.rememberedBytes += bytes;
    for (const first of this.remembered.keys()) {
      const isFull = this.rememberedBytes > this.bytesMax * rememberedShare || this.remembered.size > rememberedKeysMax;
      if (!isFull) break;
      this.forget(first);
    }
  }

  /** T4 */
  private dropLowest(): void {
    const frequentAt = oldest(this.frequent)?.leavesAt ?? Infinity;
    let [madeKey, madeAt] = ['', Infinity];
    for (const [key, {leavesAt}] of this.made) if (leavesAt < madeAt) [madeKey, madeAt] = [key, leavesAt];
    this.level = Math.min(frequentAt, madeAt);
    if (frequentAt <= madeAt) this.dropFrequent();
    else this.drop(madeKey);
  }

  private dropFrequent(): void {
    const [key, {bytes}] = this.frequent.entries().next().value!;
    this.frequent.delete(key);
    this.frequentBytes -= bytes;
  }

  private forget(key: string): void {
    this.rememberedBytes -= this.remembered.get(key) ?? 0;
    this.remembered.delete(key);
  }
}

function oldest<V>(queue: ReadonlyMap<string, Entry<V>>): Entry<V> | undefined {
  for (const entry of queue.values()) return entry;
  return undefined;
}
