// Parts that a state at hand names and that cannot be read: what needs one is answered 503, never without it.
//   D1. An alarm a part, however often it is asked for; the count says how many there were since the start.
//   A server that checks what it reads back, as nats-server does, says of a damaged value that it is gone: both count.

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

  /** Takes note of a part that was not swept meanwhile. @returns whether the error is about a part at all. */
  note(error: unknown): boolean {
    if (!isUnreadable(error)) return false;
    const {key} = error.ref;
    if (this.keys.has(key)) return true;
    this.keys.add(key); // D1
    const partition = partitionOf(error.ref);
    this.counts.set(partition, this.countOf(partition) + 1);
    this.log.error(
      {partition, reason: error.message},
      'a part cannot be read: what needs it is answered 503 until a backup is restored',
    );
    return true;
  }
}

/** Keys begin with `p<partition>.` */
const partitionOf = ({key}: PartRef): number => Number.parseInt(key.slice(1), 10);
