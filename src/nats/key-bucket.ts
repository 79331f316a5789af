// The bucket of API keys over NATS: a watch of the whole bucket, compare-and-set writes.
//   B1. After a lost connection the watch is a new one. What was on its way over the old one is gone, and the client
//       would notice with the next change only, or after 10 s without a heartbeat: a revoked key must not work so long.
import {setTimeout as pause} from 'node:timers/promises';
import {type JetStreamClient, type JetStreamManager, jetstream, type StoredMsg} from '@nats-io/jetstream';
import {Kvm, type KvWatchEntry} from '@nats-io/kv';
import type {NatsConnection, QueuedIterator} from 'nats';
import {type BucketEntry, BucketFault, type KeyBucket} from '../keys/store.js';
import {hasCode, wrongLastSequence} from './error-codes.js';
import {bucketStream, bucketSubject} from './topology.js';

const watchAgainMs = 250;

type OnEntry = (entry: BucketEntry) => void;

export class NatsKeyBucket implements KeyBucket {
  private readonly nc: NatsConnection;
  private readonly js: JetStreamClient;
  private watching: QueuedIterator<KvWatchEntry> | undefined;
  private isStopped = false;

  constructor(nc: NatsConnection) {
    this.nc = nc;
    this.js = jetstream(nc);
  }

  async watch(onEntry: OnEntry): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.openWatch(onEntry, resolve).catch(reject);
    });
    void this.renewWatch(onEntry);
  }

  /** Takes the place of an older watch. `whenAll`: everything stored was handed on. */
  private async openWatch(onEntry: OnEntry, whenAll?: () => void): Promise<void> {
    const bucket = await new Kvm(this.js).open('keys');
    const isEmpty = (await bucket.status()).values === 0;
    const entries = await bucket.watch();
    this.watching?.stop();
    this.watching = entries;
    if (this.isStopped) entries.stop();
    if (isEmpty) whenAll?.();
    void this.follow(entries, onEntry, whenAll);
  }

  /** A watch that ends by itself (the client gave up its consumer) has a successor, too. */
  private async follow(entries: QueuedIterator<KvWatchEntry>, onEntry: OnEntry, whenAll?: () => void): Promise<void> {
    await handOn(entries, onEntry, whenAll);
    if (this.watching !== entries || this.isOver) return;
    await pause(watchAgainMs);
    await this.watchAnew(onEntry);
  }

  /** B1 */
  private async renewWatch(onEntry: OnEntry): Promise<void> {
    for await (const {type} of this.nc.status()) {
      if (type === 'reconnect') await this.watchAnew(onEntry);
    }
  }

  private async watchAnew(onEntry: OnEntry): Promise<void> {
    while (!this.isOver && !(await this.isWatchOpened(onEntry))) await pause(watchAgainMs);
  }

  private get isOver(): boolean {
    return this.isStopped || this.nc.isClosed();
  }

  private async isWatchOpened(onEntry: OnEntry): Promise<boolean> {
    try {
      await this.openWatch(onEntry);
      return true;
    } catch {
      return false; // The server is not ready yet, or gone again.
    }
  }

  async write(name: string, text: string, revision: number): Promise<number | undefined> {
    try {
      const ack = await this.js.publish(bucketSubject('keys', name), text, {expect: {lastSubjectSequence: revision}});
      return ack.seq;
    } catch (error) {
      if (hasCode(error, wrongLastSequence)) return undefined;
      throw new BucketFault(`the bucket of keys took no change: ${(error as Error).message}`, {cause: error});
    }
  }

  async read(name: string): Promise<BucketEntry> {
    const message = await this.newest(name);
    if (message === null) throw new Error(`the bucket of keys has lost ${name}`);
    return {name, revision: message.seq, text: message.string()};
  }

  private async newest(name: string): Promise<StoredMsg | null> {
    try {
      const manager: JetStreamManager = await this.js.jetstreamManager();
      return await manager.streams.getMessage(bucketStream('keys'), {last_by_subj: bucketSubject('keys', name)});
    } catch (error) {
      throw new BucketFault(`the bucket of keys does not answer: ${(error as Error).message}`, {cause: error});
    }
  }

  stop(): void {
    this.isStopped = true;
    this.watching?.stop();
  }
}

/**
 * Until the watch is stopped. What fails here ends the process: an edge that no longer hears of revocations would go on
 * letting revoked keys in.
 */
async function handOn(entries: QueuedIterator<KvWatchEntry>, onEntry: OnEntry, whenAll?: () => void): Promise<void> {
  for await (const entry of entries) {
    if (entry.operation === 'PUT') onEntry({name: entry.key, revision: entry.revision, text: entry.string()});
    if (entry.isUpdate) whenAll?.(); // The last of those that were stored counts as an update, too.
  }
  whenAll?.();
}
