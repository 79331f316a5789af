// Memory for the postings of funnels in which a WebAssembly kernel takes the steps (kernels/funnel-steps.ts).
//   FK1. Each segment of postings has a memory of its own, which is collected with the segment.
//   FK2. Small segments have plain buffers, and so have all segments where there is no kernel or no room for its memory: the
//       plain twin takes the steps then.

import {
  blockUsers,
  type DensePostings,
  type EntrySteps,
  type FunnelSteps,
} from '../../../actors/report/funnel/funnel-block.js';
import {type AllocatePostings, type PostingsMemory, plainMemory} from '../../../actors/report/funnel/user-postings.js';
import {compile, fixedMemory, instantiate, layOut, type Memory, readKernel} from '../../web-assembly.js';

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

/** The compiled kernel; undefined where there is none. */
export function funnelKernel(): object | undefined {
  const code = readKernel('funnel-steps');
  return code && compile(code);
}

/** `bytesMin`: smaller segments have plain buffers. FK2 */
export function kernelMemory(kernel: object | undefined, bytesMin = kernelBytesMin): AllocatePostings {
  if (kernel === undefined) return plainMemory;
  return (bytes) => {
    if (bytes < bytesMin) return plainMemory(bytes);
    try {
      return ofKernel(kernel, fixedMemory(postingsAt + bytes)); // FK1
    } catch (error) {
      if (error instanceof RangeError) return plainMemory(bytes); // FK2
      throw error;
    }
  };
}

const ofKernel = (kernel: object, memory: Memory): PostingsMemory => ({
  buffer: memory.buffer,
  offset: postingsAt,
  steps: new KernelFunnelSteps(kernel, memory),
});

class KernelFunnelSteps implements FunnelSteps {
  readonly users: Uint32Array;
  readonly keys: Float64Array;
  readonly found: Float64Array;
  readonly gaps: Float64Array;
  private readonly kernel: KernelExports;

  constructor(kernel: object, memory: Memory) {
    const {buffer} = memory;
    this.users = new Uint32Array(buffer, places.usersAt, blockUsers);
    this.keys = new Float64Array(buffer, places.keysAt, blockUsers);
    this.found = new Float64Array(buffer, places.foundAt, blockUsers);
    this.gaps = new Float64Array(buffer, places.gapsAt, blockUsers);
    new Float64Array(buffer, places.neverAt, 1)[0] = Number.POSITIVE_INFINITY;
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
