// Beats of a fixed period, more exact than a timer: the event loop rounds timers to whole ms and is up to one late, a good part
// of the latencies to be measured. A thread that sleeps until each beat wakes the loop instead: some 0.1 ms late, for about 10
// us of CPU a beat.

import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {isMainThread, parentPort, Worker, workerData} from 'node:worker_threads';
import {monotonicMs} from '../../src/clock.js';

/** The thread gets its beat once it runs: on a busy machine that takes longer than some runs. */
const role = 'metronome';

interface Beat {
  /** On the clock of `sharedMs`. */
  readonly startMs: number;
  readonly periodMs: number;
}

/** Clock of the whole machine: `monotonicMs` begins at another time in every thread. */
const sharedMs = (): number => Number(process.hrtime.bigint()) / 1e6;

export class Metronome {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Resolves when its thread is ready to beat. */
  static async create(): Promise<Metronome> {
    const worker = new Worker(fileURLToPath(import.meta.url), {workerData: role});
    await once(worker, 'message');
    return new Metronome(worker);
  }

  /** Calls `onBeat` at `startMs` (of `monotonicMs`) and every `periodMs` after it, until it is stopped. */
  start(startMs: number, periodMs: number, onBeat: () => void): void {
    this.#worker.on('message', onBeat);
    this.#worker.postMessage({startMs: startMs + sharedMs() - monotonicMs(), periodMs} satisfies Beat);
  }

  async stop(): Promise<void> {
    this.#worker.removeAllListeners('message');
    await this.#worker.terminate();
  }
}

/** A missed beat is not repeated: the listener reads the clock. */
function beatForEver({startMs, periodMs}: Beat): never {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const next = Math.max(0, Math.floor((sharedMs() - startMs) / periodMs) + 1);
    Atomics.wait(nobody, 0, 0, Math.max(0, startMs + next * periodMs - sharedMs()));
    parentPort!.postMessage(null);
  }
}

if (!isMainThread && workerData === role) {
  parentPort!.once('message', beatForEver);
  parentPort!.postMessage(null);
}
