// Columns of properties that questions ask for, copied out of their parts. In a large store the parts of all properties do not
// fit the memory; a few columns do.
//   HC1. A column is copied if its part is not cached. All columns take at most `shareMax` of the room.
//   HC2. Columns lack the values that only bodies have: to read a body, the reader loads the whole part.
import {
  isIdentityCoded,
  type PropertyColumns,
  type RowColumn,
  viewProperties,
  type WholeRows,
  wholeRows,
} from '../../actors/chunk/property-columns.js';
import {viewRows} from '../../actors/chunk/rows.js';
import type {ChunkEntry} from '../../actors/manifest.js';
import type {PropertyName} from '../../actors/report/rows/property-name.js';
import {ChunkReader, type ReadPart} from '../parts/chunk-reader.js';
import type {PartsCache} from '../parts/parts-cache.js';
import type {Derived, DerivedIndexes} from './derived-indexes.js';

const shareMax = 1 / 4;

/** The columns of one property in a chunk: its own, and those of the objects that its path may lead into. */
interface PropertyPlaces {
  readonly columns: readonly RowColumn[];
  readonly keysInBody: boolean;
  readonly bytes: number;
}

export class HeldColumns {
  private readonly places: Derived<PropertyPlaces>;
  private readonly bytesMax: number;

  constructor(derived: DerivedIndexes) {
    this.places = derived.kind();
    this.bytesMax = derived.roomBytes * shareMax;
  }

  /** Columns of these properties; undefined if one of them is not held for the chunk. */
  of({chunk, count, properties}: ChunkEntry, names: readonly PropertyName[]): PropertyColumns | undefined {
    const columns: RowColumn[] = [];
    let keysInBody = false;
    for (const {text} of names) {
      const places = this.places.get(keyOf(properties.key, text));
      if (places === undefined) return undefined;
      columns.push(...places.columns);
      keysInBody ||= places.keysInBody;
    }
    return {chunk, count, columns, keysInBody};
  }

  keep({properties}: ChunkEntry, names: readonly PropertyName[], whole: PropertyColumns): void {
    for (const name of names) {
      const places = placesOf(name, whole);
      if (this.places.bytes + places.bytes <= this.bytesMax) this.places.keep(keyOf(properties.key, name.text), places);
    }
  }
}

const keyOf = (part: string, property: string): string => `${part} ${property}`;

function placesOf(name: PropertyName, whole: PropertyColumns): PropertyPlaces {
  const found = [name.columnIn(whole), name.headColumnIn(whole), name.contextColumnIn(whole)];
  const columns = [...new Set(found.filter((column) => column >= 0))].map((column) => copied(whole.columns[column]!));
  const bytes = columns.reduce((sum, column) => sum + bytesOf(column), 256);
  return {columns, keysInBody: whole.keysInBody, bytes};
}

/** A copy that does not keep the part in memory. */
const copied = (column: RowColumn): RowColumn => ({
  key: column.key.slice(),
  codes: isIdentityCoded(column) ? column.codes : column.codes.slice(),
  inBody: column.inBody,
  values: column.values.copy(),
});

const bytesOf = (column: RowColumn): number =>
  column.key.length + (isIdentityCoded(column) ? 0 : column.codes.byteLength) + column.values.bytes;

/** Reads rows of chunks with the columns of these properties, or with all columns if these are not held. */
export class ColumnsReader extends ChunkReader<ChunkEntry, WholeRows> {
  private readonly cache: PartsCache;
  private readonly columns: HeldColumns;
  private readonly names: readonly PropertyName[];

  constructor(cache: PartsCache, columns: HeldColumns, names: readonly PropertyName[]) {
    super(cache);
    this.cache = cache;
    this.columns = columns;
    this.names = names;
  }

  bytesOf(chunk: ChunkEntry): number {
    return this.columns.of(chunk, this.names) === undefined ? this.cache.wholeRows.bytesOf(chunk) : chunk.rows.bytes;
  }

  held(chunk: ChunkEntry): WholeRows | undefined {
    const held = this.columns.of(chunk, this.names);
    if (held === undefined) return this.cache.wholeRows.held(chunk);
    const rows = this.cache.heldView(chunk.rows, viewRows);
    return rows && wholeRows(rows, held);
  }

  protected async read(chunk: ChunkEntry, read: ReadPart): Promise<WholeRows> {
    const held = this.columns.of(chunk, this.names);
    if (held !== undefined) return wholeRows(await read(chunk.rows, viewRows), held);
    const [rows, properties] = await Promise.all([read(chunk.rows, viewRows), read(chunk.properties, viewProperties)]);
    if (this.cache.heldView(chunk.properties, viewProperties) === undefined)
      this.columns.keep(chunk, this.names, properties); // HC1
    return wholeRows(rows, properties);
  }
}
