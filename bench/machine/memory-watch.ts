// Watches the resident memory of a process tree.

import {monotonicMs} from '../../src/clock.js';
import {memoryOf, type Roots} from './processes.js';

export interface MemoryCurve {
  readonly startMib: number;
  readonly peakMib: number;
  /** Mean of the last quarter / mean of the second one: 1 is flat; the first quarter fills buffers. */
  readonly growth: number;
  /** Growth of each program. */
  readonly growthOf: Readonly<Record<string, number>>;
  readonly samples: readonly MemorySample[];
}

interface MemorySample {
  readonly ms: number;
  readonly mib: number;
  /** Memory by the name of the program. */
  readonly of: Readonly<Record<string, number>>;
}

const sampleMs = 250;

export class MemoryWatch {
  readonly #samples: MemorySample[] = [];
  readonly #startMs = monotonicMs();
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly roots: Roots) {
    this.#look();
    this.#timer = setInterval(() => this.#look(), sampleMs);
  }

  /** Must be called even if the measurement fails: the timer keeps the process alive. */
  end(): void {
    clearInterval(this.#timer);
    this.#look();
  }

  curve(): MemoryCurve {
    const mibs = this.#samples.map(({mib}) => mib);
    const programs = Object.keys(this.#samples[0]!.of);
    const mibsOf = (program: string): number[] => this.#samples.map(({of}) => of[program] ?? 0);
    return {
      startMib: mibs[0]!,
      peakMib: Math.max(...mibs),
      growth: growthOf(mibs),
      growthOf: Object.fromEntries(programs.map((program) => [program, growthOf(mibsOf(program))])),
      samples: this.#samples,
    };
  }

  #look(): void {
    const processes = memoryOf(this.roots);
    const of: Record<string, number> = {};
    for (const {name, rssMib} of processes) of[name] = (of[name] ?? 0) + rssMib;
    const mib = processes.reduce((sum, {rssMib}) => sum + rssMib, 0);
    this.#samples.push({ms: Math.round(monotonicMs() - this.#startMs), mib, of});
  }
}

function growthOf(mibs: readonly number[]): number {
  const quarter = (index: number): number[] => {
    const [start, end] = [index, index + 1].map((q) => Math.floor((q * mibs.length) / 4));
    return mibs.slice(start, Math.max(end!, start! + 1));
  };
  return mean(quarter(3)) / mean(quarter(1));
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
