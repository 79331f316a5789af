// Reading what will be needed before anybody asks: what a start puts into its caches.
//   W1. So many bytes, which leave room for what is asked.
//   W2. In the order in which the store has it. nats-server loads a storage block of 4 MiB to give one value, which takes
//       it about 2 ms; the neighbours of that value then take a tenth of that.
//   W3. A part that cannot be read is left to the question that needs it, and fails that one alone.

import type {PartRef} from '../../actors/manifest.js';
import {loadAhead} from './load-ahead.js';
import {DamagedPart, MissingPart} from './stored-parts.js';

/** What a cache will hold, the most important parts taken first. */
export class WarmUp {
  private readonly loads: {readonly ref: PartRef; readonly load: () => Promise<unknown>}[] = [];
  private bytesLeft: number;

  /** W1 */
  constructor(bytesMax: number) {
    this.bytesLeft = bytesMax;
  }

  get isFull(): boolean {
    return this.bytesLeft <= 0;
  }

  /** `load` brings the part into the cache. W1 */
  take(ref: PartRef, load: () => Promise<unknown>): void {
    this.bytesLeft -= ref.bytes;
    if (this.bytesLeft >= 0) this.loads.push({ref, load});
  }

  /** Yields after each part; throws when the store fails. Once more: what was not read then, or left. W2, W3 */
  async *run(aheadMax: number): AsyncGenerator<void, void, void> {
    this.loads.sort((a, b) => a.ref.revisions[0] - b.ref.revisions[0]);
    for await (const _ of loadAhead(this.loads, ({load}) => load().catch(leave), aheadMax)) yield;
  }
}

/** W3 */
function leave(error: unknown): void {
  if (!(error instanceof MissingPart) && !(error instanceof DamagedPart)) throw error;
}
