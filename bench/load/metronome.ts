// Beats of a fixed period, more exact than a timer: the event loop rounds timers to whole ms and is up to one late, which
// would be a good part of the latencies to be measured. A thread that sleeps until each beat wakes the loop instead: some
// 0.1 ms late, for about 10 us of CPU a beat.

import {fileURLToPath} from 'node:url';
import {isMainThread, parentPort, Worker, workerData} from 'node:worker_threads';
import {monotonicMs} from '../../src/clock.js';

interface Beat {
  /** Of `sharedMs`. */
  readonly startMs: number;
  readonly periodMs: number;
}

/** Every thread has another zero of `monotonicMs`; this one is the machine's. */
const sharedMs = (): number => Number(process.hrtime.bigint()) / 1e6;

export class Metronome {
  readonly #worker: Worker;

  /** Calls `onBeat` at `startMs` (of `monotonicMs`) and every `periodMs` after it, until it is stopped. */
  constructor(startMs: number, periodMs: number, onBeat: () => void) {
    const beat: Beat = {startMs: startMs + sharedMs() - monotonicMs(), periodMs};
    this.#worker = new Worker(fileURLToPath(import.meta.url), {workerData: beat});
    this.#worker.on('message', onBeat);
  }

  async stop(): Promise<void> {
    this.#worker.removeAllListeners('message');
    await this.#worker.terminate();
  }
}

/** A beat that was missed is not made up for: whoever listens looks at the clock. */
function beatForEver({startMs, periodMs}: Beat): never {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const next = Math.max(0, Math.floor((sharedMs() - startMs) / periodMs) + 1);
    Atomics.wait(nobody, 0, 0, Math.max(0, startMs + next * periodMs - sharedMs()));
    parentPort!.postMessage(null);
  }
}

if (!isMainThread && isBeat(workerData)) beatForEver(workerData);

function isBeat(data: unknown): data is Beat {
  return typeof data === 'object' && data !== null && 'periodMs' in data;
}
