// The cursor says how far an endpoint's tail of a partition came: a record in the bucket of hooks.
//   CU1. The cursor moves only over settled rows, by compare-and-set: a process that loses one reads it again (tail-run.ts TL3).
import type {KeyBucket} from '../keys/key-bucket.js';
import type {Batch} from './event-deliveries.js';
import type {TailPlace} from './heads.js';
import type {Missed} from './missed.js';
import type {NextAttempt} from './retry.js';

/** A failed delivery that waits for its next attempt. `id`: its `webhook-id`. */
export interface HeldRetry extends NextAttempt {
  readonly id: string;
}

export interface Cursor extends TailPlace {
  readonly v: 1;
  /** Ordinal after the page under way, and its batches: a restart forms the same ones. */
  readonly plannedEnd?: number;
  readonly planned?: readonly Batch[];
  /** Missed ordinals; absent: none. */
  readonly missed?: Missed;
  /** Ids of settled deliveries of the page under way; absent: none. */
  readonly settled?: readonly string[];
  /** An ordered endpoint's delivery that waits for its next attempt; absent: none. */
  readonly retry?: HeldRetry;
}

export const cursorName = (endpointId: string, partition: number): string => `c.${endpointId}.${partition}`;

export class CursorRecord {
  private readonly bucket: Pick<KeyBucket, 'read' | 'write'>;
  readonly name: string;
  private newest = 0;

  constructor(bucket: Pick<KeyBucket, 'read' | 'write'>, endpointId: string, partition: number) {
    this.bucket = bucket;
    this.name = cursorName(endpointId, partition);
  }

  /** Revision that this record read or wrote last; 0: none. */
  get revision(): number {
    return this.newest;
  }

  /** The stored cursor; undefined before the first write. Rejects with a `BucketFault`. */
  async read(): Promise<{readonly cursor: Cursor; readonly revision: number} | undefined> {
    const entry = await this.bucket.read(this.name);
    this.newest = entry?.revision ?? 0;
    return entry === undefined || entry.text === ''
      ? undefined
      : {cursor: JSON.parse(entry.text) as Cursor, revision: entry.revision};
  }

  /** False: another process wrote the cursor. Rejects with a `BucketFault`. */
  async write(cursor: Cursor): Promise<boolean> {
    const revision = await this.bucket.write(this.name, JSON.stringify(cursor), this.newest);
    if (revision !== undefined) this.newest = revision;
    return revision !== undefined;
  }
}
