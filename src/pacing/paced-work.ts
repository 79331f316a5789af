// Background work in pieces, one after the other: a piece runs when it is woken, and again after a pause that the work chooses.
//   PW1. A wake during a piece is followed by another piece: its cause may have come too late for the first.
//   PW2. A wake brings no piece forward: what runs at fixed distances goes on to.
import {ConditionVariable} from './condition-variable.js';

export interface PacedWorkSetup {
  /** One piece. Returns the pause before the next one, ms; undefined: the next one waits for a wake. */
  readonly work: () => Promise<number | undefined>;
  /** Asked before each piece; absent: always. A piece that may not begin is dropped. */
  readonly isAllowed?: () => boolean;
  /** Called with the failure of a piece: the next one waits for a wake. */
  readonly onFailed: (error: Error) => void;
}

export class PacedWork {
  private readonly setup: PacedWorkSetup;
  /** Set while a piece is due. */
  private timer: NodeJS.Timeout | undefined;
  /** Whether that piece was woken, to run at once. */
  private isDueAtOnce = false;
  private isRunning = false;
  /** Shortest pause of the wakes during the piece. PW1 */
  private wantedAfterMs: number | undefined;
  isStopped = false;
  private readonly settled = new ConditionVariable();
  private readonly stopped: Promise<undefined>;
  private tellStopped: () => void = () => undefined;

  constructor(setup: PacedWorkSetup) {
    this.setup = setup;
    this.stopped = new Promise((resolve) => {
      this.tellStopped = () => resolve(undefined);
    });
  }

  /** PW2 */
  wake(afterMs = 0): void {
    if (this.isRunning) this.wantedAfterMs = Math.min(afterMs, this.wantedAfterMs ?? afterMs);
    else if (this.timer === undefined) this.start(afterMs, afterMs === 0);
  }

  private start(afterMs: number, isAtOnce: boolean): void {
    if (this.isStopped) return;
    this.isDueAtOnce = isAtOnce;
    this.timer = setTimeout(() => {
      this.clear();
      if (this.setup.isAllowed?.() === false) this.settled.notify();
      else void this.run();
    }, afterMs);
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.isDueAtOnce = false;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    this.wantedAfterMs = undefined;
    try {
      const afterMs = await this.setup.work();
      if (afterMs !== undefined) this.start(afterMs, false);
      else this.startWanted();
    } catch (error) {
      this.setup.onFailed(error as Error);
    } finally {
      this.isRunning = false;
      this.settled.notify();
    }
  }

  /** PW1 */
  private startWanted(): void {
    const {wantedAfterMs} = this;
    if (wantedAfterMs !== undefined) this.start(wantedAfterMs, wantedAfterMs === 0);
  }

  /** Whether a piece is under way, or was woken to run at once. */
  get isBusy(): boolean {
    return this.isRunning || this.isDueAtOnce;
  }

  /** The result; undefined once the work is stopped. */
  unlessStopped<T>(result: Promise<T>): Promise<T | undefined> {
    return Promise.race([result, this.stopped]);
  }

  /** The piece that is under way goes on to its end; no other one begins. */
  stop(): void {
    this.isStopped = true;
    this.clear();
    this.tellStopped();
    this.settled.notify();
  }

  /** Resolves when no piece is under way, and none was woken to run at once. */
  async idle(): Promise<void> {
    await this.settled.until(() => !this.isBusy, Number.POSITIVE_INFINITY);
  }
}
