// Memory for the postings of funnels in which a WebAssembly kernel takes the steps (kernels/funnel-steps.ts).
//   K1. Each segment of postings has a memory of its own, which goes when the segment goes: nothing is freed by hand.
//   K2. Small segments, and all of them where there is no WebAssembly with SIMD or no room for its memory, have plain
//       buffers: the plain twin takes the steps then.

import {blockUsers, type FunnelSteps} from '../../actors/report/funnel-steps.js';
import {type AllocatePostings, type DensePostings, plainMemory} from '../../actors/report/user-postings.js';
import {compile, fixedMemory, instantiate, type Memory, readKernel} from '../web-assembly.js';

/** A memory is made of pages, and takes 10 GB of addresses (not of memory), of which there are 128 TB. */
const kernelBytesMin = 1024 * 1024;

/** The block of users in front of the postings; names are the kernel's. */
const usersAt = 0;
const keysAt = usersAt + 4 * blockUsers;
const foundAt = keysAt + 8 * blockUsers;
const gapsAt = foundAt + 8 * blockUsers;
const lateAt = gapsAt + 8 * blockUsers;
const neverAt = lateAt + 4 * blockUsers;
const postingsAt = neverAt + 8;

interface KernelExports {
  advance(count: number, userCount: number, heads: number, starts: number, keys: number, endKey: number): number;
}

/** `bytesMin`: smaller segments have plain buffers. K2 */
export function kernelMemory(bytesMin = kernelBytesMin): AllocatePostings {
  const code = readKernel('funnel-steps');
  if (code === undefined) return plainMemory;
  const module = compile(code);
  return (bytes) => {
    if (bytes < bytesMin) return plainMemory(bytes);
    try {
      const memory = fixedMemory(postingsAt + bytes);
      return {buffer: memory.buffer, offset: postingsAt, steps: new KernelFunnelSteps(module, memory)};
    } catch (error) {
      if (error instanceof RangeError) return plainMemory(bytes); // K2
      throw error;
    }
  };
}

class KernelFunnelSteps implements FunnelSteps {
  readonly users: Uint32Array;
  readonly keys: Float64Array;
  readonly found: Float64Array;
  readonly gaps: Float64Array;
  private readonly kernel: KernelExports;

  constructor(module: object, memory: Memory) {
    const {buffer} = memory;
    this.users = new Uint32Array(buffer, usersAt, blockUsers);
    this.keys = new Float64Array(buffer, keysAt, blockUsers);
    this.found = new Float64Array(buffer, foundAt, blockUsers);
    this.gaps = new Float64Array(buffer, gapsAt, blockUsers);
    new Float64Array(buffer, neverAt, 1)[0] = Number.POSITIVE_INFINITY;
    const places = {usersAt, keysAt, foundAt, gapsAt, lateAt, neverAt};
    this.kernel = instantiate(module, {env: {memory}, 'funnel-steps': places}) as KernelExports;
  }

  advance(count: number, postings: DensePostings | undefined, endKey: number): number {
    if (postings === undefined) return this.kernel.advance(count, 0, 0, 0, 0, endKey);
    const {heads, starts, keys} = postings;
    return this.kernel.advance(count, heads.length, heads.byteOffset, starts.byteOffset, keys.byteOffset, endKey);
  }
}
