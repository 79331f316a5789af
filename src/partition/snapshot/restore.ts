// Restores the state of a partition from a manifest: identities, names, message ids and the open chunk. Everything else stays
// in parts until it is needed.
import {RestoredChunk} from '../../../actors/chunk/restored-chunk.js';
import {bodyBlockRows} from '../../../actors/limits.js';
import {
  type ChunkEntry,
  type Manifest,
  type PartRef,
  partsOf,
  type SnapshotIndex,
  storedIndex,
} from '../../../actors/manifest.js';
import {Partition, type PartitionSetup} from '../../../actors/partition.js';
import {bucketSubject, partsBucket} from '../../nats/topology.js';
import {whenAllEnded} from '../../pacing/when-all-ended.js';
import {isUnreadable} from '../../parts/damage.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {IndexReader, type LoadPart} from '../../parts/stored-index.js';
import {DamagedPart, MissingPart} from '../../parts/stored-parts.js';
import {restoreActors} from './actor-state.js';
import {entriesOfBlock, type KeptNames, NamedParts} from './named-parts.js';

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
  if (stored !== undefined) checkStored(setup.partition, index, stored);
  const partition = new Partition(setup);
  const open = index.chunks.find((entry) => entry.chunk === index.nextChunk);
  const [openChunk] = await whenAllEnded([
    open === undefined ? undefined : loadOpenChunk(open, cache),
    restoreActors(partition.actors, index, load, stored === undefined),
  ]);
  // Last: all states of a partition share the kernel's memory.
  partition.restore(manifest.position.sequence, manifest.mark, index, openChunk);
  partition.generations = manifest.generations ?? [{generation: manifest.position.generation, ordinal: 0, users: 0}];
  return {partition, index, manifest, ...keptParts(manifest, index, await olderIndex(manifest, indexes, load))};
}

/** Checks that the store has all parts. @throws MissingPart */
function checkStored(partition: number, index: SnapshotIndex, stored: ReadonlySet<string>): void {
  const bucket = partsBucket(partition);
  for (const ref of partsOf(index)) {
    const isStored = ref.revisions.every((_, i) => stored.has(bucketSubject(bucket, `${ref.key}.${i}`)));
    if (!isStored) throw new MissingPart(ref);
  }
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
