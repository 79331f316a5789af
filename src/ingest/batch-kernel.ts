// Plain events, read by WebAssembly (kernels/plain-batch.ts): batches in a fifth of the time of plain-batch.ts, single
// ones in a third of that of plain-event.ts. These say what is plain, stay for machines without SIMD and for larger bodies,
// and are what the tests hold this against.
//   M1. The memory is laid out once and never grows: views of it stay valid, and 7 MiB a thread are all of it.
//   M2. Whatever stands in a body, no entry outgrows its area: a plain one is at most `growthBytesMax` longer than its
//       event, and one that is read here is taken only if there is room for it and for all that may follow.

import {isUtf8} from 'node:buffer';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {partitionSeed} from '../../actors/bytes/hash.js';
import {assert} from '../../actors/invariant.js';
import {
  batchEventsMax,
  eventBytesMax,
  futureMsMax,
  idCharsMax,
  messageIdCharsMax,
  objectKeyCharsMax,
} from '../../actors/limits.js';
import {parseTimestamp} from '../../actors/log/timestamp.js';
import {areaMarginBytes, compile, fixedMemory, instantiate, layOut, readKernel} from '../web-assembly.js';
import type {BatchEntries} from './batch-entries.js';
import {valueEnd} from './json-scanner.js';
import {type OddEvent, oddEventsMax, type PlainReader} from './plain-batch.js';
import {plainPropertiesMax, timestampCharsMax} from './plain-event.js';
import {clockAheadMsMin} from './validate.js';

/** Longer bodies are read in a thread that may take its time. */
export const kernelBodyBytesMax = 1024 * 1024;
const kernelPartitionsMax = 256;

/** Names and quotes make up for the fixed fields; of a property, `-0` behind a long key takes five bytes more than in JSON. */
const growthBytesMax = 64 + 8 * plainPropertiesMax;
const entriesBytes = 2 * kernelBodyBytesMax;

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

/** Sizes of the areas, in bytes; their names are the kernel's. */
const areas = {
  keyHeadsAt: 8 * plainPropertiesMax,
  keyStartsAt: 4 * plainPropertiesMax,
  keyLengthsAt: 4 * plainPropertiesMax,
  endsAt: 4 * batchEventsMax,
  partitionsAt: 2 * batchEventsMax,
  firstsAt: 4 * (kernelPartitionsMax + 1),
  startsAt: 4 * kernelPartitionsMax,
  nextsAt: 4 * kernelPartitionsMax,
  placesAt: 4 * kernelPartitionsMax,
  groupedEndsAt: 4 * batchEventsMax,
  indexesAt: 2 * batchEventsMax,
  bodyAt: kernelBodyBytesMax,
  propertiesAt: kernelBodyBytesMax + growthBytesMax,
  entriesAt: entriesBytes,
  groupedAt: entriesBytes + 16 * kernelPartitionsMax,
};
type Places = {readonly [area in keyof typeof areas]: number};

interface KernelExports {
  begin(bodyBytes: number, receivedMs: number, partitionCount: number): number;
  readOne(bodyBytes: number, receivedMs: number, partitionCount: number): number;
  resume(at: number, entryBytes: number): number;
  oddAt(): number;
  entriesEndAt(): number;
  count(): number;
  ahead(): number;
  group(): void;
}

/** What `begin` and `resume` answer. */
const status = {declined: 0, read: 1, odd: 2};

/** Of the answer of `readOne`. */
const notAscii = 0x10000;
assert(kernelPartitionsMax < notAscii, 'any partition fits below the bit of its answer');

export class BatchKernel implements PlainReader {
  private readonly places: Places;
  private readonly memory: Buffer;
  private readonly kernel: KernelExports;
  private readonly grouped: BatchEntries;
  private readonly oddEntry = new ByteWriter(4 * 1024);

  /** Undefined where there is no WebAssembly with SIMD, or no memory for it, or nobody compiled the kernel. */
  static load(): BatchKernel | undefined {
    const code = readKernel('plain-batch');
    if (code === undefined) return undefined;
    try {
      const kernel = new BatchKernel(code);
      // Compiled from older sources, it lacks what is asked of it here.
      return kernel.kernel.ahead === undefined ? undefined : kernel;
    } catch (error) {
      if (error instanceof RangeError) return undefined; // No room for the memory.
      throw error;
    }
  }

  private constructor(code: Uint8Array<ArrayBuffer>) {
    const {places, length} = layOut(areas);
    const memory = fixedMemory(length); // M1
    const bytes = Buffer.from(memory.buffer);
    const decimalOf = (start: number, end: number): number => Number(bytes.toString('latin1', start, end));
    const timestampOf = (start: number, end: number): number => parseTimestamp(bytes.toString('latin1', start, end));
    this.places = places;
    this.memory = bytes;
    this.kernel = instantiate(compile(code), {
      env: {memory},
      'plain-batch': {...bounds, ...places, decimalOf, timestampOf},
    }) as KernelExports;
    this.grouped = {
      bytes: new Uint8Array(memory.buffer), // A `slice` of a Buffer is no copy.
      firsts: new Uint32Array(memory.buffer, places.firstsAt, kernelPartitionsMax + 1),
      starts: new Uint32Array(memory.buffer, places.startsAt, kernelPartitionsMax),
      ends: new Uint32Array(memory.buffer, places.groupedEndsAt, batchEventsMax),
      indexes: new Uint16Array(memory.buffer, places.indexesAt, batchEventsMax),
    };
  }

  get eventCount(): number {
    return this.kernel.count();
  }

  /** Plain events of the newest body (which may be one event) whose time lies ahead. */
  get aheadCount(): number {
    return this.kernel.ahead();
  }

  /** `bytes`: at most `kernelBodyBytesMax`. */
  read(bytes: Buffer, receivedMs: number, partitionCount: number, readOdd: OddEvent): BatchEntries | undefined {
    const {kernel, memory, places} = this;
    if (bytes.length > kernelBodyBytesMax || partitionCount > kernelPartitionsMax) return undefined;
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
   * the next body. @returns its partition; -1: it says nothing of the body.
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
    if (entriesEnd + oddEntry.position + restBytesMax(bytes.length - end) > places.entriesAt + entriesBytes) {
      return status.declined; // M2
    }
    memory.set(oddEntry.bytes.subarray(0, oddEntry.position), entriesEnd);
    return kernel.resume(places.bodyAt + end, oddEntry.position);
  }
}

/** Of this thread; without it all is the same, but slower. */
export const threadKernel = BatchKernel.load();

/** How long the entries of all events can be that `bodyBytes` may hold. M2 */
const restBytesMax = (bodyBytes: number): number => bodyBytes + batchEventsMax * growthBytesMax + areaMarginBytes;
