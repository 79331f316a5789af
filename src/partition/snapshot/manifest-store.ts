// Manifests in their bucket: read through the leader, written by compare-and-set (snapshots.ts P3).
import type {JetStreamClient, JetStreamManager} from '@nats-io/jetstream';
import {encodeManifest, type Manifest, UnknownFormat} from '../../../actors/manifest.js';
import {putIfNewest} from '../../nats/compare-and-set.js';
import {hasCode, writeUnderWay} from '../../nats/error-codes.js';
import {newestManifestMessage} from '../../nats/published-manifests.js';
import {bucketStream, bucketSubject} from '../../nats/topology.js';
import {readManifest} from '../../parts/stored-state.js';
import {type RetryLog, retryForever, Unrecoverable} from '../retry.js';

/** The bytes that were written. */
export interface WrittenManifest {
  readonly manifest: Uint8Array;
  /** The manifest's index, if it was written for this manifest. */
  readonly index: Uint8Array | undefined;
}

export interface StoredManifest {
  readonly manifest: Manifest;
  readonly revision: number;
}

/** Another process owns the partition: this process is not at fault, and a restart would not help. */
export class Replaced extends Unrecoverable {
  override name = 'Replaced';
  /** `epoch`: that of the newest manifest. */
  constructor(
    partition: number,
    readonly epoch: number,
  ) {
    super(`partition ${partition}: another owner wrote the manifest; this one stops`);
  }
}

export class ManifestStore {
  private readonly js: JetStreamClient;
  private readonly jsm: JetStreamManager;
  private readonly subject: string;
  private readonly partition: number;
  private readonly onWritten: (written: WrittenManifest) => void;
  private readonly retries: RetryLog | undefined;

  /** `onWritten` is called once a manifest is the newest, before `write` returns. */
  constructor(
    js: JetStreamClient,
    jsm: JetStreamManager,
    partition: number,
    onWritten: (written: WrittenManifest) => void = () => undefined,
    retries?: RetryLog,
  ) {
    this.js = js;
    this.jsm = jsm;
    this.partition = partition;
    this.onWritten = onWritten;
    this.retries = retries;
    this.subject = bucketSubject('manifests', `p${partition}`);
  }

  /** The newest manifest, also one without a snapshot; undefined before the first take-over. @throws DamagedState */
  async read(): Promise<StoredManifest | undefined> {
    const message = await newestManifestMessage(this.jsm, this.partition);
    return message && {manifest: readManifest(message.data, this.partition), revision: message.seq};
  }

  /**
   * Writes the next manifest if `revision` (0: none yet) is still the newest; returns the new revision. `index`: bytes of its
   * index, if known.
   * @throws Replaced when another owner wrote meanwhile: this one is fenced off. Unrecoverable when the store lost `revision`: a start
   * finds out what is left of it and of the log.
   */
  async write(manifest: Manifest, revision: number, index?: Uint8Array): Promise<number> {
    const bytes = encodeManifest(manifest);
    // Equal bytes in the store count as this owner's only after an attempt without an answer: another owner may have written them.
    let isOutcomeUnknown = false;
    const written = await retryForever(async () => {
      try {
        const stored = await putIfNewest(this.js, this.subject, bytes, revision);
        if (stored !== undefined) return stored;
      } catch (error) {
        if (!hasCode(error, writeUnderWay)) isOutcomeUnknown = true;
        throw error;
      }
      return await this.revisionOfOwn(bytes, revision, isOutcomeUnknown);
    }, this.retries);
    this.onWritten({manifest: bytes, index});
    return written;
  }

  /** Why an owner of this epoch lost the partition; undefined if it did not. */
  async successorOf(epoch: number): Promise<Replaced | undefined> {
    const newest = await this.newestEpoch();
    return newest > epoch ? new Replaced(this.partition, newest) : undefined;
  }

  /** The newest epoch. A manifest of another version's format is of another owner. */
  private async newestEpoch(): Promise<number> {
    try {
      return (await this.read())?.manifest.epoch ?? 0;
    } catch (error) {
      if (error instanceof UnknownFormat) return Number.POSITIVE_INFINITY;
      throw error;
    }
  }

  /** A retried write is refused if the first attempt was stored: then the newest manifest has equal bytes. */
  private async revisionOfOwn(bytes: Uint8Array, before: number, mayBeOwn: boolean): Promise<number> {
    const newest = await newestManifestMessage(this.jsm, this.partition);
    if (newest === undefined || newest.seq < before) {
      throw new Unrecoverable(
        `partition ${this.partition}: ${bucketStream('manifests')} lost the newest manifest (a power cut without sync, a restored backup, or a deleted stream); another start continues with the rest`,
      );
    }
    if (mayBeOwn && Buffer.compare(newest.data, bytes) === 0) return newest.seq;
    throw new Replaced(this.partition, await this.newestEpoch());
  }
}
