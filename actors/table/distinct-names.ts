// The number of different names that passed, up to a bound.
//   DN1. It keeps 32-bit hashes and no name: a name may be a person's. Of 2,000 names one in a million is missed.
import {hashBytes} from '../bytes/hash.js';

/** Names counted: far more than anybody gives on purpose. More are not told apart, so that memory stays below half a MB. */
export const distinctNamesMax = 10_000;
const seed = 0x6e616d65; // 'name'

export class DistinctNames {
  private readonly hashes = new Set<number>();

  /** Counts the name bytes[start .. end). */
  note(bytes: Uint8Array, start: number, end: number): void {
    if (this.hashes.size < distinctNamesMax) this.hashes.add(hashBytes(bytes, start, end, seed));
  }

  get count(): number {
    return this.hashes.size;
  }
}
