// Parts that are put later. What an erasure writes anew stays in memory until the next snapshot puts it: the next erasure may
// write it anew once more, and each version that was put has to be overwritten on the disk, for which nats-server writes
// a whole storage block.
//   DP1. Such a part is read as any other is: by revisions, negative ones, which no store gives.
//   DP2. No manifest names one: a snapshot puts those of its partition first.
import type {PartValues} from './stored-parts.js';

/** Of all partitions of a thread together; what has no room is put at once. */
const deferredBytesMax = 64 * 1024 * 1024;

export class DeferredParts implements PartValues {
  private readonly stored: PartValues;
  private readonly values = new Map<number, Uint8Array>();
  private bytes = 0;
  private newest = 0;

  /** `stored`: where all others are read. */
  constructor(stored: PartValues) {
    this.stored = stored;
  }

  read(revision: number): Promise<Uint8Array | undefined> {
    return revision < 0 ? Promise.resolve(this.values.get(revision)) : this.stored.read(revision);
  }

  hasRoom(bytes: number): boolean {
    return this.bytes + bytes <= deferredBytesMax;
  }

  /** @returns the value's revision. */
  add(value: Uint8Array): number {
    this.newest -= 1;
    this.values.set(this.newest, value);
    this.bytes += value.length;
    return this.newest;
  }

  drop(revision: number): void {
    this.bytes -= this.values.get(revision)?.length ?? 0;
    this.values.delete(revision);
  }
}

/** DP1 */
export const isDeferred = ({revisions}: {readonly revisions: readonly number[]}): boolean => revisions[0] < 0;
