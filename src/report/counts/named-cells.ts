// Blocks of windows grouped by event name (actors/report/counts/cells-by-name.ts), derived on the second scan of a block: for a
// block that is read once that does not pay.

import type {WindowsView} from '../../../actors/aggregator/windows.js';
import type {PartRef} from '../../../actors/manifest.js';
import {CellsByName} from '../../../actors/report/counts/cells-by-name.js';
import type {Derived, DerivedIndexes} from '../derived-indexes.js';

export class NamedCells {
  private readonly cells: Derived<CellsByName>;
  private readonly scanned = new WeakSet<WindowsView>();

  constructor(derived: DerivedIndexes) {
    this.cells = derived.kind();
  }

  of({key}: PartRef): CellsByName | undefined {
    return this.cells.get(key);
  }

  /** A report scans these windows, of which there are no cells yet. */
  note({key}: PartRef, windows: WindowsView): void {
    if (!this.scanned.has(windows)) this.scanned.add(windows);
    else if (this.cells.hasRoom(CellsByName.bytesFor(windows))) this.cells.keep(key, new CellsByName(windows));
  }
}
