// Restores the state of a partition from a manifest: identities, names, message ids and the open chunk. Everything else stays
// in parts until it is needed.
import {RestoredChunk} from '../../../actors/chunk/restored-chunk.js';
import {bodyBlockRows} from '../../../actors/limits.js';
import {
  type ChunkEntry,
  encodeDeletions,
  forgottenIds,
  type Manifest,
  type PartRef,
  partsOf,
  type SnapshotIndex,
  storedIndex,
} from '../../../actors/manifest.js';
import {Partition, type PartitionSetup} from '../../../actors/partition.js';
import {bucketSubject} from '../../nats/topology.js';
import {whenAllEnded} from '../../pacing/when-all-ended.js';
import {isUnreadable} from '../../parts/damage.js';
import {loadAhead} from '../../parts/load-ahead.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {IndexReader, type LoadPart} from '../../parts/stored-index.js';
import {DamagedPart, MissingPart} from '../../parts/stored-parts.js';
import {readDeletions} from '../../parts/stored-state.js';
import {entriesOfBlock, type KeptNames, NamedParts} from './named-parts.js';

/** Concurrent loads of one kind of part. */
export const loadsAheadMax = 8;

export interface Restored {
  readonly partition: Partition;
  readonly index: SnapshotIndex | undefined;
  readonly manifest: Manifest | undefined;
  readonly named: KeptNames;
  /** Parts that only the older of the two snapshots names: they are removed together with it. */
  readonly outdated: readonly PartRef[];
}

/** The state before the first message. */
export const emptyState = (setup: PartitionSetup): Restored => ({
  partition: new Partition(setup),
  index: undefined,
  manifest: undefined,
  named: {current: NamedParts.none, previous: NamedParts.none},
  outdated: [],
});

/**
 * The state of a snapshot. `stored`: subjects of the values in the store; undefined: parts that the state can do without may be
 * missing. When it throws, all its loads have ended.
 * @throws MissingPart, DamagedPart
 */
export async function restore(
  setup: PartitionSetup,
  manifest: Manifest,
  cache: PartsCache,
  stored: ReadonlySet<string> | undefined,
): Promise<Restored> {
  const load: LoadPart = (ref) => cache.loadUncached(ref);
  const indexes = new IndexReader();
  const index = await indexes.read(manifest.index, load);
  if (stored !== undefined) checkStored(index, stored);
  const partition = new Partition(setup);
  const [nameCounts, openChunk] = await restoreTables(partition, index, cache, stored === undefined);
  // Last: all states of a partition share the kernel's memory.
  partition.restore(manifest.position.sequence, manifest.mark, index, nameCounts, openChunk);
  partition.generations = manifest.generations ?? [{generation: manifest.position.generation, ordinal: 0, users: 0}];
  return {partition, index, manifest, ...keptParts(manifest, index, await olderIndex(manifest, indexes, load))};
}

/** Checks that the store has all parts. @throws MissingPart */
function checkStored(index: SnapshotIndex, stored: ReadonlySet<string>): void {
  for (const ref of partsOf(index)) {
    const isStored = ref.revisions.every((_, i) => stored.has(bucketSubject('parts', `${ref.key}.${i}`)));
    if (!isStored) throw new MissingPart(ref);
  }
}

/**
 * Loads all tables at once: each load waits for the store longer than most of them take to restore. A failure waits for the other
 * loads: memory holds one state at a time.
 */
async function restoreTables(partition: Partition, index: SnapshotIndex, cache: PartsCache, permitsMissing: boolean) {
  const load: LoadPart = (ref) => cache.loadUncached(ref);
  const open = index.chunks.find((entry) => entry.chunk === index.nextChunk);
  const {users, names} = partition.tables;
  users.reserve(
    index.users.count,
    index.users.blocks.reduce((sum, {bytes}) => sum + bytes, 0),
  );
  let forgotten = forgottenIds(index);
  return whenAllEnded([
    index.nameCounts === null ? undefined : load(index.nameCounts),
    open === undefined ? undefined : loadOpenChunk(open, cache),
    restoreEach(index.users.blocks, load, (bytes) => users.restoreBlock(bytes)),
    restoreEach(index.names.blocks, load, (bytes) => names.restoreBlock(bytes)),
    restoreLinks(partition, index, load),
    restoreEach(
      index.dedupe,
      ({part}) => load(part),
      (bytes, {logicalDay}) => {
        forgotten = partition.dedupe.restoreMessageIds(logicalDay, bytes, forgotten);
      },
    ),
    restoreEach(
      index.erasedIds,
      ({part}) => load(part),
      (bytes, {logicalDay}) => partition.dedupe.restoreErasedIds(logicalDay, bytes),
    ),
    restoreEach(
      index.completedDeletions,
      ({part}) => (permitsMissing ? load(part).catch((error) => noRecords(error, partition)) : load(part)),
      (bytes, {part}) => partition.deletions.restore(readDeletions(bytes, part)),
    ),
    restoreCompletions(partition, index, load),
  ]);
}

/** Users who completed each saved funnel. */
export async function restoreCompletions(
  {completions}: Partition,
  {completed}: SnapshotIndex,
  load: LoadPart,
): Promise<void> {
  for (const {funnel, hasBegun, users} of completed)
    completions.restore(funnel, hasBegun, users === null ? null : await load(users));
}

/** Links of devices to users, and users who left. */
export async function restoreLinks({links, moves}: Partition, index: SnapshotIndex, load: LoadPart): Promise<void> {
  await whenAllEnded([
    restoreEach(index.devices.blocks, load, (bytes) => links.devices.restoreBlock(bytes)),
    restoreEach(index.owners.blocks, load, (bytes) => links.owners.restoreBlock(bytes)),
  ]);
  let block = 0;
  await restoreEach(index.links, load, (bytes) => links.restoreBlock(block++, bytes));
  if (index.leftOut !== null) moves.leftOut.restore(await load(index.leftOut));
  for (const {from, n, messages: refs} of index.arriving) {
    const messages: Uint8Array[] = [];
    for (const ref of refs) messages.push(await load(ref));
    moves.restoreArriving({from, n, messages});
  }
}

/** A missing list of past receipts does not refuse a start. */
function noRecords(error: unknown, {deletions}: Partition): Uint8Array {
  if (!isUnreadable(error)) throw error;
  deletions.isIncomplete = true;
  return encodeDeletions([]);
}

/** Loads and restores items in order. The parts loaded ahead take memory in addition. */
async function restoreEach<T>(
  items: readonly T[],
  load: (item: T) => Promise<Uint8Array>,
  restoreOne: (bytes: Uint8Array, item: T) => void,
): Promise<void> {
  for await (const [item, bytes] of loadAhead(items, load, loadsAheadMax)) restoreOne(bytes, item);
}

async function loadOpenChunk(entry: ChunkEntry, cache: PartsCache): Promise<RestoredChunk> {
  const [rows, count] = await Promise.all([cache.wholeRows.load(entry), cache.bodyBlocks(entry.bodies)]);
  if (count !== Math.ceil(rows.count / bodyBlockRows)) {
    throw new DamagedPart(entry.bodies, `it has ${count} blocks for ${rows.count} rows`);
  }
  const blocks = await Promise.all(Array.from({length: count}, (_, block) => cache.loadBodyBlock(entry.bodies, block)));
  return new RestoredChunk(rows, blocks);
}

/**
 * The index of the previous snapshot; undefined when one of its parts is missing or damaged. That snapshot is only needed if
 * the newest one is damaged, which it is not.
 */
async function olderIndex(
  {previous}: Manifest,
  indexes: IndexReader,
  load: LoadPart,
): Promise<SnapshotIndex | undefined> {
  if (previous === null) return undefined;
  try {
    return await indexes.read(previous.index, load);
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

function keptParts(
  {index: ref, previous}: Manifest,
  index: SnapshotIndex,
  older: SnapshotIndex | undefined,
): Pick<Restored, 'named' | 'outdated'> {
  const current = namedBy(ref, index, NamedParts.none);
  if (previous === null || older === undefined) return {named: {current, previous: NamedParts.none}, outdated: []};
  const refs = [previous.index, ...partsOf(older)];
  return {
    named: {current, previous: namedBy(previous.index, older, current)},
    outdated: refs.filter(({key}) => !current.has(key)),
  };
}

const namedBy = (ref: PartRef, index: SnapshotIndex, before: NamedParts): NamedParts =>
  NamedParts.of(ref, storedIndex(index), (block) => entriesOfBlock(index.chunks, block), before);
