// Parts that a start reads into its caches before the first question.
//   WU1. Their bytes are bounded, which leaves room for what questions need.
//   WU2. They are read in the order of the store: nats-server loads a storage block of 4 MiB to return one value, about 2 ms;
//       the neighbours of that value then take a tenth of that.
//   WU3. A part that cannot be read is skipped: the question that needs it fails, and no other.

import type {PartRef} from '../../actors/manifest.js';
import {loadAhead} from './load-ahead.js';
import {DamagedPart, MissingPart} from './stored-parts.js';

/** Parts to read; callers add the most important ones first. */
export class WarmUp {
  private readonly loads: {readonly ref: PartRef; readonly load: () => Promise<unknown>}[] = [];
  private bytesLeft: number;

  /** `bytesMax`: bound of all parts. WU1 */
  constructor(bytesMax: number) {
    this.bytesLeft = bytesMax;
  }

  get isFull(): boolean {
    return this.bytesLeft <= 0;
  }

  /** `load` brings the part into the cache, of which `bytes` stay there. WU1 */
  take(ref: PartRef, load: () => Promise<unknown>, bytes = ref.bytes): void {
    this.bytesLeft -= bytes;
    if (this.bytesLeft >= 0) this.loads.push({ref, load});
  }

  /** Yields after each part; throws when the store fails. A second run reads what the first one skipped. WU2, WU3 */
  async *run(aheadMax: number): AsyncGenerator<void, void, void> {
    this.loads.sort((a, b) => a.ref.revisions[0] - b.ref.revisions[0]);
    for await (const _ of loadAhead(this.loads, ({load}) => load().catch(leave), aheadMax)) yield;
  }
}

/** Skips a part that cannot be read. WU3 */
function leave(error: unknown): void {
  if (!(error instanceof MissingPart) && !(error instanceof DamagedPart)) throw error;
}
