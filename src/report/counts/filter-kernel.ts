// The WebAssembly kernel that finds rows for counts with a property filter (kernels/row-finder.ts). Both columns of a chunk are
// copied into its memory, which takes 2 us, where a loop over them takes 70.
//   The plain twin takes over for names of 32 bits, and where there is no kernel or no room for its memory.

import type {RowColumn, RowsView} from '../../../actors/chunk/rows.js';
import {chunkRowsMax} from '../../../actors/limits.js';
import {PlainRowFinder, type RowFinder} from '../../../actors/report/counts/row-finder.js';
import {compile, fixedMemory, instantiate, layOut, readKernel} from '../../web-assembly.js';

type Find = (count: number, name: number, code: number) => number;

interface KernelExports {
  readonly find8x8: Find;
  readonly find8x16: Find;
  readonly find16x8: Find;
  readonly find16x16: Find;
}

const columnBytes = 2 * chunkRowsMax;
const {places, length} = layOut({namesAt: columnBytes, codesAt: columnBytes, foundAt: columnBytes});

export class KernelRowFinder implements RowFinder {
  private readonly plain = new PlainRowFinder();
  private readonly kernel: KernelExports;
  private readonly names: Columns;
  private readonly codes: Columns;
  private readonly found: Uint16Array;
  private count = 0;
  /** Undefined: the plain twin has the columns. */
  private findOpen: Find | undefined;
  private nameMax = 0;
  private codeMax = 0;

  /** @throws RangeError when there is no room. */
  constructor(module: object) {
    const memory = fixedMemory(length);
    this.kernel = instantiate(module, {env: {memory}, 'row-finder': places}) as KernelExports;
    this.names = columnsAt(memory.buffer, places.namesAt);
    this.codes = columnsAt(memory.buffer, places.codesAt);
    this.found = new Uint16Array(memory.buffer, places.foundAt, chunkRowsMax);
  }

  open(names: RowsView['names'], codes: RowColumn['codes']): void {
    if (names instanceof Uint32Array) {
      this.findOpen = undefined;
      this.plain.open(names, codes);
      return;
    }
    this.count = names.length;
    this.nameMax = put(this.names, names);
    this.codeMax = put(this.codes, codes);
    const {find8x8, find8x16, find16x8, find16x16} = this.kernel;
    const isNarrow = names instanceof Uint8Array;
    if (codes instanceof Uint8Array) this.findOpen = isNarrow ? find8x8 : find16x8;
    else this.findOpen = isNarrow ? find8x16 : find16x16;
  }

  find(name: number, code: number): Uint16Array {
    if (this.findOpen === undefined) return this.plain.find(name, code);
    const isThere = name <= this.nameMax && code <= this.codeMax; // RF1 (actors/report/counts/row-finder.ts)
    return this.found.subarray(0, isThere ? this.findOpen(this.count, name, code) : 0);
  }
}

/** Address of a column of either width. */
interface Columns {
  readonly bytes: Uint8Array;
  readonly words: Uint16Array;
}

const columnsAt = (buffer: ArrayBuffer, at: number): Columns => ({
  bytes: new Uint8Array(buffer, at, chunkRowsMax),
  words: new Uint16Array(buffer, at, chunkRowsMax),
});

/** Returns the highest number that the column may have. */
function put(columns: Columns, column: Uint8Array | Uint16Array): number {
  if (column instanceof Uint8Array) {
    columns.bytes.set(column);
    return 0xff;
  }
  columns.words.set(column);
  return 0xffff;
}

const code = readKernel('row-finder');
const module = code && compile(code);

/** The kernel where there is one, and room for its memory. */
export function newRowFinder(): RowFinder {
  if (module === undefined) return new PlainRowFinder();
  try {
    return new KernelRowFinder(module);
  } catch (error) {
    if (error instanceof RangeError) return new PlainRowFinder();
    throw error;
  }
}
