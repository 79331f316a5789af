// Known faults of storing and asking: a request that would meet one is refused at once, instead of after the patience of a
// publish.
//   B1. Writes that were taken before are unaffected: their publish continues, and the log decides their outcome.

import type {DiskState} from '../../disk-space.js';
import type {PulseState} from '../../nats/client/pulse.js';
import {type Failure, unavailable} from '../failure.js';

/** `disk` and `storeFault` are absent with an external NATS: its operator watches them. */
export interface ObstacleSources {
  /** The disk of the service's own nats-server. */
  readonly disk?: () => DiskState;
  /** Why the service's own nats-server cannot write, in its words. */
  readonly storeFault?: () => string | undefined;
  /** The connection to the log, and that of questions. */
  readonly log: () => PulseState;
  readonly asks: () => PulseState;
  /** Errors of the log instead of acks. Only another attempt shows their end, so no write is refused for them. */
  readonly logRefusals: () => readonly string[];
  /** Whether the publisher takes events: it is connected, and its queue is below its bound. */
  readonly isLogOpen: () => boolean;
}

const nearlyFull = unavailable('the disk is nearly full: nothing was stored');
const awayLog = unavailable('the log is unreachable: nothing was stored');
const awayStore = unavailable('the store of keys and definitions is unreachable: nothing was changed');
const cannotWrite = unavailable('the log cannot write now: nothing was stored');
export const logUnavailable = unavailable('the log does not accept events now: nothing was stored');

export class Obstacles {
  constructor(private readonly sources: ObstacleSources) {}

  /** State of the disk; undefined for an external NATS. */
  get disk(): DiskState | undefined {
    return this.sources.disk?.();
  }

  /** Whether the store has a fault; undefined for an external NATS. */
  get hasStoreFault(): boolean | undefined {
    const {storeFault} = this.sources;
    return storeFault === undefined ? undefined : storeFault() !== undefined;
  }

  /** Reason why no write can be taken now. */
  toWriting(): Failure | undefined {
    const {disk, storeFault, log, isLogOpen} = this.sources;
    if (log() !== 'answers') return awayLog;
    if (disk?.().isNearlyFull) return nearlyFull;
    const fault = storeFault?.();
    if (fault !== undefined && isOfLogs(fault)) return cannotWrite;
    return isLogOpen() ? undefined : logUnavailable;
  }

  /** Reason why no key and no definition can be changed now. */
  toChanges(): Failure | undefined {
    return this.sources.asks() === 'answers' ? undefined : awayStore;
  }

  /** Obstacles for `/readyz`. */
  reasons(): string[] {
    const {storeFault, log, asks, logRefusals} = this.sources;
    const states = [log(), asks()];
    const reasons: string[] = [];
    if (states.includes('lost')) reasons.push('there is no connection to NATS');
    else if (states.includes('silent')) reasons.push('NATS does not answer');
    if (this.disk?.isNearlyFull) reasons.push(nearlyFullReason(this.disk));
    const fault = storeFault?.();
    if (fault !== undefined)
      reasons.push(
        isOfDamage(fault)
          ? `nats-server cannot write${ofStream(fault)}: a file of its store is damaged; restore a backup`
          : 'the log cannot write: nats-server needs disk space, and is restarted once there is some',
      );
    return [...reasons, ...logRefusals()];
  }
}

/** Name of the stream that a fault of the store is about, in nats-server's words; undefined: it names none. */
const streamIn = (fault: string): string | undefined => /stream '[^']* ([A-Z][\w-]*)'/.exec(fault)?.[1];

/** A fault of another stream leaves the logs as they are: events are taken. */
const isOfLogs = (fault: string): boolean => streamIn(fault)?.startsWith('LOG-') ?? true;

const isOfDamage = (fault: string): boolean => /corrupt|checksum|malformed/i.test(fault);

function ofStream(fault: string): string {
  const stream = streamIn(fault);
  return stream === undefined ? '' : ` the stream ${stream}`;
}

const mib = 1_048_576;

const nearlyFullReason = ({freeBytes, refuseBytes}: DiskState): string =>
  `the disk is nearly full: ${Math.floor(freeBytes / mib)} MiB are free, writes are refused below ${Math.floor(refuseBytes / mib)} MiB`;
