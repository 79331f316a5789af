// Lists of names and ids that hold for the whole service. One record in the bucket of keys, of which every edge has a copy.
//   NL1. `names` of events and `properties` are hidden from lists. Hiding deletes nothing: reports, exports and the history know no
//        hidden names.
//   NL2. `titles` are traits. The first of them that a person has is their title on the pages of the dashboard.
//   NL3. `internal` is empty, or has the id of the segment of internal and test users.
//   NL4. A change replaces one of the lists and keeps the others, by compare-and-set. It may depend on the list that it replaces.
import {type BucketEntry, BucketFault, type KeyBucket} from './key-bucket.js';

export const nameListsRecordName = 'lists';

const changeTriesMax = 10;

export type HiddenList = 'names' | 'properties';
type NameList = HiddenList | 'titles' | 'internal';
type Lists = Readonly<Record<NameList, readonly string[]>>;

const unchanged: Lists = {names: [], properties: [], titles: ['name', 'email', 'username'], internal: []};

export class NameLists {
  private readonly bucket: Pick<KeyBucket, 'read' | 'write'>;
  private stored = unchanged;
  private revision = 0;

  constructor(bucket: Pick<KeyBucket, 'read' | 'write'>) {
    this.bucket = bucket;
  }

  /** Takes the bucket's record after a reconnect, which may be older than the known one (store.ts, S3). */
  replace(entry: BucketEntry | undefined): void {
    this.stored = unchanged;
    this.revision = 0;
    if (entry !== undefined) this.take(entry);
  }

  take({revision, text}: BucketEntry): void {
    if (revision <= this.revision) return;
    this.revision = revision;
    this.stored = {...unchanged, ...(JSON.parse(text) as Partial<Lists>)};
  }

  get names(): readonly string[] {
    return this.stored.names;
  }

  get properties(): readonly string[] {
    return this.stored.properties;
  }

  get internal(): readonly string[] {
    return this.stored.internal;
  }

  get titles(): readonly string[] {
    return this.stored.titles;
  }

  /**
   * Replaces one list, if it is the one that is meant. NL4. Rejects with a `BucketFault`.
   * @returns whether it was.
   */
  async set(
    list: NameList,
    texts: readonly string[],
    isMeant?: (known: readonly string[]) => boolean,
  ): Promise<boolean> {
    if (isMeant !== undefined) this.replace(await this.bucket.read(nameListsRecordName));
    for (let tries = 0; tries < changeTriesMax; tries++) {
      if (isMeant?.(this.stored[list]) === false) return false;
      const text = JSON.stringify({...this.stored, [list]: texts});
      const revision = await this.bucket.write(nameListsRecordName, text, this.revision);
      if (revision !== undefined) {
        this.take({name: nameListsRecordName, revision, text});
        return true;
      }
      this.replace(await this.bucket.read(nameListsRecordName)); // Another edge was faster.
    }
    throw new BucketFault(`the lists of names were written by others ${changeTriesMax} times`);
  }
}
