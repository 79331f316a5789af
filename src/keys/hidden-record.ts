// Hidden names of events and properties, which lists leave out. One record in the bucket of keys, of which every edge has a copy.
//   HR1. Hiding deletes nothing: reports, exports and the history know no hidden names.
//   HR2. A change replaces one of the lists and keeps the other, by compare-and-set. It may depend on the list that it replaces.
import {type BucketEntry, BucketFault, type KeyBucket} from './key-bucket.js';

export const hiddenRecordName = 'hidden';

const changeTriesMax = 10;

export type HiddenList = 'names' | 'properties';
type Hidden = Readonly<Record<HiddenList, readonly string[]>>;

const nothing: Hidden = {names: [], properties: []};

export class HiddenRecord {
  private readonly bucket: Pick<KeyBucket, 'read' | 'write'>;
  private stored = nothing;
  private revision = 0;

  constructor(bucket: Pick<KeyBucket, 'read' | 'write'>) {
    this.bucket = bucket;
  }

  /** Takes the bucket's record after a reconnect, which may be older than the known one (store.ts, S3). */
  replace(entry: BucketEntry | undefined): void {
    this.stored = nothing;
    this.revision = 0;
    if (entry !== undefined) this.take(entry);
  }

  take({revision, text}: BucketEntry): void {
    if (revision <= this.revision) return;
    this.revision = revision;
    this.stored = JSON.parse(text) as Hidden;
  }

  get names(): readonly string[] {
    return this.stored.names;
  }

  get properties(): readonly string[] {
    return this.stored.properties;
  }

  /**
   * Replaces one list, if it is the one that is meant. HR2. Rejects with a `BucketFault`.
   * @returns whether it was.
   */
  async set(
    list: HiddenList,
    texts: readonly string[],
    isMeant?: (known: readonly string[]) => boolean,
  ): Promise<boolean> {
    if (isMeant !== undefined) this.replace(await this.bucket.read(hiddenRecordName));
    for (let tries = 0; tries < changeTriesMax; tries++) {
      if (isMeant?.(this.stored[list]) === false) return false;
      const text = JSON.stringify({...this.stored, [list]: texts});
      const revision = await this.bucket.write(hiddenRecordName, text, this.revision);
      if (revision !== undefined) {
        this.take({name: hiddenRecordName, revision, text});
        return true;
      }
      this.replace(await this.bucket.read(hiddenRecordName)); // Another edge was faster.
    }
    throw new BucketFault(`the record of hidden names was written by others ${changeTriesMax} times`);
  }
}
