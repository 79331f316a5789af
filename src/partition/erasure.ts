// Taking a user out of all parts of a partition, when its erase entry is folded (DESIGN.md, section 8).
//   Every chunk and user block that holds the user is written anew without it; the old parts are retired and leave the
//   store when no kept manifest names them. A crash on the way loses nothing: the manifest still names the old parts, and
//   the entry is folded again.
//   What is written takes the place of what was at one moment, that in which the erasure is folded: nobody reads a user of
//   whom half is gone.
//   What is read here is not kept: nobody asks again for a part that is being replaced, and a user of a hundred chunks would
//   push 50 MB of what live reads use out of their memory.
import {BodyBlock, joinBodies, withoutBodies} from '../../actors/bodies.js';
import {bodyBlockRows} from '../../actors/limits.js';
import type {ChunkEntry, PartRef, Run, RunBlock} from '../../actors/manifest.js';
import type {ErasedRow, Partition} from '../../actors/partition.js';
import {eraseRows, rowsOfUser} from '../../actors/row-erasure.js';
import {encodeRows, type RowsView, timeOf} from '../../actors/rows.js';
import {withoutRecord} from '../../actors/user-records.js';
import {BodiesPart} from '../parts/bodies-part.js';
import type {PartsCache} from '../parts/parts-cache.js';
import {compressBlock, entryOf} from './chunk-parts.js';
import type {NoteStep} from './erasure-steps.js';
import type {Layout} from './layout.js';
import type {PartStore} from './part-store.js';
import {blockOf, loadRecord} from './user-loader.js';

/** Chunks rewritten together: their puts share the disk's flushes. About 5 MB each in memory. */
const chunksAtOnce = 4;

export interface Erased {
  readonly rows: ErasedRow[];
  /** Of the message ids of these rows. */
  readonly fingerprints: Uint32Array[];
  /** As they are without the user. */
  readonly chunks: ChunkEntry[];
}

/** All of it, ready to take the place of what the user is in. */
export interface TakenOut extends Erased {
  readonly userRuns: readonly Run[];
}

export class Erasure {
  private readonly partition: Partition;
  private readonly layout: Layout;
  private readonly parts: PartStore;
  private readonly cache: PartsCache;
  private readonly note: NoteStep;

  constructor(partition: Partition, layout: Layout, parts: PartStore, cache: PartsCache, note: NoteStep) {
    this.partition = partition;
    this.layout = layout;
    this.parts = parts;
    this.cache = cache;
    this.note = note;
  }

  /** Nothing changes until `replace`. No snapshot may be running. */
  async takeOut(user: number): Promise<TakenOut> {
    const {partition, layout} = this;
    partition.closeChunkOf(user);
    for (const chunk of partition.takeClosedChunks()) layout.writeClosed(chunk);
    await layout.settle(0);
    const record = await loadRecord(partition, layout, this.cache, user);
    const erased: Erased = {rows: [], fingerprints: [], chunks: []};
    const chunks = (record?.chunks ?? []).flatMap((number) => layout.chunks.get(number) ?? []);
    for (let at = 0; at < chunks.length; at += chunksAtOnce) {
      const pieces = chunks.slice(at, at + chunksAtOnce).map((entry) => this.takeOutOfChunk(entry, user));
      for (const piece of await Promise.all(pieces)) {
        erased.rows.push(...piece.rows);
        erased.fingerprints.push(...piece.fingerprints);
        erased.chunks.push(...piece.chunks);
      }
    }
    this.note('chunks written');
    return {...erased, userRuns: await this.runsWithout(user)};
  }

  replace({chunks, userRuns}: TakenOut): void {
    for (const chunk of chunks) this.layout.setChunk(chunk);
    this.layout.setRuns('userRuns', userRuns);
  }

  private async takeOutOfChunk(entry: ChunkEntry, user: number): Promise<Erased> {
    const rows = await this.cache.loadRowsUnkept(entry.rows);
    const ofUser = rowsOfUser(rows, user);
    const erased: Erased = {
      rows: ofUser.map((row) => ({timeMs: timeOf(rows, row), name: rows.names[row]})),
      fingerprints: [],
      chunks: [],
    };
    if (ofUser.length === 0) return erased;
    const left = eraseRows(rows, ofUser);
    const [rowsPart, bodiesPart] = await Promise.all([
      this.parts.put(encodeRows(left)),
      this.putBodiesWithout(entry.bodies, rows, ofUser, erased),
    ]);
    erased.chunks.push({...entryOf(left), rows: rowsPart, bodies: bodiesPart});
    return erased;
  }

  /** Only blocks with rows of the user are compressed anew, and those of an older version. */
  private async putBodiesWithout(
    bodies: PartRef,
    columns: RowsView,
    rows: readonly number[],
    erased: Erased,
  ): Promise<PartRef> {
    const part = new BodiesPart(bodies, await this.cache.loadUnkept(bodies));
    const byBlock = new Map<number, number[]>();
    for (const row of rows) {
      const block = Math.floor(row / bodyBlockRows);
      const ofBlock = byBlock.get(block);
      if (ofBlock === undefined) byBlock.set(block, [row]);
      else ofBlock.push(row);
    }
    const members: Uint8Array[] = [];
    for (let block = 0; block < part.blocks; block++) {
      const gone = byBlock.get(block) ?? [];
      if (gone.length === 0 && !part.isUpgradeDue) {
        members.push(part.member(block));
        continue;
      }
      const raw = await part.block(block);
      this.rememberMessageIds(new BodyBlock(raw, columns), gone, erased);
      members.push(compressBlock(withoutBodies(raw, new Set(gone.map((row) => row % bodyBlockRows)))));
    }
    return this.parts.put(joinBodies(members));
  }

  private rememberMessageIds(block: BodyBlock, rows: readonly number[], erased: Erased): void {
    const {users, names} = this.partition;
    for (const row of rows) {
      const body = block.entry(row, users, names);
      if (body?.hasMessageId) erased.fingerprints.push(this.partition.fingerprintOf(body));
    }
  }

  private async runsWithout(user: number): Promise<Run[]> {
    const runs: Run[] = [];
    for (const run of this.layout.userRuns) {
      const block = blockOf(run, user);
      const left = block === undefined ? run : await this.takeOutOfRun(run, block, user);
      if (left.blocks.length > 0) runs.push(left);
    }
    return runs;
  }

  private async takeOutOfRun(run: Run, block: RunBlock, user: number): Promise<Run> {
    const left = withoutRecord(await this.cache.loadUnkept(block.part), user);
    const blocks: RunBlock[] = [];
    for (const held of run.blocks) {
      if (held !== block) blocks.push(held);
      else if (left !== undefined)
        blocks.push({first: left.first, last: left.last, part: await this.parts.put(left.payload)});
    }
    return {blocks, bytes: run.bytes - block.part.bytes + (left?.payload.length ?? 0)};
  }
}
