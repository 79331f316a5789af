// A partition's published snapshot in memory, written with the real columns and blocks: for tests of what reads them.

import {crc32, gzipSync} from 'node:zlib';
import {bytesIn} from '../../actors/actor.js';
import {WindowDeltas} from '../../actors/aggregator/window-deltas.js';
import {encodeWindows, type WindowsView} from '../../actors/aggregator/windows.js';
import {ByteWriter, wtf8} from '../../actors/bytes/bytes.js';
import {joinBodies} from '../../actors/chunk/bodies.js';
import {inOrder} from '../../actors/chunk/chunk.js';
import {summarizeRows} from '../../actors/chunk/chunk-summary.js';
import {encodeProperties, type WholeRows} from '../../actors/chunk/property-columns.js';
import {eraseRows} from '../../actors/chunk/row-erasure.js';
import {encodeRows} from '../../actors/chunk/rows.js';
import {countedWithout} from '../../actors/identity/snapshot-set.js';
import {beginMessage, sealMessage, writeEvent} from '../../actors/log/entries.js';
import {MessageCursor} from '../../actors/log/entry-view.js';
import type {Json} from '../../actors/log/json.js';
import {
  type ChunkEntry,
  type DeletionRecord,
  encodeIndex,
  type Manifest,
  type MoveCounts,
  manifestFormat,
  type PartRef,
  type Run,
  type StoredIndex,
  wholeIndex,
} from '../../actors/manifest.js';
import {InternedTable} from '../../actors/table/interned.js';
import {UserSet} from '../../actors/table/user-set.js';
import {noIds, UserBlockWriter} from '../../actors/user/user-records.js';
import type {PartValues} from '../../src/parts/stored-parts.js';
import type {PartitionSnapshot} from '../../src/report/published/newest-snapshots.js';
import {OpenChunk} from '../twins/open-chunk.js';
import {rowsOfUser} from './rows-of-user.js';

export interface TestEvent {
  readonly user: string;
  readonly event: string;
  readonly timeMs: number;
  readonly properties?: {readonly [key: string]: Json};
  readonly context?: {readonly [key: string]: Json};
}

export const noMoves: MoveCounts = {left: [0], settled: [0], received: [0]};

/** Small state of the actors of an empty partition. */
export const emptyValues = {
  time: {logicalMs: 0, lastTickMs: 0, epoch: 1},
  producers: [],
  dedupe: {forgotten: 0, heldFromDay: null, messageIds: [], erasedIds: []},
  deletions: {pending: [], toTell: [], erasedInLogSequence: 0, parts: []},
  retention: {days: 0, fromDay: 0, raisedOnDay: 0, isCatchingUp: false},
  completions: [],
  changes: {dropped: null, parts: []},
  identity: [],
  moves: {counts: noMoves, pending: [], candidates: [], arriving: []},
  users: {keys: {count: 0, keyBytes: 0}, erased: []},
  aggregator: {names: {count: 0, keyBytes: 0}},
};

/** A store of parts that can lose them, and counts what is read. */
export class MemoryParts implements PartValues {
  private readonly values = new Map<number, Uint8Array>();
  private nextRevision = 1;
  reads = 0;

  put(payload: Uint8Array, valueBytesMax = 64 * 1024): PartRef {
    const revisions: number[] = [];
    const crcs: number[] = [];
    for (let at = 0; at === 0 || at < payload.length; at += valueBytesMax) {
      const value = payload.slice(at, at + valueBytesMax);
      this.values.set(this.nextRevision, value);
      revisions.push(this.nextRevision++);
      crcs.push(crc32(value));
    }
    return {key: `p0.1.${revisions[0]}`, revisions, bytes: payload.length, valueBytes: valueBytesMax, crcs};
  }

  sweep(ref: PartRef): void {
    for (const revision of ref.revisions) this.values.delete(revision);
  }

  sweepAll(): void {
    this.values.clear();
  }

  damage(ref: PartRef): void {
    const [revision] = ref.revisions;
    const value = this.values.get(revision!)!.slice();
    value[0]! ^= 1;
    this.values.set(revision!, value);
  }

  async read(revision: number): Promise<Uint8Array | undefined> {
    this.reads += 1;
    return this.values.get(revision);
  }
}

/** Writes one partition. `cut` ends a chunk and a run, as often as the test likes. */
export class TestPartition {
  readonly users = new InternedTable();
  readonly names = new InternedTable();
  private readonly parts: MemoryParts;
  private readonly chunks: ChunkEntry[] = [];
  private readonly images: {rows: WholeRows; blocks: readonly Uint8Array[]}[] = [];
  private readonly nameBlocks: PartRef[] = [];
  private readonly userBlocks: PartRef[] = [];
  private readonly windowRuns: Run[] = [];
  private readonly userRuns: Run[] = [];
  private readonly erasedUsers: number[] = [];
  /** Times of the first and the last event, by user index. */
  private readonly seenMs = new Map<number, readonly [number, number]>();
  private readonly traits = new Map<string, {readonly [key: string]: Json}>();
  private readonly deletions: DeletionRecord[] = [];
  private open = new OpenChunk(0, 0);
  private deltas = new WindowDeltas();
  private sequence = 0;

  constructor(parts: MemoryParts) {
    this.parts = parts;
  }

  append(...events: readonly TestEvent[]): this {
    for (const event of events) this.appendOne(event);
    return this;
  }

  private appendOne({user, event, timeMs, properties, context}: TestEvent): void {
    const writer = new ByteWriter(1_024);
    beginMessage(writer);
    writeEvent(writer, {event, userId: user, properties, context, timeMs, receivedMs: timeMs});
    const cursor = new MessageCursor(sealMessage(writer, new Uint8Array(8), 1, timeMs, 1));
    cursor.next();
    const {entry} = cursor;
    const userIndex = this.users.intern(entry.bytes, entry.keyStart, entry.keyEnd);
    const [firstMs, lastMs] = this.seenMs.get(userIndex) ?? [timeMs, timeMs];
    this.seenMs.set(userIndex, [Math.min(firstMs, timeMs), Math.max(lastMs, timeMs)]);
    const nameIndex = this.names.intern(entry.bytes, entry.textStart, entry.textEnd);
    this.open.append(entry, userIndex, nameIndex);
    this.deltas.add(timeMs, nameIndex, userIndex, true);
    if (this.open.isFull) this.cutChunk();
  }

  /** Rows of the user go from all chunks, its counts are subtracted in the next run, its day sets keep it (windows.ts W1). */
  erase(user: string): this {
    this.cutChunk();
    const key = wtf8('u' + user);
    const index = this.users.find(key, 0, key.length);
    if (index < 0) return this;
    this.images.forEach((image, chunk) => {
      const rows = rowsOfUser(image.rows, index);
      for (const row of rows) this.deltas.subtract(image.rows.times[row]!, image.rows.names[row]!);
      if (rows.length > 0) this.putChunk(chunk, eraseRows(image.rows, rows), image.blocks);
    });
    this.users.remove(index);
    this.traits.delete(user);
    this.seenMs.delete(index);
    for (let run = this.userRuns.length - 1; run >= 0; run--) {
      if (this.userRuns[run]!.blocks[0]!.first === index) this.userRuns.splice(run, 1);
    }
    this.erasedUsers.push(index);
    this.deletions.push({
      id: `del_${this.deletions.length}`,
      userHash: '',
      deviceHashes: [],
      position: {generation: 1, sequence: this.sequence + 1},
      eventsDeleted: 0,
      completed: null,
      expiresLogicalMs: 0,
    });
    return this;
  }

  /** Sets traits, in a run of their own that has all of them: those of before stay unless they are set again. */
  identify(user: string, traits: {readonly [key: string]: Json}): this {
    const key = wtf8('u' + user);
    const index = this.users.intern(key, 0, key.length);
    const known = {...this.traits.get(user), ...traits};
    this.traits.set(user, known);
    const writer = new UserBlockWriter();
    writer.add({
      user: index,
      createdMs: 0,
      lastEventMs: undefined,
      lastIdentifyMs: 0,
      traits: {
        json: JSON.stringify(known),
        setMs: Object.keys(known).map(() => 0),
        isSecret: Object.keys(known).map(() => false),
        overLimit: 0,
      },
      identifyIds: noIds,
      chunks: [],
    });
    const {first, last, payload} = writer.finish();
    this.userRuns.push({bytes: payload.length, blocks: [{first, last, part: this.parts.put(payload)}]});
    return this;
  }

  /** The run of who has events, older than all that have traits. */
  private seenRun(): Run[] {
    const writer = new UserBlockWriter();
    for (const [user, [createdMs, lastEventMs]] of [...this.seenMs].sort(([a], [b]) => a - b)) {
      const never = {lastIdentifyMs: undefined, traits: undefined, identifyIds: noIds, chunks: []};
      writer.add({user, createdMs, lastEventMs, ...never});
    }
    if (writer.isEmpty) return [];
    const {first, last, payload} = writer.finish();
    return [{bytes: payload.length, blocks: [{first, last, part: this.parts.put(payload)}]}];
  }

  /** Ends the chunk. */
  cutChunk(): this {
    if (this.open.count === 0) return this;
    this.putChunk(this.chunks.length, inOrder(this.open.columnsView()), this.open.blocks());
    this.open = new OpenChunk(this.open.chunk + 1, this.open.baseOrdinal + this.open.count);
    return this;
  }

  /** Writes the chunks again, as other parts with the same rows. */
  rewriteChunks(): this {
    this.cutChunk();
    for (const [chunk, {rows, blocks}] of this.images.entries()) this.putChunk(chunk, rows, blocks);
    return this;
  }

  /** Ends the run of windows; its days are spread over blocks of `daysMax`. */
  cutRun(daysMax = 1_000): this {
    const blocks = [...this.deltas.encode(() => false, 0)].flatMap((view) => split(view, daysMax));
    this.deltas = new WindowDeltas();
    if (blocks.length > 0) this.windowRuns.push(this.putRun(blocks));
    return this;
  }

  private putRun(blocks: readonly WindowsView[]): Run {
    return {
      bytes: 0,
      blocks: blocks.map((view) => ({
        first: view.firstDay,
        last: view.lastDay,
        part: this.parts.put(encodeWindows(view)),
      })),
    };
  }

  private putChunk(chunk: number, rows: WholeRows, blocks: readonly Uint8Array[]): void {
    this.images[chunk] = {rows, blocks};
    this.chunks[chunk] = {
      chunk,
      baseOrdinal: rows.baseOrdinal,
      count: rows.count,
      ...summarizeRows(rows),
      leftOut: 0,
      keptFromMs: 0,
      rows: this.parts.put(encodeRows(rows)),
      properties: this.parts.put(encodeProperties(rows)),
      bodies: this.parts.put(joinBodies(blocks.map((block) => gzipSync(block)))),
    };
  }

  /** What is published now. */
  publish(asOfMs = 0, partition = 0): PartitionSnapshot {
    this.cutChunk().cutRun();
    for (const {block, payload} of this.names.freeze('names'))
      this.nameBlocks[block] = this.parts.put(bytesIn(payload!));
    for (const {block, payload} of this.users.freeze('users'))
      this.userBlocks[block] = this.parts.put(bytesIn(payload!));
    const named = (refs: readonly PartRef[]) => refs.map((part, block) => ({block, part}));
    const stored: StoredIndex = {
      values: {
        ...emptyValues,
        time: {logicalMs: 0, lastTickMs: asOfMs, epoch: 1},
        deletions: {...emptyValues.deletions, pending: [...this.deletions]},
        users: {keys: this.users.size, erased: [...this.erasedUsers].sort((a, b) => a - b)},
        aggregator: {names: this.names.size},
      },
      parts: {'users.keys': named(this.userBlocks), 'aggregator.names': named(this.nameBlocks)},
      chunkBlocks: [],
      lastChunks: [...this.chunks],
      windowRuns: [...this.windowRuns],
      userRuns: [...this.seenRun(), ...this.userRuns],
      nextOrdinal: this.open.baseOrdinal,
      nextChunk: this.open.chunk,
    };
    const index = wholeIndex(stored, []);
    const manifest: Manifest = {
      format: manifestFormat,
      writtenBy: 'a test',
      partition,
      position: {generation: 1, sequence: (this.sequence += 1)},
      epoch: 1,
      mark: '',
      asOfMs,
      index: this.parts.put(encodeIndex(stored)),
      moves: noMoves,
      previous: null,
    };
    return {manifest, names: this.names, ...countedWithout(index, new UserSet(), [], 0)};
  }
}

/** Cuts a block of a run into blocks of at most `daysMax` days each. */
function split(view: WindowsView, daysMax: number): WindowsView[] {
  const blocks: WindowsView[] = [];
  for (let first = view.firstDay; first <= view.lastDay; first += daysMax) {
    const last = Math.min(first + daysMax - 1, view.lastDay);
    const inCells = (_: number, cell: number): boolean => {
      const day = Math.floor(view.hours[cell]! / 24);
      return first <= day && day <= last;
    };
    const places = [...view.days.keys()].filter((i) => first <= view.days[i]! && view.days[i]! <= last);
    const sets = places.map((i) => [...view.members.slice(view.memberOffsets[i], view.memberOffsets[i + 1])]);
    const offsets = [0];
    for (const set of sets) offsets.push(offsets.at(-1)! + set.length);
    const block: WindowsView = {
      firstDay: first,
      lastDay: last,
      counts: view.counts.filter(inCells),
      hours: view.hours.filter(inCells),
      names: view.names.filter(inCells),
      days: Uint32Array.from(places, (i) => view.days[i]!),
      memberOffsets: Uint32Array.from(offsets),
      members: Uint32Array.from(sets.flat()),
    };
    if (block.hours.length + block.days.length > 0) blocks.push(block);
  }
  return blocks;
}
