// Payloads of parts in memory, within a bound of bytes.
//   Owns: the bound and the room under it. Does not own: reading the store and the meaning of payloads (parts-cache.ts), what is
//   evicted (two-queues.ts).
//   PM1. Several readers of a thread may share one, each with its own way to the store: they share what any of them loaded.

import {TwoQueues} from './two-queues.js';

/** A payload, or a piece of one, with the view that its reader made of it. A key has one kind of reader. */
export interface Cached {
  readonly bytes: Uint8Array<ArrayBuffer>;
  view?: unknown;
}

export class PartsMemory {
  private readonly queues: TwoQueues<Cached>;
  private readonly roomBytes: number;
  private lentBytes = 0;

  constructor(bytesMax: number) {
    this.roomBytes = bytesMax;
    this.queues = new TwoQueues(bytesMax);
  }

  // -- room --

  /** Bytes cached. Loads under way and payloads in use are not counted: callers bound how much they load at once. */
  get bytesHeld(): number {
    return this.queues.bytes;
  }

  get bytesMax(): number {
    return this.queues.bytesMax;
  }

  /** Lends bytes to the caller (takes them back if negative). */
  lend(bytes: number): void {
    this.lentBytes += bytes;
    this.queues.bound(Math.max(0, this.roomBytes - this.lentBytes));
  }

  // -- payloads --

  get(key: string): Cached | undefined {
    return this.queues.get(key);
  }

  /** The payload if it is cached; not counted as a use. */
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

  /** Caches a payload that was just written under a new key. */
  keepUnasked(key: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.queues.addUnasked(key, {bytes}, bytes.length);
  }

  drop(key: string): void {
    this.queues.drop(key);
  }
}
