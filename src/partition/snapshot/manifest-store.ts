// Manifests in their bucket: read through the leader, written by compare-and-set (snapshots.ts P3).
import type {JetStreamClient, JetStreamManager} from '@nats-io/jetstream';
import {decodeManifest, encodeManifest, type Manifest, UnknownFormat} from '../../../actors/manifest.js';
import {hasCode, messageNotFound, wrongLastSequence} from '../../nats/error-codes.js';
import {bucketStream, bucketSubject} from '../../nats/topology.js';
import {Final, retryForever, type Trouble} from '../retry.js';

/** What was written, bytes. */
export interface WrittenManifest {
  readonly manifest: Uint8Array;
  /** That it names, if it was put for it. */
  readonly index: Uint8Array | undefined;
}

export interface StoredManifest {
  readonly manifest: Manifest;
  readonly revision: number;
}

/** Another process has the partition now: no fault of this one, and nothing that a start of it anew mends. */
export class Replaced extends Final {
  override name = 'Replaced';
  /** `epoch`: of the newest manifest. */
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
  private readonly trouble: Trouble | undefined;

  /** `onWritten` is called once a manifest is the newest, before its writer goes on. */
  constructor(
    js: JetStreamClient,
    jsm: JetStreamManager,
    partition: number,
    onWritten: (written: WrittenManifest) => void = () => undefined,
    trouble?: Trouble,
  ) {
    this.js = js;
    this.jsm = jsm;
    this.partition = partition;
    this.onWritten = onWritten;
    this.trouble = trouble;
    this.subject = bucketSubject('manifests', `p${partition}`);
  }

  /** The newest one; undefined before the first. */
  async read(): Promise<StoredManifest | undefined> {
    try {
      const message = await this.jsm.streams.getMessage(bucketStream('manifests'), {last_by_subj: this.subject});
      return message === null ? undefined : {manifest: decodeManifest(message.data), revision: message.seq};
    } catch (error) {
      if (hasCode(error, messageNotFound)) return undefined;
      throw error;
    }
  }

  /**
   * Writes the next manifest if `revision` (0: none yet) is still the newest; returns the new revision. `index`: the bytes
   * of the one that it names, if they are at hand.
   * @throws Replaced when another owner wrote meanwhile: this one is fenced. Final when the store lost `revision`: what is left
   * of it and of the log a start finds out.
   */
  async write(manifest: Manifest, revision: number, index?: Uint8Array): Promise<number> {
    const bytes = encodeManifest(manifest);
    // Until a try had no answer nothing of this one is stored, also where another owner wrote the very same.
    let isOutcomeUnknown = false;
    const written = await retryForever(async () => {
      try {
        const ack = await this.js.publish(this.subject, bytes, {expect: {lastSubjectSequence: revision}});
        return ack.seq;
      } catch (error) {
        if (!hasCode(error, wrongLastSequence)) {
          isOutcomeUnknown = true;
          throw error;
        }
        return await this.revisionOfOwn(bytes, revision, isOutcomeUnknown);
      }
    }, this.trouble);
    this.onWritten({manifest: bytes, index});
    return written;
  }

  /** Why an owner of this epoch is none any more; undefined where it is. */
  async successorOf(epoch: number): Promise<Replaced | undefined> {
    const newest = await this.newestEpoch();
    return newest > epoch ? new Replaced(this.partition, newest) : undefined;
  }

  /** What another version wrote another owner wrote. */
  private async newestEpoch(): Promise<number> {
    try {
      return (await this.read())?.manifest.epoch ?? 0;
    } catch (error) {
      if (error instanceof UnknownFormat) return Number.POSITIVE_INFINITY;
      throw error;
    }
  }

  /** A write whose answer was lost is refused when it is tried again: then the newest manifest is the very same. */
  private async revisionOfOwn(bytes: Uint8Array, before: number, mayBeOwn: boolean): Promise<number> {
    const newest = await this.jsm.streams.getMessage(bucketStream('manifests'), {last_by_subj: this.subject});
    if (newest === null || newest.seq < before) {
      throw new Final(
        `partition ${this.partition}: ${bucketStream('manifests')} lost the newest manifest (a power cut without sync, a restored backup, or a deleted stream); another start goes on with what is left`,
      );
    }
    if (mayBeOwn && Buffer.compare(newest.data, bytes) === 0) return newest.seq;
    throw new Replaced(this.partition, await this.newestEpoch());
  }
}
