// What a snapshot consists of, as data. The manifest is the small root that is written last, by compare-and-set; it names
// one index part, and the index names everything else.
//   P3. Parts first, manifest last.
//   P7. All parts of a manifest stand at its position.
import {assert} from './invariant.js';

/** Format of everything that a snapshot consists of. A program reads no other. */
export const manifestFormat = 6;

/** One part in the store, its key first (`partsBeside`). `revisions` are those of its values of at most 512 KiB, in order. */
export interface PartRef {
  readonly key: string;
  readonly revisions: readonly number[];
  /** Length of the payload. */
  readonly bytes: number;
  /** Length of every value but the last. */
  readonly valueBytes: number;
  /** CRC-32 of each value: one can be read without the others. */
  readonly crcs: readonly number[];
}

export interface Position {
  readonly generation: number;
  readonly sequence: number;
}

/** The root: at most 64 KiB, overwritten in place, holds no client data. */
export interface Manifest {
  readonly format: number;
  readonly partition: number;
  readonly position: Position;
  /** Producer and number of the message at `position`: tells whether the log is still the one that was folded. */
  readonly mark: string;
  /** Fencing epoch of the owner that wrote it. */
  readonly epoch: number;
  /** Time of the tick at `position`, epoch ms. */
  readonly asOfMs: number;
  /** The newest of the parts that its owner wrote, 0: none. For who looks into a store; the service does not read it. */
  readonly highWaterRevision: number;
  readonly index: PartRef;
  /** The snapshot before this one: its parts are kept too (src/partition/snapshot/snapshots.ts P4). */
  readonly previous: {
    readonly position: Position;
    readonly mark: string;
    readonly asOfMs: number;
    readonly index: PartRef;
  } | null;
}

/** One chunk of rows: ordinals [baseOrdinal, baseOrdinal + count). */
export interface ChunkEntry {
  readonly chunk: number;
  readonly baseOrdinal: number;
  /** Rows, and those of them that were not erased. */
  readonly count: number;
  readonly live: number;
  /** Over the live rows, epoch ms, inclusive; without live rows min > max. */
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
  /** Name indexes that occur, ascending; null when they are more than `chunkNamesMax`. */
  readonly names: readonly number[] | null;
  readonly rows: PartRef;
  readonly bodies: PartRef;
}

export const chunkNamesMax = 64;

/** One of a run's blocks, encoded. */
export interface EncodedBlock {
  readonly first: number;
  readonly last: number;
  readonly payload: Uint8Array;
}

/** One block of a sorted run: keys (days of a window run, user indexes of a user run) in [first, last]. */
export interface RunBlock {
  readonly first: number;
  readonly last: number;
  readonly part: PartRef;
}

/** A sorted run; newer runs come later in their list. A reader merges all runs. */
export interface Run {
  readonly blocks: readonly RunBlock[];
  readonly bytes: number;
}

/** An interned table: block b holds the entries from b * `internedBlockEntries` on (actors/table/interned.ts). */
export interface TableRef {
  readonly count: number;
  readonly blocks: readonly PartRef[];
}

export interface DeletionRecord {
  readonly id: string;
  /** Keyed hash of the user key, hex. */
  readonly userHash: string;
  /** Position of its erase entry. */
  readonly position: Position;
  readonly eventsDeleted: number;
  /** What cleaned the disk, and what was checked after it; null until then: a start does it again. */
  readonly completed: {readonly timeMs: number; readonly verified: readonly string[]} | null;
  /** Logical time at which the record goes. */
  readonly expiresLogicalMs: number;
}

/** JSON of completed `DeletionRecord`s, an array, the newest last. */
export interface DeletionsPart {
  readonly part: PartRef;
  readonly count: number;
  /** Of the one that goes last. */
  readonly expiresLogicalMs: number;
}

/** Fingerprints of message ids of one logical day (actors/dedupe/fresh-fingerprints.ts). */
export interface FingerprintsPart {
  readonly logicalDay: number;
  readonly part: PartRef;
  readonly count: number;
}

export interface SnapshotIndex {
  readonly users: TableRef;
  readonly names: TableRef;
  /** Live rows per name index, f64 each. */
  readonly nameCounts: PartRef | null;
  readonly chunks: readonly ChunkEntry[];
  /** Hourly counts and daily active sets (actors/aggregator/windows.ts), keyed by epoch day. */
  readonly windowRuns: readonly Run[];
  /** User records (actors/user/user-records.ts), keyed by user index. */
  readonly userRuns: readonly Run[];
  /** Indexes of erased users that window runs may still hold, ascending: readers leave them out of day sets. */
  readonly erasedUsers: readonly number[];
  /** The newest last. */
  readonly dedupe: readonly FingerprintsPart[];
  /** How many ids in `dedupe` are remembered: the newest. */
  readonly dedupeCount: number;
  /** Logical days of message ids before this one were dropped for want of memory; null: none were. */
  readonly dedupeHeldFromDay: number | null;
  /** Message ids of erased users. */
  readonly erasedIds: readonly FingerprintsPart[];
  /** Pending ones. */
  readonly deletions: readonly DeletionRecord[];
  /** Completed ones, the newest last. */
  readonly completedDeletions: readonly DeletionsPart[];
  /** Last message of the log that may hold entries of erased users behind their erase entries; 0: none. */
  readonly erasedInLogSequence: number;
  /** Last number of each producer, and the logical time at which it was seen. */
  readonly producers: readonly (readonly [id: string, n: number, seenLogicalMs: number])[];
  readonly nextOrdinal: number;
  readonly nextChunk: number;
  readonly logicalMs: number;
  readonly lastTickMs: number;
}

/** Of parts in their order those that hold any of the newest `count` ids. */
export function newestParts(parts: readonly FingerprintsPart[], count: number): readonly FingerprintsPart[] {
  let first = parts.length;
  for (let held = 0; first > 0 && held < count; ) held += parts[--first]!.count;
  return parts.slice(first);
}

/** How many of the oldest ids in the parts are remembered no more. */
export function forgottenIds({dedupe, dedupeCount}: SnapshotIndex): number {
  return dedupe.reduce((sum, {count}) => sum + count, 0) - dedupeCount;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeIndex(index: SnapshotIndex): Uint8Array {
  return encoder.encode(JSON.stringify(index));
}

export function decodeIndex(bytes: Uint8Array): SnapshotIndex {
  return JSON.parse(decoder.decode(bytes)) as SnapshotIndex;
}

export function encodeDeletions(records: readonly DeletionRecord[]): Uint8Array {
  return encoder.encode(JSON.stringify(records));
}

export function decodeDeletions(bytes: Uint8Array): DeletionRecord[] {
  return JSON.parse(decoder.decode(bytes)) as DeletionRecord[];
}

/** How each part of an encoded index begins: a string within it has its quotes escaped, and looks like none. */
const partStart = '{"key":"';

/** Keys of all parts that an encoded index names, and the parts among them that another one does not name. */
export interface PartsBeside {
  readonly keys: readonly string[];
  readonly others: readonly PartRef[];
}

/**
 * `known`: keys that the other index names. Of two indexes that follow each other nearly all parts are the same: to read
 * the few others takes a fifth of the time of decoding it, whose objects a start would throw away.
 */
export function partsBeside(encoded: Uint8Array, known: ReadonlySet<string>): PartsBeside {
  const text = decoder.decode(encoded);
  const keys: string[] = [];
  const others: PartRef[] = [];
  for (let at = text.indexOf(partStart); at >= 0; at = text.indexOf(partStart, at + 1)) {
    const keyStart = at + partStart.length;
    const key = text.slice(keyStart, text.indexOf('"', keyStart));
    keys.push(key);
    if (!known.has(key)) others.push(JSON.parse(text.slice(at, text.indexOf('}', keyStart) + 1)) as PartRef);
  }
  return {keys, others};
}

export function encodeManifest(manifest: Manifest): Uint8Array {
  const bytes = encoder.encode(JSON.stringify(manifest));
  assert(bytes.length <= 64 * 1024, 'a manifest is at most 64 KiB');
  return bytes;
}

/** A program of another format wrote it. */
export class UnknownFormat extends Error {
  constructor(format: number) {
    super(`a snapshot is of format ${format}, which another version wrote: this one knows format ${manifestFormat}`);
  }
}

/** @throws UnknownFormat */
export function decodeManifest(bytes: Uint8Array): Manifest {
  const manifest = JSON.parse(decoder.decode(bytes)) as Manifest;
  if (manifest.format !== manifestFormat) throw new UnknownFormat(manifest.format);
  return manifest;
}

/** Every part that an index names, the index itself not included. */
export function* partsOf(index: SnapshotIndex): Generator<PartRef> {
  yield* index.users.blocks;
  yield* index.names.blocks;
  if (index.nameCounts !== null) yield index.nameCounts;
  for (const chunk of index.chunks) {
    yield chunk.rows;
    yield chunk.bodies;
  }
  for (const run of [...index.windowRuns, ...index.userRuns]) for (const block of run.blocks) yield block.part;
  for (const {part} of [...index.dedupe, ...index.erasedIds, ...index.completedDeletions]) yield part;
}
