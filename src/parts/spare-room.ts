// Room that the cache of one thread does not use now, lent to those of other threads of the process.
//   S1. The owner takes its room without asking; who borrowed of it gives it back at the next look. Until then there may be
//       as much more in memory as the owner reads and builds meanwhile (it reads some 0.3 GB a second); what was given back is
//       free memory once the borrower's thread has collected it.
//   S2. Until the owner tells for the first time, all of its room is free: it has not begun.
import type {PartsMemory} from './parts-memory.js';

/** How often the owner tells, and borrowers look. */
export const lookMs = 50;

const unitBytes = 1_024;

/** Shared memory: KiB that are free. `bytes`: all that the owner will have. S2 */
export function newSpareRoom(bytes: number): Int32Array {
  const room = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  room[0] = Math.floor(bytes / unitBytes);
  return room;
}

/** From now on, what `memory` has free may be used by others. */
export function offerRoom(spare: Int32Array, memory: PartsMemory): void {
  const tell = (): void => {
    const freeBytes = Math.max(0, memory.bytesMax - memory.bytesHeld);
    Atomics.store(spare, 0, Math.floor(freeBytes / unitBytes));
  };
  setInterval(tell, lookMs).unref();
}

/** From now on `memory` has `share` of it beside its own. */
export function borrowRoom(spare: Int32Array, memory: PartsMemory, share: number): void {
  const ownBytes = memory.roomBytes;
  const look = (): void => memory.bound(ownBytes + Math.floor(Atomics.load(spare, 0) * unitBytes * share));
  look();
  setInterval(look, lookMs).unref();
}
