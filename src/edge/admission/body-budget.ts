// Bytes of bodies that are not in the log yet: being collected, decompressed, or waiting for the worker thread.
//   Bounded over all requests together: a thousand slow uploads, or gzip bombs, must not fill the memory. What counts is
//   the memory that is held, not how much of it is filled.
import {type Failure, unavailable} from '../failure.js';

export const unfinishedBytesMax = 128 * 1024 * 1024;

// A few large bodies that come slowly must not keep out the small ones of everybody else.
const largeShareBytesMin = 1024 * 1024;
const largeSharesBytesMax = 96 * 1024 * 1024;
// Of these, for the rest of bodies that were begun: they must be able to end when there is no other room.
const endingBytes = 16 * 1024 * 1024;

export const tooManyBodies: Failure = unavailable('too many bodies at once: nothing was stored');

let unfinishedBytes = 0;

/** Bytes that are held now. */
export const unfinishedBodyBytes = (): number => unfinishedBytes;

/** What one request holds of the budget. */
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

  /** The same for all that is still to come of a body: it needs no more after that. */
  takeRest(bytes: number): boolean {
    return this.takeLeaving(0, bytes);
  }

  private takeLeaving(leftBytes: number, bytes: number): boolean {
    if (!isWithin(bytes, this.bytes + bytes, leftBytes)) return false;
    this.overdraw(bytes);
    return true;
  }

  /** Past the bound: for what is here already, and little. */
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
