// The exact median of many numbers that arrive one by one.
//   A histogram over the numbers' leading bits says which of its cells the middle falls into; only what is in that cell is
//   gathered and selected from. Passes without a branch that depends on the data: 1.7 times as fast as selecting among all
//   of them. Of many numbers a sample is enough to say which cells it must be, so that one pass over all gathers some
//   twentieth of them, and the cells of these say the one.
//   M1. Numbers are finite and not below 0: their order is that of their bits.

import {assert, must} from '../../invariant.js';

/** 8 KiB: of a long funnel in four partitions some sixty lists are not full at their ends. */
const chunkNumbers = 1_024;
/** Of each of two rooms that are kept: 1 MiB together. What few medians need more of is new each time. */
const roomNumbersMax = 65_536;
const bytesPerNumber = Float64Array.BYTES_PER_ELEMENT;
const newChunk = (): Float64Array => new Float64Array(chunkNumbers);
/** Fewer are sorted: clearing and adding up the cells costs more. */
const sortedMax = 256;
/** Of a number's upper word: what is left are the exponent and 6 bits, so a cell is at most 1.6 % wide. */
const cellShift = 14;
/** Everything below 2^-1 shares the first cell, everything from 2^63 on the last. */
const firstCell = 1_022 << 6;
const cellCount = 65 << 6;
/** Of so many numbers every 16th says in which cells the middle must be sought, so that one pass over all is enough. */
const sampledMin = 8_192;
const sampleEvery = 16;
/** A sample's middle is further off once in 15,000 times: then all numbers say it. */
const slackDeviations = 4;

/** Numbers in typed arrays of one size, which more are added to. M1 */
export class NumberList {
  private readonly takeChunk: () => Float64Array;
  private chunks: Float64Array[] = [];
  /** Of the last chunk. */
  private filled = chunkNumbers;
  /** The chunks are others': nobody may be given them, and nothing is added. */
  private isView = false;
  count = 0;

  constructor(takeChunk = newChunk) {
    this.takeChunk = takeChunk;
  }

  /** All of these, which are not copied. */
  static of(...columns: readonly Float64Array[]): NumberList {
    const list = new NumberList();
    list.chunks = [...columns];
    list.filled = columns[columns.length - 1]?.length ?? chunkNumbers;
    list.count = columns.reduce((sum, {length}) => sum + length, 0);
    list.isView = true;
    return list;
  }

  push(value: number): void {
    if (this.isFull) this.addChunk();
    this.chunks[this.chunks.length - 1][this.filled++] = value;
    this.count += 1;
  }

  /** The first `count` of these. */
  pushAll(values: Float64Array, count: number): void {
    for (let at = 0; at < count; ) {
      if (this.isFull) this.addChunk();
      const end = Math.min(count, at + chunkNumbers - this.filled);
      this.chunks[this.chunks.length - 1].set(values.subarray(at, end), this.filled);
      this.filled += end - at;
      at = end;
    }
    this.count += count;
  }

  private get isFull(): boolean {
    return this.filled >= chunkNumbers || this.isView;
  }

  private addChunk(): void {
    assert(!this.isView, 'a list of numbers that were given is not added to');
    this.chunks.push(this.takeChunk());
    this.filled = 0;
  }

  /** Views, not copies. */
  columns(): Float64Array[] {
    const last = this.chunks.length - 1;
    return this.chunks.map((chunk, i) => (i === last ? chunk.subarray(0, this.filled) : chunk));
  }

  /** Empties the list; what it has of its own. */
  takeBack(): Float64Array[] {
    const own = this.isView ? [] : this.chunks;
    this.chunks = [];
    this.filled = chunkNumbers;
    this.count = 0;
    return own;
  }
}

/** What several medians are found in, one after the other: fresh memory for each cost a fifth of the time. */
export class MedianRoom {
  private readonly keptMax: number;
  readonly cells = new Uint32Array(cellCount);
  private readonly rooms: Float64Array[] = [];

  /** `keptMax`: numbers in each of two rooms, beyond which a room is not kept. */
  constructor(keptMax = Infinity) {
    this.keptMax = keptMax;
  }

  /** The first or second for so many numbers; what was in it is gone. */
  numbers(which: number, count: number): Float64Array {
    const room = this.rooms[which];
    if (room !== undefined && room.length >= count) return room;
    const larger = new Float64Array(count);
    if (count <= this.keptMax) this.rooms[which] = larger;
    return larger;
  }
}

/** Where a list's chunks begin in the memory of its `NumberLists`, in numbers; the last one may not be full. */
export interface ListPlaces {
  readonly starts: readonly number[];
  readonly count: number;
}

/**
 * Lists whose memory is used again. Of a long funnel over 100,000 users they are megabytes: growing each of them anew cost a
 * tenth of the answer, in copies, page faults and collections. Chunks of one size fit any of the next funnel's lists. It is
 * shared memory, so that another thread may read them without a copy.
 */
export class NumberLists {
  readonly memory: SharedArrayBuffer;
  /** For the medians of them. */
  readonly room = new MedianRoom(roomNumbersMax);
  private readonly free: Float64Array[] = [];
  /** How much of the memory chunks were made of; nothing touches the rest. */
  private usedBytes = 0;

  /** `memory`: so many bytes, or memory of that size. What lists need beyond it is their own, and goes with them. */
  constructor(memory: number | SharedArrayBuffer) {
    this.memory = typeof memory === 'number' ? new SharedArrayBuffer(memory) : memory;
  }

  /** An empty one. */
  take(): NumberList {
    return new NumberList(() => this.free.pop() ?? this.chunkOfMemory() ?? newChunk());
  }

  /** Nobody reads the list any more. */
  giveBack(list: NumberList): void {
    for (const chunk of list.takeBack()) if (chunk.buffer === this.memory) this.free.push(chunk);
  }

  /** Undefined: some of it is not in the memory. */
  placesOf(list: NumberList): ListPlaces | undefined {
    const columns = list.columns();
    if (columns.some(({buffer}) => buffer !== this.memory)) return undefined;
    return {starts: columns.map(({byteOffset}) => byteOffset / bytesPerNumber), count: list.count};
  }

  private chunkOfMemory(): Float64Array | undefined {
    const start = this.usedBytes;
    if (start + chunkNumbers * bytesPerNumber > this.memory.byteLength) return undefined;
    this.usedBytes += chunkNumbers * bytesPerNumber;
    return new Float64Array(this.memory, start, chunkNumbers);
  }
}

/** Another thread's list, which is not copied: in the memory of its `NumberLists`. */
export function listAt(memory: SharedArrayBuffer, {starts, count}: ListPlaces): NumberList {
  const columns = starts.map((start, i) => {
    const length = Math.min(chunkNumbers, count - i * chunkNumbers);
    return new Float64Array(memory, start * bytesPerNumber, length);
  });
  return NumberList.of(...columns);
}

/** Of an even count the mean of the middle two; null of none. */
export function medianOf(lists: readonly NumberList[], room = new MedianRoom()): number | null {
  const count = lists.reduce((sum, list) => sum + list.count, 0);
  if (count === 0) return null;
  const all: Middle = {
    columns: lists.flatMap((list) => list.columns()),
    count,
    lower: (count - 1) >> 1,
    upper: count >> 1,
  };
  if (count <= sortedMax) return meanOfMiddle(joined(all).sort(), all);
  const some = count < sampledMin ? undefined : narrowed(all, sampleEvery, room);
  return meanOfSelected(must(narrowed(some ?? all, 1, room), 'the cells of all numbers have the middle'));
}

/** Numbers, and the places that the middle two of all would have if these were sorted: the same one of an odd count. */
interface Middle {
  readonly columns: readonly Float64Array[];
  readonly count: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * Those that share the cells of the middle, in one column. Looks at every `every`th number to find the cells. Undefined when
 * the middle is not in them, never when it looks at all.
 */
function narrowed({columns, count, lower, upper}: Middle, every: number, room: MedianRoom): Middle | undefined {
  const cells = room.cells.fill(0);
  let seen = 0;
  for (const numbers of columns) seen += addToCells(cells, numbers, every);
  const slack = every === 1 ? 0 : Math.ceil(slackDeviations * Math.sqrt(seen) * 0.5);
  const first = cellAt(cells, Math.max(0, Math.floor(lower / every) - slack), {cell: 0, start: 0});
  const last = cellAt(cells, Math.min(seen - 1, Math.ceil(upper / every) + slack), first);
  const countMax = Math.min(count, (last.end - first.start) * every * 2);
  const gathered = new GatheredCells(first.cell, last.cell, room.numbers(every === 1 ? 1 : 0, countMax));
  for (const numbers of columns) if (!gathered.add(numbers)) return undefined;
  const {below, numbers} = gathered;
  if (below > lower || upper - below >= numbers.length) return undefined;
  return {columns: [numbers], count: numbers.length, lower: lower - below, upper: upper - below};
}

function meanOfSelected({columns: [numbers], lower, upper}: Middle): number {
  select(numbers, upper);
  if (lower === upper) return numbers[upper];
  let previous = numbers[0];
  for (let i = 1; i < upper; i++) if (numbers[i] > previous) previous = numbers[i];
  return (previous + numbers[upper]) / 2;
}

const meanOfMiddle = (sorted: Float64Array, {lower, upper}: Middle): number => (sorted[lower] + sorted[upper]) / 2;

function joined({columns, count}: Middle): Float64Array {
  const numbers = new Float64Array(count);
  let at = 0;
  for (const column of columns) {
    numbers.set(column, at);
    at += column.length;
  }
  return numbers;
}

/** Words of the numbers: the upper one of number i is word 2 * i + 1, as parts are little-endian, too (actors/chunk/rows.ts). */
const wordsOf = (numbers: Float64Array): Int32Array =>
  new Int32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);

function cellOf(upperWord: number): number {
  const cell = (upperWord >> cellShift) - firstCell;
  return Math.max(0, Math.min(cell, cellCount - 1));
}

/** Every `every`th of the numbers; how many these are. */
function addToCells(cells: Uint32Array, numbers: Float64Array, every: number): number {
  const words = wordsOf(numbers);
  for (let i = 1; i < words.length; i += 2 * every) cells[cellOf(words[i])] += 1;
  return Math.ceil(numbers.length / every);
}

interface Cell {
  readonly cell: number;
  /** The places [start, end) are its. */
  readonly start: number;
  readonly end: number;
}

/** The cell that sorting would put place `place` into: `from` or a later one. */
function cellAt(cells: Uint32Array, place: number, from: Pick<Cell, 'cell' | 'start'>): Cell {
  let {cell, start} = from;
  while (start + cells[cell] <= place) start += cells[cell++];
  return {cell, start, end: start + cells[cell]};
}

/** The numbers of cells [first, last], and how many lie below them. */
class GatheredCells {
  below = 0;
  /** Of the upper words, without their last `cellShift` bits. */
  private readonly first: number;
  private readonly last: number;
  private readonly room: Float64Array;
  private count = 0;

  /** `room`: for so many of them as it has places. */
  constructor(first: number, last: number, room: Float64Array) {
    this.first = first === 0 ? 0 : first + firstCell;
    this.last = last === cellCount - 1 ? 0x7fff_ffff >> cellShift : last + firstCell;
    this.room = room;
  }

  get numbers(): Float64Array {
    return this.room.subarray(0, this.count);
  }

  /** False: there are more than places. */
  add(numbers: Float64Array): boolean {
    const words = wordsOf(numbers);
    const quartets = words.length - (words.length % 8);
    this.addQuartets(numbers, words, quartets);
    for (let at = quartets + 1; at < words.length; at += 2) this.addOne(numbers, at >> 1, words[at]);
    return this.count <= this.room.length;
  }

  /**
   * Four at a time take two thirds of the time of one by one. A number's `beyond` is below 0 where it lies below the cells:
   * half of all do, and no branch could be foretold.
   */
  private addQuartets(numbers: Float64Array, words: Int32Array, end: number): void {
    const {first, room} = this;
    const width = this.last - first;
    let [below, count] = [0, this.count];
    for (let at = 1; at < end; at += 8) {
      const beyond0 = ((words[at] >> cellShift) - first) | 0;
      const beyond1 = ((words[at + 2] >> cellShift) - first) | 0;
      const beyond2 = ((words[at + 4] >> cellShift) - first) | 0;
      const beyond3 = ((words[at + 6] >> cellShift) - first) | 0;
      below = (below - (beyond0 >> 31) - (beyond1 >> 31) - (beyond2 >> 31) - (beyond3 >> 31)) | 0;
      const i = at >> 1;
      if (beyond0 >>> 0 <= width) room[count++] = numbers[i];
      if (beyond1 >>> 0 <= width) room[count++] = numbers[i + 1];
      if (beyond2 >>> 0 <= width) room[count++] = numbers[i + 2];
      if (beyond3 >>> 0 <= width) room[count++] = numbers[i + 3];
    }
    this.below += below;
    this.count = count;
  }

  private addOne(numbers: Float64Array, i: number, upperWord: number): void {
    const beyond = (upperWord >> cellShift) - this.first;
    if (beyond < 0) this.below += 1;
    else if (beyond <= this.last - this.first) this.room[this.count++] = numbers[i];
  }
}

/**
 * Hoare's selection: afterwards numbers[place] is what sorting would put there, and nothing before it is larger.
 * Linear where sorting is not; the median of three keeps ordered input from being the worst case.
 */
function select(numbers: Float64Array, place: number): void {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const pivot = medianOfThree(numbers[low], numbers[(low + high) >>> 1], numbers[high]);
    let i = low;
    let j = high;
    while (i <= j) {
      while (numbers[i] < pivot) i += 1;
      while (numbers[j] > pivot) j -= 1;
      if (i > j) break;
      const swapped = numbers[i];
      numbers[i++] = numbers[j];
      numbers[j--] = swapped;
    }
    if (place <= j) high = j;
    else if (place >= i) low = i;
    else return;
  }
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
