// Salts of visitor ids: the keys of the hashes that stand for visitors who name no id (visitor-id.ts). Each UTC day
// has one, in a record of its own in the bucket of keys.
//   VS1. All edges have the same: the one that comes first writes the record, which is never overwritten. The watch leaves it out:
//        its name has a dot. Each edge reads it instead, once a minute.
//   VS2. A salt is made up to an hour before its day, so that no edge is without one at midnight. 48 hours after that it is erased
//        from the files of the bucket, and forgotten here: nobody can compute an id of that day again.
//   VS3. A bucket that lost a record (a restored backup) gets the known salt again, unless another edge made one: that one holds.
import {randomBytes} from 'node:crypto';
import {dayMs} from '../../actors/limits.js';
import {SingleFlight} from '../single-flight.js';
import type {RecordBucket} from './key-bucket.js';

const prefix = 'salt.';
const saltBytes = 32;
/** VS2 */
const aheadMs = 3_600_000;
const keptMs = 172_800_000;

/** Where salts are. Rejects with a `BucketFault`. */
export interface SaltBucket extends Pick<RecordBucket, 'read' | 'write' | 'names'> {
  /** Removes the record of a name, if there is one, also from the files of the bucket. */
  erase(name: string): Promise<void>;
}

export class VisitorSalts {
  /** By the start of the day, epoch ms. */
  private readonly salts = new Map<number, Buffer>();
  private readonly keeping = new SingleFlight(() => this.keepNow());

  constructor(
    private readonly bucket: SaltBucket,
    private readonly wallMs: () => number,
  ) {}

  /** The salt of the day of a time; undefined: this edge does not have it. */
  of(timeMs: number): Buffer | undefined {
    return this.salts.get(dayOf(timeMs));
  }

  /** Destroys what is over, and gets or makes what is needed. Rejects with a `BucketFault`. */
  keep(): Promise<void> {
    return this.keeping.run();
  }

  private async keepNow(): Promise<void> {
    const nowMs = this.wallMs();
    for (const day of this.salts.keys()) if (isOver(day, nowMs)) this.salts.delete(day);
    // The one does not wait for the other: an unreadable record must not keep old ones on the disk.
    const outcomes = await Promise.allSettled([this.eraseOver(nowMs), this.ensureAll(nowMs)]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** VS2 */
  private async eraseOver(nowMs: number): Promise<void> {
    for (const name of await this.bucket.names(`${prefix}*`))
      if (isOver(dayIn(name), nowMs)) await this.bucket.erase(name);
  }

  private async ensureAll(nowMs: number): Promise<void> {
    const [today, next] = [dayOf(nowMs), dayOf(nowMs + aheadMs)];
    await this.ensure(today);
    if (next !== today) await this.ensure(next);
  }

  /** VS1, VS3 */
  private async ensure(day: number): Promise<void> {
    const name = nameOf(day);
    const stored = await this.bucket.read(name);
    const salt = this.salts.get(day) ?? randomBytes(saltBytes);
    const isOurs = stored === undefined && (await this.bucket.write(name, salt.toString('base64url'), 0)) !== undefined;
    const text = isOurs ? undefined : (stored ?? (await this.bucket.read(name)))?.text;
    if (isOurs) this.salts.set(day, salt);
    else if (text !== undefined) this.salts.set(day, Buffer.from(text, 'base64url'));
  }
}

const dayOf = (timeMs: number): number => Math.floor(timeMs / dayMs) * dayMs;
const nameOf = (day: number): string => prefix + new Date(day).toISOString().slice(0, 10);
const dayIn = (name: string): number => Date.parse(name.slice(prefix.length));
const isOver = (day: number, nowMs: number): boolean => nowMs >= day - aheadMs + keptMs;
