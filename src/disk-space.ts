// The room on the disk that holds the store of our own nats-server.
//   A nats-server that met a full disk takes nothing more for that stream until it is started anew, and says so to nobody
//   who publishes: writes are refused before that.
//   K1. Below `refuseBytes` free no write is taken; from `acceptBytes` on they are taken again, so that a disk at the edge
//       does not switch to and fro. Reads go on, and so does what was taken before: that is what the reserve is for.
//   K2. One line in the log at each change.
//   K3. A folder that was removed is noticed: nats-server goes on writing into files that nobody will find again.

import {statfs} from 'node:fs/promises';
import {setTimeout as delay} from 'node:timers/promises';
import type {Logger} from './observe.js';

const mib = 1_048_576;
/** Well below the time in which the fastest ingestion writes the reserve; a look costs some tens of microseconds. */
const lookEveryMs = 250;
/** A cleaned log is pushed on by 9 MiB of filler (src/partition/erasure/scrub.ts); the rest is a snapshot under way. */
const partitionReserveBytes = 12 * mib;
/** The server's own files, and what is published between two looks. */
const commonReserveBytes = 16 * mib;
/** On a small disk the reserve must not be all there is. */
const reserveShareMax = 1 / 4;
const acceptRatio = 5 / 4;

export interface Watermarks {
  /** Less free than this: refuse. */
  readonly refuseBytes: number;
  /** At least this much free: take writes again. */
  readonly acceptBytes: number;
}

/** Room for the snapshots and fillers of all partitions at once, as far as the disk has it. */
export function watermarksOf(partitionCount: number, diskBytes: number): Watermarks {
  const reserve = commonReserveBytes + partitionCount * partitionReserveBytes;
  const refuseBytes = Math.floor(Math.min(reserve, diskBytes * reserveShareMax));
  return {refuseBytes, acceptBytes: Math.ceil(refuseBytes * acceptRatio)};
}

/** K1 */
export const isNearlyFullNow = (was: boolean, freeBytes: number, {refuseBytes, acceptBytes}: Watermarks): boolean =>
  freeBytes < (was ? acceptBytes : refuseBytes);

/** The disk as it was at the last look. */
export interface DiskState {
  readonly freeBytes: number;
  /** Writes are refused below this. */
  readonly refuseBytes: number;
  readonly isNearlyFull: boolean;
}

export interface DiskSpaceOptions {
  readonly folder: string;
  /** K3. Called once. */
  readonly onGone: () => void;
  readonly partitionCount: number;
  readonly logger: Logger;
}

export class DiskSpace {
  private readonly options: DiskSpaceOptions;
  private readonly stopping = new AbortController();
  private current: DiskState = {freeBytes: Number.POSITIVE_INFINITY, refuseBytes: 0, isNearlyFull: false};
  private watching: Promise<void> | undefined;

  private constructor(options: DiskSpaceOptions) {
    this.options = options;
  }

  /** Rejects when the folder cannot be looked at. */
  static async watch(options: DiskSpaceOptions): Promise<DiskSpace> {
    const space = new DiskSpace(options);
    await space.look();
    space.watching = space.lookOn();
    return space;
  }

  get state(): DiskState {
    return this.current;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
  }

  private async lookOn(): Promise<void> {
    const {signal} = this.stopping;
    while (!signal.aborted) {
      await delay(lookEveryMs, undefined, {signal}).catch(() => {}); // Aborted: it is over.
      const error = await this.look().catch((error: NodeJS.ErrnoException) => error);
      if (error?.code === 'ENOENT') return this.options.onGone();
      // Any other look that fails says nothing about the room: what was seen last stands.
    }
  }

  private async look(): Promise<void> {
    const {folder, partitionCount} = this.options;
    const {bavail, blocks, bsize} = await statfs(folder);
    const watermarks = watermarksOf(partitionCount, blocks * bsize);
    const was = this.current.isNearlyFull;
    const freeBytes = bavail * bsize;
    const isNearlyFull = isNearlyFullNow(was, freeBytes, watermarks);
    this.current = {freeBytes, refuseBytes: watermarks.refuseBytes, isNearlyFull};
    if (isNearlyFull !== was) this.announce(watermarks); // K2
  }

  private announce(watermarks: Watermarks): void {
    const {freeBytes, isNearlyFull} = this.current;
    const fields = {freeBytes, ...watermarks};
    if (isNearlyFull)
      this.options.logger.error(fields, 'the disk is nearly full: writes are refused until there is space');
    else this.options.logger.warn(fields, 'the disk has space again: writes are accepted');
  }
}
