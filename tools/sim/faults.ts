// Faults of one call over the wire.
import type {Chance} from './random.js';

export interface FaultRates {
  /** Nothing happened at the server, and no answer comes. */
  readonly requestLost: number;
  /** It happened at the server, and no answer comes. */
  readonly answerLost: number;
  /** The server refuses at once. */
  readonly refused: number;
  /** It happens long after the caller gave up. */
  readonly late: number;
  /** A consumer loses messages under way, is silent for seconds, and continues where it was. */
  readonly consumerReset: number;
  readonly latencyMsMax: number;
}

export type Fate = 'fine' | 'requestLost' | 'answerLost' | 'refused' | 'late';

export class Faults {
  private readonly chance: Chance;
  private readonly rates: FaultRates;
  /** The end of a seed has no faults: everything must come to rest. */
  isCalm = false;

  constructor(chance: Chance, rates: FaultRates) {
    this.chance = chance;
    this.rates = rates;
  }

  fate(): Fate {
    if (this.isCalm) return 'fine';
    let drawn = this.chance.within(0, 1);
    for (const fate of ['requestLost', 'answerLost', 'refused', 'late'] as const) {
      drawn -= this.rates[fate];
      if (drawn < 0) return fate;
    }
    return 'fine';
  }

  latencyMs(): number {
    return this.chance.within(0.1, this.rates.latencyMsMax);
  }

  lateMs(): number {
    return this.chance.within(1_000, 9_000);
  }

  resetsConsumer(): boolean {
    return !this.isCalm && this.chance.chance(this.rates.consumerReset);
  }

  silenceMs(): number {
    return this.chance.within(500, 4_000);
  }

  batch(): number {
    return this.chance.between(1, 8);
  }
}
