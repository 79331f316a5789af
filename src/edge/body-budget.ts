// Bytes of bodies that are not in the log yet: being collected, decompressed, or waiting for the worker thread.
//   Bounded over all requests together: a thousand slow uploads, or gzip bombs, must not fill the memory. What counts is
//   the memory that is held, not how much of it is filled.
import {type Failure, unavailable} from './failure.js';

export const unfinishedBytesMax = 128 * 1024 * 1024;

// A few large bodies that come slowly must not keep out the small ones of everybody else.
const largeShareBytesMin = 1024 * 1024;
const largeSharesBytesMax = 96 * 1024 * 1024;

export const tooManyBodies: Failure = unavailable('too many bodies are on their way: nothing was stored');

let unfinishedBytes = 0;

/** Bytes that are held now. */
export const unfinishedBodyBytes = (): number => unfinishedBytes;

/** What one request holds of the budget. */
export class BodyShare {
  private bytes = 0;

  /** Whether a body of this size would be taken if it came now, at once. */
  static hasRoom(bytes: number): boolean {
    return unfinishedBytes + bytes <= (bytes > largeShareBytesMin ? largeSharesBytesMax : unfinishedBytesMax);
  }

  /** @returns false when there is no room for `bytes` more. */
  take(bytes: number): boolean {
    const isLarge = this.bytes + bytes > largeShareBytesMin;
    if (unfinishedBytes + bytes > (isLarge ? largeSharesBytesMax : unfinishedBytesMax)) return false;
    unfinishedBytes += bytes;
    this.bytes += bytes;
    return true;
  }

  /** For what is held already, and only changes hands: whoever had it releases it now. */
  takeOver(bytes: number): void {
    unfinishedBytes += bytes;
    this.bytes += bytes;
  }

  release(): void {
    unfinishedBytes -= this.bytes;
    this.bytes = 0;
  }
}
