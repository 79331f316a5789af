// Worker thread that parses, validates and encodes batches that are large or slow to parse (large-bodies.ts), and completes the
// contexts of large ones, so that the edge thread never stalls.
import {parentPort, workerData} from 'node:worker_threads';
import {type BatchOrigin, type BatchReading, readBatch} from '../../ingest/batch.js';
import {type BatchEntries, buffersOf, copyOf} from '../../ingest/batch-entries.js';
import {WebContext, type WebRequest} from '../../ingest/web-context.js';
import {type CallsReading, readCalls} from '../compatible/reading.js';
import type {CallForm, Nameless} from '../compatible/translator.js';
import {UserAgents} from '../web/user-agents.js';

export interface LargeBodiesWorkerData {
  readonly partitionCount: number;
}

export interface LargeBody {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly origin: BatchOrigin;
  /** Absent: a batch of native events. */
  readonly forms?: readonly CallForm[] | undefined;
  readonly nameless?: Nameless | undefined;
}

/** Entries of a batch of a page. */
export interface LargeContexts {
  readonly id: number;
  readonly entries: BatchEntries;
  readonly eventCount: number;
  readonly request: WebRequest;
}

/** What became of a large body, or the completed entries. */
export interface WorkDone {
  readonly id: number;
  readonly done: BatchReading | CallsReading | BatchEntries;
}

const {partitionCount} = workerData as LargeBodiesWorkerData;
const port = parentPort!;

let lazyWeb: WebContext | undefined;

port.on('message', (work: LargeBody | LargeContexts) => {
  if ('entries' in work) complete(work);
  else read(work);
});

function read({id, bytes, origin, forms, nameless}: LargeBody): void {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reading =
    forms === undefined
      ? readBatch(body, origin, partitionCount)
      : readCalls(body, forms, origin.receivedMs, partitionCount, nameless);
  if (reading.kind !== 'read') {
    port.postMessage({id, done: reading} satisfies WorkDone);
    return;
  }
  const entries = copyOf(reading.entries, partitionCount);
  port.postMessage({id, done: {...reading, entries}} satisfies WorkDone, buffersOf(entries));
}

function complete({id, entries, eventCount, request}: LargeContexts): void {
  if (lazyWeb === undefined) {
    const agents = new UserAgents();
    lazyWeb = new WebContext((userAgent) => agents.factsOf(userAgent));
  }
  const completed = copyOf(lazyWeb.batch(entries, eventCount, partitionCount, request), partitionCount);
  port.postMessage({id, done: completed} satisfies WorkDone, buffersOf(completed));
}
