// Cache room that one thread does not use now, lent to other threads of the process.
//   SR1. The owner takes its room without asking; borrowers shrink at their next check. Until then memory may exceed the bound by
//       what the owner reads and builds (it reads some 0.3 GB a second), and until the borrower's collector ran.
//   SR2. Until the owner reports for the first time, all of its room is free.
import type {PartsMemory} from './parts-memory.js';

/** How often the owner reports its free room, and borrowers read it. */
export const lookMs = 50;

const unitBytes = 1_024;

/** Shared memory with the free KiB. `bytes`: the owner's whole room. SR2 */
export function newSpareRoom(bytes: number): Int32Array {
  const room = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  room[0] = Math.floor(bytes / unitBytes);
  return room;
}

/** From now on other threads may use the free room of `memory`. */
export function offerRoom(spare: Int32Array, memory: PartsMemory): void {
  const tell = (): void => {
    const freeBytes = Math.max(0, memory.bytesMax - memory.bytesHeld);
    Atomics.store(spare, 0, Math.floor(freeBytes / unitBytes));
  };
  setInterval(tell, lookMs).unref();
}

/** Adds this share of the spare room to the bound of `memory` from now on. */
export function borrowRoom(spare: Int32Array, memory: PartsMemory, share: number): void {
  const ownBytes = memory.roomBytes;
  const look = (): void => memory.bound(ownBytes + Math.floor(Atomics.load(spare, 0) * unitBytes * share));
  look();
  setInterval(look, lookMs).unref();
}
