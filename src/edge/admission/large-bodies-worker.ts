// Worker thread that parses, validates and encodes batches that are large or slow to parse (large-bodies.ts), so that the edge
// thread never stalls.
import {parentPort, workerData} from 'node:worker_threads';
import {type BatchOrigin, type BatchReading, readBatch} from '../../ingest/batch.js';
import {copyOf} from '../../ingest/batch-entries.js';
import {type CallsReading, readCalls} from '../compatible/reading.js';
import type {CallForm, Nameless} from '../compatible/translator.js';

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

export interface EncodedBatch {
  readonly id: number;
  readonly reading: BatchReading | CallsReading;
}

const {partitionCount} = workerData as LargeBodiesWorkerData;
const port = parentPort!;

port.on('message', ({id, bytes, origin, forms, nameless}: LargeBody) => {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reading =
    forms === undefined
      ? readBatch(body, origin, partitionCount)
      : readCalls(body, forms, origin.receivedMs, partitionCount, nameless);
  if (reading.kind !== 'read') {
    port.postMessage({id, reading} satisfies EncodedBatch);
    return;
  }
  const entries = copyOf(reading.entries, partitionCount);
  const {bytes: entryBytes, firsts, starts, ends, indexes} = entries;
  const answer: EncodedBatch = {id, reading: {...reading, entries}};
  port.postMessage(
    answer,
    [entryBytes, firsts, starts, ends, indexes].map(({buffer}) => buffer as ArrayBuffer),
  );
});
