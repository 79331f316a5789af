// Records of a bucket as one process knows them. They are held elsewhere: this keeps revisions, and makes changes.
//   S1, S2 and S3 of store.ts hold for each kind of record. A record without text was removed; its revision stays known, so that
//   a late news of it does not bring it back.
import {type BucketEntry, BucketFault, type KeyBucket} from './key-bucket.js';

/** Other processes write a record once a second at most. */
const changeTriesMax = 10;

/** Who holds the records, by their names. */
interface RecordHolder<Held> {
  get(name: string): Held | undefined;
  put(record: Held): void;
  forget(name: string): void;
  replaceAll(records: readonly Held[]): void;
}

export class StoredRecords<Held extends {readonly id: string}> {
  private readonly bucket: Pick<KeyBucket, 'read' | 'write'>;
  private readonly holder: RecordHolder<Held>;
  /** In words, for a fault. */
  private readonly noun: string;
  private revisions = new Map<string, number>();
  /** Records that this process wrote since the reconnect. S3 */
  private readonly written = new Map<string, BucketEntry>();

  constructor(bucket: Pick<KeyBucket, 'read' | 'write'>, holder: RecordHolder<Held>, noun: string) {
    this.bucket = bucket;
    this.holder = holder;
    this.noun = noun;
  }

  /** The connection is back. S3 */
  returned(): void {
    this.written.clear();
  }

  /** Replaces the known records. S3 */
  takeAll(entries: readonly BucketEntry[]): void {
    const newest = new Map(entries.map((entry) => [entry.name, entry]));
    for (const entry of this.written.values()) {
      if (entry.revision > (newest.get(entry.name)?.revision ?? 0)) newest.set(entry.name, entry);
    }
    this.revisions = new Map(Array.from(newest.values(), ({name, revision}) => [name, revision]));
    const kept = [...newest.values()].filter(({text}) => text !== '');
    this.holder.replaceAll(kept.map(({text}) => JSON.parse(text) as Held));
  }

  take(entry: BucketEntry): void {
    if (entry.revision > (this.revisions.get(entry.name) ?? 0)) this.install(entry);
  }

  private install({name, revision, text}: BucketEntry): void {
    this.revisions.set(name, revision);
    if (text === '') this.holder.forget(name);
    else this.holder.put(JSON.parse(text) as Held);
  }

  /** Reads a record that another process wrote before the watch has it, or that is outdated here. S2, S3 */
  async readAnew(name: string): Promise<void> {
    const known = this.revisions.get(name);
    const entry = await this.bucket.read(name);
    if (this.revisions.get(name) !== known) return; // The watch had it in the meantime, or a later one.
    if (entry !== undefined) this.install(entry);
    else {
      this.revisions.delete(name);
      this.holder.forget(name);
    }
  }

  /** Whether the name was new. */
  add(record: Held): Promise<boolean> {
    return this.write(record.id, JSON.stringify(record), 0);
  }

  /** Writes over the newest record that this process knows. Whether nobody was faster. */
  replace(record: Held): Promise<boolean> {
    return this.write(record.id, JSON.stringify(record), this.revisions.get(record.id)!);
  }

  private async write(name: string, text: string, revision: number): Promise<boolean> {
    const written = await this.bucket.write(name, text, revision);
    if (written === undefined) return false;
    const entry = {name, revision: written, text};
    this.written.set(name, entry);
    this.take(entry); // S1
    return true;
  }

  /**
   * Compare-and-set, repeated while other processes write the record (S2). `edit` returns the record itself to change nothing.
   * @returns undefined when there is no such record.
   */
  async change(name: string, edit: (record: Held) => Held): Promise<Held | undefined> {
    for (let tries = 0; tries < changeTriesMax; tries++) {
      const record = this.holder.get(name);
      if (record === undefined) return undefined;
      const edited = edit(record);
      if (edited === record || (await this.replace(edited))) return this.holder.get(name);
      await this.readAnew(name);
    }
    throw this.contested();
  }

  /** @returns the record, removed unless it is not meant; undefined when there is none. */
  async remove(name: string, isMeant: (record: Held) => boolean = () => true): Promise<Held | undefined> {
    for (let tries = 0; tries < changeTriesMax; tries++) {
      const record = this.holder.get(name);
      if (record === undefined || !isMeant(record)) return record;
      if (await this.write(name, '', this.revisions.get(name)!)) return record;
      await this.readAnew(name);
    }
    throw this.contested();
  }

  private contested(): BucketFault {
    return new BucketFault(`the ${this.noun} was written by others ${changeTriesMax} times while it was to be changed`);
  }
}
