// The shape of a snapshot, as data. The manifest is the small root, written last, by compare-and-set. It names one index part,
// and the index names all other parts.
//   M1. The chunk directory is in blocks of `chunkBlockEntries` chunks, each a part. A snapshot writes only the blocks that
//       changed: one index of all entries would be 6 MB for a billion events, encoded and decoded at every tick.
//   M2. The index knows the parts of actors by name alone (actor.ts), so a new kind of state changes nothing here.
//   P3. Parts first, manifest last.
//   P7. All parts of a manifest are at its position.

import type {FrozenPart} from './actor.js';
import type {Generations} from './generations.js';
import {assert, must, OperatorFault} from './invariant.js';

/** Format of all parts of a snapshot. A program reads no other. */
export const manifestFormat = 16;

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

/** Position of a partition without a snapshot. */
export const nothingPublished: Position = {generation: 0, sequence: 0};

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

/**
 * A manifest without a snapshot: what the owner of a partition writes that has none yet. It fences off other owners (ownership.ts O4),
 * and readers of snapshots pass over it.
 */
export const claimOf = (partition: number, epoch: number, writtenBy: string): Manifest => ({
  format: manifestFormat,
  writtenBy,
  partition,
  position: nothingPublished,
  mark: '',
  epoch,
  asOfMs: 0,
  index: noPart,
  moves: {left: [], settled: [], received: []},
  previous: null,
});

export const isClaim = ({position}: Manifest): boolean => position.generation === nothingPublished.generation;

/** One chunk of rows: ordinals [baseOrdinal, baseOrdinal + count). */
export interface ChunkEntry {
  readonly chunk: number;
  readonly baseOrdinal: number;
  /** Number of rows, and of rows that were not erased; 0 as well once all have expired. */
  readonly count: number;
  readonly live: number;
  /** Range of the live rows' times, epoch ms, inclusive; without live rows min > max. */
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
  /** Time of the live row in the middle by time; 0 without any. */
  readonly middleTimeMs: number;
  /** Rows before this time have expired: they may be in the parts, and no answer has them (expired-parts.ts). 0: none. */
  readonly keptFromMs: number;
  /** Number of rows of users who left (`SnapshotIndex.leftOut`): they are in the parts, and no report counts them. */
  readonly leftOut: number;
  /** Name indexes of the chunk's rows, ascending; null when there are more than `chunkNamesMax`. */
  readonly names: readonly number[] | null;
  readonly rows: PartRef;
  readonly properties: PartRef;
  readonly bodies: PartRef;
}

export const chunkNamesMax = 64;

/** In place of a part whose content left: no value is stored. */
export const noPart: PartRef = {key: '', revisions: [], bytes: 0, valueBytes: 0, crcs: []};

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

/** A part of an actor's state. */
export interface NamedPart {
  readonly block: number;
  readonly part: PartRef;
}

/** The state of a partition's actors, by the names of its parts (actor.ts). */
export interface ActorParts {
  /** Small state: JSON whose shape src/parts/stored-state.ts knows. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Parts by ascending block; the names in the order in which they first came. */
  readonly parts: Readonly<Record<string, readonly NamedPart[]>>;
}

/** The state that readers of snapshots know: users, names, and what does not count in reports. */
export interface ReadState {
  readonly users: {readonly keys: {readonly count: number}; readonly erased: readonly number[]};
  readonly aggregator: {readonly names: {readonly count: number}};
  readonly moves: {readonly pending: readonly Move[]; readonly candidates: readonly number[]};
  readonly deletions: {readonly pending: readonly DeletionRecord[]};
  readonly retention: {readonly fromDay: number};
  readonly changes: {
    readonly dropped: Position | null;
    readonly parts: readonly {readonly block: number; readonly note: {readonly position: Position}}[];
  };
}

/** A table of keys: part b holds the entries from b * `internedBlockEntries` on (actors/table/interned.ts). */
export interface TableRef {
  readonly count: number;
  readonly blocks: readonly PartRef[];
}

/** Records of changes (actors/changes.ts), the newest last. */
export interface ChangesPart {
  readonly part: PartRef;
  /** Position of the newest record. */
  readonly position: Position;
}

/** An index as it is stored: with the chunks after those of `chunkBlocks`. */
export interface StoredIndex extends ActorParts {
  readonly values: ActorParts['values'] & ReadState;
  /** Block b lists the chunks from b * `chunkBlockEntries` on. M1 */
  readonly chunkBlocks: readonly PartRef[];
  readonly lastChunks: readonly ChunkEntry[];
  /** Hourly counts and daily active sets (actors/aggregator/windows.ts), keyed by epoch day. */
  readonly windowRuns: readonly Run[];
  /** User records (actors/user/user-records.ts), keyed by user index. */
  readonly userRuns: readonly Run[];
  readonly nextOrdinal: number;
  readonly nextChunk: number;
}

/** A whole index, as it is read. */
export interface SnapshotIndex extends Omit<StoredIndex, 'lastChunks'> {
  /** All chunks in order, the open one last, as it was at the cut. */
  readonly chunks: readonly ChunkEntry[];
  readonly users: TableRef;
  readonly names: TableRef;
  /** Indexes of erased users that window runs may still hold, ascending: readers leave them out of day sets. */
  readonly erasedUsers: readonly number[];
  /** Epoch day from which on events are kept (retention.ts); 0: none have expired. */
  readonly retainedFromDay: number;
  /** Pending deletions, and parts with completed ones, the newest last. */
  readonly deletions: readonly DeletionRecord[];
  readonly completedDeletions: readonly PartRef[];
  /** Records of changes, the newest last. */
  readonly changes: readonly ChangesPart[];
  /** Changes up to this position were dropped; null: none were. */
  readonly changesDropped: Position | null;
  /** Indexes of linked devices' users who have not left yet. */
  readonly candidates: readonly number[];
  readonly moves: readonly Move[];
  /** Users who left and whose destination has their events, as a bit set (actors/table/user-set.ts). Null: none. */
  readonly leftOut: PartRef | null;
}

/** The frozen changes since the last snapshot, which the shell stores (actor.ts AC1, manifest.ts P7). */
export interface SnapshotDelta extends Pick<SnapshotIndex, 'nextOrdinal' | 'nextChunk'> {
  readonly sequence: number;
  readonly mark: string;
  readonly asOfMs: number;
  readonly moveCounts: MoveCounts;
  /** Pending moves. Those without contents get them before the index is written. */
  readonly moves: readonly Move[];
  /** By actor. */
  readonly parts: readonly Iterable<FrozenPart>[];
  /** Runs of hourly counts and day sets, and of user records: blocks that are read once. */
  readonly windowBlocks: Iterable<EncodedBlock>;
  readonly userBlocks: Iterable<EncodedBlock>;
  readonly erasedUsers: readonly number[];
}

export function storedIndex({
  values,
  parts,
  chunkBlocks,
  chunks,
  windowRuns,
  userRuns,
  nextOrdinal,
  nextChunk,
}: SnapshotIndex): StoredIndex {
  const lastChunks = chunks.slice(chunkBlocks.length * chunkBlockEntries);
  return {values, parts, chunkBlocks, lastChunks, windowRuns, userRuns, nextOrdinal, nextChunk};
}

/** The whole index. `blocks`: content of the parts of `chunkBlocks`. */
export function wholeIndex(
  {lastChunks, ...rest}: StoredIndex,
  blocks: readonly (readonly ChunkEntry[])[],
): SnapshotIndex {
  const chunks: ChunkEntry[] = [];
  const {users, aggregator, moves, deletions, retention, changes} = rest.values;
  const partsOfName = (name: string): PartRef[] => (rest.parts[name] ?? []).map(({part}) => part);
  const records = new Map(rest.parts['changes.records']?.map(({block, part}) => [block, part]));
  return {
    ...rest,
    chunks: chunks.concat(...blocks, lastChunks),
    users: {count: users.keys.count, blocks: partsOfName('users.keys')},
    names: {count: aggregator.names.count, blocks: partsOfName('aggregator.names')},
    erasedUsers: users.erased,
    retainedFromDay: retention.fromDay,
    deletions: deletions.pending,
    completedDeletions: partsOfName('deletions.completed'),
    changes: changes.parts.map(({block, note}) => ({
      part: must(records.get(block), 'a block of changes is a part'),
      position: note.position,
    })),
    changesDropped: changes.dropped,
    candidates: moves.candidates,
    moves: moves.pending,
    leftOut: partsOfName('moves.leftOut')[0] ?? null,
  };
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

/** Parts of a chunk; none once all of its rows have expired. */
export const partsOfChunk = ({rows, properties, bodies}: ChunkEntry): readonly PartRef[] =>
  [rows, properties, bodies].filter(({revisions}) => revisions.length > 0);

export function* partsOfChunks(chunks: readonly ChunkEntry[]): Generator<PartRef> {
  for (const chunk of chunks) yield* partsOfChunk(chunk);
}

/** Every part but those of chunks. */
export function* partsBesideChunks(
  index: Pick<StoredIndex, 'parts' | 'chunkBlocks' | 'windowRuns' | 'userRuns'>,
): Generator<PartRef> {
  yield* index.chunkBlocks;
  for (const named of Object.values(index.parts)) for (const {part} of named) yield part;
  for (const run of [...index.windowRuns, ...index.userRuns]) for (const block of run.blocks) yield block.part;
}
