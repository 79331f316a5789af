// The WebAssembly kernel that takes the steps of funnels (kernels/funnel-steps.ts), and memory for postings in which it does.
//   FK1. Each segment of postings has a memory of its own, which is collected with the segment.
//   FK2. Small segments have plain buffers, and so have those for which there is no room: the kernel takes the steps in a
//       block of its own then, and the events are searched without it.

import {
  blockUsers,
  type DensePostings,
  type EntrySteps,
  type FunnelSteps,
} from '../../../actors/report/funnel/funnel-block.js';
import {type AllocatePostings, type PostingsMemory, plainMemory} from '../../../actors/report/funnel/user-postings.js';
import {fixedMemory, instantiate, layOut, loadKernel, type Memory} from '../../web-assembly.js';

/** A memory is made of pages, and takes 10 GB of addresses (not of memory), of which there are 128 TB. */
const kernelBytesMin = 1024 * 1024;

const u32s = 4 * blockUsers;
const f64s = 8 * blockUsers;
/** The block of users in front of the postings, and of users that walk from one entry after the other; names are the kernel's. */
const {places, length: postingsAt} = layOut({
  usersAt: u32s,
  keysAt: f64s,
  foundAt: f64s,
  gapsAt: f64s,
  lateAt: u32s,
  neverAt: 8,
  slotsAt: u32s,
  walkingAt: u32s,
  entrantsAt: u32s,
  depthsAt: u32s,
  deepestAt: u32s,
  entryKeysAt: f64s,
  deepestKeysAt: f64s,
  nextKeysAt: f64s,
});

interface KernelExports extends EntrySteps {
  find(count: number, userCount: number, heads: number, starts: number, keys: number): void;
  keep(count: number, endKey: number): number;
}

const module = loadKernel('funnel-steps');

export const kernelMemory: AllocatePostings = (bytes) =>
  bytes < kernelBytesMin ? plainMemory(bytes) : memoryWithBlock(bytes);

/** FK1, whatever the size. */
export function memoryWithBlock(bytes: number): PostingsMemory {
  try {
    const memory = fixedMemory(postingsAt + bytes);
    return {buffer: memory.buffer, offset: postingsAt, steps: new KernelFunnelSteps(memory)};
  } catch (error) {
    if (error instanceof RangeError) return plainMemory(bytes); // FK2
    throw error;
  }
}

class KernelFunnelSteps implements FunnelSteps {
  readonly users: Uint32Array;
  readonly keys: Float64Array;
  readonly found: Float64Array;
  readonly gaps: Float64Array;
  private readonly kernel: KernelExports;

  constructor(memory: Memory) {
    const {buffer} = memory;
    this.users = new Uint32Array(buffer, places.usersAt, blockUsers);
    this.keys = new Float64Array(buffer, places.keysAt, blockUsers);
    this.found = new Float64Array(buffer, places.foundAt, blockUsers);
    this.gaps = new Float64Array(buffer, places.gapsAt, blockUsers);
    new Float64Array(buffer, places.neverAt, 1)[0] = Number.POSITIVE_INFINITY;
    this.kernel = instantiate(module, {env: {memory}, 'funnel-steps': places}) as KernelExports;
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

/** Of this thread, with no postings in its memory. FK2 */
export const funnelSteps: FunnelSteps = new KernelFunnelSteps(fixedMemory(postingsAt));
