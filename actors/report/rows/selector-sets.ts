// The set of selectors that chose a row, as one small number: several may choose the same row.
//   SS1. Number 0 is the empty set. Sets are numbered as they occur; there are few, because names and conditions overlap
//        little.
import {chunkRowsMax} from '../../limits.js';

export class SelectorSets {
  /** Selectors of each set, ascending. */
  private readonly sets: (readonly number[])[] = [[]];
  private readonly selectorCount: number;
  /** Number of set s with selector i added, at s * selectorCount + i; 0: not known yet. */
  private next: Uint32Array;
  /** Whether set s has selector i, at the same place. */
  private flags: Uint8Array;
  private readonly setOfRow = new Uint32Array(chunkRowsMax);

  constructor(selectorCount: number) {
    this.selectorCount = selectorCount;
    this.next = new Uint32Array(selectorCount * 16);
    this.flags = new Uint8Array(selectorCount * 16);
  }

  /** The selectors of a set, ascending. */
  selectorsOf(set: number): readonly number[] {
    return this.sets[set];
  }

  has(set: number, selector: number): boolean {
    return this.flags[set * this.selectorCount + selector] === 1;
  }

  /**
   * Calls `each` with every chosen row, in the order of `order`, and the number of its set. `chosen`: rows by selector; `order`
   * must contain all of them.
   */
  forEachRow(order: Uint16Array, chosen: readonly Uint16Array[], each: (row: number, set: number) => void): void {
    const {setOfRow} = this;
    const only = chosen.length === 1 ? this.with(0, 0) : 0;
    if (only > 0) {
      for (const row of chosen[0]) each(row, only);
      return;
    }
    for (let selector = 0; selector < chosen.length; selector++) {
      const rows = chosen[selector];
      if (rows.length === 0) continue;
      const alone = this.with(0, selector);
      for (let at = 0; at < rows.length; at++) {
        const before = setOfRow[rows[at]];
        setOfRow[rows[at]] = before === 0 ? alone : this.with(before, selector);
      }
    }
    for (let at = 0; at < order.length; at++) {
      const row = order[at];
      const set = setOfRow[row];
      if (set === 0) continue;
      setOfRow[row] = 0;
      each(row, set);
    }
  }

  private with(set: number, selector: number): number {
    const step = set * this.selectorCount + selector;
    const known = this.next[step];
    if (known > 0) return known;
    const number = this.sets.push([...this.sets[set], selector]) - 1;
    this.noteFlags(number);
    this.next[step] = number;
    return number;
  }

  private noteFlags(set: number): void {
    const first = set * this.selectorCount;
    if (first + this.selectorCount > this.flags.length) {
      const [flags, next] = [this.flags, this.next];
      this.flags = new Uint8Array(flags.length * 2);
      this.flags.set(flags);
      this.next = new Uint32Array(next.length * 2);
      this.next.set(next);
    }
    for (const selector of this.sets[set]) this.flags[first + selector] = 1;
  }
}
