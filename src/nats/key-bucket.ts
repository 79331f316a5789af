// The bucket of API keys over NATS: a watch of the whole bucket, compare-and-set writes.
import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  type StoredMsg,
} from '@nats-io/jetstream';
import {Kvm} from '@nats-io/kv';
import type {NatsConnection} from 'nats';
import {type BucketEntry, BucketFault, type KeyBucket} from '../keys/store.js';
import {bucketStream, bucketSubject} from './topology.js';

const wrongLastSequenceCode = 10_071;

export class NatsKeyBucket implements KeyBucket {
  private readonly js: JetStreamClient;
  private stopWatch: (() => void) | undefined;

  constructor(nc: NatsConnection) {
    this.js = jetstream(nc);
  }

  async watch(onEntry: (entry: BucketEntry) => void): Promise<void> {
    const bucket = await new Kvm(this.js).open('keys');
    const isEmpty = (await bucket.status()).values === 0;
    const entries = await bucket.watch();
    this.stopWatch = () => entries.stop();
    return new Promise((resolve, reject) => {
      if (isEmpty) resolve();
      void (async () => {
        for await (const entry of entries) {
          if (entry.operation === 'PUT') onEntry({name: entry.key, revision: entry.revision, text: entry.string()});
          if (entry.isUpdate) resolve(); // The last of those that were stored counts as an update, too.
        }
      })().catch(reject);
    });
  }

  async write(name: string, text: string, revision: number): Promise<number | undefined> {
    try {
      const ack = await this.js.publish(bucketSubject('keys', name), text, {expect: {lastSubjectSequence: revision}});
      return ack.seq;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === wrongLastSequenceCode) return undefined;
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
    this.stopWatch?.();
  }
}
