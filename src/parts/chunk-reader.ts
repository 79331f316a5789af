// Reads chunks out of the parts cache: rows alone, or rows with their properties. A reader of chunks says by which of these
// it asks what it needs, and gets nothing that lacks a column.
//   CR1. Rows and properties are parts of their own: what asks for rows alone neither reads properties nor caches them, and
//        damage in them does it no harm.

import {viewProperties, type WholeRows, wholeRows} from '../../actors/chunk/property-columns.js';
import {type RowsView, viewRows} from '../../actors/chunk/rows.js';
import type {ChunkEntry, PartRef} from '../../actors/manifest.js';

type ChunkParts = Pick<ChunkEntry, 'rows' | 'properties'>;

/**
 * What a read does to the cache. `keep`: what is read is cached. `pass`: nothing is cached, and what is cached already does not count
 * as used: for background work, scans of more than the cache holds, and callers that ask once.
 */
export type Caching = 'keep' | 'pass';

/** Views of parts (parts-cache.ts). */
interface PartViews {
  heldView<V>(ref: PartRef, view: (bytes: Uint8Array) => V): V | undefined;
  loadView<V>(ref: PartRef, view: (bytes: Uint8Array) => V, caching?: Caching): Promise<V>;
}

export interface ChunkReader<C, V> {
  /** Bytes of what a read reads. */
  bytesOf(chunk: C): number;
  /** The cached view, without a promise: a report over hundreds of chunks need not wait for each. */
  held(chunk: C): V | undefined;
  /** `caching`: `keep` by default. @throws MissingPart, DamagedPart */
  load(chunk: C, caching?: Caching): Promise<V>;
}

/** When, who and what. CR1 */
export const rowsReader = (parts: PartViews): ChunkReader<Pick<ChunkParts, 'rows'>, RowsView> => ({
  bytesOf: ({rows}) => rows.bytes,
  held: ({rows}) => parts.heldView(rows, viewRows),
  load: ({rows}, caching) => parts.loadView(rows, viewRows, caching),
});

export const wholeRowsReader = (parts: PartViews): ChunkReader<ChunkParts, WholeRows> => ({
  bytesOf: ({rows, properties}) => rows.bytes + properties.bytes,
  held: ({rows, properties}) => {
    const held = parts.heldView(rows, viewRows);
    const heldProperties = parts.heldView(properties, viewProperties);
    return held && heldProperties && wholeRows(held, heldProperties);
  },
  load: async ({rows, properties}, caching) => {
    const loading = [
      parts.loadView(rows, viewRows, caching),
      parts.loadView(properties, viewProperties, caching),
    ] as const;
    return wholeRows(...(await Promise.all(loading)));
  },
});
