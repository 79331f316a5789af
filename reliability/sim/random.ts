// Chance of one seed. Faults, schedules and workloads draw from streams of their own, so that one more draw in one place
// does not turn everything else upside down.
import {type Random, seededRandom} from '../../bench/workload/random.js';

export class Chance {
  private readonly next: Random;

  constructor(seed: number, stream: number) {
    this.next = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream, 0x85ebca6b));
    this.next();
  }

  /** Uniform in [low, high). */
  within(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** An integer in [low, high]. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.between(0, from.length - 1)] as T;
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({length: count}, () => this.between(0, 255)));
  }
}
