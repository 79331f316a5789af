// Chunks as parts: rows and properties uncompressed, bodies compressed block by block.
import {gzipSync} from 'node:zlib';
import {joinBodies} from '../../../actors/chunk/bodies.js';
import {type ChunkInMemory, inOrder, type OpenColumns} from '../../../actors/chunk/chunk.js';
import {summarizeRows} from '../../../actors/chunk/chunk-summary.js';
import {rowsOfUsers} from '../../../actors/chunk/left-rows.js';
import {encodeProperties} from '../../../actors/chunk/property-columns.js';
import {encodeRows, type RowsView} from '../../../actors/chunk/rows.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import type {UserSet} from '../../../actors/table/user-set.js';
import type {TimeSlicer} from '../../pacing/time-slicer.js';
import {storedMember} from '../../parts/stored-member.js';
import type {PartStore} from './part-store.js';

/**
 * Level 1: others gain little. In this thread: the handover to the thread pool costs more CPU than the compression. A smaller
 * window and state lose nothing on blocks of this size, and what zlib allocates for each block drives the garbage collector.
 */
const gzipOptions = {level: 1, windowBits: 14, memLevel: 7, chunkSize: 16 * 1024};

/**
 * Smaller blocks are stored uncompressed in their member: most bodies are some five bytes (actors/chunk/bodies.ts), of which
 * compression would save three, and it costs a block some 20 us (0.1 CPU s per million events).
 */
const storedBytesMax = 2 * 1024;

/** Blocks compressed in one go, about 1 ms. */
const blocksAtOnce = 8;

/** Compressed full blocks of the open chunk, which never change: each is compressed once, however many snapshots it is in. */
const compressed = new WeakMap<Uint8Array, Uint8Array>();

export function compressBlock(block: Uint8Array): Uint8Array {
  let member = compressed.get(block);
  if (member === undefined) {
    member = block.length <= storedBytesMax ? storedMember(block) : gzipSync(block, gzipOptions);
    compressed.set(block, member);
  }
  return member;
}

async function compressBlocks(blocks: readonly Uint8Array[], slicer: TimeSlicer): Promise<Uint8Array[]> {
  const members: Uint8Array[] = [];
  for (const block of blocks) {
    members.push(compressBlock(block));
    if (members.length % blocksAtOnce === 0) await slicer.pause();
  }
  return members;
}

/** A chunk at one moment: later rows are not in it. */
export interface ChunkImage {
  readonly columns: OpenColumns;
  /** Uncompressed blocks. */
  readonly blocks: readonly Uint8Array[];
}

export function imageOf(chunk: ChunkInMemory): ChunkImage {
  return {columns: chunk.columnsView(), blocks: chunk.blocks()};
}

/** `hasLeft`: users whose rows do not count. */
export function entryOf(rows: RowsView, hasLeft: UserSet): Omit<ChunkEntry, 'rows' | 'properties' | 'bodies'> {
  const {chunk, baseOrdinal, count} = rows;
  const leftOut = rowsOfUsers(rows, hasLeft).length;
  return {chunk, baseOrdinal, count, ...summarizeRows(rows), leftOut, keptFromMs: 0};
}

/** Resolves when the parts are durable. `isRead`: live reads will read the parts, as the chunk leaves memory. */
export async function putChunk(
  parts: PartStore,
  {columns, blocks}: ChunkImage,
  hasLeft: UserSet,
  isRead: boolean,
  slicer: TimeSlicer,
): Promise<ChunkEntry> {
  await slicer.pause();
  const view = inOrder(columns);
  const entry = entryOf(view, hasLeft);
  await slicer.pause();
  const encodedRows = encodeRows(view);
  const encodedProperties = encodeProperties(view);
  await slicer.pause();
  const members = await compressBlocks(blocks, slicer);
  const [rows, properties, bodies] = await Promise.all([
    parts.put(encodedRows, isRead ? 'whole' : undefined),
    parts.put(encodedProperties, isRead ? 'whole' : undefined),
    parts.put(joinBodies(members), isRead ? 'by blocks' : undefined),
  ]);
  return {...entry, rows, properties, bodies};
}
