// Reads a question's rows: chunks that may hold some, their properties if the question needs any, and bodies of rows that
// columns do not decide.
//   RS1. Bodies are read for conditions first, then for the properties of passing rows.
//   RS2. Chunks are folded in order: rows of one user come by (chunk, time, row).

import type {ByteReader, ByteWriter} from '../../actors/bytes/bytes.js';
import type {WholeRows} from '../../actors/chunk/property-columns.js';
import type {RowsView} from '../../actors/chunk/rows.js';
import {bodyBlockRows} from '../../actors/limits.js';
import type {ChunkEntry} from '../../actors/manifest.js';
import {type Condition, comparesNumbers} from '../../actors/report/rows/condition.js';
import type {Users} from '../../actors/report/rows/current-traits.js';
import {gatheredRowBytes} from '../../actors/report/rows/gathered-rows.js';
import {PropertyValues} from '../../actors/report/rows/property-values.js';
import {candidates, KeyJudge, type Selector} from '../../actors/report/rows/row-choice.js';
import type {RowFinder} from '../../actors/report/rows/row-finder.js';
import {UserWalk, type WalkUser} from '../../actors/report/rows/user-walk.js';
import {chunksNaming, chunksWithin, liveRows, type Stretch} from '../../actors/report/selection.js';
import type {UserSet} from '../../actors/table/user-set.js';
import {nameIndex} from './name-index.js';
import type {PartScan} from './part-scan.js';
import type {PartitionSnapshot} from './published/newest-snapshots.js';

/** What a scan reads with. */
export interface RowReading {
  readonly scan: PartScan;
  /** Finds rows by name. */
  readonly finder: RowFinder;
  /** Bytes of rows and values that a question holds at once. */
  readonly gatheredBytesMax: number;
}

/** Rows and properties that a scan reads of each partition. */
export interface Chosen {
  readonly stretch: Stretch;
  readonly selectors: readonly Selector[];
  /** Properties whose values the fold asks for. */
  readonly properties?: readonly PropertyValues[];
}

/** The question needs more memory at once than reports may hold. */
export class BeyondMemory extends Error {
  override name = 'BeyondMemory';

  constructor(what: string, bytesMax: number) {
    super(`${what} more than ${Math.floor(bytesMax / 2 ** 20)} MiB, which MEMORY_CACHE_MIB allows a report`);
  }
}

/** Receives the rows of a chunk that each selector chooses, in an order that row-choice.ts describes (RC1). */
export type ChosenFold = (rows: RowsView, chosen: readonly Uint16Array[]) => void;

/** Receives each chunk that a scan read, with its rows that count. */
export type NoteColumns = (chunk: ChunkEntry, rows: WholeRows) => Promise<void> | undefined;

/** Data that a question keeps per user. Where its memory is bounded it takes several passes over the same rows. */
interface UserPasses {
  /** Ends a pass, and yields between slices; true when another pass is due. */
  endPass(): Generator<void, boolean, void>;
}

/** Adds rows of a chunk to a walk, in the order in which they come. */
export type NoteRows = (rows: RowsView, chosen: readonly Uint16Array[], walk: UserWalk) => void;

/** The judges of one selector. */
interface Judged {
  readonly selector: Selector;
  readonly judges: readonly KeyJudge[];
}

/** Compiled once for all partitions and passes. */
export class RowScan {
  private readonly reading: RowReading;
  private readonly asked: Chosen;
  private readonly judged: readonly Judged[];
  /** Values by property name: several conditions may be on one property. */
  private readonly values = new Map<string, PropertyValues>();
  private skippedElsewhere = 0;

  constructor(reading: RowReading, asked: Chosen) {
    this.reading = reading;
    this.asked = asked;
    for (const each of asked.properties ?? []) this.values.set(each.property.text, each);
    this.judged = asked.selectors.map((selector) => ({
      selector,
      judges: (selector.where ?? []).map((condition) => new KeyJudge(condition, this.valuesOf(condition))),
    }));
  }

  private valuesOf({property}: Condition): PropertyValues {
    const known = this.values.get(property);
    if (known !== undefined) return known;
    const values = new PropertyValues(property);
    this.values.set(property, values);
    return values;
  }

  /** Rows that comparisons of numbers could not judge, over all passes so far, and in other processes. */
  get skipped(): number {
    return this.judges().reduce((sum, {skipped}) => sum + skipped, this.skippedElsewhere);
  }

  /** `,"skipped":n` at the end of an answer; empty if no condition compares numbers. */
  get skippedField(): string {
    const compares = this.judged.some(({selector}) => selector.where?.some(({op}) => comparesNumbers(op)));
    return compares ? `,"skipped":${this.skipped}` : '';
  }

  /** Undoes the count of a pass before the same rows are scanned again. */
  forgetSkipped(): void {
    for (const judge of this.judges()) judge.skipped = 0;
    this.skippedElsewhere = 0;
  }

  /** Moves the count of another scan here. */
  takeSkipped(other: RowScan): void {
    this.skippedElsewhere += other.skipped;
    other.forgetSkipped();
  }

  writeSkipped(to: ByteWriter): void {
    to.varint(this.skipped);
  }

  /** Adds what `writeSkipped` wrote. */
  addSkipped(from: ByteReader): void {
    this.skippedElsewhere += from.varint();
  }

  private judges(): KeyJudge[] {
    return this.judged.flatMap(({judges}) => judges);
  }

  chunks(snapshot: PartitionSnapshot): ChunkEntry[] {
    const within = chunksWithin(snapshot.index.chunks, [this.asked.stretch]);
    const names = this.namesIn(snapshot);
    return names.includes(undefined)
      ? within
      : chunksNaming(
          within,
          names.filter((name) => name !== undefined),
        );
  }

  /** One pass over the partition's rows; `users` limits it to some. `note` gets all chunks that are read with columns. RS2 */
  async fold(
    snapshot: PartitionSnapshot,
    fold: ChosenFold,
    users?: Users,
    chunks: readonly ChunkEntry[] = this.chunks(snapshot),
    note?: NoteColumns,
  ): Promise<void> {
    const names = this.namesIn(snapshot);
    const {leftOut} = snapshot;
    if (this.values.size === 0) {
      for await (const rows of this.rowsOf(chunks, leftOut.users, names))
        fold(rows, this.candidatesOf(rows, names, users, this.reading.finder));
      return;
    }
    const properties = [...this.values.values()].map(({property}) => property);
    const source = noted(this.reading.scan.columnRows(chunks, leftOut.users, properties), note);
    for await (const [chunk, rows, chosen] of this.chosenOf(source, names, users, this.reading.finder)) {
      await this.readBodies(chunk, this.asked.properties ?? [], chosen);
      fold(rows, chosen);
    }
  }

  /** `fold` of some chunks in any order, for conditions alone: chunks that are cached are folded without a promise. */
  foldAnyOrder(
    snapshot: PartitionSnapshot,
    fold: ChosenFold,
    chunks: readonly ChunkEntry[],
    note?: NoteColumns,
  ): Promise<void> {
    const names = this.namesIn(snapshot);
    const properties = [...this.values.values()].map(({property}) => property);
    return this.reading.scan.foldColumnRows(chunks, snapshot.leftOut.users, properties, (chunk, rows) => {
      const noting = note?.(chunk, rows);
      const folding = this.foldChunk(chunk, rows, names, fold);
      return noting === undefined ? folding : noting.then(() => folding);
    });
  }

  private foldChunk(
    chunk: ChunkEntry,
    rows: WholeRows,
    names: readonly (number | undefined)[],
    fold: ChosenFold,
  ): Promise<void> | undefined {
    const found = this.candidatesOf(rows, names, undefined, this.reading.finder);
    if (found.every(({length}) => length === 0)) return undefined;
    for (const values of this.values.values()) values.open(rows);
    if ([...this.values.values()].some(({keys}) => keys === undefined))
      return this.judgedOf(chunk, rows, found).then((chosen) => fold(rows, chosen));
    fold(
      rows,
      this.judged.map(({judges}, i) => judges.reduce((passing, judge) => judge.open().passing(passing), found[i]!)),
    );
    return undefined;
  }

  /** Rows of the chunks, at least those with the names. */
  private rowsOf(
    chunks: readonly ChunkEntry[],
    hasLeft: UserSet,
    names: readonly (number | undefined)[],
  ): AsyncIterable<RowsView> {
    const {scan} = this.reading;
    const known = names.filter((name) => name !== undefined);
    return known.length < names.length ? scan.rows(chunks, hasLeft) : scan.namedRows(chunks, hasLeft, known);
  }

  /** Chunks with chosen rows, in order, with all their properties; rows by (time, row). RS2 */
  async *wholeRows(
    snapshot: PartitionSnapshot,
    users?: Users,
    chunks: readonly ChunkEntry[] = this.chunks(snapshot),
  ): AsyncGenerator<readonly [ChunkEntry, WholeRows, readonly Uint16Array[]], void, void> {
    const source = this.reading.scan.wholeRows(chunks, snapshot.leftOut.users);
    yield* this.chosenOf(source, this.namesIn(snapshot), users);
  }

  /** One chunk with all its properties, and its chosen rows by (time, row): for readers that stop after any chunk. */
  async wholeChunk(
    snapshot: PartitionSnapshot,
    chunk: ChunkEntry,
  ): Promise<readonly [WholeRows, readonly Uint16Array[]]> {
    const rows = await this.reading.scan.wholeChunk(chunk, snapshot.leftOut.users);
    const found = this.candidatesOf(rows, this.namesIn(snapshot), undefined);
    return [rows, await this.judgedOf(chunk, rows, found)];
  }

  private async *chosenOf(
    source: AsyncIterable<readonly [ChunkEntry, WholeRows]>,
    names: readonly (number | undefined)[],
    users: Users | undefined,
    finder?: RowFinder,
  ): AsyncGenerator<readonly [ChunkEntry, WholeRows, readonly Uint16Array[]], void, void> {
    for await (const [chunk, rows] of source) {
      const found = this.candidatesOf(rows, names, users, finder);
      if (found.some(({length}) => length > 0)) yield [chunk, rows, await this.judgedOf(chunk, rows, found)];
    }
  }

  /** Those of the found rows of each selector that pass its conditions. */
  private async judgedOf(
    chunk: ChunkEntry,
    rows: WholeRows,
    found: readonly Uint16Array[],
  ): Promise<readonly Uint16Array[]> {
    for (const values of this.values.values()) values.open(rows);
    const chosen: Uint16Array[] = [];
    for (const [i, {judges}] of this.judged.entries()) chosen.push(await this.passing(chunk, found[i]!, judges));
    return chosen;
  }

  /** Bytes of all rows that `walk` may gather, in one pass or more. */
  walkBytes(snapshot: PartitionSnapshot): number {
    return liveRows(this.chunks(snapshot)) * gatheredRowBytes;
  }

  /**
   * Walks the partition's users, each with its chosen rows in the order of its history. `note` gets the rows of each chunk, and
   * adds them with what it notes of them.
   */
  async walk(snapshot: PartitionSnapshot, note: NoteRows, walkUser: WalkUser, users?: Users): Promise<void> {
    const chunks = this.chunks(snapshot);
    if (chunks.length === 0) return;
    const {gatheredBytesMax} = this.reading;
    const rows = liveRows(chunks);
    const rowsMax = Math.max(2, Math.floor(gatheredBytesMax / gatheredRowBytes));
    const walk = new UserWalk(snapshot.index.users.count, rowsMax, rows, walkUser);
    await this.inPasses(snapshot, walk, (chunkRows, chosen) => note(chunkRows, chosen, walk), users, chunks);
  }

  /** Folds the chosen rows once in each pass. RS2 */
  async inPasses(
    snapshot: PartitionSnapshot,
    passes: UserPasses,
    fold: ChosenFold,
    users?: Users,
    chunks = this.chunks(snapshot),
  ): Promise<void> {
    await this.fold(snapshot, fold, users, chunks);
    const skipped = this.judges().map((judge) => judge.skipped);
    while (await this.reading.scan.inSlices(passes.endPass())) await this.fold(snapshot, fold, users, chunks);
    // Every pass judges the same rows: the count of one pass holds.
    for (const [i, judge] of this.judges().entries()) judge.skipped = skipped[i]!;
  }

  private async passing(chunk: ChunkEntry, found: Uint16Array, judges: readonly KeyJudge[]): Promise<Uint16Array> {
    let passing = found;
    for (const judge of judges) {
      await this.readBodies(chunk, [judge.values], [passing]); // RS1
      passing = judge.open().passing(passing);
    }
    return passing;
  }

  private candidatesOf(
    rows: RowsView,
    names: readonly (number | undefined)[],
    users: Users | undefined,
    finder?: RowFinder,
  ): Uint16Array[] {
    const {stretch} = this.asked;
    return names.map((name) => (name === -1 ? noRows : candidates(rows, {stretch, name, users}, finder)));
  }

  /** Name index of each selector: -1 where the event never happened here, undefined for every event. */
  private namesIn(snapshot: PartitionSnapshot): (number | undefined)[] {
    return this.asked.selectors.map(({event}) => {
      if (event === undefined) return undefined;
      return nameIndex(snapshot, event);
    });
  }

  private async readBodies(
    chunk: ChunkEntry,
    properties: readonly PropertyValues[],
    lists: readonly Uint16Array[],
  ): Promise<void> {
    const undecided = properties.filter(({keys}) => keys === undefined);
    if (undecided.length === 0) return;
    const unsure = unsureRows(undecided, lists);
    if (unsure.length === 0) return;
    const rows = await this.reading.scan.allColumns(chunk); // Decoding a body needs all columns of its chunk.
    await foldBodies(this.reading, chunk, unsure, (block, inBlock) => {
      for (const values of properties) values.addBodies(rows, block, inBlock);
    });
  }
}

async function* noted<R extends WholeRows>(
  source: AsyncIterable<readonly [ChunkEntry, R]>,
  note: NoteColumns | undefined,
): AsyncGenerator<readonly [ChunkEntry, R], void, void> {
  for await (const each of source) {
    await note?.(...each);
    yield each;
  }
}

/** Folds the body blocks of these rows, which ascend, in any order: each block with its rows, and how many rows are before them. */
export async function foldBodies(
  {scan}: Pick<RowReading, 'scan'>,
  chunk: ChunkEntry,
  rows: Uint16Array,
  fold: (block: Uint8Array, inBlock: Uint16Array, before: number) => void,
): Promise<void> {
  let before = 0;
  const blocks = byBodyBlock(rows).map((inBlock) => {
    const block = {number: Math.floor(inBlock[0]! / bodyBlockRows), inBlock, before};
    before += inBlock.length;
    return block;
  });
  await scan.foldBodies(chunk, blocks, ({inBlock, before}, bytes) => fold(bytes, inBlock, before));
}

const noRows = new Uint16Array(0);

/** Rows of the lists that are unsure: ascending, without duplicates. */
function unsureRows(properties: readonly PropertyValues[], lists: readonly Uint16Array[]): Uint16Array {
  const unsure = new Set<number>();
  for (const rows of lists)
    for (const row of rows) if (properties.some((values) => values.isUnsure(row))) unsure.add(row);
  return Uint16Array.from(unsure).sort();
}

/** Splits ascending rows by body block. */
function byBodyBlock(rows: Uint16Array): Uint16Array[] {
  const cut: Uint16Array[] = [];
  let start = 0;
  for (let at = 1; at <= rows.length; at++) {
    const isSameBlock =
      at < rows.length && Math.floor(rows[at]! / bodyBlockRows) === Math.floor(rows[start]! / bodyBlockRows);
    if (isSameBlock) continue;
    cut.push(rows.subarray(start, at));
    start = at;
  }
  return cut;
}
