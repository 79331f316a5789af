// A bucket of records in memory, which processes of a test share: no server, and a watch that tells what there is and no change after.
import {type BucketEntry, BucketFault, type KeyListener, type RecordBucket} from '../../src/keys/key-bucket.js';

export class MemoryBucket implements RecordBucket {
  isAway = false;
  isWritable = true;
  /** Writes that were taken. */
  writes = 0;
  /** What happens after a read, before its reader goes on. */
  afterRead: (() => Promise<void>) | undefined;

  constructor(readonly entries = new Map<string, BucketEntry>()) {}

  async watch(listener: KeyListener): Promise<void> {
    listener.all([...this.entries.values()]);
  }

  async write(name: string, text: string, expected: number): Promise<number | undefined> {
    this.reach();
    if (!this.isWritable) throw new BucketFault('away');
    if ((this.entries.get(name)?.revision ?? 0) !== expected) return undefined;
    const revision = Math.max(this.writes, ...Array.from(this.entries.values(), (entry) => entry.revision)) + 1;
    this.entries.set(name, {name, text, revision});
    this.writes += 1;
    return revision;
  }

  async read(name: string): Promise<BucketEntry | undefined> {
    this.reach();
    const entry = this.entries.get(name);
    if (this.afterRead !== undefined) await this.afterRead();
    return entry;
  }

  /** A star ends `pattern`. */
  async names(pattern: string): Promise<string[]> {
    this.reach();
    return [...this.entries.keys()].filter((name) => name.startsWith(pattern.replace(/\*.*/, '')));
  }

  async purge(name: string, revision = Number.POSITIVE_INFINITY): Promise<void> {
    this.reach();
    if ((this.entries.get(name)?.revision ?? 0) <= revision) this.entries.delete(name);
  }

  async erase(name: string): Promise<void> {
    await this.purge(name);
  }

  stop(): void {}

  copy(): MemoryBucket {
    return new MemoryBucket(new Map(this.entries));
  }

  /** The one record. */
  get entry(): BucketEntry {
    const [entry] = this.entries.values();
    return entry!;
  }

  private reach(): void {
    if (this.isAway) throw new BucketFault('away');
  }
}
