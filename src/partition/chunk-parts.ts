// Chunks of rows as parts: columns as they are, bodies compressed block by block.
import {promisify} from 'node:util';
import {gzip} from 'node:zlib';
import {joinBodies} from '../../actors/bodies.js';
import type {ChunkEntry} from '../../actors/manifest.js';
import {type OpenChunk, summarizeRows} from '../../actors/open-chunk.js';
import {encodeRows, type RowsView} from '../../actors/rows.js';
import type {PartStore} from './part-store.js';

const compress = promisify(gzip);

/** Level 1: a chunk compresses 3.5 times in a quarter of the default level's time, and bodies are read seldom. */
const level = 1;

/** Full blocks of the open chunk never change: each is compressed once, whatever the number of snapshots it is in. */
const compressed = new WeakMap<Uint8Array, Promise<Uint8Array>>();

export function compressBlock(block: Uint8Array): Promise<Uint8Array> {
  let member = compressed.get(block);
  if (member === undefined) {
    member = compress(block, {level});
    compressed.set(block, member);
  }
  return member;
}

/** A chunk at one moment, encoded before anything can change it. */
export interface ChunkImage {
  readonly summary: Omit<ChunkEntry, 'rows' | 'bodies'>;
  readonly rows: Uint8Array;
  /** Uncompressed. */
  readonly blocks: readonly Uint8Array[];
}

export function imageOf(chunk: OpenChunk): ChunkImage {
  const rows = chunk.view();
  return {summary: entryOf(rows), rows: encodeRows(rows), blocks: chunk.blocks()};
}

export function entryOf(rows: RowsView): ChunkImage['summary'] {
  return {chunk: rows.chunk, baseOrdinal: rows.baseOrdinal, count: rows.count, ...summarizeRows(rows)};
}

/** Resolves when both parts are durable. */
export async function putChunk(parts: PartStore, image: ChunkImage): Promise<ChunkEntry> {
  const members = await Promise.all(image.blocks.map(compressBlock));
  const [rows, bodies] = await Promise.all([parts.put(image.rows), parts.put(joinBodies(members))]);
  return {...image.summary, rows, bodies};
}
