// The number at a place of the sorted numbers, without sorting all of them.
//   RK1. Numbers are dealt into cells of equal width, which are in the order of their numbers: only the cell of the place is
//        looked at further.

export type Numbers = Int32Array | Float64Array;

const cellCount = 4_096;
/** Fewer numbers are sorted. */
const sortedMax = 8_192;

/** `place`: from 0, below the number of numbers. The numbers are finite. */
export function rankedNumber(columns: readonly Numbers[], place: number): number {
  const count = columns.reduce((sum, {length}) => sum + length, 0);
  const [least, most] = boundsOf(columns);
  const scale = (cellCount - 1) / (most - least);
  if (count <= sortedMax || scale === 0 || !Number.isFinite(scale)) return joined(columns, count).sort()[place];
  const cells = new Uint32Array(cellCount);
  for (const numbers of columns) countCells(numbers, least, scale, cells);
  let [cell, start] = [0, 0];
  while (start + cells[cell] <= place) start += cells[cell++];
  const inCell = new Float64Array(cells[cell]);
  let at = 0;
  for (const numbers of columns) at = copyCell(numbers, least, scale, cell, inCell, at);
  return inCell.length === count ? inCell.sort()[place] : rankedNumber([inCell], place - start);
}

function boundsOf(columns: readonly Numbers[]): readonly [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const numbers of columns) {
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i];
      if (number < least) least = number;
      if (number > most) most = number;
    }
  }
  return [least, most];
}

function countCells(numbers: Numbers, least: number, scale: number, cells: Uint32Array): void {
  for (let i = 0; i < numbers.length; i++) cells[Math.floor((numbers[i] - least) * scale)] += 1;
}

/** Appends the numbers of a cell to `into`; returns its new end. */
function copyCell(numbers: Numbers, least: number, scale: number, cell: number, into: Numbers, end: number): number {
  let at = end;
  for (let i = 0; i < numbers.length; i++)
    if (Math.floor((numbers[i] - least) * scale) === cell) into[at++] = numbers[i];
  return at;
}

function joined(columns: readonly Numbers[], count: number): Float64Array {
  const all = new Float64Array(count);
  let at = 0;
  for (const numbers of columns) {
    all.set(numbers, at);
    at += numbers.length;
  }
  return all;
}
