// Whether this process still owns a partition. An owner that was paused (a stopped process, a machine that slept) may have a
// successor by now. It finds out by the epoch of the newest manifest.
//   O1. What a successor explains is no fault: before a log is called lost, a part damaged or a snapshot late, the owner asks.
//   O2. Rows and profiles follow from the log: any process that folded it up to a sequence answers right. Other answers (how far
//       a deletion is, whether the partition is ready) come from the owner alone, which asks for a successor after it has the
//       answer.
//   O3. No part is put long after a take-over: it may hold a user of whom the successor has a receipt that nothing is left. The
//       next deletion or start erases a part that was put in the moment of the pause.
//   A successor needs nothing that this process sweeps and cuts: P4 (snapshots.ts) holds for the manifest that it began with.
import {monotonicMs} from '../../clock.js';
import {retryForever, type Trouble} from '../retry.js';
import type {ManifestStore, Replaced} from './manifest-store.js';

/** O3. No successor recovers a partition, cleans up after a deletion and publishes its receipt in this time. */
const trustMs = 250;
/** O1, O2. What the store was asked longer ago says nothing of now: this process may have been paused. */
const freshMs = 1_000;
const looksMax = 5;

export type Standing = 'owner' | 'outlived' | 'unknown';

export class Ownership {
  private readonly manifests: Pick<ManifestStore, 'successorOf'>;
  private readonly epoch: number;
  private readonly onLost: (successor: Replaced) => void;
  private readonly trouble: Trouble | undefined;
  private askedMs = Number.NEGATIVE_INFINITY;
  private asking: Promise<void> | undefined;
  private lost = false;

  /** `onLost` is called once, when a successor is found. */
  constructor(
    manifests: Pick<ManifestStore, 'successorOf'>,
    epoch: number,
    onLost: (successor: Replaced) => void,
    trouble?: Trouble,
  ) {
    this.manifests = manifests;
    this.epoch = epoch;
    this.onLost = onLost;
    this.trouble = trouble;
  }

  /** A successor is known: nothing is folded, answered or put any more. */
  get isLost(): boolean {
    return this.lost;
  }

  lose(successor: Replaced): void {
    if (this.lost) return;
    this.lost = true;
    this.onLost(successor);
  }

  /** Asks until the store answers. O1 */
  async isOutlived(): Promise<boolean> {
    const askedMs = monotonicMs();
    const successor = await retryForever(() => this.manifests.successorOf(this.epoch), this.trouble);
    return this.hear(successor, askedMs) === 'outlived';
  }

  /** The store was asked just now, and said that this process is the owner. */
  get isConfirmed(): boolean {
    return this.wasConfirmed(freshMs);
  }

  private wasConfirmed(agoMsMax: number): boolean {
    return !this.lost && monotonicMs() - this.askedMs <= agoMsMax;
  }

  /**
   * 'unknown' when the store does not answer within `msMax`, not counting time in which this process was paused: it asks
   * `looksMax` times, and a pause uses up one of them. The answer 'owner' that took longer than `freshMs` counts for nothing. O2
   */
  standing(msMax: number): Promise<Standing> {
    const lookMs = msMax / looksMax;
    return new Promise((resolve) => {
      let looksLeft = looksMax;
      let timer: NodeJS.Timeout | undefined;
      const end = (standing: Standing): void => {
        clearTimeout(timer);
        resolve(standing);
      };
      const look = (): void => {
        if (looksLeft === 0) {
          end('unknown');
          return;
        }
        looksLeft -= 1;
        timer = setTimeout(look, lookMs);
        const askedMs = monotonicMs();
        const hear = (successor: Replaced | undefined): void => {
          const standing = this.hear(successor, askedMs);
          if (standing === 'outlived' || monotonicMs() - askedMs <= freshMs) end(standing);
        };
        this.manifests.successorOf(this.epoch).then(hear, () => undefined);
      };
      look();
    });
  }

  /**
   * Undefined when the store said within `trustMs` that this process is the owner. The promise rejects when the store does not
   * answer, and never resolves for an owner that was outlived. O3
   */
  confirm(): Promise<void> | undefined {
    if (this.wasConfirmed(trustMs)) return undefined;
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async ask(): Promise<void> {
    const askedMs = monotonicMs();
    const standing = this.hear(await this.manifests.successorOf(this.epoch), askedMs);
    if (standing === 'outlived') await new Promise(() => undefined);
  }

  private hear(successor: Replaced | undefined, askedMs: number): Standing {
    if (successor !== undefined) this.lose(successor);
    else this.askedMs = Math.max(this.askedMs, askedMs);
    return this.lost ? 'outlived' : 'owner';
  }
}
