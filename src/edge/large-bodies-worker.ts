// Worker thread: batches that are large, or dear to parse (large-bodies.ts), are parsed, validated and encoded here, so
// that the edge thread never stalls.
import {parentPort, workerData} from 'node:worker_threads';
import {ByteWriter} from '../../actors/codec/bytes.js';
import {type BatchReading, readBatch} from '../ingest/batch.js';

export interface LargeBodiesWorkerData {
  readonly partitionCount: number;
}

export interface LargeBody {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly receivedMs: number;
}

/** The entries of a batch, one after the other. */
export interface EncodedEntries {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each entry ends; the next one starts there. */
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly partitions: Uint16Array<ArrayBuffer>;
  /** Index in the batch of each entry's event. */
  readonly indexes: Uint16Array<ArrayBuffer>;
}

export interface EncodedBatch {
  readonly id: number;
  readonly reading: BatchReading;
  readonly entries: EncodedEntries;
}

const {partitionCount} = workerData as LargeBodiesWorkerData;
const port = parentPort!;

port.on('message', ({id, bytes, receivedMs}: LargeBody) => {
  const {reading, entries} = encode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), receivedMs);
  const answer: EncodedBatch = {id, reading, entries};
  const {bytes: entryBytes, ends, partitions, indexes} = entries;
  port.postMessage(answer, [entryBytes.buffer, ends.buffer, partitions.buffer, indexes.buffer]);
});

function encode(bytes: Buffer, receivedMs: number): {reading: BatchReading; entries: EncodedEntries} {
  const writer = new ByteWriter(bytes.length);
  const ends: number[] = [];
  const partitions: number[] = [];
  const indexes: number[] = [];
  const reading = readBatch(bytes, receivedMs, partitionCount, (entries, start, end, partition, index) => {
    writer.raw(entries, start, end);
    ends.push(writer.position);
    partitions.push(partition);
    indexes.push(index);
  });
  return {
    reading,
    entries: {
      bytes: writer.finish(),
      ends: Uint32Array.from(ends),
      partitions: Uint16Array.from(partitions),
      indexes: Uint16Array.from(indexes),
    },
  };
}
