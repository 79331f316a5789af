// What the owner of a partition itself appends to the log: ticks.
import {randomBytes} from 'node:crypto';
import type {JetStreamClient} from '@nats-io/jetstream';
import {ByteWriter} from '../../actors/codec/bytes.js';
import {beginMessage, sealMessage, type TickReason, writeTick} from '../../actors/codec/entries.js';
import {wallMs} from '../clock.js';
import {logSubject} from '../nats/topology.js';
import {retryForever} from './retry.js';

export class LogWriter {
  private readonly js: JetStreamClient;
  private readonly partition: number;
  private readonly producer = randomBytes(8);
  private n = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(js: JetStreamClient, partition: number) {
    this.js = js;
    this.partition = partition;
  }

  /** Appends a tick; resolves with its sequence. Ticks leave one after the other, each retried with its own bytes. */
  tick(periodMs: number, reason: TickReason): Promise<number> {
    const appended = this.last.then(() => {
      const writer = new ByteWriter(128);
      beginMessage(writer);
      const nowMs = wallMs();
      writeTick(writer, nowMs, periodMs, reason);
      this.n += 1;
      const message = sealMessage(writer, this.producer, this.n, nowMs, 1);
      return this.append(message, this.n);
    });
    this.last = appended;
    return appended;
  }

  private async append(message: Uint8Array, n: number): Promise<number> {
    const msgID = `${this.producer.toString('hex')}.${this.partition}.${n}`;
    const ack = await retryForever(() => this.js.publish(logSubject(this.partition), message, {msgID}));
    return ack.seq;
  }
}
