// The edge's side of the worker thread for large bodies.
import {Worker} from 'node:worker_threads';
import type {BatchReading} from '../../ingest/batch.js';
import {BodyShare} from './body-budget.js';
import type {EncodedBatch, LargeBodiesWorkerData, LargeBody} from './large-bodies-worker.js';

/** Bodies from this size on leave the edge thread: parsing 1 MiB takes some 10 ms, 10 MiB would stall everybody. */
export const largeBodyBytesMin = 1024 * 1024;
/**
 * So much of a smaller body may be parsed on the edge thread. JSON.parse takes 50 ms and more for 770 KB of 60,000 keys;
 * plain events, which need no parser, take 2 ms whatever is in them.
 */
export const parseBytesMax = 128 * 1024;

export class LargeBodies {
  private readonly partitionCount: number;
  /** Started with the first large body: most deployments never see one. */
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, (reading: BatchReading) => void>();
  private bodies = 0;

  constructor(partitionCount: number) {
    this.partitionCount = partitionCount;
  }

  /**
   * Calls back with what the batch holds; `bytes` are needed only during the call. What waits here is in the budget of
   * bodies, which is asked before one is read: a body that was read is not sent away.
   */
  encode(bytes: Buffer, receivedMs: number, use: (reading: BatchReading) => void): void {
    const share = new BodyShare();
    share.overdraw(bytes.length); // Whoever collected it releases as much now.
    this.worker ??= this.start();
    // A copy, 3 ms for the largest: the buffer belongs to whoever collected the body.
    const own = new Uint8Array(bytes);
    const body: LargeBody = {id: ++this.bodies, bytes: own, receivedMs};
    this.waiting.set(body.id, (reading) => {
      share.release();
      use(reading);
    });
    this.worker.postMessage(body, [own.buffer]);
  }

  private start(): Worker {
    const workerData: LargeBodiesWorkerData = {partitionCount: this.partitionCount};
    const worker = new Worker(new URL('./large-bodies-worker.js', import.meta.url), {workerData});
    worker.on('message', ({id, reading}: EncodedBatch) => {
      const use = this.waiting.get(id)!;
      this.waiting.delete(id);
      use(reading);
    });
    // A fault of ours in there ends the process, as it would out here.
    worker.on('error', (cause) => {
      throw cause;
    });
    return worker;
  }

  async stop(): Promise<void> {
    await this.worker?.terminate();
  }
}
