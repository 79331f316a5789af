// Events that need no parser, read by WebAssembly (kernels/plain-batch.ts): known fields, no escapes, flat properties. Their
// strings are copied from the body to the log entry. Most events are plain.
//   P1. An event that is read as plain is accepted, and has the same entry as by JSON.parse and validate.ts (test/ingest).
//   P2. Any other event is not plain, whether it is refused or only rare: the parsers decide.
//   P3. Either the whole body of a batch is read, or none of it. Then it is parsed as a whole (batch.ts), which finds broken
//       JSON, unknown fields of the body, and batches of any other kind.
//   M1. The memory is laid out once and never grows: views of it stay valid. It is six times as long as the longest body; the
//       machine provides only pages that were written.
//   M2. No entry exceeds its area: a plain one is at most `growthBytesMax` longer than its event, and an event read here is
//       taken only if there is room for it and for all that may follow.

import {isUtf8} from 'node:buffer';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {partitionSeed} from '../../actors/bytes/hash.js';
import {assert} from '../../actors/invariant.js';
import {
  batchBytesMax,
  batchEventsMax,
  eventBytesMax,
  futureMsMax,
  idCharsMax,
  messageIdCharsMax,
  objectKeyCharsMax,
} from '../../actors/limits.js';
import {parseTimestamp} from '../../actors/log/timestamp.js';
import {areaMarginBytes, fixedMemory, instantiate, layOut, loadKernel} from '../web-assembly.js';
import type {BatchEntries} from './batch-entries.js';
import {valueEnd} from './json-scanner.js';
import {clockAheadMsMin} from './validate.js';

/** Parsing this many events one by one adds little; with more of them one parse of the whole body is faster. */
export const oddEventsMax = 64;
/** More properties are rare, and the search for a repeated key compares each with each. */
export const plainPropertiesMax = 32;
export const timestampCharsMax = 64;
/** Longer bodies are rare, and are read in their own thread (src/edge/admission/large-bodies.ts). */
const usualBodyBytesMax = 1024 * 1024;
const partitionsMax = 256;

/** Appends the entry of the odd event in `text`, or notes its refusal; false when it is not JSON. */
export type OddEvent = (text: Buffer, index: number, entries: ByteWriter) => boolean;

/** Reads bodies that are UTF-8. */
export interface PlainReader {
  /** Number of events in the newest body. */
  readonly eventCount: number;
  /** Plain events of the newest body, perhaps one event, whose time is ahead of the receipt by more than `clockAheadMsMin`. */
  readonly aheadCount: number;
  /** @returns the entries of the body, or undefined when it is to be parsed (P3). */
  read(bytes: Buffer, receivedMs: number, partitionCount: number, readOdd: OddEvent): BatchEntries | undefined;
}

/** Names and quotes make up for the fixed fields; a property `-0` with a long key takes five bytes more than in JSON. */
const growthBytesMax = 64 + 8 * plainPropertiesMax;

const bounds = {
  idBytesMax: idCharsMax,
  messageIdBytesMax: messageIdCharsMax,
  keyBytesMax: objectKeyCharsMax,
  timestampBytesMax: timestampCharsMax,
  eventBytesMax,
  batchEventsMax,
  plainPropertiesMax,
  futureMsMax,
  clockAheadMsMin,
  safeIntegerMax: Number.MAX_SAFE_INTEGER,
  partitionSeed,
};

/** Size of the area of entries. M2 */
const entriesBytesOf = (bodyBytesMax: number): number => 2 * bodyBytesMax;

/** Sizes of the areas, in bytes; the kernel declares the names. */
const areasOf = (bodyBytesMax: number) => ({
  keyHeadsAt: 8 * plainPropertiesMax,
  keyStartsAt: 4 * plainPropertiesMax,
  keyLengthsAt: 4 * plainPropertiesMax,
  endsAt: 4 * batchEventsMax,
  partitionsAt: 2 * batchEventsMax,
  firstsAt: 4 * (partitionsMax + 1),
  startsAt: 4 * partitionsMax,
  nextsAt: 4 * partitionsMax,
  placesAt: 4 * partitionsMax,
  groupedEndsAt: 4 * batchEventsMax,
  indexesAt: 2 * batchEventsMax,
  bodyAt: bodyBytesMax,
  propertiesAt: bodyBytesMax + growthBytesMax,
  entriesAt: entriesBytesOf(bodyBytesMax),
  groupedAt: entriesBytesOf(bodyBytesMax) + 16 * partitionsMax,
});
type Places = {readonly [area in keyof ReturnType<typeof areasOf>]: number};

interface BatchKernelExports {
  begin(bodyBytes: number, receivedMs: number, partitionCount: number): number;
  readOne(bodyBytes: number, receivedMs: number, partitionCount: number): number;
  resume(at: number, entryBytes: number): number;
  oddAt(): number;
  entriesEndAt(): number;
  count(): number;
  ahead(): number;
  group(): void;
}

/** Results of `begin` and `resume`. */
const status = {declined: 0, read: 1, odd: 2};

/** Flag in the result of `readOne`. */
const notAscii = 0x10000;
assert(partitionsMax < notAscii, 'any partition fits below the bit of its answer');

const module = loadKernel('plain-batch');

class BatchKernel implements PlainReader {
  private readonly bodyBytesMax: number;
  private readonly places: Places;
  private readonly memory: Buffer;
  private readonly kernel: BatchKernelExports;
  private readonly grouped: BatchEntries;
  private readonly oddEntry = new ByteWriter(4 * 1024);

  constructor(bodyBytesMax: number) {
    const {places, length} = layOut(areasOf(bodyBytesMax));
    this.bodyBytesMax = bodyBytesMax;
    const memory = fixedMemory(length); // M1
    const bytes = Buffer.from(memory.buffer);
    const decimalOf = (start: number, end: number): number => Number(bytes.toString('latin1', start, end));
    const timestampOf = (start: number, end: number): number => parseTimestamp(bytes.toString('latin1', start, end));
    this.places = places;
    this.memory = bytes;
    this.kernel = instantiate(module, {
      env: {memory},
      'plain-batch': {...bounds, ...places, decimalOf, timestampOf},
    }) as BatchKernelExports;
    this.grouped = {
      bytes: new Uint8Array(memory.buffer), // A `slice` of a Buffer is no copy.
      firsts: new Uint32Array(memory.buffer, places.firstsAt, partitionsMax + 1),
      starts: new Uint32Array(memory.buffer, places.startsAt, partitionsMax),
      ends: new Uint32Array(memory.buffer, places.groupedEndsAt, batchEventsMax),
      indexes: new Uint16Array(memory.buffer, places.indexesAt, batchEventsMax),
    };
  }

  get eventCount(): number {
    return this.kernel.count();
  }

  get aheadCount(): number {
    return this.kernel.ahead();
  }

  read(bytes: Buffer, receivedMs: number, partitionCount: number, readOdd: OddEvent): BatchEntries | undefined {
    const {kernel, memory, places} = this;
    assert(
      bytes.length <= this.bodyBytesMax && partitionCount <= partitionsMax,
      'areas are as large as what they hold',
    );
    memory.set(bytes, places.bodyAt);
    let answer = kernel.begin(bytes.length, receivedMs, partitionCount);
    for (let oddCount = 1; answer === status.odd; oddCount++) {
      answer = oddCount > oddEventsMax ? status.declined : this.takeOdd(bytes, readOdd);
    }
    if (answer === status.declined) return undefined;
    kernel.group();
    return this.grouped;
  }

  /**
   * Reads a body that is one plain event, of at most `eventBytesMax`: its entry is `entryBytes[entryStart, entryEnd)` until
   * the next body. @returns its partition; -1: it is not plain.
   */
  readOne(body: Buffer, receivedMs: number, partitionCount: number): number {
    this.memory.set(body, this.places.bodyAt);
    const answer = this.kernel.readOne(body.length, receivedMs, partitionCount);
    if (answer < notAscii) return answer;
    return isUtf8(body) ? answer - notAscii : -1;
  }

  get entryBytes(): Uint8Array {
    return this.grouped.bytes;
  }

  get entryStart(): number {
    return this.places.entriesAt;
  }

  get entryEnd(): number {
    return this.kernel.entriesEndAt();
  }

  private takeOdd(bytes: Buffer, readOdd: OddEvent): number {
    const {kernel, memory, oddEntry, places} = this;
    const start = kernel.oddAt() - places.bodyAt;
    const end = valueEnd(bytes, start);
    oddEntry.position = 0;
    if (!readOdd(bytes.subarray(start, end), kernel.count(), oddEntry)) return status.declined;
    const entriesEnd = kernel.entriesEndAt();
    if (
      entriesEnd + oddEntry.position + restBytesMax(bytes.length - end) >
      places.entriesAt + entriesBytesOf(this.bodyBytesMax)
    ) {
      return status.declined; // M2
    }
    memory.set(oddEntry.bytes.subarray(0, oddEntry.position), entriesEnd);
    return kernel.resume(places.bodyAt + end, oddEntry.position);
  }
}

/** The kernel of this thread, for single events and usual bodies. */
export const threadKernel = new BatchKernel(usualBodyBytesMax);
let largeKernel: BatchKernel | undefined;

/** Kernel of this thread that holds the body. */
export function kernelFor(bodyBytes: number): BatchKernel {
  if (bodyBytes <= usualBodyBytesMax) return threadKernel;
  largeKernel ??= new BatchKernel(batchBytesMax);
  return largeKernel;
}

/** Bound of the entries of all events that `bodyBytes` may have. M2 */
const restBytesMax = (bodyBytes: number): number => bodyBytes + batchEventsMax * growthBytesMax + areaMarginBytes;
