// The exact median and percentiles of many numbers that are added one by one.
//   A histogram over the leading bits finds the cell of a place; only the numbers of that cell are sorted.
//   MD1. Numbers are finite and at least 0, so their bits sort like their values.

/** Numbers of a chunk, 8 KiB: last chunks are partly empty, and a long funnel over four partitions fills some sixty lists. */
const chunkNumbers = 1_024;
const newChunk = (): Float64Array => new Float64Array(chunkNumbers);
/** Shift of a number's upper word that leaves the exponent and 6 bits: a cell is at most 1.6 % wide. */
const cellShift = 14;
/** Numbers below 2^-1 share the first cell, those from 2^63 the last. */
const firstCell = 1_022 << 6;
const cellCount = 65 << 6;

/** Numbers in chunks of equal size. MD1 */
export class NumberList {
  private readonly takeChunk: () => Float64Array;
  private chunks: Float64Array[] = [];
  count = 0;

  constructor(takeChunk = newChunk) {
    this.takeChunk = takeChunk;
  }

  push(value: number): void {
    const chunk = this.lastChunk();
    chunk[this.count++ % chunkNumbers] = value;
  }

  /** Adds the first `count` of `values`. */
  pushAll(values: Float64Array, count: number): void {
    for (let at = 0; at < count; ) {
      const chunk = this.lastChunk();
      const filled = this.count % chunkNumbers;
      const end = Math.min(count, at + chunkNumbers - filled);
      chunk.set(values.subarray(at, end), filled);
      this.count += end - at;
      at = end;
    }
  }

  /** The last chunk, or a new one when it is full. */
  private lastChunk(): Float64Array {
    if (this.count === this.chunks.length * chunkNumbers) this.chunks.push(this.takeChunk());
    return this.chunks[this.chunks.length - 1];
  }

  /** The numbers of each chunk: views, not copies. */
  columns(): Float64Array[] {
    return this.chunks.map((chunk, i) => chunk.subarray(0, this.count - i * chunkNumbers));
  }

  /** Empties the list and returns its chunks. */
  takeBack(): Float64Array[] {
    const {chunks} = this;
    this.chunks = [];
    this.count = 0;
    return chunks;
  }
}

/**
 * Lists that reuse the chunks of earlier ones. A long funnel over 100,000 users fills megabytes, and new memory for each
 * funnel cost a tenth of the answer, in page faults and collections.
 */
export class NumberLists {
  private readonly chunksMax: number;
  private readonly free: Float64Array[] = [];

  /** `bytesMax`: bound of the free chunks that are kept. */
  constructor(bytesMax: number) {
    this.chunksMax = Math.floor(bytesMax / chunkNumbers / Float64Array.BYTES_PER_ELEMENT);
  }

  get bytesFree(): number {
    return this.free.length * chunkNumbers * Float64Array.BYTES_PER_ELEMENT;
  }

  /** An empty list. */
  take(): NumberList {
    return new NumberList(() => this.free.pop() ?? newChunk());
  }

  /** Keeps the chunks of a list that nobody reads any more. */
  giveBack(list: NumberList): void {
    this.free.push(...list.takeBack().slice(0, this.chunksMax - this.free.length));
  }
}

/** The mean of the middle two when the count is even; null for empty lists. */
export function medianOf(lists: readonly NumberList[]): number | null {
  const columns = lists.flatMap((list) => list.columns());
  const count = columns.reduce((sum, {length}) => sum + length, 0);
  if (count === 0) return null;
  const [lower, upper] = [(count - 1) >> 1, count >> 1];
  const cells = countCells(columns);
  const first = cellAt(cells, lower, {cell: 0, start: 0});
  const last = cellAt(cells, upper, first);
  const middle = numbersOf(columns, first.cell, last.cell, last.start + cells[last.cell] - first.start).sort();
  return (middle[lower - first.start] + middle[upper - first.start]) / 2;
}

/**
 * Percentiles by nearest rank: the p90 is the smallest of the numbers that 90 % of them, or more, do not exceed. Null for empty lists.
 * `percents`: whole numbers, ascending.
 */
export function percentilesOf(lists: readonly NumberList[], percents: readonly number[]): (number | null)[] {
  const columns = lists.flatMap((list) => list.columns());
  const count = columns.reduce((sum, {length}) => sum + length, 0);
  if (count === 0) return percents.map(() => null);
  const cells = countCells(columns);
  let found: Cell = {cell: 0, start: 0};
  return percents.map((percent) => {
    const place = Math.max(0, Math.ceil((count * percent) / 100) - 1);
    found = cellAt(cells, place, found);
    const {cell, start} = found;
    return numbersOf(columns, cell, cell, cells[cell]).sort()[place - start];
  });
}

function countCells(columns: readonly Float64Array[]): Uint32Array {
  const cells = new Uint32Array(cellCount);
  for (const numbers of columns) {
    const words = wordsOf(numbers);
    for (let i = 1; i < words.length; i += 2) cells[cellOf(words[i])] += 1;
  }
  return cells;
}

/** A cell, and how many numbers lie in the cells before it. */
interface Cell {
  readonly cell: number;
  readonly start: number;
}

/** The cell that sorting would put place `place` into: `from` or a later one. */
function cellAt(cells: Uint32Array, place: number, from: Cell): Cell {
  let {cell, start} = from;
  while (start + cells[cell] <= place) start += cells[cell++];
  return {cell, start};
}

/** The `count` numbers of cells [first, last]. */
function numbersOf(columns: readonly Float64Array[], first: number, last: number, count: number): Float64Array {
  const found = new Float64Array(count);
  let at = 0;
  for (const numbers of columns) {
    const words = wordsOf(numbers);
    for (let i = 0; i < numbers.length; i++) {
      const cell = cellOf(words[2 * i + 1]);
      if (cell >= first && cell <= last) found[at++] = numbers[i];
    }
  }
  return found;
}

/** The upper word of number i is word 2 * i + 1: parts are little-endian, too (actors/chunk/rows.ts). */
const wordsOf = (numbers: Float64Array): Int32Array =>
  new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);

function cellOf(upperWord: number): number {
  const cell = (upperWord >> cellShift) - firstCell;
  return Math.max(0, Math.min(cell, cellCount - 1));
}
