// Parts that a current state names, manifests and log messages that cannot be read: a question that needs one is answered 503, never
// without it.
//   DA1. Each part raises one alarm, however often it is read; the count is of parts since the start.
//   nats-server checks what it reads, and reports a damaged value as missing: missing parts count as damaged.

import type {PartRef} from '../../actors/manifest.js';
import type {Logger} from '../observe.js';
import {DamagedPart, MissingPart} from './stored-parts.js';

export const isUnreadable = (error: unknown): error is DamagedPart | MissingPart =>
  error instanceof DamagedPart || error instanceof MissingPart;

/** nats-server has a manifest or a log message of the partition and cannot read it: without it answers would be wrong. */
export class DamagedState extends Error {
  override name = 'DamagedState';

  constructor(
    readonly partition: number,
    readonly what: string,
    options?: ErrorOptions,
  ) {
    super(`partition ${partition}: ${what} is damaged: nats-server has it and cannot read it`, options);
  }
}

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
    const isState = error instanceof DamagedState;
    if (!isState && !isUnreadable(error)) return false;
    const [key, partition] = isState
      ? [`p${error.partition} ${error.what}`, error.partition]
      : [error.ref.key, partitionOf(error.ref)];
    if (this.keys.has(key)) return true;
    this.keys.add(key); // DA1
    this.counts.set(partition, this.countOf(partition) + 1);
    this.log.error(
      {partition, reason: error.message},
      `${isState ? 'stored data' : 'a part'} cannot be read: requests that need it are answered 503 until a backup is restored`,
    );
    return true;
  }
}

/** Keys begin with `p<partition>.` */
const partitionOf = ({key}: PartRef): number => Number.parseInt(key.slice(1), 10);
