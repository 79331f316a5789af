// Payloads of parts in memory, within a bound of bytes.
//   Owns: the bound and who uses room under it. Does not own: reading the store and what payloads mean (parts-cache.ts), what
//   leaves when there is no room (two-queues.ts).
//   M1. Several readers of a thread may share one, each with its own way to the store: what one has loaded the others have at
//       hand, and nothing is kept twice.

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
  /** Room for what is being loaded aside. */
  private reservedBytes = 0;

  constructor(bytesMax: number) {
    this.boundBytes = bytesMax;
    this.queues = new TwoQueues(bytesMax);
  }

  // -- room --

  /** Bytes kept. What is being loaded or still used by its asker is not counted: askers bound how much they load at once. */
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

  /** Another bound from now on. */
  bound(bytesMax: number): void {
    this.boundBytes = bytesMax;
    this.makeBound();
  }

  /** So many bytes less (or more again, below 0) for what is kept: the caller works with them for a while. */
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

  /** What is kept under the key from now on: another reader may have been sooner. */
  keep(key: string, bytes: Uint8Array<ArrayBuffer>): Cached {
    const kept = this.queues.peek(key);
    if (kept !== undefined) return kept;
    const cached: Cached = {bytes};
    this.queues.add(key, cached, bytes.length);
    return cached;
  }

  /** What was just written under a new key, for the first that asks for it. */
  keepUnasked(key: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.queues.addUnasked(key, {bytes}, bytes.length);
  }

  drop(key: string): void {
    this.queues.drop(key);
  }

  /**
   * Loads so many bytes into free room; undefined when there is not so much. Room is taken when a load begins: several that
   * are under way at once would each see the same.
   */
  loadAside<T>(bytes: number, load: () => Promise<T>): Promise<T> | undefined {
    if (!this.queues.hasFree(this.reservedBytes + bytes)) return undefined;
    this.reservedBytes += bytes;
    return load().finally(() => {
      this.reservedBytes -= bytes;
    });
  }
}
