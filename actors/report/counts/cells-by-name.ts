// Hourly cells of one block of windows, by event name and hour. A count of one name reads only that name's cells, so its time
// does not depend on the number of names.
//   Derived from a windows part, never stored.

import type {WindowsView} from '../../aggregator/windows.js';
import {radixSortIndices} from '../../order/radix-sort.js';
import {lowerBound, upperBound} from '../../order/search.js';

export class CellsByName {
  /** Columns of the cells, in the order of (name, hour). */
  private readonly names: Uint32Array;
  readonly hours: Uint32Array;
  readonly counts: Float64Array;

  constructor({names, hours, counts}: WindowsView) {
    const cells = names.length;
    const places = new Uint32Array(cells);
    for (let cell = 0; cell < cells; cell++) places[cell] = cell;
    radixSortIndices(places, names); // Equal names stay in the order of the block, which is that of hours.
    this.names = new Uint32Array(cells);
    this.hours = new Uint32Array(cells);
    this.counts = new Float64Array(cells);
    for (let place = 0; place < cells; place++) {
      const cell = places[place];
      this.names[place] = names[cell];
      this.hours[place] = hours[cell];
      this.counts[place] = counts[cell];
    }
  }

  static bytesFor({names, hours, counts}: WindowsView): number {
    return names.byteLength + hours.byteLength + counts.byteLength;
  }

  get bytes(): number {
    return this.names.byteLength + this.hours.byteLength + this.counts.byteLength;
  }

  /** Position of the name's first cell at or after `hour`, or where it would be. */
  find(name: number, hour: number): number {
    const {names, hours} = this;
    return lowerBound(hours, hour, lowerBound(names, name), upperBound(names, name));
  }
}
