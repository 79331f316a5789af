// Elects the process that evaluates alerts. The owner writes a record in the bucket every few seconds.
//   AO1. A process takes over a record that was not written for `goneMs`, by its own monotonic clock.
//   AO2. Two processes that both believe to be the owner do no harm: states are written by compare-and-set, and the id of a message
//        follows from the state.
import type {KeyBucket} from '../keys/key-bucket.js';

const ownerName = 'owner.alerts';
const writeMs = 5_000;
const goneMs = 20_000;

export class AlertOwner {
  private readonly bucket: Pick<KeyBucket, 'read' | 'write'>;
  private readonly me: string;
  private readonly isAlone: boolean;
  private readonly monotonicMs: () => number;
  private ours: {readonly revision: number; readonly atMs: number} | undefined;
  private theirs: {readonly revision: number; readonly atMs: number} | undefined;

  /** `me`: a random id of this process. `isAlone`: no other process reaches the bucket, so the record's process has ended. */
  constructor(bucket: Pick<KeyBucket, 'read' | 'write'>, me: string, isAlone: boolean, monotonicMs: () => number) {
    this.bucket = bucket;
    this.me = me;
    this.isAlone = isAlone;
    this.monotonicMs = monotonicMs;
  }

  /** Whether this process is the owner; writes the record if it is due. Rejects with a `BucketFault`. */
  async isOurs(): Promise<boolean> {
    const nowMs = this.monotonicMs();
    if (this.ours !== undefined && nowMs - this.ours.atMs < writeMs) return true;
    if (this.ours !== undefined && (await this.write(this.ours.revision, nowMs))) return true;
    this.ours = undefined;
    const entry = await this.bucket.read(ownerName);
    if (entry === undefined) return this.write(0, nowMs);
    if (this.isAlone || (JSON.parse(entry.text) as {owner: string}).owner === this.me)
      return this.write(entry.revision, nowMs);
    if (this.theirs?.revision !== entry.revision) {
      this.theirs = {revision: entry.revision, atMs: nowMs};
      return false;
    }
    return nowMs - this.theirs.atMs >= goneMs && this.write(entry.revision, nowMs); // AO1
  }

  private async write(revision: number, nowMs: number): Promise<boolean> {
    const written = await this.bucket.write(ownerName, JSON.stringify({owner: this.me}), revision);
    this.ours = written === undefined ? undefined : {revision: written, atMs: nowMs};
    return written !== undefined;
  }
}
