// A bucket of records in NATS, that of API keys first of all: a watch, compare-and-set writes.
//   B1. A lost connection gets a new watch. Changes on their way over the old one are lost, and the client would notice only with
//       the next change, or after 10 s without a heartbeat: a revoked key must not work for so long.
import {setTimeout as pause} from 'node:timers/promises';
import {type JetStreamClient, type JetStreamManager, jetstream, type StoredMsg} from '@nats-io/jetstream';
import {Kvm, type KvWatchEntry} from '@nats-io/kv';
import type {NatsConnection, QueuedIterator} from 'nats';
import {throwBroken} from '../../actors/invariant.js';
import {type BucketEntry, BucketFault, type KeyListener, type RecordBucket} from '../keys/store.js';
import {hasCode, messageNotFound, reasonOf, wrongLastSequence} from './error-codes.js';
import {type Bucket, bucketStream, bucketSubject} from './topology.js';

const watchAgainMs = 250;
const watchedNames = '*';

type Watch = QueuedIterator<KvWatchEntry>;

export class NatsKeyBucket implements RecordBucket {
  private readonly nc: NatsConnection;
  private readonly js: JetStreamClient;
  private readonly bucket: Bucket;
  private watching: Watch | undefined;
  private isStopped = false;

  /** The watch tells of records with names of one word (without a dot). */
  constructor(nc: NatsConnection, bucket: Bucket = 'keys') {
    this.nc = nc;
    this.js = jetstream(nc);
    this.bucket = bucket;
  }

  watch(listener: KeyListener): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const all = (entries: readonly BucketEntry[]): void => {
        listener.all(entries);
        resolve();
      };
      const told = {...listener, all};
      this.openWatch(told).then(() => void this.renewWatch(told), reject);
      void this.nc.closed().then(() => reject(new BucketFault(`the connection to the bucket of ${this.bucket} ended`)));
    });
  }

  /** Replaces an older watch. */
  private async openWatch(listener: KeyListener): Promise<void> {
    const bucket = await new Kvm(this.js).open(this.bucket);
    const isEmpty = await this.isEmpty();
    const entries = await bucket.watch({key: watchedNames});
    this.watching?.stop();
    this.watching = entries;
    if (this.isStopped) entries.stop();
    if (isEmpty) listener.all([]);
    void this.follow(entries, listener, isEmpty);
  }

  private async isEmpty(): Promise<boolean> {
    const manager = await this.js.jetstreamManager();
    const filter = bucketSubject(this.bucket, watchedNames);
    const {state} = await manager.streams.info(bucketStream(this.bucket), {subjects_filter: filter});
    return Object.keys(state.subjects ?? {}).length === 0;
  }

  /**
   * Also replaces a watch that ends by itself (the client gave up its consumer). A failure here ends the process: an edge that no
   * longer hears of revocations would accept revoked keys.
   */
  private async follow(entries: Watch, listener: KeyListener, isEmpty: boolean): Promise<void> {
    await this.handOn(entries, listener, isEmpty);
    if (this.watching !== entries || this.isOver) return;
    await pause(watchAgainMs);
    await this.watchAnew(listener);
  }

  /** Passes on entries until the watch is stopped or replaced: entries of an older one may be outdated. */
  private async handOn(entries: Watch, listener: KeyListener, isEmpty: boolean): Promise<void> {
    const stored: BucketEntry[] = [];
    let isTold = isEmpty;
    for await (const entry of entries) {
      if (this.watching !== entries) return;
      if (isTold) for (const change of putBy(entry)) listener.changed(change);
      else {
        stored.push(...putBy(entry));
        isTold = entry.isUpdate; // The last of the stored entries counts as an update, too.
        if (isTold) listener.all(stored);
      }
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
      return false; // The server is not ready yet, or lost again.
    }
  }

  async write(name: string, text: string, revision: number): Promise<number | undefined> {
    try {
      const ack = await this.js.publish(bucketSubject(this.bucket, name), text, {
        expect: {lastSubjectSequence: revision},
      });
      return ack.seq;
    } catch (error) {
      if (hasCode(error, wrongLastSequence)) return undefined;
      throw new BucketFault(`the bucket of ${this.bucket} took no change: ${reasonOf(error as Error)}`, {cause: error});
    }
  }

  async read(name: string): Promise<BucketEntry | undefined> {
    const message = await this.newest(name);
    return message === null ? undefined : {name, revision: message.seq, text: message.string()};
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

  private newest(name: string): Promise<StoredMsg | null> {
    const newest = {last_by_subj: bucketSubject(this.bucket, name)};
    return this.asked((manager) =>
      manager.streams.getMessage(bucketStream(this.bucket), newest).catch((error: Error) => {
        if (hasCode(error, messageNotFound)) return null;
        throw error;
      }),
    );
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
