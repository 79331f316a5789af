// The bucket of the cluster over a fake link: the promises of src/nats/key-bucket.ts. Its watch is an ordered consumer.
import type {MemberBucket} from '../../src/cluster/membership.js';
import {type BucketEntry, BucketFault, type KeyListener} from '../../src/keys/key-bucket.js';
import {hasCode, wrongLastSequence} from '../../src/nats/error-codes.js';
import {bucketSubject} from '../../src/nats/topology.js';
import {SimConsumer} from './consumer.js';
import {requestMs, type SimLink} from './link.js';
import {apiError, type SimStream, type Stored} from './store.js';

const againMs = 250;
const noLeader = 10_008;
const prefix = bucketSubject('cluster', '');

export class SimBucket implements MemberBucket {
  private readonly link: SimLink;
  private readonly returned: Set<() => void>;
  private readonly renew = (): void => void this.open();
  private readonly stream: SimStream;
  private listener: KeyListener | undefined;
  private watching: SimConsumer | undefined;
  private opened = 0;
  private isStopped = false;

  /** `returned`: what is called after each lost connection. */
  constructor(link: SimLink, returned: Set<() => void>) {
    this.link = link;
    this.returned = returned;
    this.stream = link.world.server.cluster;
  }

  async watch(listener: KeyListener): Promise<void> {
    this.listener = listener;
    this.returned.add(this.renew);
    await this.open();
  }

  stop(): void {
    this.isStopped = true;
    this.returned.delete(this.renew);
    this.watching?.stop();
  }

  /** Stored records are read one by one; what comes after them is brought in order. */
  private async open(): Promise<void> {
    this.opened += 1;
    const {opened, stream} = this;
    while (!this.isStopped && opened === this.opened) {
      try {
        const {names, last} = await this.ask('names', () => ({
          names: Object.keys(stream.subjectsUnder(`${prefix}>`)).map((subject) => subject.slice(prefix.length)),
          last: stream.lastSeq,
        }));
        const consumer = await this.ask('watch', () => new SimConsumer(this.link, stream, last + 1));
        const records = await Promise.all(names.map((name) => this.read(name)));
        if (this.isStopped || opened !== this.opened) consumer.stop();
        else
          void this.follow(
            consumer,
            records.flatMap((record) => record ?? []),
          );
        return;
      } catch (error) {
        if (!(error instanceof BucketFault)) throw error;
        await new Promise((resolve) => setTimeout(resolve, againMs));
      }
    }
  }

  private async follow(consumer: SimConsumer, records: readonly BucketEntry[]): Promise<void> {
    this.watching?.stop();
    this.watching = consumer;
    this.listener?.all(records);
    for (;;) {
      const messages = await consumer.take();
      if (messages === undefined || consumer !== this.watching || this.isStopped) return;
      for (const message of messages) this.listener?.changed(entryOf(message));
    }
  }

  read(name: string): Promise<BucketEntry | undefined> {
    return this.ask(`read ${name}`, () => {
      const stored = this.newest(name);
      return stored && entryOf(stored);
    });
  }

  private newest(name: string): Stored | undefined {
    const subject = bucketSubject('cluster', name);
    return subject in this.stream.subjectsUnder(subject) ? this.stream.lastOf(subject) : undefined;
  }

  async write(name: string, text: string, revision: number, msMax = requestMs): Promise<number | undefined> {
    const {server, timeline} = this.link.world;
    const message = {
      subject: bucketSubject('cluster', name),
      data: new TextEncoder().encode(text),
      lastSubjectSequence: revision,
    };
    try {
      return (await this.ask(`${name} ${text}`, () => server.publish(message, timeline.nowMs), msMax)).seq;
    } catch (error) {
      if (hasCode((error as BucketFault).cause, wrongLastSequence)) return undefined;
      throw error;
    }
  }

  async erase(name: string): Promise<void> {
    await this.ask(`erase ${name}`, () => {
      const stored = this.newest(name);
      if (stored?.data.length === 0) this.stream.delete(stored.seq, true);
    });
  }

  private async ask<T>(what: string, apply: () => T, msMax = requestMs): Promise<T> {
    const {server} = this.link.world;
    const led = (): T => {
      if (server.isElecting) throw apiError(noLeader, 'no leader');
      return apply();
    };
    try {
      return await this.link.request(`cluster ${what}`, led, msMax);
    } catch (cause) {
      throw new BucketFault('the bucket does not answer', {cause});
    }
  }
}

const entryOf = ({subject, seq, data}: Stored): BucketEntry => ({
  name: subject.slice(prefix.length),
  revision: seq,
  text: new TextDecoder().decode(data),
});
