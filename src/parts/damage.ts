// Parts that a current state names and that cannot be read: a question that needs one is answered 503, never without it.
//   DA1. Each part raises one alarm, however often it is read; the count is of parts since the start.
//   nats-server checks what it reads, and reports a damaged value as missing: missing parts count as damaged.

import type {PartRef} from '../../actors/manifest.js';
import type {Logger} from '../observe.js';
import {DamagedPart, MissingPart} from './stored-parts.js';

export const isUnreadable = (error: unknown): error is DamagedPart | MissingPart =>
  error instanceof DamagedPart || error instanceof MissingPart;

export class Damage {
  private readonly keys = new Set<string>();
  private readonly counts = new Map<number, number>();

  constructor(private readonly log: Pick<Logger, 'error'>) {}

  /** Parts of the partition that could not be read since the start. */
  countOf(partition: number): number {
    return this.counts.get(partition) ?? 0;
  }

  /** Parts that could not be read, by partition; partitions without any are left out. */
  get byPartition(): Readonly<Record<number, number>> {
    return Object.fromEntries(this.counts);
  }

  /** Counts a part that was not swept meanwhile. @returns whether the error is about a part at all. */
  note(error: unknown): boolean {
    if (!isUnreadable(error)) return false;
    const {key} = error.ref;
    if (this.keys.has(key)) return true;
    this.keys.add(key); // DA1
    const partition = partitionOf(error.ref);
    this.counts.set(partition, this.countOf(partition) + 1);
    this.log.error(
      {partition, reason: error.message},
      'a part cannot be read: requests that need it are answered 503 until a backup is restored',
    );
    return true;
  }
}

/** Keys begin with `p<partition>.` */
const partitionOf = ({key}: PartRef): number => Number.parseInt(key.slice(1), 10);
