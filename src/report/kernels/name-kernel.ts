// The WebAssembly kernel that finds the rows of a name (kernels/row-finder.ts). The names of a chunk are copied into its memory, which
// takes 1 us, where a loop over them takes 70.

import type {RowsView} from '../../../actors/chunk/rows.js';
import {chunkRowsMax} from '../../../actors/limits.js';
import type {RowFinder} from '../../../actors/report/rows/row-finder.js';
import {fixedMemory, instantiate, layOut, loadKernel} from '../../web-assembly.js';

type Find = (count: number, name: number) => number;

interface NameKernelExports {
  readonly find8: Find;
  readonly find16: Find;
  readonly find32: Find;
}

const {places, length} = layOut({namesAt: 4 * chunkRowsMax, foundAt: 2 * chunkRowsMax});

class KernelRowFinder implements RowFinder {
  private readonly kernel: NameKernelExports;
  private readonly memory: Uint8Array;
  private readonly found: Uint16Array;

  constructor() {
    const memory = fixedMemory(length);
    this.kernel = instantiate(loadKernel('row-finder'), {env: {memory}, 'row-finder': places}) as NameKernelExports;
    this.memory = new Uint8Array(memory.buffer);
    this.found = new Uint16Array(memory.buffer, places.foundAt, chunkRowsMax);
  }

  find(names: RowsView['names'], name: number): Uint16Array {
    const {BYTES_PER_ELEMENT: bytes} = names;
    if (name >= 2 ** (8 * bytes)) return this.found.subarray(0, 0); // RF1 (actors/report/rows/row-finder.ts)
    this.memory.set(new Uint8Array(names.buffer, names.byteOffset, names.byteLength), places.namesAt);
    return this.found.subarray(0, this.findOf(bytes)(names.length, name));
  }

  private findOf(nameBytes: number): Find {
    const {find8, find16, find32} = this.kernel;
    if (nameBytes === 1) return find8;
    return nameBytes === 2 ? find16 : find32;
  }
}

/** The finder of this thread: rows are copied before the next search. */
export const rowFinder: RowFinder = new KernelRowFinder();
