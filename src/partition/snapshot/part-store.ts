// The writing side of the parts store of one partition: puts parts, and knows which of them nothing names any more.
//   P4. A part goes only when neither kept manifest, nor the state at hand, nor a snapshot in the making names it.

import {randomBytes} from 'node:crypto';
import {crc32} from 'node:zlib';
import type {JetStreamClient, JetStreamManager, JetStreamPublishOptions} from '@nats-io/jetstream';
import {assert, must} from '../../../actors/invariant.js';
import type {PartRef} from '../../../actors/manifest.js';
import {hasCode, wrongLastSequence} from '../../nats/error-codes.js';
import {headersBytesMax, payloadBytesMin} from '../../nats/payload.js';
import {bucketStream, bucketSubject} from '../../nats/topology.js';
import type {PartsCache, Reading} from '../../parts/parts-cache.js';
import {retryForever, type Trouble} from '../retry.js';
import type {KeySet} from './named-parts.js';
import type {Ownership} from './ownership.js';

/** A value of the store. Larger parts span several. */
const valueBytesMax = 512 * 1024;
assert(valueBytesMax + headersBytesMax <= payloadBytesMin, 'NATS carries a value');
/** One value of a part. Nothing else is ever stored under its subject. */
export interface StoredValue {
  readonly subject: string;
  readonly revision: number;
}

/** What readers of this thread have at hand: told of what is put for them, and of what the state at hand no longer names. */
type PartsAtHand = Pick<PartsCache, 'keepNew' | 'forget'>;

const nothingAtHand: PartsAtHand = {keepNew: () => undefined, forget: () => undefined};

export class PartStore {
  private readonly js: JetStreamClient;
  private readonly jsm: JetStreamManager;
  private readonly keyPrefix: string;
  private readonly epoch: number;
  private readonly atHand: PartsAtHand;
  private readonly trouble: Trouble | undefined;
  private readonly ownership: Pick<Ownership, 'confirm'> | undefined;
  private nextKey = 0;
  /** Parts that the state at hand no longer names, by key; a kept manifest may still do. */
  private readonly retired = new Map<string, PartRef>();

  /**
   * Keys of different owners differ, also of those that ended before their first manifest and so share an epoch: the
   * server would take a put with a known message id for a repetition, and keep the old bytes.
   */
  constructor(
    js: JetStreamClient,
    jsm: JetStreamManager,
    partition: number,
    epoch: number,
    atHand: PartsAtHand = nothingAtHand,
    trouble?: Trouble,
    ownership?: Pick<Ownership, 'confirm'>,
  ) {
    this.js = js;
    this.jsm = jsm;
    this.epoch = epoch;
    this.atHand = atHand;
    this.trouble = trouble;
    this.ownership = ownership;
    this.keyPrefix = `p${partition}.${epoch}-${randomBytes(4).toString('hex')}`;
  }

  /**
   * Resolves when the part is durable. While the store is unreachable it goes on trying. `reading`: how live reads are going
   * to read it; undefined: they are not.
   */
  async put(payload: Uint8Array, reading?: Reading): Promise<PartRef> {
    assert(payload.length > 0, 'a part has bytes');
    const key = `${this.keyPrefix}.${this.nextKey++}`;
    const revisions: number[] = [];
    const crcs: number[] = [];
    for (const [i, value] of valuesOf(payload).entries()) {
      const revision = await this.putValue(`${key}.${i}`, value);
      revisions.push(revision);
      crcs.push(crc32(value));
    }
    const ref = {key, revisions, bytes: payload.length, valueBytes: valueBytesMax, crcs};
    if (reading !== undefined) this.atHand.keepNew(ref, payload, reading);
    return ref;
  }

  /**
   * Stored once, however late it is tried again: the server knows a message id for two minutes alone, and a second copy would
   * push the first one out of the bucket with its bytes left on the disk, and nobody would know its sequence to erase it.
   * Nothing is expected of the first try: nats-server 2.9.10 lost parts that it had just stored where every put expected that.
   */
  private putValue(name: string, value: Uint8Array): Promise<number> {
    const subject = bucketSubject('parts', name);
    let options: Partial<JetStreamPublishOptions> = {msgID: name};
    const put = async (): Promise<number> => {
      await this.ownership?.confirm(); // O3 (ownership.ts)
      const asked = options;
      options = {msgID: name, expect: {lastSubjectSequence: 0}};
      try {
        return (await this.js.publish(subject, value, asked)).seq;
      } catch (error) {
        if (!hasCode(error, wrongLastSequence)) throw error;
        const stored = await this.jsm.streams.getMessage(bucketStream('parts'), {last_by_subj: subject});
        return must(stored, 'what is under the subject of a part is that part').seq;
      }
    };
    return retryForever(put, this.trouble);
  }

  /** The state at hand no longer names these parts. */
  retire(...refs: readonly PartRef[]): void {
    for (const ref of refs) {
      this.retired.set(ref.key, ref);
      this.atHand.forget(ref);
    }
  }

  /**
   * The values of retired parts whose key is not in `named` (what the kept manifests name), once. No snapshot may be in the
   * making. P4
   */
  takeRetired(named: KeySet): StoredValue[] {
    const garbage = [...this.retired.values()].filter((ref) => !named.has(ref.key));
    for (const ref of garbage) this.retired.delete(ref.key);
    return garbage.flatMap(({key, revisions}) =>
      revisions.map((revision, i) => ({subject: bucketSubject('parts', `${key}.${i}`), revision})),
    );
  }

  /**
   * Whether a value is of an earlier owner and of no part in `named`: a crash left it. A process that was paused, and outlived
   * by its successor, must not take that one's parts for orphans.
   */
  isOrphan(subject: string, named: KeySet): boolean {
    const key = subject.slice(bucketSubject('parts', '').length, subject.lastIndexOf('.'));
    return !named.has(key) && !key.startsWith(`${this.keyPrefix}.`) && epochOf(key) <= this.epoch;
  }
}

function valuesOf(payload: Uint8Array): Uint8Array[] {
  const values: Uint8Array[] = [];
  for (let at = 0; at < payload.length; at += valueBytesMax) values.push(payload.subarray(at, at + valueBytesMax));
  return values;
}

/** Of the owner that wrote the part. */
const epochOf = (key: string): number => Number.parseInt(key.slice(key.indexOf('.') + 1), 10);
