// A body that arrives in pieces, collected in one buffer.
//   B1. uWebSockets.js hands over bytes that are valid only during its callback: pieces are copied.
//   B2. Buffers are reused: a fresh one of 200 KiB costs 50 page faults.
//   B3. A buffer is at most four times as large as its content, whatever the client announced: thousands of connections that
//       send one byte each hold little.
//   B4. A body that has begun loses no piece for lack of room: the piece is stored above the bound, and the reader must read
//       nothing more before `reserve` succeeds.
//   B5. Sizes are rounded up for B2, unless only the exact size has room.

import type {Failure} from '../failure.js';
import {BodyShare, tooManyBodies} from './body-budget.js';

const bufferBytesMin = 4 * 1024;
const spareBufferBytesMax = 1024 * 1024;
const spareBuffersMax = 16;
/** Growth from which an exact size is worth a copy. B5 */
const exactGrowthMin = 1.25;
/** Bytes that uWebSockets.js reads from a connection at once. */
const readBytesMax = 512 * 1024;

const spareBuffers: Buffer[] = [];
const noBytes = Buffer.alloc(0);

export class CollectedBody {
  private readonly share = new BodyShare();
  private readonly declaredBytes: number;
  private buffer: Buffer = noBytes;
  private length = 0;
  /** A piece was stored above the bound. B4 */
  isOverdrawn = false;

  /** `declaredBytes`: what the client announced; only a hint (B3). */
  constructor(declaredBytes: number) {
    this.declaredBytes = declaredBytes;
  }

  /** @returns the failure when the body cannot be taken. */
  add(chunk: ArrayBuffer, bytesMax: number): Failure | undefined {
    const length = this.length + chunk.byteLength;
    if (length > bytesMax) return tooLarge(bytesMax);
    if (length > this.buffer.length && !this.grow(length, bytesMax)) {
      if (this.length === 0) return tooManyBodies;
      this.overdraw(length);
    }
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
    this.isOverdrawn = false;
  }

  /** Takes a buffer for the rest of the body, or for one more read. @returns false without room for it. */
  reserve(bytesMax: number): boolean {
    const wanted = this.declaredBytes > 0 ? this.declaredBytes : Math.min(this.length + readBytesMax, bytesMax);
    const hasRoom = wanted <= this.buffer.length || this.enlarge(takeBuffer(wanted, bytesMax), wanted, true);
    if (hasRoom) this.isOverdrawn = false;
    return hasRoom;
  }

  /** @returns whether there is room for it. */
  private grow(length: number, bytesMax: number): boolean {
    const hint = Math.min(this.declaredBytes, 4 * length);
    const wanted = Math.max(length, Math.min(Math.max(hint, 2 * this.buffer.length), bytesMax));
    return this.enlarge(takeBuffer(wanted, bytesMax), length, false);
  }

  /**
   * Continues in `buffer`, or in one of exactly `bytes` (B5) if that is much larger than the present one or holds the whole rest:
   * otherwise each small piece would copy all of it. `isRest`: the body needs no more afterwards.
   * @returns false without room for either.
   */
  private enlarge(buffer: Buffer, bytes: number, isRest: boolean): boolean {
    if (this.take(buffer.length, isRest)) {
      this.replaceBuffer(buffer);
      return true;
    }
    giveBack(buffer);
    const mayBeExact = isRest || bytes === this.declaredBytes || bytes >= exactGrowthMin * this.buffer.length;
    if (!mayBeExact || !this.take(bytes, isRest)) return false;
    this.replaceBuffer(Buffer.allocUnsafeSlow(bytes));
    return true;
  }

  private take(bytes: number, isRest: boolean): boolean {
    const more = bytes - this.buffer.length;
    return isRest ? this.share.takeRest(more) : this.share.take(more);
  }

  /** Takes memory above the bound. B4 */
  private overdraw(length: number): void {
    const buffer = Buffer.allocUnsafeSlow(length);
    this.share.overdraw(length - this.buffer.length);
    this.replaceBuffer(buffer);
    this.isOverdrawn = true;
  }

  private replaceBuffer(buffer: Buffer): void {
    buffer.set(this.bytes());
    giveBack(this.buffer);
    this.buffer = buffer;
  }
}

export const tooLarge = (bytesMax: number): Failure => ({
  code: 'payload_too_large',
  message: `the body exceeds ${bytesMax} bytes`,
});

/** B2, B3. A fresh buffer is at most `bytesMax`, the most that the body can need, unless that is very little. */
function takeBuffer(bytes: number, bytesMax: number): Buffer {
  const at = spareBuffers.findIndex((buffer) => buffer.length >= bytes && buffer.length <= 4 * bytes);
  if (at >= 0) return spareBuffers.splice(at, 1)[0]!;
  return Buffer.allocUnsafeSlow(Math.max(Math.min(roundUp(bytes), bytesMax), bytes, bufferBytesMin));
}

function giveBack(buffer: Buffer): void {
  if (buffer.length === 0 || buffer.length > spareBufferBytesMax || spareBuffers.length >= spareBuffersMax) return;
  spareBuffers.push(buffer);
}

/** Rounds up to a power of two: bodies of similar sizes share buffers. */
const roundUp = (bytes: number): number => 2 ** Math.ceil(Math.log2(bytes));
