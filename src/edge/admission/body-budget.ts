// Memory of bodies that are not in the log yet: those being collected, decompressed, or waiting for the worker thread.
//   One bound for all requests together: a thousand slow uploads, or gzip bombs, must not fill the memory. It counts
//   allocated bytes, however few of them are filled.
import {type Failure, unavailable} from '../failure.js';

export const unfinishedBytesMax = 128 * 1024 * 1024;

// A few large, slow bodies must not keep out everybody's small ones.
const largeShareBytesMin = 1024 * 1024;
const largeSharesBytesMax = 96 * 1024 * 1024;
// Reserved for the rest of bodies that have begun: they must be able to end when there is no other room.
const endingBytes = 16 * 1024 * 1024;

export const tooManyBodies: Failure = unavailable('too many bodies at once: nothing was stored');

let unfinishedBytes = 0;

/** Bytes allocated now. */
export const unfinishedBodyBytes = (): number => unfinishedBytes;

/** The share of one request in the budget. */
export class BodyShare {
  private bytes = 0;

  /** Whether a body of this size may begin now. */
  static hasRoom(bytes: number): boolean {
    return isWithin(bytes, bytes, endingBytes);
  }

  /** @returns false when there is no room for `bytes` more. */
  take(bytes: number): boolean {
    return this.takeLeaving(endingBytes, bytes);
  }

  /** Takes bytes for the rest of a body, which needs no more afterwards. */
  takeRest(bytes: number): boolean {
    return this.takeLeaving(0, bytes);
  }

  private takeLeaving(leftBytes: number, bytes: number): boolean {
    if (!isWithin(bytes, this.bytes + bytes, leftBytes)) return false;
    this.overdraw(bytes);
    return true;
  }

  /** Takes bytes above the bound, for the little that has arrived already. */
  overdraw(bytes: number): void {
    unfinishedBytes += bytes;
    this.bytes += bytes;
  }

  release(): void {
    unfinishedBytes -= this.bytes;
    this.bytes = 0;
  }
}

function isWithin(moreBytes: number, shareBytes: number, leftBytes: number): boolean {
  const bytesMax = shareBytes > largeShareBytesMin ? largeSharesBytesMax : unfinishedBytesMax;
  return unfinishedBytes + moreBytes <= bytesMax - leftBytes;
}
