// Random numbers of one seed. Faults, schedules and workloads draw from separate streams, so that one more draw in one place
// changes nothing else.
import {Random} from '../random.js';

export class Chance extends Random {
  constructor(seed: number, stream: number) {
    super(Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream, 0x85ebca6b));
    this.next();
  }

  /** Uniform in [low, high). */
  within(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({length: count}, () => this.between(0, 255)));
  }
}
