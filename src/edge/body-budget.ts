// Bytes of bodies that are not in the log yet: being collected, decompressed, or waiting for the worker thread.
//   Bounded over all requests together: a thousand slow uploads, or gzip bombs, must not fill the memory.
import {type Failure, unavailable} from './failure.js';

export const unfinishedBytesMax = 128 * 1024 * 1024;

export const tooManyBodies: Failure = unavailable('too many bodies are on their way: nothing was stored');

let unfinishedBytes = 0;

export const unfinishedBodyBytes = (): number => unfinishedBytes;

/** What one request holds of the budget. */
export class BodyShare {
  private bytes = 0;

  /** @returns false when there is no room for `bytes` more. */
  take(bytes: number): boolean {
    if (unfinishedBytes + bytes > unfinishedBytesMax) return false;
    unfinishedBytes += bytes;
    this.bytes += bytes;
    return true;
  }

  release(): void {
    unfinishedBytes -= this.bytes;
    this.bytes = 0;
  }
}
