// Takes a user out of all parts of a partition when its erase entry is folded (docs/architecture.md, Deletion).
//   Chunks and user blocks that hold the user are rewritten without it. The old parts are retired; they leave the store when no
//   kept manifest names them. A crash on the way loses nothing: the manifest still names the old parts, and the entry is
//   folded again.
//   All new parts replace the old ones at one moment, when the erasure is folded: no reader sees a user of whom half is erased.
//   Parts that are read here are not cached: each is read once, and a user with a hundred chunks would evict 50 MB that live
//   reads use.

import type {ErasedRow} from '../../../actors/aggregator/aggregator.js';
import {BodyBlock, joinBodies, withoutBodies} from '../../../actors/chunk/bodies.js';
import {inOrder} from '../../../actors/chunk/chunk.js';
import {rowsOfUsers} from '../../../actors/chunk/left-rows.js';
import {encodeProperties, viewProperties, type WholeRows, wholeRows} from '../../../actors/chunk/property-columns.js';
import {RestoredChunk} from '../../../actors/chunk/restored-chunk.js';
import {eraseRows, rowsOfUser} from '../../../actors/chunk/row-erasure.js';
import {encodeRows, type RowsView, timeOf, viewRows} from '../../../actors/chunk/rows.js';
import {bodyBlockRows} from '../../../actors/limits.js';
import {type ChunkEntry, type PartRef, partsOfChunk, type Run, type RunBlock} from '../../../actors/manifest.js';
import type {Partition} from '../../../actors/partition.js';
import {identifyIds, withoutRecord} from '../../../actors/user/user-records.js';
import {BodiesPart} from '../../parts/bodies-part.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {compressBlock, entryOf, imageOf} from '../snapshot/chunk-parts.js';
import type {Layout} from '../snapshot/layout.js';
import type {PartStore} from '../snapshot/part-store.js';
import {blockOf, loadRecord} from '../snapshot/user-loader.js';
import type {NoteStep} from './erasure-steps.js';

/** Chunks rewritten together: their writes share the disk's flushes. About 5 MB each in memory. */
const chunksAtOnce = 4;

export interface Erased {
  readonly rows: ErasedRow[];
  /** Fingerprints of the message ids of these rows, and of the user's identifies. */
  readonly fingerprints: Uint32Array[];
  /** The user's chunks, rewritten without it. */
  readonly chunks: ChunkEntry[];
}

/** Rewritten chunks, runs and open chunk, ready to replace those that hold the user. */
interface TakenOut extends Erased {
  readonly userRuns: readonly Run[];
  /** The open chunk without the user; undefined when no row of it is the user's. */
  readonly open: RestoredChunk | undefined;
}

export class Erasure {
  private readonly partition: Partition;
  private readonly layout: Layout;
  private readonly parts: PartStore;
  private readonly cache: PartsCache;
  private readonly note: NoteStep;
  /** Whether an erasure is rewriting chunks, which will replace the present ones. */
  private isTakingOut = false;

  constructor(partition: Partition, layout: Layout, parts: PartStore, cache: PartsCache, note: NoteStep) {
    this.partition = partition;
    this.layout = layout;
    this.parts = parts;
    this.cache = cache;
    this.note = note;
  }

  /** The partition changes only with `replace`. Call it while no snapshot is running; the layout holds all closed chunks then. */
  async takeOut(user: number): Promise<TakenOut> {
    this.isTakingOut = true;
    return this.making((made) => this.takeOutOfAll(user, made));
  }

  /** Runs `make`; if it fails, the parts that it wrote are retired. */
  private async making<T>(make: (made: PartRef[]) => Promise<T>): Promise<T> {
    const made: PartRef[] = [];
    try {
      return await make(made);
    } catch (error) {
      this.parts.retire(...made);
      throw error;
    }
  }

  private async takeOutOfAll(user: number, made: PartRef[]): Promise<TakenOut> {
    const {partition, layout} = this;
    await layout.settle(0);
    const record = await loadRecord(partition, layout, this.cache, user);
    const erased: Erased = {rows: [], fingerprints: record === undefined ? [] : identifyIds(record), chunks: []};
    const open = this.takeOutOfOpen(user, erased);
    const chunks = (record?.chunks ?? []).flatMap((number) => layout.chunks.get(number) ?? []);
    for (let at = 0; at < chunks.length; at += chunksAtOnce) {
      const pieces = chunks
        .slice(at, at + chunksAtOnce)
        .map((entry) => this.takeOutOfChunk(entry, (rows) => rowsOfUser(rows, user), made));
      for (const piece of await allOver(pieces)) {
        erased.rows.push(...piece.rows);
        erased.fingerprints.push(...piece.fingerprints);
        erased.chunks.push(...piece.chunks);
      }
    }
    this.note('chunks written');
    return {...erased, userRuns: await this.runsWithout(user, made), open};
  }

  replace({chunks, userRuns, open}: TakenOut): void {
    this.isTakingOut = false;
    for (const chunk of chunks) this.layout.setChunk(chunk);
    this.layout.setRuns('userRuns', userRuns);
    if (open === undefined) return;
    this.partition.replaceOpen(open);
    this.layout.setOpenEntry(null); // The next snapshot may find this row count again, and would take the entry for current.
  }

  /** The open chunk without the user. It is encoded and decoded, so that values that only the user had are not in it. */
  private takeOutOfOpen(user: number, erased: Erased): RestoredChunk | undefined {
    const {open} = this.partition;
    if (!open.rowsNow().users.includes(user)) return undefined; // Cheap: some microseconds.
    const {columns, blocks} = imageOf(open);
    const rows = inOrder(columns);
    const ofUser = rowsOfUser(rows, user);
    if (ofUser.length === 0) return undefined; // The code for an erased user in narrow columns is a user's number in wide ones.
    erased.rows.push(...rowsIn(rows, ofUser));
    const byBlock = rowsByBlock(ofUser);
    const left = blocks.map((raw, block) => this.withoutRows(raw, rows, byBlock.get(block) ?? [], erased));
    const others = eraseRows(rows, ofUser);
    const encoded = wholeRows(viewRows(encodeRows(others)), viewProperties(encodeProperties(others)));
    return new RestoredChunk(encoded, left);
  }

  /** Rewrites a closed chunk without the rows of users who left (actors/identity/moves.ts). It is replaced only with `replaceLeft`. */
  takeOutLeft(entry: ChunkEntry): Promise<Erased> {
    const {leftOut} = this.partition.moves;
    return this.making((made) => this.takeOutOfChunk(entry, (rows) => rowsOfUsers(rows, leftOut), made));
  }

  /** Call it while no snapshot is being written. A chunk that was replaced meanwhile stays as it is. */
  replaceLeft(before: ChunkEntry, {rows, chunks}: Erased): void {
    const [left] = chunks;
    if (left === undefined) return;
    if (this.isTakingOut || this.layout.chunks.get(before.chunk) !== before) {
      this.parts.retire(...partsOfChunk(left));
      return;
    }
    this.layout.setChunk(left);
    this.partition.dropLeft(rows);
  }

  private async takeOutOfChunk(
    entry: ChunkEntry,
    rowsToTake: (rows: RowsView) => number[],
    made: PartRef[],
  ): Promise<Erased> {
    const rows = await this.cache.wholeRows.loadUncached(entry);
    const ofUser = rowsToTake(rows);
    const erased: Erased = {rows: rowsIn(rows, ofUser), fingerprints: [], chunks: []};
    if (ofUser.length === 0) return erased;
    const left = eraseRows(rows, ofUser);
    const [rowsPart, properties, bodies] = await allOver([
      this.keep(encodeRows(left), made),
      this.keep(encodeProperties(left), made),
      this.putBodiesWithout(entry.bodies, rows, ofUser, erased, made),
    ]);
    erased.chunks.push({...entryOf(left, this.partition.moves.leftOut), rows: rowsPart, properties, bodies});
    return erased;
  }

  /** Writes the bodies of a chunk without these rows. Only blocks with such rows are compressed again. */
  private async putBodiesWithout(
    bodies: PartRef,
    columns: WholeRows,
    rows: readonly number[],
    erased: Erased,
    made: PartRef[],
  ): Promise<PartRef> {
    const part = new BodiesPart(bodies, await this.cache.loadUncached(bodies));
    const byBlock = rowsByBlock(rows);
    const members: Uint8Array[] = [];
    for (let block = 0; block < part.blocks; block++) {
      const gone = byBlock.get(block) ?? [];
      if (gone.length === 0) {
        members.push(part.member(block));
        continue;
      }
      members.push(compressBlock(this.withoutRows(await part.block(block), columns, gone, erased)));
    }
    return this.keep(joinBodies(members), made);
  }

  /** A block without the bodies of these rows of its chunk. */
  private withoutRows(raw: Uint8Array, columns: WholeRows, gone: readonly number[], erased: Erased): Uint8Array {
    this.rememberMessageIds(new BodyBlock(raw, columns), gone, erased);
    return withoutBodies(raw, new Set(gone.map((row) => row % bodyBlockRows)));
  }

  private rememberMessageIds(block: BodyBlock, rows: readonly number[], erased: Erased): void {
    const {users, names} = this.partition.tables;
    for (const row of rows) {
      const body = block.entry(row, users, names);
      if (body?.hasMessageId) erased.fingerprints.push(this.partition.fingerprintOf(body));
    }
  }

  private async keep(payload: Uint8Array, made: PartRef[]): Promise<PartRef> {
    const ref = await this.parts.put(payload);
    made.push(ref);
    return ref;
  }

  private async runsWithout(user: number, made: PartRef[]): Promise<Run[]> {
    const runs: Run[] = [];
    for (const run of this.layout.userRuns) {
      const block = blockOf(run, user);
      const left = block === undefined ? run : await this.takeOutOfRun(run, block, user, made);
      if (left.blocks.length > 0) runs.push(left);
    }
    return runs;
  }

  private async takeOutOfRun(run: Run, block: RunBlock, user: number, made: PartRef[]): Promise<Run> {
    const left = withoutRecord(await this.cache.loadUncached(block.part), user);
    const blocks: RunBlock[] = [];
    for (const held of run.blocks) {
      if (held !== block) blocks.push(held);
      else if (left !== undefined)
        blocks.push({first: left.first, last: left.last, part: await this.keep(left.payload, made)});
    }
    return {blocks, bytes: run.bytes - block.part.bytes + (left?.payload.length ?? 0)};
  }
}

/** Results of all promises. Unlike `Promise.all` it rejects only once all of them are settled. */
async function allOver<T extends readonly Promise<unknown>[]>(promises: T) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

const rowsIn = (rows: RowsView, found: readonly number[]): ErasedRow[] =>
  found.map((row) => ({
    timeMs: timeOf(rows, row),
    name: rows.names[row],
    chunk: rows.chunk,
    ordinal: rows.baseOrdinal + row,
  }));

/** Rows by the body block that they are in. */
function rowsByBlock(rows: readonly number[]): Map<number, number[]> {
  const byBlock = new Map<number, number[]>();
  for (const row of rows) {
    const block = Math.floor(row / bodyBlockRows);
    const ofBlock = byBlock.get(block);
    if (ofBlock === undefined) byBlock.set(block, [row]);
    else ofBlock.push(row);
  }
  return byBlock;
}
