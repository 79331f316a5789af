// The exact median of many numbers that arrive one by one.

const numbersAtFirst = 16;

/** Numbers in one typed array that grows. */
export class NumberList {
  private numbers = new Float64Array(numbersAtFirst);
  count = 0;

  push(value: number): void {
    if (this.count === this.numbers.length) {
      const grown = new Float64Array(this.count * 2);
      grown.set(this.numbers);
      this.numbers = grown;
    }
    this.numbers[this.count++] = value;
  }

  /** A view, not a copy. */
  values(): Float64Array {
    return this.numbers.subarray(0, this.count);
  }
}

/** Of an even count the mean of the middle two; null of none. */
export function medianOf(lists: readonly NumberList[]): number | null {
  const numbers = joined(lists);
  const middle = numbers.length >> 1;
  if (numbers.length === 0) return null;
  select(numbers, middle);
  if (numbers.length % 2 === 1) return numbers[middle];
  let below = numbers[0];
  for (let i = 1; i < middle; i++) if (numbers[i] > below) below = numbers[i];
  return (below + numbers[middle]) / 2;
}

function joined(lists: readonly NumberList[]): Float64Array {
  const numbers = new Float64Array(lists.reduce((sum, list) => sum + list.count, 0));
  let at = 0;
  for (const list of lists) {
    numbers.set(list.values(), at);
    at += list.count;
  }
  return numbers;
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
