// Reads chunks out of the parts cache: rows alone, or rows with their properties. A reader of chunks says by which of these
// it asks what it needs, and gets nothing that lacks a column.
//   CR1. Rows and properties are parts of their own: what asks for rows alone neither reads properties nor caches them, and
//        damage in them does it no harm.

import {viewProperties, type WholeRows, wholeRows} from '../../actors/chunk/property-columns.js';
import {type RowsView, viewRows} from '../../actors/chunk/rows.js';
import type {ChunkEntry, PartRef} from '../../actors/manifest.js';

type ChunkParts = Pick<ChunkEntry, 'rows' | 'properties'>;

export type ReadPart = <V>(ref: PartRef, view: (bytes: Uint8Array) => V) => Promise<V>;

/** Views of parts (parts-cache.ts). */
interface PartViews {
  heldView<V>(ref: PartRef, view: (bytes: Uint8Array) => V): V | undefined;
  readonly loadView: ReadPart;
  readonly loadViewUncached: ReadPart;
  readonly loadViewIfRoom: ReadPart;
}

/** Reads reject with MissingPart or DamagedPart. */
export abstract class ChunkReader<C, V> {
  protected readonly parts: PartViews;

  constructor(parts: PartViews) {
    this.parts = parts;
  }

  /** Bytes of what a read reads. */
  abstract bytesOf(chunk: C): number;

  /** The cached view, without a promise: a report over hundreds of chunks need not wait for each. */
  abstract held(chunk: C): V | undefined;

  protected abstract read(chunk: C, read: ReadPart): Promise<V>;

  load(chunk: C): Promise<V> {
    return this.read(chunk, (ref, view) => this.parts.loadView(ref, view));
  }

  /** Reads a chunk without caching it, for a caller that asks once. */
  loadUncached(chunk: C): Promise<V> {
    return this.read(chunk, (ref, view) => this.parts.loadViewUncached(ref, view));
  }

  /** Low-priority `load` for background work and oversized scans: caches only in free room, never evicts. */
  loadIfRoom(chunk: C): Promise<V> {
    return this.read(chunk, (ref, view) => this.parts.loadViewIfRoom(ref, view));
  }
}

/** When, who and what. CR1 */
export class RowsReader extends ChunkReader<Pick<ChunkParts, 'rows'>, RowsView> {
  bytesOf({rows}: Pick<ChunkParts, 'rows'>): number {
    return rows.bytes;
  }

  held({rows}: Pick<ChunkParts, 'rows'>): RowsView | undefined {
    return this.parts.heldView(rows, viewRows);
  }

  protected read({rows}: Pick<ChunkParts, 'rows'>, read: ReadPart): Promise<RowsView> {
    return read(rows, viewRows);
  }
}

export class WholeRowsReader extends ChunkReader<ChunkParts, WholeRows> {
  bytesOf({rows, properties}: ChunkParts): number {
    return rows.bytes + properties.bytes;
  }

  held({rows, properties}: ChunkParts): WholeRows | undefined {
    const held = this.parts.heldView(rows, viewRows);
    const heldProperties = this.parts.heldView(properties, viewProperties);
    return held && heldProperties && wholeRows(held, heldProperties);
  }

  protected async read({rows, properties}: ChunkParts, read: ReadPart): Promise<WholeRows> {
    return wholeRows(...(await Promise.all([read(rows, viewRows), read(properties, viewProperties)])));
  }
}
