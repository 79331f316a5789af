// A body that arrives in pieces, put together in one buffer.
//   B1. What uWebSockets.js hands over is valid only during its callback: pieces are copied.
//   B2. Buffers are used again: a fresh one of 200 KiB costs 50 page faults.
//   B3. A buffer is at most four times as large as what it holds, whatever the client announced: thousands of connections
//       that send one byte each hold little.
import {BodyShare, tooManyBodies} from './body-budget.js';
import type {Failure} from './failure.js';

const bufferBytesMin = 4 * 1024;
const spareBufferBytesMax = 1024 * 1024;
const spareBuffersMax = 16;

const spareBuffers: Buffer[] = [];
const noBytes = Buffer.alloc(0);

export class CollectedBody {
  private readonly share = new BodyShare();
  private readonly declaredBytes: number;
  private buffer: Buffer = noBytes;
  private length = 0;

  /** `declaredBytes`: what the client announced; only a hint (B3). */
  constructor(declaredBytes: number) {
    this.declaredBytes = declaredBytes;
  }

  /** @returns why the body cannot be taken. */
  add(chunk: ArrayBuffer, bytesMax: number): Failure | undefined {
    const length = this.length + chunk.byteLength;
    if (length > bytesMax) return tooLarge(bytesMax);
    if (length > this.buffer.length && !this.grow(length, bytesMax)) return tooManyBodies;
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

  /** @returns whether there is room for it. */
  private grow(length: number, bytesMax: number): boolean {
    const hint = Math.min(this.declaredBytes, 4 * length);
    const grown = takeBuffer(Math.max(length, Math.min(Math.max(hint, 2 * this.buffer.length), bytesMax)), bytesMax);
    if (!this.share.take(grown.length - this.buffer.length)) {
      giveBack(grown);
      return false;
    }
    grown.set(this.bytes());
    giveBack(this.buffer);
    this.buffer = grown;
    return true;
  }
}

export const tooLarge = (bytesMax: number): Failure => ({
  code: 'payload_too_large',
  message: `the body exceeds ${bytesMax} bytes`,
});

/** B2, B3. A fresh one is no larger than `bytesMax`, the most that can be needed, unless that is very little. */
function takeBuffer(bytes: number, bytesMax: number): Buffer {
  const at = spareBuffers.findIndex((buffer) => buffer.length >= bytes && buffer.length <= 4 * bytes);
  if (at >= 0) return spareBuffers.splice(at, 1)[0];
  return Buffer.allocUnsafeSlow(Math.max(Math.min(roundUp(bytes), bytesMax), bytes, bufferBytesMin));
}

function giveBack(buffer: Buffer): void {
  if (buffer.length === 0 || buffer.length > spareBufferBytesMax || spareBuffers.length >= spareBuffersMax) return;
  spareBuffers.push(buffer);
}

/** To the next power of two: bodies of similar sizes share buffers. */
const roundUp = (bytes: number): number => 2 ** Math.ceil(Math.log2(bytes));
