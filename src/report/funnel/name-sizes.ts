// How many events some names of a partition have, by day: what postings of them would take is known before any row is read.
//   Owns: what is known, by block of windows. A block never changes, and is read once for the same names.
import type {SnapshotIndex} from '../../../actors/manifest.js';
import {holdsAll} from '../../../actors/report/funnel/asked-funnels.js';
import {NamedRows} from '../../../actors/report/funnel/named-rows.js';
import type {Stretch} from '../../../actors/report/selection.js';
import {loadAhead} from '../../parts/load-ahead.js';
import type {PartsCache} from '../../parts/parts-cache.js';

const loadsAheadMax = 4;

export class NameSizes {
  private readonly parts: PartsCache;
  private names: ReadonlySet<number> = new Set();
  /** By the key of the block's part. */
  private blocks = new Map<string, NamedRows>();

  constructor(parts: PartsCache) {
    this.parts = parts;
  }

  /** Of this snapshot. `pause`: called between two blocks. @throws MissingPart, DamagedPart */
  async read({windowRuns}: SnapshotIndex, names: ReadonlySet<number>, pause: () => Promise<void>): Promise<void> {
    const known = holdsAll(this.names, names) ? this.blocks : new Map<string, NamedRows>();
    const wanted = known === this.blocks ? this.names : names;
    const blocks = windowRuns.flatMap((run) => run.blocks.map(({part}) => part));
    const read = new Map<string, NamedRows>();
    const unknown = blocks.filter(({key}) => !known.has(key));
    for await (const [{key}, windows] of loadAhead(unknown, (part) => this.parts.loadWindows(part), loadsAheadMax)) {
      const rows = new NamedRows(wanted);
      rows.add(windows);
      read.set(key, rows);
      await pause();
    }
    this.names = wanted;
    this.blocks = new Map(blocks.map(({key}) => [key, (read.get(key) ?? known.get(key))!]));
  }

  /** Events of the days that the stretch touches. */
  rowsOf(name: number, stretch: Stretch): number {
    let rows = 0;
    for (const block of this.blocks.values()) rows += block.of(name, stretch);
    return rows;
  }
}
