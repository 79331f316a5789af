// A body that arrives in pieces, put together in one buffer.
//   B1. What uWebSockets.js hands over is valid only during its callback: pieces are copied.
//   B2. Buffers are used again: a fresh one of 200 KiB costs 50 page faults.
import {BodyShare, tooManyBodies} from './body-budget.js';
import type {Failure} from './failure.js';

const bufferBytesMin = 64 * 1024;
const spareBufferBytesMax = 1024 * 1024;
const spareBuffersMax = 16;

const spareBuffers: Buffer[] = [];
const noBytes = Buffer.alloc(0);

export class CollectedBody {
  private readonly share = new BodyShare();
  private readonly declaredBytes: number;
  private buffer: Buffer = noBytes;
  private length = 0;

  /** `declaredBytes`: what the client announced; only a hint, and nothing is held for it. */
  constructor(declaredBytes: number) {
    this.declaredBytes = declaredBytes;
  }

  /** @returns why the body cannot be taken. */
  add(chunk: ArrayBuffer, bytesMax: number): Failure | undefined {
    const length = this.length + chunk.byteLength;
    if (length > bytesMax) return tooLarge(bytesMax);
    if (!this.share.take(chunk.byteLength)) return tooManyBodies;
    if (length > this.buffer.length) this.grow(length);
    this.buffer.set(new Uint8Array(chunk), this.length); // B1
    this.length = length;
    return undefined;
  }

  /** Valid until the release. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  release(): void {
    this.share.release();
    giveBack(this.buffer);
    this.buffer = noBytes;
    this.length = 0;
  }

  private grow(length: number): void {
    const declared = Math.min(this.declaredBytes, spareBufferBytesMax);
    const grown = takeBuffer(Math.max(length, declared, 2 * this.buffer.length, bufferBytesMin));
    grown.set(this.bytes());
    giveBack(this.buffer);
    this.buffer = grown;
  }
}

export const tooLarge = (bytesMax: number): Failure => ({
  code: 'payload_too_large',
  message: `the body exceeds ${bytesMax} bytes`,
});

/** B2 */
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
