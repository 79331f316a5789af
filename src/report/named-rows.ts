// Rows of chunks for questions about some names, where the rows of all names do not fit the cache: the rows of these names are
// cached in place of the parts (actors/chunk/named-rows.ts).
//   NW1. A part is read once for a name, and the rows of all names that were asked for are cached together, if those of all
//        chunks fit. If not, those of the asked names are, if these fit.
//   NW2. Whole rows that are cached already are read, and not noted as used: packed ones take their place.
import {packNamedRows, unpackNamedRows} from '../../actors/chunk/named-rows.js';
import {type RowsView, viewRows} from '../../actors/chunk/rows.js';
import type {ChunkEntry} from '../../actors/manifest.js';
import type {PartsCache} from '../parts/parts-cache.js';

interface NamedRowsOptions {
  /** Name indexes of the partition, ascending. */
  readonly names: readonly number[];
  /** Bytes of the rows parts of all chunks. */
  readonly rowsBytes: number;
  /** Whether so many bytes of all chunks do not fit the cache. */
  readonly isTooMuch: (bytes: number) => boolean;
}

/** Reads rows of the chunks of one partition: at least those with the names. */
export class NamedRowsReader {
  private readonly cache: PartsCache;
  private readonly options: NamedRowsOptions;
  /** Share of the bytes of parts that the rows of the asked names take, and those of all names that were asked for. */
  private readonly ofAsked = new Share();
  private readonly ofAll = new Share();

  constructor(cache: PartsCache, options: NamedRowsOptions) {
    this.cache = cache;
    this.options = options;
  }

  held({rows}: Pick<ChunkEntry, 'rows'>): RowsView | undefined {
    return heldRowsOf(this.cache, rows, this.options.names);
  }

  /** All rows of the chunk. */
  async load({rows}: Pick<ChunkEntry, 'rows'>): Promise<RowsView> {
    const view = await this.cache.loadView(rows, viewRows, 'pass'); // NW2
    const {names} = this.options;
    const held = this.cache.heldNamedRows(rows)?.names.filter((name) => !names.includes(name)) ?? [];
    const asked = packNamedRows(view, names);
    const all =
      held.length === 0
        ? asked
        : packNamedRows(
            view,
            [...held, ...names].sort((a, b) => a - b),
          );
    if (asked === undefined || all === undefined) return view;
    this.ofAsked.add(rows.bytes, asked.bytes.length);
    this.ofAll.add(rows.bytes, all.bytes.length);
    if (this.fits(this.ofAll)) this.cache.keepNamedRows(rows, all);
    else if (this.fits(this.ofAsked)) this.cache.keepNamedRows(rows, asked);
    return view;
  }

  private fits({value}: Share): boolean {
    return !this.options.isTooMuch(this.options.rowsBytes * value);
  }
}

class Share {
  private whole = 0;
  private part = 0;

  add(whole: number, part: number): void {
    this.whole += whole;
    this.part += part;
  }

  get value(): number {
    return this.part / this.whole;
  }
}

/** Cached rows of a chunk with at least these names; undefined: the part is to be read. */
export function heldRowsOf(
  cache: PartsCache,
  rows: ChunkEntry['rows'],
  names: readonly number[],
): RowsView | undefined {
  const named = cache.heldNamedRows(rows);
  if (named === undefined || !names.every((name) => named.names.includes(name))) return undefined;
  return unpackNamedRows(named);
}
