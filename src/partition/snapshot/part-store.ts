// The writing side of the parts store of one partition: writes parts, and knows which of them nothing names any more.
//   P4. A part is removed only when neither a kept manifest, nor the current state, nor a snapshot in progress names it.

import {randomBytes} from 'node:crypto';
import {crc32} from 'node:zlib';
import type {JetStreamClient, JetStreamManager} from '@nats-io/jetstream';
import {assert, must} from '../../../actors/invariant.js';
import type {PartRef} from '../../../actors/manifest.js';
import {putIfNewest} from '../../nats/compare-and-set.js';
import {headersBytesMax, payloadBytesMin} from '../../nats/payload.js';
import {type Bucket, bucketStream, bucketSubject, partsBucket} from '../../nats/topology.js';
import type {PartReading, PartsCache} from '../../parts/parts-cache.js';
import {type RetryLog, retryForever} from '../retry.js';
import type {KeySet} from './named-parts.js';
import type {Ownership} from './ownership.js';

/** Bytes of a value. Larger parts have several. */
const valueBytesMax = 512 * 1024;
assert(valueBytesMax + headersBytesMax <= payloadBytesMin, 'NATS carries a value');

/** Subjects of a partition's stored values. */
export async function storedValues(jsm: JetStreamManager, partition: number): Promise<ReadonlySet<string>> {
  const bucket = partsBucket(partition);
  const filter = bucketSubject(bucket, `p${partition}.>`);
  const {state} = await jsm.streams.info(bucketStream(bucket), {subjects_filter: filter});
  return new Set(Object.keys(state.subjects ?? {}));
}

/** Stored value of a part. Its subject is never used again. */
export interface StoredValue {
  readonly subject: string;
  readonly revision: number;
}

/** Cache of this thread's readers: notified of parts written for them, and of parts that the current state no longer names. */
type WrittenParts = Pick<PartsCache, 'addWritten' | 'forget'>;

/** Who writes parts. */
type PartOwner = Pick<Ownership, 'confirm' | 'epoch'>;

const noCache: WrittenParts = {addWritten: () => undefined, forget: () => undefined};

export class PartStore {
  private readonly js: JetStreamClient;
  private readonly jsm: JetStreamManager;
  private readonly bucket: Bucket;
  private readonly keyPrefix: string;
  private readonly cache: WrittenParts;
  private readonly retries: RetryLog | undefined;
  private readonly ownership: PartOwner;
  private nextKey = 0;
  /** Parts that the current state no longer names, by key; a kept manifest may still name them. */
  private readonly retired = new Map<string, PartRef>();

  /**
   * Keys begin with the epoch at which their owner began, and with a random text: a store that lost manifests gives an epoch again,
   * and the server would take a write with a known message id for a duplicate, and keep the old bytes.
   */
  constructor(
    js: JetStreamClient,
    jsm: JetStreamManager,
    partition: number,
    ownership: PartOwner,
    cache: WrittenParts = noCache,
    retries?: RetryLog,
  ) {
    this.js = js;
    this.jsm = jsm;
    this.cache = cache;
    this.retries = retries;
    this.ownership = ownership;
    this.bucket = partsBucket(partition);
    this.keyPrefix = `p${partition}.${ownership.epoch}-${randomBytes(4).toString('hex')}`;
  }

  /**
   * Resolves when the part is durable; retries while the store is unreachable. `reading`: how live reads will read the part;
   * undefined: they will not.
   */
  async put(payload: Uint8Array, reading?: PartReading): Promise<PartRef> {
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
    if (reading !== undefined) this.cache.addWritten(ref, payload, reading);
    return ref;
  }

  /**
   * Stored once, however late it is retried. The server knows a message id for two minutes only; a second copy would push the
   * first one out of the bucket, its bytes would stay on the disk, and its sequence would be unknown. The first attempt expects
   * nothing: nats-server 2.9.10 lost parts that it had just stored if every write did.
   */
  private putValue(name: string, value: Uint8Array): Promise<number> {
    const subject = bucketSubject(this.bucket, name);
    let isRepeated = false;
    const put = async (): Promise<number> => {
      await this.ownership.confirm(); // O3 (ownership.ts)
      const isFirst = !isRepeated;
      isRepeated = true;
      if (isFirst) return (await this.js.publish(subject, value, {msgID: name})).seq;
      const revision = await putIfNewest(this.js, subject, value, 0, {msgID: name});
      if (revision !== undefined) return revision;
      const stored = await this.jsm.streams.getMessage(bucketStream(this.bucket), {last_by_subj: subject});
      return must(stored, 'a part has a subject of its own').seq;
    };
    return retryForever(put, this.retries);
  }

  /** Notes that the current state no longer names these parts. */
  retire(...refs: readonly PartRef[]): void {
    for (const ref of refs) {
      this.retired.set(ref.key, ref);
      this.cache.forget(ref);
    }
  }

  /**
   * Takes the values of retired parts whose key is not in `named` (the keys of the kept manifests). No snapshot may be in
   * progress. P4
   */
  takeRetired(named: KeySet): StoredValue[] {
    const garbage = [...this.retired.values()].filter((ref) => !named.has(ref.key));
    for (const ref of garbage) this.retired.delete(ref.key);
    return garbage.flatMap(({key, revisions}) =>
      revisions.map((revision, i) => ({subject: bucketSubject(this.bucket, `${key}.${i}`), revision})),
    );
  }

  /**
   * Whether an earlier owner wrote the value and no part in `named` has it: a crash left it. A paused process with a successor
   * must not take the successor's parts for orphans.
   */
  isOrphan(subject: string, named: KeySet): boolean {
    const key = subject.slice(bucketSubject(this.bucket, '').length, subject.lastIndexOf('.'));
    return !named.has(key) && !key.startsWith(`${this.keyPrefix}.`) && epochOf(key) <= this.ownership.epoch;
  }
}

function valuesOf(payload: Uint8Array): Uint8Array[] {
  const values: Uint8Array[] = [];
  for (let at = 0; at < payload.length; at += valueBytesMax) values.push(payload.subarray(at, at + valueBytesMax));
  return values;
}

/** Epoch of the owner that wrote the part. */
const epochOf = (key: string): number => Number.parseInt(key.slice(key.indexOf('.') + 1), 10);
