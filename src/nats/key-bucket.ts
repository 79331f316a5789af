// A bucket of records in NATS, that of API keys first of all: a watch, compare-and-set writes.
//   B1. A lost connection gets a new watch. Changes on their way over the old one are lost, and the client would notice only with
//       the next change, or after 10 s without a heartbeat: a revoked key must not work for so long.
//   B2. The stored records are read one by one: a watch that begins with them never gets past one that nats-server cannot read.
//   B3. An overwritten or purged record stays in the server's files for a while. An erased one does not: it is deleted by sequence.
//       A server that lost its newest messages gives their sequences to other records, so the erase is sent in the same turn in
//       which the connection shows the run of the server that read the record (erasing-link.ts).
import {setTimeout as pause} from 'node:timers/promises';
import {type JetStreamClient, type JetStreamManager, jetstream, type StoredMsg} from '@nats-io/jetstream';
import {Kvm, type KvWatchEntry, KvWatchInclude} from '@nats-io/kv';
import type {NatsConnection, QueuedIterator} from 'nats';
import {throwBroken} from '../../actors/invariant.js';
import {type BucketEntry, BucketFault, type KeyListener, type RecordBucket} from '../keys/key-bucket.js';
import type {SaltBucket} from '../keys/visitor-salts.js';
import {Semaphore} from '../pacing/semaphore.js';
import {StartFault} from '../start-fault.js';
import {putIfNewest} from './compare-and-set.js';
import {deletionFailed, hasCode, messageNotFound, reasonOf, sequenceNotFound} from './error-codes.js';
import {newestMessage, UnreadableMessage} from './newest-message.js';
import {type Bucket, bucketStream, bucketSubject} from './topology.js';

const watchAgainMs = 250;
const watchedNames = '*';
const readsAtOnceMax = 16;

type Watch = QueuedIterator<KvWatchEntry>;

export class NatsKeyBucket implements RecordBucket, SaltBucket {
  private readonly nc: NatsConnection;
  private readonly js: JetStreamClient;
  private readonly bucket: Bucket;
  private watching: Watch | undefined;
  /** Watched records that are stored, by name: whether they have a text. */
  private readonly kept = new Map<string, boolean>();
  private isStopped = false;

  /** The watch tells of records with names of one word (without a dot). */
  constructor(nc: NatsConnection, bucket: Bucket = 'keys') {
    this.nc = nc;
    this.js = jetstream(nc);
    this.bucket = bucket;
  }

  watch(listener: KeyListener): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const all: KeyListener['all'] = (entries, unreadable = []) => {
        this.kept.clear();
        for (const name of unreadable) this.kept.set(name, true);
        for (const entry of entries) this.keep(entry);
        listener.all(entries, unreadable);
        resolve();
      };
      const changed: KeyListener['changed'] = (entry) => {
        this.keep(entry);
        listener.changed(entry);
      };
      const told = {...listener, all, changed};
      void this.renewWatch(told);
      this.watchAnew(told).catch(reject);
      void this.nc.closed().then(() => reject(new BucketFault(`the connection to the bucket of ${this.bucket} ended`)));
    });
  }

  /** Names of the watched records that are stored, those without a text (removed) left out. */
  get stillStored(): readonly string[] {
    return this.everStored.filter((name) => this.kept.get(name));
  }

  /** The same, and the names of removed records. */
  get everStored(): readonly string[] {
    return [...this.kept.keys()].sort();
  }

  private keep({name, text}: BucketEntry): void {
    this.kept.set(name, text !== '');
  }

  /** Replaces an older watch: it brings what comes after the stored records, which are read one by one. B2 */
  private async openWatch(listener: KeyListener): Promise<void> {
    const bucket = await new Kvm(this.js).open(this.bucket);
    const {names, last} = await this.stored();
    const entries = await bucket.watch({
      key: watchedNames,
      include: KvWatchInclude.UpdatesOnly,
      resumeFromRevision: last + 1,
    });
    this.watching?.stop();
    this.watching = entries;
    if (this.isStopped) entries.stop();
    const {records, unreadable} = await this.readAll(names);
    if (this.watching === entries) listener.all(records, unreadable);
    void this.follow(entries, listener);
  }

  /** Names of the stored records that the watch is about, and the last revision of the bucket. */
  private async stored(): Promise<{readonly names: readonly string[]; readonly last: number}> {
    const manager = await this.js.jetstreamManager();
    const filter = bucketSubject(this.bucket, watchedNames);
    const {state} = await manager.streams.info(bucketStream(this.bucket), {subjects_filter: filter});
    const prefix = bucketSubject(this.bucket, '').length;
    return {names: Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix)), last: state.last_seq};
  }

  private async readAll(
    names: readonly string[],
  ): Promise<{readonly records: readonly BucketEntry[]; readonly unreadable: readonly string[]}> {
    const records: BucketEntry[] = [];
    const unreadable: string[] = [];
    const readOne = async (name: string): Promise<void> => {
      try {
        const record = await this.read(name);
        if (record !== undefined) records.push(record);
      } catch (error) {
        if (!(error instanceof BucketFault && error.cause instanceof UnreadableMessage)) throw error;
        unreadable.push(name);
      }
    };
    const slots = new Semaphore(readsAtOnceMax);
    await Promise.all(names.map((name) => slots.run(() => readOne(name))));
    return {records, unreadable: unreadable.sort()};
  }

  /**
   * Also replaces a watch that ends by itself (the client gave up its consumer). A failure here ends the process: an edge that no
   * longer hears of revocations would accept revoked keys.
   */
  private async follow(entries: Watch, listener: KeyListener): Promise<void> {
    await this.handOn(entries, listener);
    if (this.watching !== entries || this.isOver) return;
    await pause(watchAgainMs);
    await this.watchAnew(listener);
  }

  /** Passes on entries until the watch is stopped or replaced: entries of an older one may be outdated. */
  private async handOn(entries: Watch, listener: KeyListener): Promise<void> {
    for await (const entry of entries) {
      if (this.watching !== entries) return;
      for (const change of putBy(entry)) listener.changed(change);
    }
  }

  /** Opens a new watch after a lost connection. B1 */
  private async renewWatch(listener: KeyListener): Promise<void> {
    for await (const {type} of this.nc.status()) {
      if (type !== 'reconnect') continue;
      listener.returned();
      await this.watchAnew(listener);
    }
  }

  private async watchAnew(listener: KeyListener): Promise<void> {
    while (!this.isOver && !(await this.isWatchOpened(listener))) await pause(watchAgainMs);
  }

  private get isOver(): boolean {
    return this.isStopped || this.nc.isClosed();
  }

  private async isWatchOpened(listener: KeyListener): Promise<boolean> {
    try {
      await this.openWatch(listener);
      return true;
    } catch (error) {
      throwBroken(error);
      if (error instanceof StartFault) throw error; // The listener cannot go on with what is left.
      return false; // The server is not ready yet, or lost again.
    }
  }

  /** `msMax`: how long it waits for an answer. */
  async write(name: string, text: string, revision: number, msMax?: number): Promise<number | undefined> {
    try {
      const subject = bucketSubject(this.bucket, name);
      return await putIfNewest(this.js, subject, text, revision, msMax ? {timeout: msMax} : {});
    } catch (error) {
      throw new BucketFault(`the bucket of ${this.bucket} took no change: ${reasonOf(error as Error)}`, {cause: error});
    }
  }

  async read(name: string): Promise<BucketEntry | undefined> {
    const message = await this.newest(name);
    return message && {name, revision: message.seq, text: message.string()};
  }

  async names(pattern: string): Promise<string[]> {
    const {state} = await this.asked((manager) =>
      manager.streams.info(bucketStream(this.bucket), {subjects_filter: bucketSubject(this.bucket, pattern)}),
    );
    return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(bucketSubject(this.bucket, '').length));
  }

  async purge(name: string, revision: number): Promise<void> {
    const older = {filter: bucketSubject(this.bucket, name), seq: revision + 1};
    await this.asked((manager) => manager.streams.purge(bucketStream(this.bucket), older));
  }

  /** B3 */
  async erase(name: string): Promise<void> {
    await this.asked(async (manager) => {
      const run = this.nc.info?.server_id;
      const stream = bucketStream(this.bucket);
      const newest = () => newestMessage(manager, stream, bucketSubject(this.bucket, name));
      const message = await newest();
      if (message === undefined) return;
      if (run === undefined || this.nc.info?.server_id !== run) throw new Error('the connection was lost meanwhile');
      await manager.streams.deleteMessage(stream, message.seq, true).catch(async (error: unknown) => {
        const wasDeleted = hasCode(error, messageNotFound, sequenceNotFound, deletionFailed); // Another edge was faster.
        if (!wasDeleted || (await newest()) !== undefined) throw error;
      });
    });
  }

  private newest(name: string): Promise<StoredMsg | undefined> {
    return this.asked((manager) => newestMessage(manager, bucketStream(this.bucket), bucketSubject(this.bucket, name)));
  }

  private async asked<Answer>(ask: (manager: JetStreamManager) => Promise<Answer>): Promise<Answer> {
    try {
      return await ask(await this.js.jetstreamManager());
    } catch (error) {
      throw new BucketFault(`the bucket of ${this.bucket} does not answer: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  stop(): void {
    this.isStopped = true;
    this.watching?.stop();
  }
}

/** The stored entry, if it is one. */
const putBy = (entry: KvWatchEntry): readonly BucketEntry[] =>
  entry.operation === 'PUT' ? [{name: entry.key, revision: entry.revision, text: entry.string()}] : [];
