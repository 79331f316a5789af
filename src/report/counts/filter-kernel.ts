// The WebAssembly kernel that finds rows for counts with a property filter (kernels/row-finder.ts). Both columns of a chunk are
// copied into its memory, which takes 2 us, where a loop over them takes 70.

import type {RowColumn} from '../../../actors/chunk/property-columns.js';
import type {RowsView} from '../../../actors/chunk/rows.js';
import {chunkRowsMax} from '../../../actors/limits.js';
import type {RowFinder} from '../../../actors/report/rows/row-finder.js';
import {fixedMemory, instantiate, layOut, loadKernel} from '../../web-assembly.js';

type Find = (count: number, name: number, code: number) => number;

interface FilterKernelExports {
  readonly find8x8: Find;
  readonly find8x16: Find;
  readonly find16x8: Find;
  readonly find16x16: Find;
  readonly find32x8: Find;
  readonly find32x16: Find;
}

const {places, length} = layOut({namesAt: 4 * chunkRowsMax, codesAt: 2 * chunkRowsMax, foundAt: 2 * chunkRowsMax});

class KernelRowFinder implements RowFinder {
  private readonly kernel: FilterKernelExports;
  private readonly memory: Uint8Array;
  private readonly found: Uint16Array;
  private count = 0;
  private findOpen: Find;
  private nameMax = 0;
  private codeMax = 0;

  constructor() {
    const memory = fixedMemory(length);
    this.kernel = instantiate(loadKernel('row-finder'), {env: {memory}, 'row-finder': places}) as FilterKernelExports;
    this.memory = new Uint8Array(memory.buffer);
    this.found = new Uint16Array(memory.buffer, places.foundAt, chunkRowsMax);
    this.findOpen = this.kernel.find8x8;
  }

  open(names: RowsView['names'], codes: RowColumn['codes']): void {
    this.put(names, places.namesAt);
    this.put(codes, places.codesAt);
    this.count = names.length;
    this.nameMax = highestOf(names);
    this.codeMax = highestOf(codes);
    this.findOpen = this.findOf(names.BYTES_PER_ELEMENT, codes.BYTES_PER_ELEMENT === 1);
  }

  private put(column: Uint8Array | Uint16Array | Uint32Array, at: number): void {
    this.memory.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
  }

  private findOf(nameBytes: number, isNarrow: boolean): Find {
    const {find8x8, find8x16, find16x8, find16x16, find32x8, find32x16} = this.kernel;
    if (nameBytes === 1) return isNarrow ? find8x8 : find8x16;
    if (nameBytes === 2) return isNarrow ? find16x8 : find16x16;
    return isNarrow ? find32x8 : find32x16;
  }

  find(name: number, code: number): Uint16Array {
    const isThere = name <= this.nameMax && code <= this.codeMax; // RF1 (actors/report/rows/row-finder.ts)
    return this.found.subarray(0, isThere ? this.findOpen(this.count, name, code) : 0);
  }
}

/** Largest number that a column of this width may hold. */
const highestOf = ({BYTES_PER_ELEMENT: bytes}: {readonly BYTES_PER_ELEMENT: number}): number => 2 ** (8 * bytes) - 1;

/** The finder of this thread: a search ends before the next one opens its columns. */
export const rowFinder: RowFinder = new KernelRowFinder();
