// Memory for the postings of funnels in which a WebAssembly kernel takes the steps (kernels/funnel-steps.ts).
//   K1. Each segment of postings has a memory of its own, which goes when the segment goes: nothing is freed by hand.
//   K2. Small segments, and all of them where there is no WebAssembly with SIMD or no room for its memory, have plain
//       buffers: the plain twin takes the steps then.
//   K3. A kernel's memory is shared, and each of two threads has a seat in it: a block of users of its own
//       (second-walker.ts).
//   K4. V8 collects what holds much memory, but counts no memory that is shared: beside each lies one of the same size that is
//       counted. Nobody touches it, so it takes addresses alone.

import type {EntrySteps} from '../../../actors/report/funnel/entry-steps.js';
import {blockUsers, type FunnelSteps} from '../../../actors/report/funnel/funnel-steps.js';
import {
  type AllocatePostings,
  type DensePostings,
  type PostingsMemory,
  plainMemory,
} from '../../../actors/report/funnel/user-postings.js';
import {compile, fixedMemory, instantiate, type Memory, readKernel, sharedMemory} from '../../web-assembly.js';

/** A memory is made of pages, and takes 10 GB of addresses (not of memory), of which there are 128 TB. */
const kernelBytesMin = 1024 * 1024;

/** The blocks of users in front of the postings; names are the kernel's. */
const keysAt = 4 * blockUsers;
const foundAt = keysAt + 8 * blockUsers;
const gapsAt = foundAt + 8 * blockUsers;
const lateAt = gapsAt + 8 * blockUsers;
const neverAt = lateAt + 4 * blockUsers;
/** Of users that walk from one entry after the other. */
const slotsAt = neverAt + 64;
const walkingAt = slotsAt + 4 * blockUsers;
const entrantsAt = walkingAt + 4 * blockUsers;
const depthsAt = entrantsAt + 4 * blockUsers;
const deepestAt = depthsAt + 4 * blockUsers;
const entryKeysAt = deepestAt + 4 * blockUsers;
const deepestKeysAt = entryKeysAt + 8 * blockUsers;
const nextKeysAt = deepestKeysAt + 8 * blockUsers;
const seatBytes = nextKeysAt + 8 * blockUsers;
const postingsAt = 2 * seatBytes;

/** Who walks: the thread that made the postings, or the second one. K3 */
export const seats = {owner: 0, second: 1} as const;
type Seat = (typeof seats)[keyof typeof seats];

interface KernelExports extends EntrySteps {
  find(count: number, userCount: number, heads: number, starts: number, keys: number): void;
  keep(count: number, endKey: number): number;
}

/** The compiled kernel, which threads may hand to each other; undefined where there is none. */
export function funnelKernel(): object | undefined {
  const code = readKernel('funnel-steps');
  return code && compile(code);
}

/** Postings in it can be walked over by two threads at once. K3 */
export class SharedPostingsMemory implements PostingsMemory {
  readonly memory: Memory<SharedArrayBuffer>;
  readonly buffer: SharedArrayBuffer;
  readonly offset = postingsAt;
  readonly steps: FunnelSteps;
  /** K4 */
  readonly counted: Memory;

  /** @throws RangeError when there is no room. */
  constructor(kernel: object, bytes: number) {
    this.memory = sharedMemory(postingsAt + bytes);
    this.counted = fixedMemory(postingsAt + bytes);
    this.buffer = this.memory.buffer;
    this.steps = new KernelFunnelSteps(kernel, this.memory, seats.owner);
  }
}

/** `bytesMin`: smaller segments have plain buffers. K2 */
export function kernelMemory(kernel: object | undefined, bytesMin = kernelBytesMin): AllocatePostings {
  if (kernel === undefined) return plainMemory;
  return (bytes) => {
    if (bytes < bytesMin) return plainMemory(bytes);
    try {
      return new SharedPostingsMemory(kernel, bytes);
    } catch (error) {
      if (error instanceof RangeError) return plainMemory(bytes); // K2
      throw error;
    }
  };
}

export class KernelFunnelSteps implements FunnelSteps {
  readonly users: Uint32Array;
  readonly keys: Float64Array;
  readonly found: Float64Array;
  readonly gaps: Float64Array;
  private readonly kernel: KernelExports;

  constructor(kernel: object, memory: Memory<SharedArrayBuffer>, seat: Seat) {
    const {buffer} = memory;
    const at = seat * seatBytes;
    this.users = new Uint32Array(buffer, at, blockUsers);
    this.keys = new Float64Array(buffer, at + keysAt, blockUsers);
    this.found = new Float64Array(buffer, at + foundAt, blockUsers);
    this.gaps = new Float64Array(buffer, at + gapsAt, blockUsers);
    new Float64Array(buffer, at + neverAt, 1)[0] = Number.POSITIVE_INFINITY;
    const places = {
      usersAt: at,
      keysAt: at + keysAt,
      foundAt: at + foundAt,
      gapsAt: at + gapsAt,
      lateAt: at + lateAt,
      neverAt: at + neverAt,
      slotsAt: at + slotsAt,
      walkingAt: at + walkingAt,
      entrantsAt: at + entrantsAt,
      depthsAt: at + depthsAt,
      deepestAt: at + deepestAt,
      entryKeysAt: at + entryKeysAt,
      deepestKeysAt: at + deepestKeysAt,
      nextKeysAt: at + nextKeysAt,
    };
    this.kernel = instantiate(kernel, {env: {memory}, 'funnel-steps': places}) as KernelExports;
  }

  entrySteps(): EntrySteps {
    return this.kernel;
  }

  find(count: number, {heads, starts, keys}: DensePostings): void {
    this.kernel.find(count, heads.length, heads.byteOffset, starts.byteOffset, keys.byteOffset);
  }

  keep(count: number, endKey: number): number {
    return this.kernel.keep(count, endKey);
  }
}
