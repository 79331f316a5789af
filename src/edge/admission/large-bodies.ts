// The edge's side of the worker thread for large bodies. Callers have it in turn: one body may keep it busy for a second.
import {Worker} from 'node:worker_threads';
import type {BatchOrigin, BatchReading} from '../../ingest/batch.js';
import {type BatchEntries, buffersOf, bytesOf, copyOf} from '../../ingest/batch-entries.js';
import type {WebRequest} from '../../ingest/web-context.js';
import {DealtSlots} from '../../pacing/dealt-slots.js';
import type {CallsReading} from '../compatible/reading.js';
import type {CallForm, Nameless} from '../compatible/translator.js';
import {BodyShare} from './body-budget.js';
import type {LargeBodiesWorkerData, LargeBody, LargeContexts, WorkDone} from './large-bodies-worker.js';

/** Bodies of this size leave the edge thread: parsing 1 MiB takes some 10 ms, and 10 MiB would stall all requests. */
export const largeBodyBytesMin = 1024 * 1024;
/**
 * Bytes of a smaller body that the edge thread may parse. JSON.parse takes 50 ms and more for 770 KB with 60,000 keys; plain
 * events, which need no parser, take 2 ms with any content.
 */
export const parseBytesMax = 128 * 1024;

/** Bodies in the worker's queue: one of them waits while another is parsed, and two callers have both. */
const turnsAtOnce = {slots: 3, ofCallerMax: 2, waitingMax: Number.POSITIVE_INFINITY, ownSlots: []};
/** A body that was read is parsed, also for a client that has left. */
const never = new AbortController().signal;

export class LargeBodies {
  private readonly turns = new DealtSlots(turnsAtOnce);
  private readonly partitionCount: number;
  /** Started with the first large body: most deployments never get one. */
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, (done: never) => void>();
  private bodies = 0;

  constructor(partitionCount: number) {
    this.partitionCount = partitionCount;
  }

  /**
   * Calls back with the events of the batch; `bytes` are needed only during the call. The queue counts in the budget of bodies,
   * which is checked before a body is read: a body that was read is not refused. `caller`: whose turn it takes.
   */
  encode(caller: string, bytes: Buffer, origin: BatchOrigin, use: (reading: BatchReading) => void): void {
    this.read(caller, bytes, {origin}, use);
  }

  /** Calls back with the calls of a library of another service. */
  translate(
    caller: string,
    bytes: Buffer,
    forms: readonly CallForm[],
    nameless: Nameless | undefined,
    receivedMs: number,
    use: (reading: CallsReading) => void,
  ): void {
    this.read(caller, bytes, {origin: {receivedMs}, forms, nameless}, use);
  }

  /** Calls back with the entries, their contexts completed; `entries` are needed only during the call. */
  complete(
    caller: string,
    entries: BatchEntries,
    eventCount: number,
    request: WebRequest,
    use: (entries: BatchEntries) => void,
  ): void {
    const {partitionCount} = this;
    const own = copyOf(entries, partitionCount);
    const size = bytesOf(own, partitionCount);
    void this.send(caller, size, {entries: own, eventCount, request}, buffersOf(own), use);
  }

  private read<Reading>(
    caller: string,
    bytes: Buffer,
    what: Pick<LargeBody, 'origin' | 'forms' | 'nameless'>,
    use: (reading: Reading) => void,
  ): void {
    // A copy, 3 ms for the largest body: the buffer belongs to the collector of the body.
    const own = new Uint8Array(bytes);
    void this.send(caller, own.length, {bytes: own, ...what}, [own.buffer], use);
  }

  private async send<Done>(
    caller: string,
    size: number,
    what: Omit<LargeBody, 'id'> | Omit<LargeContexts, 'id'>,
    transferred: readonly ArrayBuffer[],
    use: (done: Done) => void,
  ): Promise<void> {
    const share = new BodyShare();
    share.overdraw(size); // The collector of the body releases as much now.
    this.worker ??= this.start();
    const slot = await this.turns.take(this.turns.place(caller), never);
    const work = {id: ++this.bodies, ...what};
    this.waiting.set(work.id, (done: Done) => {
      slot.free();
      share.release();
      use(done);
    });
    this.worker.postMessage(work, transferred);
  }

  private start(): Worker {
    const workerData: LargeBodiesWorkerData = {partitionCount: this.partitionCount};
    const worker = new Worker(new URL('./large-bodies-worker.js', import.meta.url), {workerData});
    worker.on('message', ({id, done}: WorkDone) => {
      const use = this.waiting.get(id)!;
      this.waiting.delete(id);
      use(done as never);
    });
    // A bug in the worker ends the process, as it would on the edge thread.
    worker.on('error', (cause) => {
      throw cause;
    });
    return worker;
  }

  async stop(): Promise<void> {
    await this.worker?.terminate();
  }
}
