// A body that arrives in pieces, put together in one buffer.
//   B1. What uWebSockets.js hands over is valid only during its callback: pieces are copied.
//   B2. Unfinished bodies of all requests together are bounded: a thousand slow uploads must not fill the memory.
//   B3. Buffers are used again: a fresh one of 200 KiB costs 50 page faults, more than parsing a tenth of it.
import type {Exchange} from './exchange.js';
import {type Failure, unavailable} from './failure.js';

export const unfinishedBytesMax = 128 * 1024 * 1024;

const bufferBytesMin = 64 * 1024;
const spareBufferBytesMax = 1024 * 1024;
const spareBuffersMax = 16;

const spareBuffers: Buffer[] = [];
/** Of all bodies that are being collected. */
let unfinishedBytes = 0;

export const tooLarge = (bytesMax: number): Failure => ({
  code: 'payload_too_large',
  message: `the body exceeds ${bytesMax} bytes`,
});

export class CollectedBody {
  private buffer: Buffer = noBytes;
  private length = 0;
  private readonly exchange: Exchange;
  private readonly bytesMax: number;

  constructor(exchange: Exchange, bytesMax: number) {
    this.exchange = exchange;
    this.bytesMax = bytesMax;
    exchange.onOver(() => this.release());
  }

  /** @returns why the body cannot be taken. */
  add(chunk: ArrayBuffer): Failure | undefined {
    const length = this.length + chunk.byteLength;
    if (length > this.bytesMax) return tooLarge(this.bytesMax);
    if (unfinishedBytes + chunk.byteLength > unfinishedBytesMax) return unavailable('too many bodies are on their way');
    if (length > this.buffer.length) this.grow(length);
    this.buffer.set(new Uint8Array(chunk), this.length); // B1
    this.length = length;
    unfinishedBytes += chunk.byteLength; // B2: what came, not what was announced.
    return undefined;
  }

  /** The bytes are valid only during the call. */
  use(take: (bytes: Buffer) => void): void {
    take(this.buffer.subarray(0, this.length));
    this.release();
  }

  private grow(length: number): void {
    const declared = Math.min(Number(this.exchange.contentLength ?? 0), spareBufferBytesMax);
    const grown = takeBuffer(Math.max(length, declared, 2 * this.buffer.length, bufferBytesMin));
    grown.set(this.buffer.subarray(0, this.length));
    giveBack(this.buffer);
    this.buffer = grown;
  }

  private release(): void {
    unfinishedBytes -= this.length;
    this.length = 0;
    giveBack(this.buffer);
    this.buffer = noBytes;
  }
}

const noBytes = Buffer.alloc(0);

/** B3 */
function takeBuffer(bytes: number): Buffer {
  const at = spareBuffers.findIndex((buffer) => buffer.length >= bytes);
  return at < 0 ? Buffer.allocUnsafeSlow(roundUp(bytes)) : spareBuffers.splice(at, 1)[0];
}

function giveBack(buffer: Buffer): void {
  if (buffer.length === 0 || buffer.length > spareBufferBytesMax || spareBuffers.length >= spareBuffersMax) return;
  spareBuffers.push(buffer);
}

/** To the next power of two: bodies of similar sizes share buffers. */
const roundUp = (bytes: number): number => 2 ** Math.ceil(Math.log2(bytes));
