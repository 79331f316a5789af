// The shape of a snapshot, as data. The manifest is the small root, written last, by compare-and-set. It names one index part,
// and the index names all other parts.
//   M1. The chunk directory is in blocks of `chunkBlockEntries` chunks, each a part. A snapshot writes only the blocks that
//       changed: one index of all entries would be 6 MB for a billion events, encoded and decoded at every tick.
//   P3. Parts first, manifest last.
//   P7. All parts of a manifest are at its position.

import type {Generations} from './generations.js';
import {assert, OperatorFault} from './invariant.js';

/** Format of all parts of a snapshot. A program reads no other. */
export const manifestFormat = 12;

/** One part in the store. `revisions`: those of its values of at most 512 KiB, in order. */
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

/** Progress of the moves between a partition and each other one (actors/identity/moves.ts), by the other one's number. */
export interface MoveCounts {
  /** Number of the newest move to it, and of the newest move that it has published in a snapshot. */
  readonly left: readonly number[];
  readonly settled: readonly number[];
  /** Number of the newest folded move from it. */
  readonly received: readonly number[];
}

/** Anonymous users who left together. */
export interface Move {
  readonly to: number;
  readonly n: number;
  /** User indexes. */
  readonly users: number[];
  /** Counts of their rows; null until the first snapshot with the move, which the shell completes. */
  contents: MoveContents | null;
}

export interface MoveContents {
  /** Row counts by epoch hour and name. */
  readonly cells: readonly (readonly [hour: number, name: number, count: number])[];
  /** Row counts by chunk. */
  readonly chunks: readonly (readonly [chunk: number, rows: number])[];
}

/** Pieces of a move of which some have not arrived yet. */
export interface ArrivingParts {
  readonly from: number;
  readonly n: number;
  readonly messages: readonly PartRef[];
}

/** The root of a snapshot: at most 64 KiB, overwritten in place, holds no client data. */
export interface Manifest {
  readonly format: number;
  /** Version and commit of the program. Every format has this field, so a version that cannot read the rest can name the one that can. */
  readonly writtenBy: string;
  readonly partition: number;
  readonly position: Position;
  /** Producer and number of the message at `position`: tells whether the log is still the folded one. */
  readonly mark: string;
  /** Fencing epoch of the owner that wrote the manifest. */
  readonly epoch: number;
  /** Time of the tick at `position`, epoch ms. */
  readonly asOfMs: number;
  readonly index: PartRef;
  readonly moves: MoveCounts;
  /** Absent: of an earlier version; all rows are of the position's. */
  readonly generations?: Generations;
  /** The previous snapshot: its parts are kept, too (src/partition/snapshot/snapshots.ts P4). */
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
  /** Number of rows, and of rows that were not erased. */
  readonly count: number;
  readonly live: number;
  /** Range of the live rows' times, epoch ms, inclusive; without live rows min > max. */
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
  /** Number of rows of users who left (`SnapshotIndex.leftOut`): they are in the parts, and no report counts them. */
  readonly leftOut: number;
  /** Name indexes of the chunk's rows, ascending; null when there are more than `chunkNamesMax`. */
  readonly names: readonly number[] | null;
  readonly rows: PartRef;
  readonly properties: PartRef;
  readonly bodies: PartRef;
}

export const chunkNamesMax = 64;

/** Chunks of one block of the directory: four million events. M1 */
export const chunkBlockEntries = 256;

/** Number of complete blocks of the directory when `nextChunk` is the number of the open chunk. */
export const chunkBlocksBefore = (nextChunk: number): number => Math.floor(nextChunk / chunkBlockEntries);

/** One encoded block of a run. */
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

/** Link that came with a late copy of an erased event: its user is deleted. */
export interface LateLink {
  readonly userId: string;
  readonly anonymousId: string;
}

export interface DeletionRecord {
  readonly id: string;
  /** Keyed hash of the user key, hex. */
  readonly userHash: string;
  /** Set if all events of a name were deleted: `userHash` is the hash of the name's key (actors/log/entries.ts). */
  readonly isOfName?: true;
  /** Keyed hashes of the keys of its devices in this partition, hex. */
  readonly deviceHashes: readonly string[];
  /** Position of its erase entry. */
  readonly position: Position;
  /** Time at which the edge received it, epoch ms. */
  readonly receivedMs?: number;
  readonly eventsDeleted: number;
  /** Partitions that the deletion has to go on to, in this order, and the key of its user; absent: their logs have the entry. */
  readonly onward?: {readonly key: string; readonly partitions: readonly number[]};
  /** Number of partitions after this one in the entry; absent: none. */
  readonly stepsLeft?: number;
  /** Time at which the disk was cleaned, and the checks after that; null until then: a start cleans it again. */
  readonly completed: {readonly timeMs: number; readonly verified: readonly string[]} | null;
  /** Logical time at which the record expires. */
  readonly expiresLogicalMs: number;
}

/** A part with completed `DeletionRecord`s as a JSON array, the newest last. */
export interface DeletionsPart {
  readonly part: PartRef;
  readonly count: number;
  /** The latest expiry of its records. */
  readonly expiresLogicalMs: number;
}

/** Records of changes (actors/changes.ts), the newest last. */
export interface ChangesPart {
  readonly part: PartRef;
  /** Number of facts in them. */
  readonly count: number;
  /** Position of the newest record. */
  readonly position: Position;
  /** Expiry of the record that expires last. */
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
  /** Number of live rows by name index, f64 each. */
  readonly nameCounts: PartRef | null;
  /** Block b lists the chunks from b * `chunkBlockEntries` on. M1 */
  readonly chunkBlocks: readonly PartRef[];
  /** All chunks in order, the open one last, as it was at the cut. */
  readonly chunks: readonly ChunkEntry[];
  /** Hourly counts and daily active sets (actors/aggregator/windows.ts), keyed by epoch day. */
  readonly windowRuns: readonly Run[];
  /** User records (actors/user/user-records.ts), keyed by user index. */
  readonly userRuns: readonly Run[];
  /** Indexes of erased users that window runs may still hold, ascending: readers leave them out of day sets. */
  readonly erasedUsers: readonly number[];
  /** Message ids, the newest last. */
  readonly dedupe: readonly FingerprintsPart[];
  /** Number of ids in `dedupe` that are remembered: the newest ones. */
  readonly dedupeCount: number;
  /** First logical day of which all message ids are held; null: none were dropped for lack of memory. */
  readonly dedupeHeldFromDay: number | null;
  /** Message ids of erased users. */
  readonly erasedIds: readonly FingerprintsPart[];
  /** Pending deletions. */
  readonly deletions: readonly DeletionRecord[];
  /** Links that came with late copies of erased entries, and are to be taken back; absent: none. */
  readonly lateLinks?: readonly LateLink[];
  /** Completed deletions, the newest last. */
  readonly completedDeletions: readonly DeletionsPart[];
  /** Completed deletions that not every endpoint is known to have been told of. */
  readonly deletionsToTell: readonly string[];
  /** Users who completed saved funnels, by funnel. */
  readonly completed: readonly CompletedPart[];
  /** Records of changes, the newest last. */
  readonly changes: readonly ChangesPart[];
  /** Changes up to this position were dropped; null: none were. */
  readonly changesDropped: Position | null;
  /** Last message of the log that may hold entries of erased users after their erase entries; 0: none. */
  readonly erasedInLogSequence: number;
  /** Last number of each producer, and the logical time at which it was seen. */
  readonly producers: readonly (readonly [id: string, n: number, seenLogicalMs: number])[];
  /**
   * Links of devices to users (actors/identity/links.ts): devices, owners, and the owner of each device by blocks of `devices`.
   */
  readonly devices: TableRef;
  readonly owners: TableRef;
  readonly links: readonly PartRef[];
  /** Indexes of linked devices' users who have not left yet. */
  readonly candidates: readonly number[];
  readonly moves: readonly Move[];
  readonly moveCounts: MoveCounts;
  /** Moves of which some pieces have not arrived yet, by origin: the pieces are log messages, a part each. */
  readonly arriving: readonly ArrivingParts[];
  /** Users who left and whose destination has their events, as a bit set (actors/table/user-set.ts). Null: none. */
  readonly leftOut: PartRef | null;
  readonly nextOrdinal: number;
  readonly nextChunk: number;
  readonly logicalMs: number;
  readonly lastTickMs: number;
}

/** Users who completed a saved funnel. */
export interface CompletedPart {
  /** Id of the funnel. */
  readonly funnel: string;
  /** Whether the users who completed it before it was saved are included: only later ones are notified. */
  readonly hasBegun: boolean;
  /** One bit per user (actors/table/user-set.ts); null: no user. */
  readonly users: PartRef | null;
}

/** An index as it is stored: with the chunks after those of `chunkBlocks`. */
export interface StoredIndex extends Omit<SnapshotIndex, 'chunks'> {
  readonly lastChunks: readonly ChunkEntry[];
}

export function storedIndex({chunks, ...rest}: SnapshotIndex): StoredIndex {
  return {...rest, lastChunks: chunks.slice(rest.chunkBlocks.length * chunkBlockEntries)};
}

/** The whole index. `blocks`: content of the parts of `chunkBlocks`. */
export function wholeIndex(
  {lastChunks, ...rest}: StoredIndex,
  blocks: readonly (readonly ChunkEntry[])[],
): SnapshotIndex {
  const chunks: ChunkEntry[] = [];
  return {...rest, chunks: chunks.concat(...blocks, lastChunks)};
}

/** The last parts, which together hold the newest `count` ids. */
export function newestParts(parts: readonly FingerprintsPart[], count: number): readonly FingerprintsPart[] {
  let first = parts.length;
  for (let held = 0; first > 0 && held < count; ) held += parts[--first]!.count;
  return parts.slice(first);
}

/** Number of the oldest ids in the parts that are no longer remembered. */
export function forgottenIds({dedupe, dedupeCount}: SnapshotIndex): number {
  return dedupe.reduce((sum, {count}) => sum + count, 0) - dedupeCount;
}

// What reads these bytes checks their shape: src/parts/stored-state.ts.
const encoder = new TextEncoder();

export function encodeIndex(index: StoredIndex): Uint8Array {
  return encoder.encode(JSON.stringify(index));
}

export function encodeChunkBlock(entries: readonly ChunkEntry[]): Uint8Array {
  return encoder.encode(JSON.stringify(entries));
}

export function encodeDeletions(records: readonly DeletionRecord[]): Uint8Array {
  return encoder.encode(JSON.stringify(records));
}

export function encodeManifest(manifest: Manifest): Uint8Array {
  const bytes = encoder.encode(JSON.stringify(manifest));
  assert(bytes.length <= 64 * 1024, 'a manifest is at most 64 KiB');
  return bytes;
}

/** The snapshot has a format that this program does not read. */
export class UnknownFormat extends OperatorFault {
  constructor({format, writtenBy}: {readonly format: number; readonly writtenBy?: string}) {
    super(
      `the data has format ${format}, written by ${writtenBy ?? 'an earlier version'}; this version reads format ${manifestFormat} alone`,
    );
  }
}

/** Every part that an index names, the index itself not included. */
export function* partsOf(index: SnapshotIndex): Generator<PartRef> {
  yield* partsBesideChunks(index);
  yield* partsOfChunks(index.chunks);
}

export const partsOfChunk = ({rows, properties, bodies}: ChunkEntry): readonly PartRef[] => [rows, properties, bodies];

export function* partsOfChunks(chunks: readonly ChunkEntry[]): Generator<PartRef> {
  for (const chunk of chunks) yield* partsOfChunk(chunk);
}

/** Every part but those of chunks. */
export function* partsBesideChunks(index: Omit<SnapshotIndex, 'chunks'>): Generator<PartRef> {
  yield* index.chunkBlocks;
  yield* index.users.blocks;
  yield* index.names.blocks;
  yield* index.devices.blocks;
  yield* index.owners.blocks;
  yield* index.links;
  for (const {messages} of index.arriving) yield* messages;
  if (index.leftOut !== null) yield index.leftOut;
  if (index.nameCounts !== null) yield index.nameCounts;
  for (const run of [...index.windowRuns, ...index.userRuns]) for (const block of run.blocks) yield block.part;
  for (const {part} of [...index.dedupe, ...index.erasedIds, ...index.completedDeletions, ...index.changes]) yield part;
  for (const {users} of index.completed) if (users !== null) yield users;
}
