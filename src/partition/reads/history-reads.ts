// Reads of one partition's history: the newest rows that a question matches, and the events of rows.
//   Owns: which chunks are read, in which order, and how many at once. Does not own: waiting until the log is folded
//   (live-reads.ts), the content of rows (actors/).
//   R1. Memory and the list of parts are read at one moment, before the first wait. A chunk that an erasure replaces meanwhile
//       is the same for all other users, and nothing is returned of an erased user.
//   R2. Cached chunks are used at once: a promise for each of a hundred chunks takes longer than searching them. From the first
//       uncached one on, some are loaded ahead: the store answers requests one after the other, each after some milliseconds.

import {ByteWriter, wtf8} from '../../../actors/bytes/bytes.js';
import {BodyBlock, type RowColumns} from '../../../actors/chunk/bodies.js';
import type {ChunkInMemory} from '../../../actors/chunk/chunk.js';
import {EventTexts} from '../../../actors/chunk/event-texts.js';
import {type HistoryFilter, NewestRows, type ReachableChunk, reachableChunks} from '../../../actors/chunk/history.js';
import {bodyBlockRows} from '../../../actors/limits.js';
import type {ChunkEntry} from '../../../actors/manifest.js';
import {firstPlace} from '../../../actors/order/search.js';
import type {RowPlace} from '../../asks/events.js';
import type {PartitionAnswer, PartitionQuestion} from '../../asks/partition.js';
import {replyBytesMax} from '../../asks/subjects.js';
import {loadAhead} from '../../parts/load-ahead.js';
import type {RowSources} from '../partition-view.js';
import {loadRecord} from '../snapshot/user-loader.js';
import type {ReadBudget} from './read-budget.js';

/** Concurrent loads of chunks, at most 1 MiB each. */
const loadsAheadMax = 8;
/** Chunks taken at a time: of thousands mostly few are needed. */
const chunksTakenAtOnce = 64;

type HistoryQuestion = Extract<PartitionQuestion, {ask: 'history'}>;

/** A chunk in memory, or in parts. */
type ChunkPlace = ChunkInMemory | ChunkEntry;

/** Requested rows of one block of bodies. */
interface BlockRows {
  /** The chunk with these rows; undefined: no chunk has them. */
  readonly place: ChunkPlace | undefined;
  readonly block: number;
  readonly ordinals: number[];
}

type Reachable = ReachableChunk<ChunkEntry>;

type LoadedBlock = readonly [block: Uint8Array, columns: RowColumns];

export class HistoryReads {
  private readonly view: RowSources;
  private readonly hasLeft: ((user: number) => boolean) | undefined;
  /** Text of one event. */
  private readonly writer = new ByteWriter(1_024);

  /** `hasLeft`: tells users whose events another partition has by now. */
  constructor(view: RowSources, hasLeft?: (user: number) => boolean) {
    this.view = view;
    this.hasLeft = hasLeft;
  }

  /** Ordinal after the newest folded row. */
  get ordinalEnd(): number {
    const {open} = this.view.partition;
    return open.baseOrdinal + open.count;
  }

  // ---- rows ----

  /**
   * Places of the newest rows that the question matches, and their events if it asks for these. `user`: index of the user that
   * it names; undefined: unknown.
   * @throws ReadTooLong
   */
  async history(question: HistoryQuestion, user: number | undefined, budget: ReadBudget): Promise<PartitionAnswer> {
    const {partition} = this.view;
    const ordinalEnd = question.ordinalEnd ?? this.ordinalEnd;
    const position = {generation: partition.generation, sequence: partition.appliedSequence};
    const bounds = question.ordinalEnd === undefined ? {ordinalEnd, position} : {ordinalEnd};
    const nothing: PartitionAnswer = {kind: 'history', timesMs: [], ordinals: [], more: false, ...bounds};
    const unknownUser: PartitionAnswer = {...nothing, isUserUnknown: true};
    if (question.user !== undefined && user === undefined) return unknownUser;
    const name = question.event === undefined ? undefined : this.findName(question.event);
    if (question.event !== undefined && name === undefined) return nothing;
    const found = await this.newestRows(this.filterOf(question, user, name, ordinalEnd), question.limit + 1, budget);
    const rows = found.slice(0, question.limit);
    const timesMs = rows.map(({timeMs}) => timeMs);
    const ordinals = rows.map(({ordinal}) => ordinal);
    const answer = {kind: 'history', timesMs, ordinals, more: found.length > question.limit, ...bounds} as const;
    const ascending = [...ordinals].sort((a, b) => a - b);
    const events = question.withEvents && (await this.events(ascending, budget)).texts;
    if (user !== undefined && !partition.users.table.has(user)) return unknownUser; // R1
    return {...answer, ...(events && {events})};
  }

  private findName(event: string): number | undefined {
    const bytes = wtf8(event);
    const index = this.view.partition.aggregator.names.find(bytes, 0, bytes.length);
    return index >= 0 ? index : undefined;
  }

  private filterOf(
    question: HistoryQuestion,
    user: number | undefined,
    name: number | undefined,
    ordinalEnd: number,
  ): HistoryFilter {
    const {before} = question;
    const toMs = question.toMs ?? Number.POSITIVE_INFINITY;
    return {
      user,
      hasLeft: this.hasLeft,
      name,
      fromMs: question.fromMs ?? 0,
      toMs: before === undefined ? toMs : Math.min(toMs, before.timeMs),
      ordinalEnd,
      before: before === undefined ? undefined : {timeMs: before.timeMs, ordinal: this.ordinalBefore(before)},
    };
  }

  /**
   * Ordinal at which a partition continues at the page's last time: partitions above the cursor's gave all their rows of that
   * time, those below none.
   */
  private ordinalBefore(before: RowPlace): number {
    const {partition} = this.view.partition;
    if (before.partition === partition) return before.ordinal;
    return partition < before.partition ? Number.POSITIVE_INFINITY : 0;
  }

  private async newestRows(filter: HistoryFilter, limit: number, budget: ReadBudget) {
    const newest = new NewestRows(limit, filter);
    const {layout} = this.view;
    const inMemory = this.chunksInMemory(); // R1
    const numbers = new Set(inMemory.map(({chunk}) => chunk));
    const {newestFirst} = layout.chunks;
    for (const chunk of inMemory) newest.offerByOrdinal(chunk.rowsNow());
    const ofUser = await this.chunksOfUser(filter.user);
    const isStored = ({chunk}: ChunkEntry) => !numbers.has(chunk) && (ofUser === undefined || ofUser.has(chunk));
    await this.offerStored(newest, reachableChunks(newestFirst, filter, isStored), budget);
    return newest.rows;
  }

  /** Offers stored chunks: cached ones at once. R2 */
  private async offerStored(newest: NewestRows, chunks: Iterator<Reachable>, budget: ReadBudget): Promise<void> {
    for (let next = chunks.next(); !next.done && newest.wants(next.value.newest); next = chunks.next()) {
      const held = this.view.cache.rows.held(next.value.chunk);
      if (held === undefined) return this.offerLoaded(newest, next.value, chunks, budget);
      newest.offer(held, next.value.chunk.keptFromMs);
    }
  }

  /** Offers chunks from the first uncached one on. */
  private async offerLoaded(
    newest: NewestRows,
    first: Reachable,
    others: Iterator<Reachable>,
    budget: ReadBudget,
  ): Promise<void> {
    const load = ({chunk}: Reachable) => this.view.cache.rows.load(chunk);
    let aheadFirst = 1; // Mostly the newest chunks suffice.
    for (let some = [first, ...taken(others)]; some.length > 0; some = taken(others)) {
      for await (const [{chunk, newest: begin}, columns] of loadAhead(some, load, loadsAheadMax, aheadFirst)) {
        if (!newest.wants(begin)) return;
        newest.offer(columns, chunk.keptFromMs);
        const turn = budget.count();
        if (turn !== undefined) await turn;
      }
      aheadFirst = loadsAheadMax;
    }
  }

  private chunksInMemory(): ChunkInMemory[] {
    const {partition, layout} = this.view;
    return [...layout.writing.values()].map(({chunk}) => chunk).concat(partition.open);
  }

  private async chunksOfUser(user: number | undefined): Promise<ReadonlySet<number> | undefined> {
    if (user === undefined) return undefined;
    const {partition, layout, cache} = this.view;
    return new Set((await loadRecord(partition, layout, cache, user))?.chunks);
  }

  // ---- events ----

  /**
   * Events of the first of these rows, in order: as many as one reply can carry, at least one.
   * @throws ReadTooLong
   */
  async events(ordinals: readonly number[], budget: ReadBudget): Promise<StoredEvents> {
    const {partition, tables} = this.view.partition;
    const events = new ReplyEvents(new EventTexts(partition, tables.users, tables.names));
    const wanted = this.blocksOf(ordinals); // R1
    for (let at = 0; at < wanted.length && !events.isFull; at++) {
      const held = this.heldBlock(wanted[at]);
      if (held === undefined) {
        await this.loadEvents(events, wanted.slice(at), budget);
        break;
      }
      this.addEvents(events, wanted[at], held);
    }
    return events;
  }

  /** Adds events from the first uncached block on. R2 */
  private async loadEvents(events: ReplyEvents, wanted: readonly BlockRows[], budget: ReadBudget): Promise<void> {
    for await (const [rows, loaded] of loadAhead(wanted, (rows) => this.loadBlock(rows), loadsAheadMax)) {
      if (events.isFull) return;
      this.addEvents(events, rows, loaded);
      const turn = budget.count();
      if (turn !== undefined) await turn;
    }
  }

  /** Groups adjacent rows of one block: with ascending ordinals each block is inflated once. */
  private blocksOf(ordinals: readonly number[]): BlockRows[] {
    const inMemory = this.chunksInMemory();
    const stored = this.view.layout.chunks.byOrdinal;
    const blocks: BlockRows[] = [];
    for (const ordinal of ordinals) {
      const place = inMemory.find((chunk) => isIn(chunk, ordinal)) ?? storedPlace(stored, ordinal);
      const block = place === undefined ? 0 : Math.floor((ordinal - place.baseOrdinal) / bodyBlockRows);
      const last = blocks.at(-1);
      if (last !== undefined && last.place === place && last.block === block) last.ordinals.push(ordinal);
      else blocks.push({place, block, ordinals: [ordinal]});
    }
    return blocks;
  }

  /** The cached block of these rows, with its columns; undefined: it is not cached; null: no chunk has the rows. */
  private heldBlock({place, block}: BlockRows): LoadedBlock | null | undefined {
    if (place === undefined) return null;
    if ('blockAt' in place) return [place.blockAt(block), place.columnsView()];
    const {cache} = this.view;
    const rows = cache.wholeRows.held(place);
    const bodies = rows === undefined ? undefined : cache.heldBodyBlock(place.bodies, block);
    return rows === undefined || bodies === undefined ? undefined : [bodies, rows];
  }

  private async loadBlock(rows: BlockRows): Promise<LoadedBlock | null> {
    const held = this.heldBlock(rows);
    if (held !== undefined) return held;
    const chunk = rows.place as ChunkEntry;
    const {cache} = this.view;
    return Promise.all([cache.loadBodyBlock(chunk.bodies, rows.block), cache.wholeRows.load(chunk)]);
  }

  private addEvents(events: ReplyEvents, {place, ordinals}: BlockRows, loaded: LoadedBlock | null): void {
    if (loaded === null || place === undefined) {
      for (const _ of ordinals) events.add(null, null);
      return;
    }
    events.written.open(new BodyBlock(...loaded));
    const columns = loaded[1];
    const keptFrom = 'keptFromMs' in place ? place.keptFromMs - columns.timeBase : 0;
    for (const ordinal of ordinals) {
      const row = ordinal - place.baseOrdinal;
      const isKept = keptFrom <= 0 || columns.times[row] >= keptFrom;
      const text = isKept ? this.textOf(events.written, row, ordinal) : null;
      events.add(text, text === null ? null : columns.users[row]);
    }
  }

  private textOf(written: EventTexts, row: number, ordinal: number): string | null {
    const {writer} = this;
    writer.position = 0;
    writer.u8(openBrace);
    const isThere = written.write(row, ordinal, writer);
    return isThere ? Buffer.from(writer.bytes.buffer, 0, writer.position).toString() : null;
  }
}

const openBrace = 0x7b;

/** Events of rows and their users, in two lists of the same length. */
interface StoredEvents {
  /** JSON of each event; null: its row was deleted. */
  readonly texts: readonly (string | null)[];
  /** Index of each event's user; null without a text. */
  readonly users: readonly (number | null)[];
}

/** Bytes of an event's text in the reply, with the five of its length. */
const replyBytes = (text: string | null): number => (text === null ? 1 : Buffer.byteLength(text) + 5);

/** Events of one reply, until it is full. */
class ReplyEvents implements StoredEvents {
  readonly written: EventTexts;
  readonly texts: (string | null)[] = [];
  readonly users: (number | null)[] = [];
  isFull = false;
  private bytes = 0;

  /** `written`: writes the texts. */
  constructor(written: EventTexts) {
    this.written = written;
  }

  /** Adds an event unless the reply is full. */
  add(text: string | null, user: number | null): void {
    if (this.isFull) return;
    this.bytes += replyBytes(text);
    this.isFull = this.bytes > replyBytesMax && this.texts.length > 0;
    if (this.isFull) return;
    this.texts.push(text);
    this.users.push(user);
  }
}

function taken<T>(items: Iterator<T>): T[] {
  const some: T[] = [];
  while (some.length < chunksTakenAtOnce) {
    const next = items.next();
    if (next.done) break;
    some.push(next.value);
  }
  return some;
}

const isIn = ({baseOrdinal, count}: Pick<ChunkEntry, 'baseOrdinal' | 'count'>, ordinal: number): boolean =>
  baseOrdinal <= ordinal && ordinal < baseOrdinal + count;

/** The chunk with this ordinal, if rows of it are left; `chunks` must ascend. */
function storedPlace(chunks: readonly ChunkEntry[], ordinal: number): ChunkEntry | undefined {
  const endOf = ({baseOrdinal, count}: ChunkEntry): number => baseOrdinal + count;
  const chunk = chunks[firstPlace(0, chunks.length, (place) => endOf(chunks[place]) <= ordinal)];
  return chunk !== undefined && chunk.live > 0 && isIn(chunk, ordinal) ? chunk : undefined;
}
