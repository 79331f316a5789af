// Properties of chunks for questions: the columns that take few bytes a row, and those that were asked for. Wide ones, such as
// session ids, are most of the bytes of a part, and hardly any question names them.
//   NC1. A part is read whole and cached as these columns. A question for a column that was left out reads the part again, and
//        the column is cached from then on.
//   NC2. Columns lack the values that only bodies have: to read a body, the reader loads the whole part.
import {holds} from '../../actors/bytes/bytes.js';
import {
  type IsWanted,
  type PropertyColumns,
  viewProperties,
  type WholeRows,
  wholeRows,
} from '../../actors/chunk/property-columns.js';
import {viewRows} from '../../actors/chunk/rows.js';
import type {ChunkEntry, PartRef} from '../../actors/manifest.js';
import type {PropertyName} from '../../actors/report/rows/property-name.js';
import type {Caching, ChunkReader} from '../parts/chunk-reader.js';
import type {PartsCache} from '../parts/parts-cache.js';

/** Codes of two bytes and values of two bytes, or values of four. A text of eight letters takes nine. */
const narrowRowBytes = 4;
/** Bytes of a column beside its rows: its head, its name, a dictionary of some values. */
const narrowBytesMin = 4_096;

const isNarrow: IsWanted = (_, bytes, count) => bytes <= narrowBytesMin + count * narrowRowBytes;

/** Share of the bytes of properties that narrow columns are expected to take. */
const narrowShare = 1 / 2;

export const narrowBytesOf = ({bytes}: PartRef): number => Math.ceil(bytes * narrowShare);

/** Caches the narrow columns. NC1 */
export const loadNarrowColumns = (cache: PartsCache, properties: PartRef): Promise<unknown> =>
  cache.loadColumns(properties, isNarrow);

/** Reads rows of chunks with the narrow columns, and the columns of these properties. */
export class ColumnsReader implements ChunkReader<ChunkEntry, WholeRows> {
  private readonly cache: PartsCache;
  private readonly names: readonly PropertyName[];

  constructor(cache: PartsCache, names: readonly PropertyName[]) {
    this.cache = cache;
    this.names = names;
  }

  bytesOf({rows, properties}: ChunkEntry): number {
    return rows.bytes + (this.cache.columnBytes(properties) ?? narrowBytesOf(properties));
  }

  held({rows, properties}: ChunkEntry): WholeRows | undefined {
    const columns = this.heldColumns(properties);
    const held = columns && this.cache.heldView(rows, viewRows);
    return held && columns && wholeRows(held, columns);
  }

  async load({rows, properties}: ChunkEntry, caching: Caching = 'keep'): Promise<WholeRows> {
    const reading = this.cache.loadView(rows, viewRows, caching);
    const columns = this.heldColumns(properties) ?? this.readColumns(properties, caching);
    return wholeRows(...(await Promise.all([reading, columns])));
  }

  private readColumns(properties: PartRef, caching: Caching): Promise<PropertyColumns> {
    if (caching === 'pass') return this.cache.loadView(properties, viewProperties, caching);
    const leftOut = this.cache.heldColumns(properties)?.leftOut;
    const wasWanted = (key: Uint8Array): boolean =>
      leftOut?.every((other) => !holds(key, 0, key.length, other)) ?? false;
    const isWanted: IsWanted = (key, bytes, count) =>
      isNarrow(key, bytes, count) || wasWanted(key) || this.isAsked(key);
    return this.cache.loadColumns(properties, isWanted);
  }

  /** Cached columns, if no column of the properties was left out. */
  private heldColumns(properties: PartRef): PropertyColumns | undefined {
    const held = this.cache.heldColumns(properties);
    if (held !== undefined && !held.leftOut.some((key) => this.isAsked(key))) return held;
    return this.cache.heldView(properties, viewProperties);
  }

  private isAsked(key: Uint8Array): boolean {
    return this.names.some((name) => name.mayBeDecidedBy(key));
  }
}
