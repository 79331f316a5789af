// Whether this process still has a partition. One that was paused (a process that was stopped, a machine that slept) may have a
// successor by now, and nobody tells it: the epoch of the newest manifest does.
//   O1. What a successor explains is no fault: before a log is called lost, a part damaged or a snapshot late, the owner asks.
//   O2. Rows and profiles follow from the log: whoever folded all of it up to a sequence answers right. What does not (how far a
//       deletion is, whether the partition is ready) is answered by its owner alone, who asks behind the answer.
//   O3. Nothing is put long behind a take-over: a part of an outlived owner may hold a user of whom its successor has a receipt
//       that nothing is left. What is put in the moment of a pause all the same, the next deletion or start erases.
//   What it sweeps and cuts no successor needs: P4 (snapshots.ts) holds for the manifest that the successor began with.
import {monotonicMs} from '../clock.js';
import type {ManifestStore, Replaced} from './manifest-store.js';
import {retryForever, type Trouble} from './retry.js';

/** O3. No successor recovers a partition, cleans up behind a deletion and publishes its receipt in so short a time. */
const trustMs = 250;
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

  /** `onLost`: told once, when it is known that there is a successor. */
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

  /** It is known that there is a successor: nothing is folded, answered or put any more. */
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

  /**
   * 'unknown' when the store does not answer within `msMax`, time in which this process was paused left out: it asks in a few
   * looks, and a pause takes one of them. O2
   */
  standing(msMax: number): Promise<Standing> {
    return new Promise((resolve) => {
      let looksLeft = looksMax;
      let timer: NodeJS.Timeout | undefined;
      const look = (): void => {
        if (looksLeft === 0) {
          resolve('unknown');
          return;
        }
        looksLeft -= 1;
        timer = setTimeout(look, msMax / looksMax);
        const askedMs = monotonicMs();
        const hear = (successor: Replaced | undefined): void => {
          clearTimeout(timer);
          resolve(this.hear(successor, askedMs));
        };
        this.manifests.successorOf(this.epoch).then(hear, () => undefined);
      };
      look();
    });
  }

  /**
   * Undefined where the store said within `trustMs` that this is the owner. Rejects where it does not answer, and never resolves
   * for one that was outlived. O3
   */
  confirm(): Promise<void> | undefined {
    if (!this.lost && monotonicMs() - this.askedMs <= trustMs) return undefined;
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
