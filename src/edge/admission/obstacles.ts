// What stands in the way of storing and of asking, known before a request tries: it is refused at once, instead of after
// the patience of a publish.
//   B1. A write that was taken before is none of this: its publish goes on, and its outcome is what the log says.

import type {DiskState} from '../../disk-space.js';
import type {PulseState} from '../../nats/client/pulse.js';
import {type Failure, unavailable} from '../failure.js';

/** `disk` and `storeFault` are absent with an external NATS: they are its operator's to watch. */
export interface ObstacleSources {
  /** The disk under our own nats-server. */
  readonly disk?: () => DiskState;
  /** What keeps our own nats-server from writing, in its words. */
  readonly storeFault?: () => string | undefined;
  /** Of the connection to the log; likewise of the one that questions take. */
  readonly log: () => PulseState;
  readonly asks: () => PulseState;
  /** What the log answers instead of taking events. Not known to end before one is tried, so none is turned away for it. */
  readonly logRefusals: () => readonly string[];
  /** Whether the publisher takes anything: it is connected, and less than its bound waits for the log. */
  readonly isLogOpen: () => boolean;
}

const nearlyFull = unavailable('the disk is nearly full: nothing was stored');
const awayLog = unavailable('the log is unreachable: nothing was stored');
const awayKeys = unavailable('the key store is unreachable: nothing was changed');
const cannotWrite = unavailable('the log cannot write now: nothing was stored');
export const logUnavailable = unavailable('the log does not accept events now: nothing was stored');

export class Obstacles {
  constructor(private readonly sources: ObstacleSources) {}

  /** Undefined where the disk is not ours to watch. */
  get disk(): DiskState | undefined {
    return this.sources.disk?.();
  }

  /** Undefined where the nats-server is not ours to watch. */
  get hasStoreFault(): boolean | undefined {
    const {storeFault} = this.sources;
    return storeFault === undefined ? undefined : storeFault() !== undefined;
  }

  /** Why no write can be taken now. */
  toWriting(): Failure | undefined {
    const {disk, storeFault, log, isLogOpen} = this.sources;
    if (log() !== 'answers') return awayLog;
    if (disk?.().isNearlyFull) return nearlyFull;
    if (storeFault?.() !== undefined) return cannotWrite;
    return isLogOpen() ? undefined : logUnavailable;
  }

  /** Why no key can be created or revoked now. */
  toKeyChanges(): Failure | undefined {
    return this.sources.asks() === 'answers' ? undefined : awayKeys;
  }

  /** For `/readyz`. */
  reasons(): string[] {
    const {storeFault, log, asks, logRefusals} = this.sources;
    const states = [log(), asks()];
    const reasons: string[] = [];
    if (states.includes('lost')) reasons.push('there is no connection to NATS');
    else if (states.includes('silent')) reasons.push('NATS does not answer');
    if (this.disk?.isNearlyFull) reasons.push(nearlyFullReason(this.disk));
    const fault = storeFault?.();
    if (fault !== undefined)
      reasons.push('the log cannot write: nats-server needs disk space, and is restarted once there is some');
    return [...reasons, ...logRefusals()];
  }
}

const mib = 1_048_576;

const nearlyFullReason = ({freeBytes, refuseBytes}: DiskState): string =>
  `the disk is nearly full: ${Math.floor(freeBytes / mib)} MiB are free, writes are refused below ${Math.floor(refuseBytes / mib)} MiB`;
