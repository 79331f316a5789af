// The resident memory of a process tree while something goes on.

import {monotonicMs} from '../../src/clock.js';
import {memoryOf, type Roots} from './processes.js';

export interface MemoryCurve {
  readonly startMib: number;
  readonly peakMib: number;
  /** Mean of the last quarter / mean of the second one: 1 is flat; the first quarter fills buffers. */
  readonly growth: number;
  readonly samples: readonly {readonly ms: number; readonly mib: number}[];
}

const sampleMs = 250;

export class MemoryWatch {
  readonly #samples: {ms: number; mib: number}[] = [];
  readonly #startMs = monotonicMs();
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly roots: Roots) {
    this.#look();
    this.#timer = setInterval(() => this.#look(), sampleMs);
  }

  stop(): MemoryCurve {
    clearInterval(this.#timer);
    this.#look();
    const mibs = this.#samples.map(({mib}) => mib);
    const quarter = (index: number): number[] => {
      const [start, end] = [index, index + 1].map((q) => Math.floor((q * mibs.length) / 4));
      return mibs.slice(start, Math.max(end!, start! + 1));
    };
    return {
      startMib: mibs[0]!,
      peakMib: Math.max(...mibs),
      growth: mean(quarter(3)) / mean(quarter(1)),
      samples: this.#samples,
    };
  }

  #look(): void {
    const mib = memoryOf(this.roots).reduce((sum, {rssMib}) => sum + rssMib, 0);
    this.#samples.push({ms: Math.round(monotonicMs() - this.#startMs), mib});
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
