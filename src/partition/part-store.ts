// The writing side of the parts store of one partition: puts parts, and erases those that nothing names any more.
//   P4. A part goes only when neither kept manifest, nor the state at hand, nor a snapshot in the making names it.
//   S1. Parts leave by erase-by-sequence alone: purge, KV delete and overwrite leave their bytes on the disk (DESIGN.md, 8).

import {randomBytes} from 'node:crypto';
import {crc32} from 'node:zlib';
import type {JetStreamClient, JetStreamManager} from '@nats-io/jetstream';
import {assert} from '../../actors/invariant.js';
import type {PartRef} from '../../actors/manifest.js';
import {deletionFailed, hasCode, messageNotFound, sequenceNotFound} from '../nats/error-codes.js';
import {bucketStream, bucketSubject} from '../nats/topology.js';
import {retryForever} from './retry.js';

/** A value of the store. Larger parts span several. */
const valueBytesMax = 512 * 1024;
/**
 * An erase writes the storage block of its value anew, up to 4 MiB, and flushes it, about 7.5 ms: some at once share the
 * disk's flush. So what is erased costs by its number, whatever its size.
 */
const erasesAtOnce = 8;

export class PartStore {
  private readonly js: JetStreamClient;
  private readonly jsm: JetStreamManager;
  private readonly erasingJsm: JetStreamManager;
  private readonly keyPrefix: string;
  private readonly epoch: number;
  private nextKey = 0;
  /** Parts that the state at hand no longer names, by key; a kept manifest may still do. */
  private readonly retired = new Map<string, PartRef>();
  highWaterRevision = 0;

  /**
   * Keys of different owners differ, also of those that ended before their first manifest and so share an epoch: the
   * server would take a put with a known message id for a repetition, and keep the old bytes. `erasingJsm`: a server does
   * what comes over one connection one after the other, so that over that of puts and reads these would wait for erases.
   */
  constructor(
    js: JetStreamClient,
    jsm: JetStreamManager,
    erasingJsm: JetStreamManager,
    partition: number,
    epoch: number,
  ) {
    this.js = js;
    this.jsm = jsm;
    this.erasingJsm = erasingJsm;
    this.epoch = epoch;
    this.keyPrefix = `p${partition}.${epoch}-${randomBytes(4).toString('hex')}`;
  }

  /** Resolves when the part is durable. While the store is unreachable it goes on trying. */
  async put(payload: Uint8Array): Promise<PartRef> {
    assert(payload.length > 0, 'a part has bytes');
    const key = `${this.keyPrefix}.${this.nextKey++}`;
    const revisions: number[] = [];
    const crcs: number[] = [];
    for (let at = 0, i = 0; at < payload.length; at += valueBytesMax, i++) {
      const value = payload.subarray(at, at + valueBytesMax);
      const subject = bucketSubject('parts', `${key}.${i}`);
      // The same message id on every try: an unknown outcome does not leave a second copy.
      const ack = await retryForever(() => this.js.publish(subject, value, {msgID: `${key}.${i}`}));
      revisions.push(ack.seq);
      crcs.push(crc32(value));
      this.highWaterRevision = Math.max(this.highWaterRevision, ack.seq);
    }
    return {key, revisions, bytes: payload.length, valueBytes: valueBytesMax, crcs};
  }

  /** The state at hand no longer names these parts. */
  retire(...refs: readonly PartRef[]): void {
    for (const ref of refs) this.retired.set(ref.key, ref);
  }

  /** Erases the retired parts whose key is not in `named` (what the kept manifests name); returns their revisions. P4 */
  async sweep(named: ReadonlySet<string>): Promise<number[]> {
    const garbage = [...this.retired.values()].filter((ref) => !named.has(ref.key));
    const sequences = garbage.flatMap((ref) => ref.revisions);
    for (let at = 0; at < sequences.length; at += erasesAtOnce) {
      await Promise.all(sequences.slice(at, at + erasesAtOnce).map((sequence) => this.erase(sequence)));
    }
    for (const ref of garbage) this.retired.delete(ref.key);
    return sequences;
  }

  /** Those of the revisions that can still be read. */
  async stillThere(revisions: readonly number[]): Promise<number[]> {
    const found: number[] = [];
    for (const revision of revisions) {
      const message = await retryForever(async () => {
        try {
          return await this.jsm.streams.getMessage(bucketStream('parts'), {seq: revision});
        } catch (error) {
          if (hasCode(error, messageNotFound)) return null;
          throw error;
        }
      });
      if (message !== null) found.push(revision);
    }
    return found;
  }

  private async erase(sequence: number): Promise<void> {
    await retryForever(async () => {
      try {
        await this.erasingJsm.streams.deleteMessage(bucketStream('parts'), sequence, true);
      } catch (error) {
        // A retry of an erase that had happened. For a message that a power cut took the server says no more than that
        // the deletion failed: it is asked for the message then.
        if (hasCode(error, messageNotFound, sequenceNotFound)) return;
        if (!hasCode(error, deletionFailed) || (await this.stillThere([sequence])).length > 0) throw error;
      }
    });
  }

  /** Erases the values of earlier owners whose part is not in `named`: a crash left them. */
  async sweepOrphans(partition: number, named: ReadonlySet<string>): Promise<number> {
    const filter = bucketSubject('parts', `p${partition}.>`);
    const info = await retryForever(() => this.jsm.streams.info(bucketStream('parts'), {subjects_filter: filter}));
    const prefix = bucketSubject('parts', '');
    const own = `${this.keyPrefix}.`;
    let erased = 0;
    for (const subject of Object.keys(info.state.subjects ?? {})) {
      const key = subject.slice(prefix.length, subject.lastIndexOf('.'));
      // One that was paused, and outlived by its successor, must not take that one's parts for orphans.
      if (named.has(key) || key.startsWith(own) || epochOf(key) > this.epoch) continue;
      const message = await retryForever(() =>
        this.jsm.streams.getMessage(bucketStream('parts'), {last_by_subj: subject}),
      );
      if (message === null) continue;
      await this.erase(message.seq);
      erased += 1;
    }
    return erased;
  }
}

/** Of the owner that wrote the part. */
const epochOf = (key: string): number => Number.parseInt(key.slice(key.indexOf('.') + 1), 10);
