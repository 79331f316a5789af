// The room on the disk under the service's own nats-server.
//   After a full disk a nats-server takes no more messages for a stream until it is restarted, and does not tell publishers: the
//   service refuses writes before that.
//   K1. Below `refuseBytes` free no write is taken; from `acceptBytes` on writes are taken again, so that a disk near the bound
//       does not alternate. Reads continue, and so do writes that were taken before: the reserve is for these.
//   K2. One line in the log at each change.
//   K3. A removed folder is noticed: nats-server would write on into files that no process can find again.

import {statfs} from 'node:fs/promises';
import {setTimeout as delay} from 'node:timers/promises';
import type {Logger} from './observe.js';

const mib = 1_048_576;
/** Well below the time in which the fastest ingestion writes the reserve; a check costs some tens of microseconds. */
const lookEveryMs = 250;
/** A cleaned log is followed by 9 MiB of filler (src/partition/erasure/scrub.ts); the rest is a snapshot under way. */
const partitionReserveBytes = 12 * mib;
/** The server's own files, and messages between two checks. */
const commonReserveBytes = 16 * mib;
/** On a small disk the reserve must not take all of the room. */
const reserveShareMax = 1 / 4;
const acceptRatio = 5 / 4;

interface Watermarks {
  /** Less free than this: refuse. */
  readonly refuseBytes: number;
  /** At least this much free: take writes again. */
  readonly acceptBytes: number;
}

/** Room for the snapshots and fillers of all partitions at once, if the disk has it. */
export function watermarksOf(partitionCount: number, diskBytes: number): Watermarks {
  const reserve = commonReserveBytes + partitionCount * partitionReserveBytes;
  const refuseBytes = Math.floor(Math.min(reserve, diskBytes * reserveShareMax));
  return {refuseBytes, acceptBytes: Math.ceil(refuseBytes * acceptRatio)};
}

/** K1 */
export const isNearlyFullNow = (was: boolean, freeBytes: number, {refuseBytes, acceptBytes}: Watermarks): boolean =>
  freeBytes < (was ? acceptBytes : refuseBytes);

/** The disk at the last check. */
export interface DiskState {
  readonly freeBytes: number;
  /** Writes are refused below this. */
  readonly refuseBytes: number;
  readonly isNearlyFull: boolean;
}

interface DiskSpaceOptions {
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

  /** Rejects when the folder cannot be checked. */
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
      // Another failed check says nothing about the room: the last state stays valid.
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
