// Ownership of a partition by this process. An owner that was paused (a stopped process, a machine that slept) may have a
// successor; the epoch of the newest manifest tells.
//   O1. A successor may explain a fault: before the owner calls a log lost, a part damaged or a snapshot late, it asks for one.
//   O2. Rows and profiles follow from the log: any process that folded it up to a sequence answers correctly. Other answers
//       (the progress of a deletion, whether the partition is ready) come from the owner alone, which asks for a successor
//       after it has the answer.
//   O3. No part is written long after a take-over: it may hold a user whose erasure the successor has confirmed. A part written
//       in the moment of a pause is erased by the next deletion or start.
//   O4. A take-over writes its manifest by compare-and-set, also where none is stored, and then a tick of its epoch before it appends
//       anything else: no two owners have one epoch. An owner that folds a tick of a higher epoch than its own is replaced: it answers
//       nothing that stands behind a successor's tick. A tick whose manifest is not in the store is of an owner whose manifests are
//       lost. This owner goes on in a higher epoch, once the store has a manifest of that epoch.
//   O5. A live read waits for the log's end as asked after it came, so the answer is of a time before any successor's tick. Rows that are
//       read without that are answered by an owner that the store confirmed within `trustMs`: a successor may have erased them.
//   A successor needs nothing that this process sweeps or truncates: P4 (snapshots.ts) holds for the manifest it started from.
import {monotonicMs} from '../../clock.js';
import {type RetryLog, retryForever} from '../retry.js';
import type {ManifestStore, Replaced} from './manifest-store.js';

/** O3. Within this time no successor recovers a partition, cleans up after a deletion and publishes its receipt. */
const trustMs = 250;
/** O1, O2. An older answer of the store proves nothing: this process may have been paused. */
const freshMs = 1_000;
const looksMax = 5;

export type OwnershipState = 'owner' | 'outlived' | 'unknown';

export class Ownership {
  private readonly manifests: Pick<ManifestStore, 'successorOf'>;
  private epochNow: number;
  private readonly onLost: (successor: Replaced) => void;
  private readonly retries: RetryLog | undefined;
  private askedMs = Number.NEGATIVE_INFINITY;
  private asking: Promise<void> | undefined;
  private lost = false;

  /** `onLost` is called once, when a successor is found. */
  constructor(
    manifests: Pick<ManifestStore, 'successorOf'>,
    epoch: number,
    onLost: (successor: Replaced) => void,
    retries?: RetryLog,
  ) {
    this.manifests = manifests;
    this.epochNow = epoch;
    this.onLost = onLost;
    this.retries = retries;
  }

  /** Fencing epoch of this owner. */
  get epoch(): number {
    return this.epochNow;
  }

  /** A successor is known: nothing is folded, answered or written any more. */
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
    const successor = await retryForever(() => this.manifests.successorOf(this.epoch), this.retries);
    return this.hear(successor, askedMs) === 'outlived';
  }

  /**
   * A tick of this epoch was folded. Asks until the store answers if it is a higher one. `raise` writes the manifest of another epoch.
   * @returns whether this owner goes on in one. O4 @throws Replaced
   */
  async meet(epoch: number, raise: (epoch: number) => Promise<void>): Promise<boolean> {
    if (epoch <= this.epochNow) return false;
    const successor = await retryForever(() => this.manifests.successorOf(this.epochNow), this.retries);
    if (successor !== undefined) throw successor;
    await raise(epoch + 1);
    this.epochNow = epoch + 1;
    return true;
  }

  /** Whether the store confirmed the ownership just now. */
  get isConfirmed(): boolean {
    return this.wasConfirmed(freshMs);
  }

  /** Whether no successor can have completed a deletion. O3, O5 */
  get isTrusted(): boolean {
    return this.wasConfirmed(trustMs);
  }

  private wasConfirmed(agoMsMax: number): boolean {
    return !this.lost && monotonicMs() - this.askedMs <= agoMsMax;
  }

  /**
   * 'unknown' when the store does not answer within `msMax`, apart from time in which this process was paused: it asks
   * `looksMax` times, and a pause uses up one of them. An answer 'owner' that took longer than `freshMs` is discarded. O2
   */
  state(msMax: number): Promise<OwnershipState> {
    const lookMs = msMax / looksMax;
    return new Promise((resolve) => {
      let looksLeft = looksMax;
      let timer: NodeJS.Timeout | undefined;
      const end = (standing: OwnershipState): void => {
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
   * Undefined when the store confirmed the ownership within `trustMs`. The promise rejects when the store does not answer, and
   * never resolves for an owner that has a successor. O3
   */
  confirm(): Promise<void> | undefined {
    if (this.isTrusted) return undefined;
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

  private hear(successor: Replaced | undefined, askedMs: number): OwnershipState {
    if (successor !== undefined) this.lose(successor);
    else this.askedMs = Math.max(this.askedMs, askedMs);
    return this.lost ? 'outlived' : 'owner';
  }
}
