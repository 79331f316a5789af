// The hourly cells of one block of windows by event name, and by hour within a name: whoever counts one name reads no
// other name's cells, so that a count takes the same time however many names there are.
//   Derived from a windows part, never stored.
import type {WindowsView} from '../windows.js';

export class CellsByName {
  /** By (name, hour). */
  private readonly names: Uint32Array;
  readonly hours: Uint32Array;
  readonly counts: Float64Array;

  constructor({names, hours, counts}: WindowsView) {
    const cells = names.length;
    // The cell's number rides along with its name: numbers are sorted without a comparison function.
    const keys = Float64Array.from(names, (name, cell) => name * cells + cell).sort();
    this.names = Uint32Array.from(keys, (key) => Math.floor(key / cells));
    const cellOf = (key: number, place: number): number => key - this.names[place] * cells;
    this.hours = Uint32Array.from(keys, (key, place) => hours[cellOf(key, place)]);
    this.counts = Float64Array.from(keys, (key, place) => counts[cellOf(key, place)]);
  }

  static bytesFor({names, hours, counts}: WindowsView): number {
    return names.byteLength + hours.byteLength + counts.byteLength;
  }

  /** First cell of the name at or after `hour`, or where it would stand. */
  find(name: number, hour: number): number {
    const {names, hours} = this;
    let low = 0;
    let high = names.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (names[middle] < name || (names[middle] === name && hours[middle] < hour)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
