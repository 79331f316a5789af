// Draws the progress of a run on standard error until it is stopped.

import {monotonicMs} from '../../clock.js';
import {type ProgressView, progressLine, progressText} from './progress.js';

const barIntervalMs = 200;
const lineIntervalMs = 5_000;
/** The rate is that of the last seconds: an overall average would hide that an import has stopped. */
const rateSmoothing = 0.2;
const clearLine = '\r\u001b[2K';

/** Facts of a run, available at any time. */
interface ProgressFacts {
  readonly fraction: number;
  readonly accepted: number;
  readonly refused: number;
  readonly trouble: string;
}

export class ProgressDisplay {
  readonly #timer: NodeJS.Timeout;
  #lastMs = monotonicMs();
  #lastSettled: number;
  #lastFraction: number;
  #eventsPerSecond = 0;
  #fractionPerSecond = 0;

  constructor(
    private readonly terminal: NodeJS.WriteStream,
    private readonly read: () => ProgressFacts,
  ) {
    const {accepted, refused, fraction} = read();
    this.#lastSettled = accepted + refused;
    this.#lastFraction = fraction;
    this.#timer = setInterval(() => this.#draw(), terminal.isTTY ? barIntervalMs : lineIntervalMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    if (this.terminal.isTTY) this.terminal.write(clearLine);
  }

  #draw(): void {
    const view = this.#view();
    if (this.terminal.isTTY) this.terminal.write(clearLine + progressLine(view, this.terminal.columns ?? 80));
    else this.terminal.write(`${progressText(view)}\n`);
  }

  #view(): ProgressView {
    const facts = this.read();
    const nowMs = monotonicMs();
    const seconds = Math.max((nowMs - this.#lastMs) / 1_000, 0.001);
    const settled = facts.accepted + facts.refused;
    this.#eventsPerSecond = smoothed(this.#eventsPerSecond, (settled - this.#lastSettled) / seconds);
    this.#fractionPerSecond = smoothed(this.#fractionPerSecond, (facts.fraction - this.#lastFraction) / seconds);
    this.#lastMs = nowMs;
    this.#lastSettled = settled;
    this.#lastFraction = facts.fraction;
    const isMoving = this.#fractionPerSecond > 1e-6;
    return {
      ...facts,
      eventsPerSecond: this.#eventsPerSecond,
      secondsLeft: isMoving ? (1 - facts.fraction) / this.#fractionPerSecond : null,
    };
  }
}

function smoothed(before: number, now: number): number {
  return before === 0 ? now : before + rateSmoothing * (now - before);
}
