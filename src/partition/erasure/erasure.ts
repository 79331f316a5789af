// Takes the users of an erase entry, or all events of a name (erased-name.ts), out of all parts of a partition when the entry is
// folded (docs/architecture.md, Deletion).
//   Chunks and user blocks that hold them are rewritten without them. The old parts are retired; they leave the store when no
//   kept manifest names them. A crash on the way loses nothing: the manifest still names the old parts, and the entry is
//   folded again.
//   All new parts replace the old ones at one moment, when the erasure is folded: no reader sees a user of whom half is erased.
//   A user with devices is several users here. They are taken out together: each part that holds some of them is rewritten
//   once, which takes 10 to 20 ms for a block of records or the open chunk.
//   Parts that are read here are not cached: each is read once, and a user with a hundred chunks would evict 50 MB that live
//   reads use.

import type {ErasedRow} from '../../../actors/aggregator/aggregator.js';
import {BodyBlock, joinBodies, withoutBodies} from '../../../actors/chunk/bodies.js';
import {inOrder} from '../../../actors/chunk/chunk.js';
import {encodeProperties, viewProperties, type WholeRows, wholeRows} from '../../../actors/chunk/property-columns.js';
import {RestoredChunk} from '../../../actors/chunk/restored-chunk.js';
import {eraseRows} from '../../../actors/chunk/row-erasure.js';
import {encodeRows, viewRows} from '../../../actors/chunk/rows.js';
import {chunkFrom, withoutParts} from '../../../actors/expired-parts.js';
import {bodyBlockRows} from '../../../actors/limits.js';
import {type ChunkEntry, type PartRef, partsOfChunk, type Run, type RunBlock} from '../../../actors/manifest.js';
import type {Partition} from '../../../actors/partition.js';
import {UserSet} from '../../../actors/table/user-set.js';
import {identifyIds, withoutRecords} from '../../../actors/user/user-records.js';
import {whenAllEnded} from '../../pacing/when-all-ended.js';
import {BodiesPart} from '../../parts/bodies-part.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {compressBlock, entryOf, imageOf} from '../snapshot/chunk-parts.js';
import type {Layout} from '../snapshot/layout.js';
import type {PartStore} from '../snapshot/part-store.js';
import {blockOf, loadRecord} from '../snapshot/user-loader.js';
import {correctedUserRuns, ErasedName, windowRunsWithout} from './erased-name.js';
import {ErasedUsers, ExpiredRows, type Leaving} from './erased-users.js';
import type {NoteStep} from './erasure-steps.js';

/** Chunks rewritten together: their writes share the disk's flushes. About 5 MB each in memory. */
const chunksAtOnce = 4;

/** Chunks rewritten without rows that counted no more. */
interface Rewritten {
  readonly erased: {readonly rows: readonly ErasedRow[]};
  readonly chunks: readonly ChunkEntry[];
}

/** Rewritten chunks, runs and open chunk, ready to replace those that hold what is erased. */
interface Replacing {
  readonly chunks: readonly ChunkEntry[];
  readonly userRuns: readonly Run[];
  /** Absent: they stay. */
  readonly windowRuns?: readonly Run[];
  /** The open chunk without these rows; undefined when it has none of them. */
  readonly open: RestoredChunk | undefined;
}

interface TakenOut extends Replacing {
  readonly erased: ErasedUsers;
}

interface NameTakenOut extends Replacing {
  readonly erased: ErasedName;
}

export class Erasure {
  private readonly partition: Partition;
  private readonly layout: Layout;
  private readonly parts: PartStore;
  private readonly cache: PartsCache;
  private readonly note: NoteStep;
  /** Chunks that are being rewritten and will replace the present ones. */
  private takingOut: Promise<Replacing> | undefined;

  constructor(partition: Partition, layout: Layout, parts: PartStore, cache: PartsCache, note: NoteStep) {
    this.partition = partition;
    this.layout = layout;
    this.parts = parts;
    this.cache = cache;
    this.note = note;
  }

  /** The partition changes only with `replace`. Call it while no snapshot is running; the layout holds all closed chunks then. */
  async takeOut(users: readonly number[]): Promise<TakenOut> {
    const taking = this.making((made) => this.takeOutOfAll(users, made));
    this.takingOut = taking;
    return taking;
  }

  /** Removes all events of a name. `isSent`: whether the user's events count in another partition. */
  async takeOutName(name: number, isSent: (user: number) => boolean): Promise<NameTakenOut> {
    const taking = this.making((made) => this.takeOutNameOfAll(name, isSent, made));
    this.takingOut = taking;
    return taking;
  }

  /** Resolves when no rewritten chunk waits to replace a present one. Rejects as `takeOut` does. */
  async idle(): Promise<void> {
    while (this.takingOut !== undefined) await this.takingOut;
  }

  /** Runs `make`; if it fails, the parts that it wrote are retired. */
  private async making<T>(make: (made: PartRef[]) => Promise<T>): Promise<T> {
    const made: PartRef[] = [];
    try {
      return await make(made);
    } catch (error) {
      for (const ref of made) this.parts.retire(ref);
      throw error;
    }
  }

  private async takeOutOfAll(users: readonly number[], made: PartRef[]): Promise<TakenOut> {
    const {partition, layout, cache} = this;
    await layout.settle(0);
    const ofUsers = new UserSet();
    const erased = this.erasedUsers(ofUsers);
    const numbers = new Set<number>();
    for (const user of users) {
      ofUsers.add(user);
      const record = await loadRecord(partition, layout, cache, user);
      if (record === undefined) continue;
      erased.of(user).fingerprints.push(...identifyIds(record));
      for (const number of record.chunks) numbers.add(number);
    }
    const open = this.takeOutOfOpen(erased);
    const entries = [...numbers].sort((a, b) => a - b).flatMap((number) => layout.chunks.get(number) ?? []);
    const chunks = await this.takeOutOfChunks(entries, erased, made);
    this.note('chunks written');
    return {erased, chunks, userRuns: await this.runsWithout(users, made), open};
  }

  private erasedUsers(users: UserSet): ErasedUsers {
    return new ErasedUsers(users, (event) => this.partition.fingerprintOf(event));
  }

  private async takeOutOfChunks(
    entries: readonly ChunkEntry[],
    leaving: Leaving,
    made: PartRef[],
  ): Promise<ChunkEntry[]> {
    const chunks: ChunkEntry[] = [];
    for (let at = 0; at < entries.length; at += chunksAtOnce) {
      const some = entries.slice(at, at + chunksAtOnce);
      const left = await whenAllEnded(some.map((entry) => this.takeOutOfChunk(entry, leaving, made)));
      chunks.push(...left.flat());
    }
    return chunks;
  }

  private async takeOutNameOfAll(
    name: number,
    isSent: (user: number) => boolean,
    made: PartRef[],
  ): Promise<NameTakenOut> {
    const {partition, layout, cache} = this;
    await layout.settle(0);
    const erased = new ErasedName(partition, name, isSent);
    const open = this.takeOutOfOpen(erased);
    const all = [...layout.chunks.values()];
    // One without live rows may have expired ones.
    const mayHave = all.filter(({names, live}) => names === null || names.includes(name) || live === 0);
    const chunks = await this.takeOutOfChunks(mayHave, erased, made);
    this.note('chunks written');
    const rewritten = new Map(chunks.map((entry) => [entry.chunk, entry]));
    // What is left decides when a user was seen, and on which days it was active.
    for (const entry of all.filter((one) => partsOfChunk(one).length > 0))
      erased.addLeft(await cache.rows.load(rewritten.get(entry.chunk) ?? entry, 'pass'));
    erased.addLeft(inOrder((open ?? partition.open).columnsView()));
    for (const {blocks} of layout.userRuns)
      for (const {part, first, last} of blocks)
        if (erased.touches(first, last)) erased.addIdentified(await cache.loadUncached(part));
    erased.decide();
    const put = async (payload: Uint8Array): Promise<PartRef> => this.keep(payload, made);
    const load = (part: PartRef): Promise<Uint8Array> => cache.loadUncached(part);
    const userRuns = await correctedUserRuns(layout.userRuns, erased, load, put);
    const windowRuns = await windowRunsWithout(layout.windowRuns, erased.inactive, load, put);
    return {erased, chunks, userRuns, windowRuns, open};
  }

  replace({chunks, userRuns, windowRuns, open}: Replacing): void {
    this.takingOut = undefined;
    for (const chunk of chunks) this.layout.setChunk(chunk);
    this.layout.setRuns('userRuns', userRuns);
    if (windowRuns !== undefined) this.layout.setRuns('windowRuns', windowRuns);
    if (open === undefined) return;
    this.partition.replaceOpen(open);
    this.layout.setOpenEntry(null); // The next snapshot may find this row count again, and would take the entry for current.
  }

  /** The open chunk without these rows. It is encoded and decoded, so that values that only they had are not in it. */
  private takeOutOfOpen(leaving: Leaving): RestoredChunk | undefined {
    const {open} = this.partition;
    const found = leaving.rowsOf(open.rowsNow());
    if (found.length === 0) return undefined;
    const {columns, blocks} = imageOf(open);
    const rows = inOrder(columns);
    leaving.addRows(rows, found, 0);
    const byBlock = rowsByBlock(found);
    const left = blocks.map((raw, block) => {
      const gone = byBlock.get(block);
      return gone === undefined ? raw : this.withoutRows(raw, rows, gone, leaving);
    });
    const others = eraseRows(rows, found);
    const encoded = wholeRows(viewRows(encodeRows(others)), viewProperties(encodeProperties(others)));
    return new RestoredChunk(encoded, left);
  }

  /** Rewrites a closed chunk without the rows of users who left (actors/identity/moves.ts). It is replaced only with `replaceLeft`. */
  async takeOutLeft(entry: ChunkEntry): Promise<Rewritten> {
    const erased = this.erasedUsers(this.partition.moves.leftOut);
    return {erased, chunks: await this.making((made) => this.takeOutOfChunk(entry, erased, made))};
  }

  /** Expired rows leave a closed chunk (actors/expired-parts.ts XP2). It is replaced only with `replaceLeft`. */
  async takeOutExpired(entry: ChunkEntry): Promise<Rewritten> {
    const erased = new ExpiredRows(entry.keptFromMs);
    if (entry.live > 0) return {erased, chunks: await this.making((made) => this.takeOutOfChunk(entry, erased, made))};
    const rows = await this.cache.rows.load(entry, 'pass');
    erased.addRows(rows, erased.rowsOf(rows));
    return {erased, chunks: [withoutParts(entry)]};
  }

  /** Takes events before a time out of the directory and the open chunk. Call it while no snapshot and no chunk is being written. */
  expire(): void {
    const {partition, layout} = this;
    const {fromDay, fromMs} = partition.retention;
    const erased = new ExpiredRows(fromMs);
    const open = this.takeOutOfOpen(erased);
    layout.expire(fromDay);
    partition.expire(open, erased.rows);
    if (open !== undefined) layout.setOpenEntry(null);
    for (const chunk of partition.takeClosedChunks()) layout.writeClosed(chunk);
  }

  /** Call it while no snapshot is being written. A chunk that was replaced meanwhile stays as it is. */
  replaceLeft(before: ChunkEntry, {erased, chunks}: Rewritten): void {
    const [left] = chunks;
    if (left === undefined) return;
    if (this.takingOut !== undefined || this.layout.chunks.get(before.chunk) !== before) {
      this.parts.retire(...partsOfChunk(left));
      return;
    }
    this.layout.setChunk(left);
    this.partition.dropUncounted(erased.rows);
  }

  /** The chunk without these rows; none when it has no such row. */
  private async takeOutOfChunk(entry: ChunkEntry, leaving: Leaving, made: PartRef[]): Promise<ChunkEntry[]> {
    if (partsOfChunk(entry).length === 0) return [];
    const rows = await this.cache.wholeRows.load(entry, 'pass');
    const found = leaving.rowsOf(rows);
    if (found.length === 0) return [];
    leaving.addRows(rows, found, entry.keptFromMs);
    const left = eraseRows(rows, found);
    const [rowsPart, properties, bodies] = await whenAllEnded([
      this.keep(encodeRows(left), made),
      this.keep(encodeProperties(left), made),
      this.putBodiesWithout(entry.bodies, rows, found, leaving, made),
    ]);
    const rewritten = {...entryOf(left, this.partition.moves.leftOut), rows: rowsPart, properties, bodies};
    return [chunkFrom(rewritten, entry.keptFromMs)];
  }

  /** Writes the bodies of a chunk without these rows. Only blocks with such rows are compressed again. */
  private async putBodiesWithout(
    bodies: PartRef,
    columns: WholeRows,
    rows: readonly number[],
    leaving: Leaving,
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
      members.push(compressBlock(this.withoutRows(await part.block(block), columns, gone, leaving)));
    }
    return this.keep(joinBodies(members), made);
  }

  /** A block without the bodies of these rows of its chunk. */
  private withoutRows(raw: Uint8Array, columns: WholeRows, gone: readonly number[], leaving: Leaving): Uint8Array {
    const {users, names} = this.partition.tables;
    const block = new BodyBlock(raw, columns);
    for (const row of gone) {
      const event = block.entry(row, users, names);
      if (event !== undefined) leaving.addEvent(columns.users[row], event);
    }
    return withoutBodies(raw, new Set(gone.map((row) => row % bodyBlockRows)));
  }

  private async keep(payload: Uint8Array, made: PartRef[]): Promise<PartRef> {
    const ref = await this.parts.put(payload);
    made.push(ref);
    return ref;
  }

  private async runsWithout(users: readonly number[], made: PartRef[]): Promise<Run[]> {
    const runs: Run[] = [];
    for (const run of this.layout.userRuns) {
      const byBlock = usersByBlock(run, users);
      const left = byBlock.size === 0 ? run : await this.takeOutOfRun(run, byBlock, made);
      if (left.blocks.length > 0) runs.push(left);
    }
    return runs;
  }

  private async takeOutOfRun(
    run: Run,
    byBlock: ReadonlyMap<RunBlock, readonly number[]>,
    made: PartRef[],
  ): Promise<Run> {
    const blocks: RunBlock[] = [];
    let {bytes} = run;
    for (const held of run.blocks) {
      const users = byBlock.get(held);
      if (users === undefined) {
        blocks.push(held);
        continue;
      }
      const left = withoutRecords(await this.cache.loadUncached(held.part), users);
      bytes += (left?.payload.length ?? 0) - held.part.bytes;
      if (left !== undefined)
        blocks.push({first: left.first, last: left.last, part: await this.keep(left.payload, made)});
    }
    return {blocks, bytes};
  }
}

/** Users by the block of the run that may hold their records. */
function usersByBlock(run: Run, users: readonly number[]): Map<RunBlock, number[]> {
  const byBlock = new Map<RunBlock, number[]>();
  for (const user of users) {
    const block = blockOf(run, user);
    if (block === undefined) continue;
    const ofBlock = byBlock.get(block);
    if (ofBlock === undefined) byBlock.set(block, [user]);
    else ofBlock.push(user);
  }
  return byBlock;
}

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
