// The wall clock of the service jumps, forward and back, by seconds to years, during a retry storm: message ids and tombstones
// must not expire by it. Sometimes the service restarts under a clock that has just jumped.
//   The clock of the service is replaced before it starts (wrong-clock.ts); nats-server keeps its own.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Random} from '../../random.js';
import type {Nemesis, Stage} from '../nemesis.js';
import type {Sender} from '../sender.js';
import {Remembered, Storm} from '../storm.js';
import type {Workload} from '../workload.js';

const wrongClock = new URL('../wrong-clock.js', import.meta.url).href;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const offsetsMs = [0, 1_000, -1_000, hourMs, -hourMs, 2 * dayMs, -2 * dayMs, 40 * dayMs, -40 * dayMs, -400 * dayMs];

export class Clock implements Nemesis {
  readonly strikes = {min: 1, max: 3};
  private readonly remembered = new Remembered();
  private offsetFile = '';

  async prepare(folder: string) {
    this.offsetFile = join(folder, 'clock-offset-ms');
    this.set(0);
    const env = {NODE_OPTIONS: `--import=${wrongClock}`, CHAOS_CLOCK_OFFSET_FILE: this.offsetFile};
    return {dataDir: join(folder, 'data'), env};
  }

  traffic(workload: Workload, senders: readonly Sender[]): Storm {
    return new Storm(workload, senders, this.remembered);
  }

  async strike({service}: Stage, random: Random): Promise<void> {
    this.set(random.pick(offsetsMs));
    if (!random.chance(0.3)) return;
    await service.kill();
    service.start();
  }

  private set(offsetMs: number): void {
    writeFileSync(this.offsetFile, String(offsetMs));
  }
}
