// Ticks: a partition takes a snapshot at each tick of its log. Ticks are entries, so that a recovery takes its snapshots where the fold did.
//   Owns:    the timer of the ticks, the bytes folded since the last snapshot, ticks that wait for their ack.
//   Does not own: the effect of a tick on the state (actors/partition.ts), the snapshot (snapshots.ts).
//
//   TK1. At most one interval tick is pending, so an outage leaves no backlog of ticks.
//   TK2. A tick that is folded while a snapshot is being written takes none: another tick follows that snapshot. So it does
//        while an interval tick waits for its ack, which may belong to the skipped one: folding needs no ack.
//   TK3. A period is passed over while what is due in the one before has not ended: it may wait for the store.

import type {Refresh} from '../../refresh.js';
import type {LogWriter} from '../log/log-writer.js';
import type {Ownership} from './ownership.js';

/** Share of the refresh between ticks: an event is in every report within the refresh, the snapshot's duration included. */
const tickShare = 0.8;

export interface TicksSetup {
  readonly writer: LogWriter;
  readonly ownership: Pick<Ownership, 'epoch'>;
  readonly refresh: Pick<Refresh, 'ms'>;
  /** Bytes of the log folded since the last snapshot that force one: a recovery folds about as many at most. */
  readonly tailBytesMax: number;
  /** Delay of this partition's ticks after others', as a share of the period: [0, 1). */
  readonly stagger: number;
  readonly onFatal: (error: Error) => void;
}

export class Ticks {
  private timer: NodeJS.Timeout | undefined;
  private tailBytes = 0;
  private isTailTickSent = false;
  private isSkipped = false;
  private intervalTickWaits = false;

  constructor(private readonly setup: TicksSetup) {}

  get periodMs(): number {
    return this.setup.refresh.ms * tickShare;
  }

  /** Calls `due` once a period, until `stop`. TK3 */
  start(due: () => Promise<void>): void {
    let isUnderWay = false;
    const tick = async (): Promise<void> => {
      this.timer = setTimeout(tick, this.periodMs);
      if (isUnderWay) return;
      isUnderWay = true;
      await due();
      isUnderWay = false;
    };
    this.timer = setTimeout(tick, this.periodMs * this.setup.stagger);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Appends a tick. @returns its sequence, once the log has it. */
  append(): Promise<number> {
    const {writer, ownership} = this.setup;
    return writer.tick(this.periodMs, ownership.epoch);
  }

  /** Appends an interval tick. TK1 */
  appendOfInterval(): void {
    if (this.intervalTickWaits) return;
    this.intervalTickWaits = true;
    void this.send().then(() => {
      this.intervalTickWaits = false;
    });
  }

  /** Appends a tick for which nobody waits. */
  async send(): Promise<void> {
    try {
      await this.append();
    } catch (error) {
      this.setup.onFatal(error as Error);
    }
  }

  /** Counts folded bytes of the log. `isStarting`: a start ends with a tick of its own, and another one would delay it. */
  folded(bytes: number, isStarting: boolean): void {
    this.tailBytes += bytes;
    if (this.tailBytes < this.setup.tailBytesMax || this.isTailTickSent || isStarting) return;
    this.isTailTickSent = true;
    void this.send();
  }

  /** A tick was folded, and its snapshot begins. */
  snapshotBegun(): void {
    this.tailBytes = 0;
    this.isTailTickSent = false;
  }

  /** A tick was folded while a snapshot is being written. TK2 */
  skip(): void {
    this.isSkipped = true;
  }

  /** A snapshot is published. TK2 */
  snapshotDone(): void {
    if (!this.isSkipped) return;
    this.isSkipped = false;
    void this.send();
  }
}
