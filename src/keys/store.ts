// Keys of the deployment: the bucket stores them, a ring in memory answers for them, a watch updates the ring.
//   S1. A change by this process is effective here at once, elsewhere as soon as the watch has it (within a second).
//   S2. Every change is a compare-and-set: a late `last used` never undoes a revocation.
//   S3. A bucket that lost its last changes (an external NATS after a power cut without sync, a restored backup) gives their
//       revisions again, to other changes. So revisions are compared only within one connection: after a reconnect the stored
//       records replace all known ones, except those that this process has written since (S1).

import {StartFault} from '../start-fault.js';
import {
  generateKey,
  type KeyKind,
  type KeyOptions,
  type KeyRecord,
  keyKinds,
  newKeyId,
  type PersonAccess,
  recordOf,
} from './key.js';
import {type BucketEntry, type KeyBucket, throughElection} from './key-bucket.js';
import {KeyRing} from './key-ring.js';
import {NameLists, nameListsRecordName} from './name-lists.js';
import {noRevocationJournal, type RevocationJournal} from './revocation-journal.js';
import {SignInRecord, signInRecordName} from './sign-in-record.js';
import {StoredRecords} from './stored-records.js';

/** Keys that this process created, by kind; never fixed ones. */
export interface FirstKeys {
  readonly write?: string;
  readonly secret?: string;
}

/** Fixed keys of the configuration. */
export type Bootstrap = {readonly [kind in KeyKind]?: string | undefined};

/** Author of a change of a key. */
export interface KeyAuthor {
  /** `admin`: the operator; `start`: a start, by its configuration; otherwise the id of a person's access token or of an API key. */
  readonly by: string;
  readonly address?: string;
}
const start: KeyAuthor = {by: 'start'};

export type KeyChange = 'created' | 'changed' | 'revoked';
/** Called for each change of this process that the bucket took. */
type KeyWitness = (change: KeyChange, record: KeyRecord, author: KeyAuthor) => void;

/** The edge cannot know who is revoked: it ends rather than guess. */
const unreadableKeys = ({length, 0: first}: readonly string[]): StartFault =>
  new StartFault(
    `the bucket of keys is damaged: ${length} of its records cannot be read (the first is ${first}). Restore a backup. Without one, move the stream KV_keys out of the store of nats-server while it is stopped: the next start creates first keys, and every other key and access must be created again`,
  );

/** Kinds that a first start creates: nobody needs a read key to begin with. */
const firstKinds = ['write', 'secret'] as const;

export class KeyStore {
  readonly ring = new KeyRing();
  /** In the same bucket. */
  readonly signIn: SignInRecord;
  /** In the same bucket. */
  readonly lists: NameLists;
  private readonly records: StoredRecords<KeyRecord>;
  private readonly bucket: KeyBucket;
  private readonly wallMs: () => number;
  private readonly witness: KeyWitness;
  private readonly journal: RevocationJournal;

  private constructor(bucket: KeyBucket, wallMs: () => number, witness: KeyWitness, journal: RevocationJournal) {
    this.bucket = bucket;
    this.wallMs = wallMs;
    this.witness = witness;
    this.journal = journal;
    this.records = new StoredRecords(bucket, this.ring, 'key');
    this.signIn = new SignInRecord(bucket, wallMs);
    this.lists = new NameLists(bucket);
  }

  static async open(
    bucket: KeyBucket,
    wallMs: () => number,
    witness: KeyWitness = () => {},
    journal = noRevocationJournal,
  ): Promise<KeyStore> {
    const store = new KeyStore(bucket, wallMs, witness, journal);
    await bucket.watch({
      returned: () => store.records.returned(),
      all: (entries, unreadable = []) => {
        if (unreadable.length > 0) throw unreadableKeys(unreadable);
        store.takeAll(entries);
      },
      changed: (entry) => store.take(entry),
    });
    return store;
  }

  /** Replaces the known records. S3 */
  private takeAll(all: readonly BucketEntry[]): void {
    this.signIn.replace(all.find(isSignIn));
    this.lists.replace(all.find(isNameLists));
    this.records.takeAll(all.filter((entry) => !isSignIn(entry) && !isNameLists(entry)));
  }

  private take(entry: BucketEntry): void {
    if (isSignIn(entry)) this.signIn.take(entry);
    else if (isNameLists(entry)) this.lists.take(entry);
    else this.records.take(entry);
  }

  /** @returns the record, and the key itself, which is not available again. */
  async create(
    kind: KeyKind,
    name: string,
    options?: KeyOptions,
    author = start,
  ): Promise<{record: KeyRecord; key: string}> {
    const key = generateKey(kind);
    const record = {...recordOf(key, kind, newKeyId(), name, this.wallMs()), options};
    if (!(await this.add(record, author))) throw new Error('a random key id was used before');
    return {record, key};
  }

  /** @returns the record, and the access token itself, which is not available again. */
  async createPerson(name: string, access: PersonAccess, author = start): Promise<{record: KeyRecord; key: string}> {
    const key = generateKey('person');
    const record = {...recordOf(key, 'person', newKeyId(), name, this.wallMs()), access};
    if (!(await this.add(record, author))) throw new Error('a random key id was used before');
    return {record, key};
  }

  private async add(record: KeyRecord, author: KeyAuthor): Promise<boolean> {
    const isWritten = await this.records.add(record);
    if (isWritten) this.witness('created', record, author);
    return isWritten;
  }

  /** Revoking a revoked key changes nothing. @returns undefined when there is no such key. */
  async revoke(id: string, author = start): Promise<KeyRecord | undefined> {
    let isRevokedHere = false;
    const record = await this.records.change(id, (known) => {
      isRevokedHere = known.revokedMs === null;
      // After the revocation no process stores its last use.
      return isRevokedHere ? {...known, lastUsedMs: this.ring.lastUsedMs(known), revokedMs: this.wallMs()} : known;
    });
    if (!isRevokedHere || record === undefined) return record;
    this.witness('revoked', record, author);
    await this.journal.add({what: 'key', id});
    return record;
  }

  /** Ends all sessions of the dashboard. Rejects with a `BucketFault`. */
  async endSessions(): Promise<void> {
    await this.signIn.endSessions();
    await this.journal.add({what: 'sessions', atMs: this.signIn.notBeforeMs});
  }

  /**
   * Replaces all options of a key, if it is as `isMeant` says; a revoked key keeps its own.
   * @returns undefined when there is no such key. `isOutdated`: another one was meant, and nothing was changed.
   */
  async setOptions(
    id: string,
    options: KeyOptions | undefined,
    author = start,
    isMeant?: (known: KeyRecord) => boolean,
  ): Promise<{readonly record: KeyRecord; readonly isOutdated: boolean} | undefined> {
    // The client may have it from another process.
    if (isMeant !== undefined && this.ring.get(id) !== undefined) await this.records.readAnew(id);
    let isOutdated = false;
    const record = await this.records.change(id, (known) => {
      isOutdated = known.revokedMs === null && isMeant?.(known) === false;
      return known.revokedMs !== null || isOutdated ? known : {...known, options};
    });
    if (record?.revokedMs === null && !isOutdated) this.witness('changed', record, author);
    return record && {record, isOutdated};
  }

  /** Stores the last uses of keys. A key that another process has just changed waits for the next time. */
  async saveLastUsed(): Promise<void> {
    for (const {record, lastUsedMs} of this.ring.used()) {
      if (this.ring.get(record.id) !== record) continue; // Changed in the meantime, perhaps revoked: S2.
      await this.records.replace({...record, lastUsedMs});
    }
  }

  /**
   * Stores the fixed keys like all others, so that they can be listed and revoked. A new fixed key replaces the one of its kind,
   * and gets its options.
   */
  async fixAll(fixed: Bootstrap): Promise<void> {
    for (const kind of keyKinds) {
      const key = fixed[kind];
      if (key !== undefined) await this.fix(kind, key);
    }
  }

  /**
   * Creates a key for each kind of `firstKinds` that never had one.
   * @returns the created keys, which are not available again.
   */
  async createFirst(): Promise<FirstKeys> {
    const created: {write?: string; secret?: string} = {};
    for (const kind of firstKinds) {
      if (this.ring.list().some((record) => record.kind === kind)) continue;
      const key = await this.createFirstOf(kind);
      if (key !== undefined) created[kind] = key;
    }
    return created;
  }

  /** @returns undefined when another process of this deployment was faster. */
  private async createFirstOf(kind: KeyKind): Promise<string | undefined> {
    const key = generateKey(kind);
    const record = recordOf(key, kind, `key_first_${kind}`, 'first start', this.wallMs());
    return throughElection(async () => {
      if (await this.add(record, start)) return key;
      await this.records.readAnew(record.id);
      if (this.ring.get(record.id)?.hash !== record.hash) return undefined;
      this.witness('created', record, start); // A write that nobody answered was stored.
      return key;
    });
  }

  /**
   * A key that has a record already, because it was created before, gets no second one: the two could disagree on its revocation.
   * A revoked key opens nothing, so the previous fixed key stays in use.
   */
  private async fix(kind: KeyKind, key: string): Promise<void> {
    const id = this.ring.recordOf(key)?.id ?? (await this.createFixed(kind, key));
    const fixed = await this.records.change(id, (record) =>
      record.revokedMs === null && !record.isFixed ? {...record, isFixed: true} : record,
    );
    if (fixed?.revokedMs !== null) return;
    for (const record of this.ring.list()) {
      if (record.id !== id && record.kind === kind && record.isFixed) await this.revoke(record.id);
    }
  }

  /**
   * When processes start together, one of them takes a number first: the others find their key there, or try the next number.
   * Logs and lists show the id, so it reveals nothing of the key. @returns the id.
   */
  private async createFixed(kind: KeyKind, key: string): Promise<string> {
    const options = this.ring
      .list()
      .findLast((one) => one.kind === kind && one.isFixed && one.revokedMs === null)?.options;
    for (let number = 1; ; number++) {
      const id = `key_fixed_${kind}_${number}`;
      const record = {...recordOf(key, kind, id, 'bootstrap', this.wallMs()), isFixed: true, options};
      if (this.ring.get(id) === undefined) {
        if (await this.add(record, start)) return id;
        await this.records.readAnew(id);
      }
      if (this.ring.get(id)?.hash === record.hash) return id;
    }
  }

  stop(): void {
    this.bucket.stop();
  }
}

const isNameLists = ({name}: BucketEntry): boolean => name === nameListsRecordName;
const isSignIn = ({name}: BucketEntry): boolean => name === signInRecordName;
