// Payloads of parts in memory, within a bound of bytes.
//   Owns: the bound and who uses room under it. Does not own: reading the store and what payloads mean (parts-cache.ts), what
//   leaves when there is no room (two-queues.ts).
//   PM1. Several readers of a thread may share one, each with its own way to the store: they share what any of them loaded.

import {TwoQueues} from './two-queues.js';

/** A payload, or a piece of one, with the view that its reader made of it. A key has one kind of reader. */
export interface Cached {
  readonly bytes: Uint8Array<ArrayBuffer>;
  view?: unknown;
}

export class PartsMemory {
  private readonly queues: TwoQueues<Cached>;
  private boundBytes: number;
  private lentBytes = 0;
  /** Room taken by loads under way (`loadAside`). */
  private reservedBytes = 0;

  constructor(bytesMax: number) {
    this.boundBytes = bytesMax;
    this.queues = new TwoQueues(bytesMax);
  }

  // -- room --

  /** Bytes cached. Loads under way and payloads that callers still use are not counted: callers bound how much they load at once. */
  get bytesHeld(): number {
    return this.queues.bytes;
  }

  get bytesMax(): number {
    return this.queues.bytesMax;
  }

  /** The bound while nothing is lent. */
  get roomBytes(): number {
    return this.boundBytes;
  }

  /** Changes the bound. */
  bound(bytesMax: number): void {
    this.boundBytes = bytesMax;
    this.makeBound();
  }

  /** Lends so many bytes to the caller for a while (or takes them back, below 0). */
  lend(bytes: number): void {
    this.lentBytes += bytes;
    this.makeBound();
  }

  private makeBound(): void {
    this.queues.bound(Math.max(0, this.boundBytes - this.lentBytes));
  }

  // -- payloads --

  get(key: string): Cached | undefined {
    return this.queues.get(key);
  }

  /** Does not count as a use. */
  peek(key: string): Cached | undefined {
    return this.queues.peek(key);
  }

  /** Caches a payload. Returns the entry of the key: another reader may have been sooner. */
  keep(key: string, bytes: Uint8Array<ArrayBuffer>): Cached {
    const kept = this.queues.peek(key);
    if (kept !== undefined) return kept;
    const cached: Cached = {bytes};
    this.queues.add(key, cached, bytes.length);
    return cached;
  }

  /** Caches what was just written under a new key. */
  keepUnasked(key: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.queues.addUnasked(key, {bytes}, bytes.length);
  }

  drop(key: string): void {
    this.queues.drop(key);
  }

  /**
   * Loads so many bytes into free room; undefined when there is not so much. A load takes its room when it begins, so that
   * several at a time do not count the same room.
   */
  loadAside<T>(bytes: number, load: () => Promise<T>): Promise<T> | undefined {
    if (!this.queues.hasFree(this.reservedBytes + bytes)) return undefined;
    this.reservedBytes += bytes;
    return load().finally(() => {
      this.reservedBytes -= bytes;
    });
  }
}
