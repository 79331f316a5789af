// The WebAssembly kernel of funnel progress (kernels/funnel-progress.ts), and memory that holds progress and postings.
//   FK1. Each segment of postings has its own memory, which is collected with the segment.
//   FK2. Small segments, and those for which there is no room, have plain buffers: the progress of this thread is used, and
//       TypeScript searches their events.

import {
  blockUsers,
  type DensePostings,
  type EntryProgress,
  type FunnelProgress,
} from '../../../actors/report/funnel/funnel-progress.js';
import {type AllocatePostings, type PostingsMemory, plainMemory} from '../../../actors/report/funnel/user-postings.js';
import {fixedMemory, instantiate, layOut, loadKernel, type Memory} from '../../web-assembly.js';

/** Each WebAssembly memory reserves 10 GB of the 128 TB of addresses: none for small segments. FK2 */
const kernelBytesMin = 1024 * 1024;

const u32s = 4 * blockUsers;
const f64s = 8 * blockUsers;
/** Columns of the progress, in front of the postings; the kernel declares the names. */
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

interface FunnelKernelExports extends EntryProgress {
  seek(count: number, userCount: number, heads: number, starts: number, keys: number): void;
  advance(count: number, endKey: number): number;
}

const module = loadKernel('funnel-progress');

export const kernelMemory: AllocatePostings = (bytes) =>
  bytes < kernelBytesMin ? plainMemory(bytes) : memoryWithProgress(bytes);

/** WebAssembly memory of any size. FK1 */
export function memoryWithProgress(bytes: number): PostingsMemory {
  try {
    const memory = fixedMemory(postingsAt + bytes);
    return {buffer: memory.buffer, offset: postingsAt, progress: new KernelFunnelProgress(memory)};
  } catch (error) {
    if (error instanceof RangeError) return plainMemory(bytes); // FK2
    throw error;
  }
}

class KernelFunnelProgress implements FunnelProgress {
  readonly users: Uint32Array;
  readonly keys: Float64Array;
  readonly found: Float64Array;
  readonly gaps: Float64Array;
  private readonly kernel: FunnelKernelExports;

  constructor(memory: Memory) {
    const {buffer} = memory;
    this.users = new Uint32Array(buffer, places.usersAt, blockUsers);
    this.keys = new Float64Array(buffer, places.keysAt, blockUsers);
    this.found = new Float64Array(buffer, places.foundAt, blockUsers);
    this.gaps = new Float64Array(buffer, places.gapsAt, blockUsers);
    new Float64Array(buffer, places.neverAt, 1)[0] = Number.POSITIVE_INFINITY;
    this.kernel = instantiate(module, {env: {memory}, 'funnel-progress': places}) as FunnelKernelExports;
  }

  entryProgress(): EntryProgress {
    return this.kernel;
  }

  seek(count: number, {heads, starts, keys}: DensePostings): void {
    this.kernel.seek(count, heads.length, heads.byteOffset, starts.byteOffset, keys.byteOffset);
  }

  advance(count: number, endKey: number): number {
    return this.kernel.advance(count, endKey);
  }
}

/** The thread's own, with no postings in its memory. FK2 */
export const threadProgress: FunnelProgress = new KernelFunnelProgress(fixedMemory(postingsAt));
