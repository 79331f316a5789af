// From the newest manifest to a partition that goes on folding behind it.
//   Loaded: identities, names, message ids, the open chunk. Everything else stays in parts until something asks for it.
//   V1. A part that is damaged or gone makes its snapshot unusable: the one before is taken, as long as the log still
//       reaches back to it. Never half of a snapshot.
//   V2. The log must have the message that the snapshot stands at. One that lost it (power cut without sync, restored
//       backup) is another generation: it is folded from its first message on, skipping by producer and number.
//   V3. A log that starts behind the snapshot lacks messages for ever: the start is refused.
import type {JetStreamManager} from '@nats-io/jetstream';
import {bodyBlockRows} from '../../actors/limits.js';
import {
  type ChunkEntry,
  decodeIndex,
  type Manifest,
  type PartRef,
  partsOf,
  type SnapshotIndex,
} from '../../actors/manifest.js';
import {OpenChunk} from '../../actors/open-chunk.js';
import {Partition, type PartitionSetup} from '../../actors/partition.js';
import {logStream} from '../nats/topology.js';
import type {Logger} from '../observe.js';
import {DamagedPart, MissingPart, type PartsCache} from '../parts/parts-cache.js';
import {markAt} from './log-reader.js';
import type {ManifestStore, StoredManifest} from './manifest-store.js';
import {Final} from './retry.js';

export interface Recovered {
  readonly partition: Partition;
  readonly index: SnapshotIndex | undefined;
  readonly manifest: Manifest | undefined;
  readonly revision: number;
  readonly epoch: number;
  readonly generation: number;
  /** V2: it is another generation than the snapshot's. */
  readonly hasLostLog: boolean;
  /** Keys of the parts that the two kept manifests name. */
  readonly named: {readonly current: ReadonlySet<string>; readonly previous: ReadonlySet<string>};
  /** Parts that only the older of the two names: they leave the store with it. */
  readonly outdated: readonly PartRef[];
}

/** What recovery reads from. */
export interface RecoverySources {
  readonly manifests: ManifestStore;
  readonly cache: PartsCache;
  readonly jsm: JetStreamManager;
  readonly log: Logger;
}

/** Takes the partition over (a new epoch fences an owner that still lives) and loads its newest usable snapshot. */
export async function recover(setup: PartitionSetup, sources: RecoverySources): Promise<Recovered> {
  const stored = await sources.manifests.read();
  if (stored === undefined) {
    await checkReach(sources.jsm, setup.partition, 0);
    return nothingYet(setup);
  }
  const {manifest, revision} = await takeOver(sources.manifests, stored);
  const loaded = await loadNewest(setup, manifest, sources);
  const generation = await checkGeneration(loaded, sources);
  const hasLostLog = generation !== loaded.manifest.position.generation;
  return {...loaded, revision, epoch: manifest.epoch, generation, hasLostLog};
}

function nothingYet(setup: PartitionSetup): Recovered {
  const nothing: ReadonlySet<string> = new Set();
  return {
    partition: new Partition(setup),
    index: undefined,
    manifest: undefined,
    revision: 0,
    epoch: 1,
    generation: 1,
    hasLostLog: false,
    named: {current: nothing, previous: nothing},
    outdated: [],
  };
}

async function takeOver(manifests: ManifestStore, stored: StoredManifest): Promise<StoredManifest> {
  const manifest: Manifest = {...stored.manifest, epoch: stored.manifest.epoch + 1};
  return {manifest, revision: await manifests.write(manifest, stored.revision)};
}

interface Loaded {
  readonly partition: Partition;
  readonly index: SnapshotIndex;
  readonly manifest: Manifest;
  readonly named: Recovered['named'];
  readonly outdated: Recovered['outdated'];
}

/** V1 */
async function loadNewest(setup: PartitionSetup, manifest: Manifest, sources: RecoverySources): Promise<Loaded> {
  try {
    return await load(setup, manifest, sources);
  } catch (error) {
    if (!(error instanceof DamagedPart || error instanceof MissingPart) || manifest.previous === null) throw error;
    const {partition} = setup;
    sources.log.error(
      {err: error, partition},
      'the newest snapshot is damaged: the one before is used, and the log behind it',
    );
    return load(setup, {...manifest, ...manifest.previous, previous: null}, sources);
  }
}

async function load(setup: PartitionSetup, manifest: Manifest, {cache}: RecoverySources): Promise<Loaded> {
  const partition = new Partition(setup);
  const index = decodeIndex(await cache.load(manifest.index));
  await restore(partition, manifest, index, cache);
  return {partition, index, manifest, ...(await keptParts(manifest, index, cache))};
}

async function restore(
  partition: Partition,
  manifest: Manifest,
  index: SnapshotIndex,
  cache: PartsCache,
): Promise<void> {
  for (const ref of index.users.blocks) partition.users.restoreBlock(await cache.load(ref));
  for (const ref of index.names.blocks) partition.names.restoreBlock(await cache.load(ref));
  for (const {logicalDay, part} of index.dedupe) partition.restoreMessageIds(logicalDay, await cache.load(part));
  if (index.tombstones !== null) partition.restoreTombstones(await cache.load(index.tombstones));
  const nameCounts = index.nameCounts === null ? undefined : await cache.load(index.nameCounts);
  const open = index.chunks.find((entry) => entry.chunk === index.nextChunk);
  const openChunk = open === undefined ? undefined : await loadOpenChunk(open, cache);
  partition.restore(manifest.position.sequence, manifest.mark, index, nameCounts, openChunk);
}

async function loadOpenChunk(entry: ChunkEntry, cache: PartsCache): Promise<OpenChunk> {
  const rows = await cache.loadRows(entry.rows);
  const count = await cache.bodyBlocks(entry.bodies);
  if (count !== Math.ceil(rows.count / bodyBlockRows)) {
    throw new DamagedPart(entry.bodies, `it has ${count} blocks for ${rows.count} rows`);
  }
  const blocks: Uint8Array[] = [];
  for (let block = 0; block < count; block++) blocks.push(await cache.loadBodyBlock(entry.bodies, block));
  return OpenChunk.restore(rows, blocks);
}

async function keptParts(
  manifest: Manifest,
  index: SnapshotIndex,
  cache: PartsCache,
): Promise<Pick<Recovered, 'named' | 'outdated'>> {
  const current = new Set([manifest.index.key, ...[...partsOf(index)].map((ref) => ref.key)]);
  const older = await loadOlderIndex(manifest, cache);
  if (older === undefined) return {named: {current, previous: new Set()}, outdated: []};
  const parts = [older.ref, ...partsOf(older.index)];
  return {
    named: {current, previous: new Set(parts.map((ref) => ref.key))},
    outdated: parts.filter((ref) => !current.has(ref.key)),
  };
}

async function loadOlderIndex(
  {previous}: Manifest,
  cache: PartsCache,
): Promise<{readonly ref: PartRef; readonly index: SnapshotIndex} | undefined> {
  if (previous === null) return undefined;
  try {
    return {ref: previous.index, index: decodeIndex(await cache.load(previous.index))};
  } catch (error) {
    // It is kept for the case that the newest one is damaged, and that one was just loaded.
    if (error instanceof DamagedPart || error instanceof MissingPart) return undefined;
    throw error;
  }
}

/** V2, V3. Returns the generation to go on with. */
async function checkGeneration({partition, manifest}: Loaded, {jsm, log}: RecoverySources): Promise<number> {
  const {generation, sequence} = manifest.position;
  if ((await markAt(jsm, partition.partition, sequence)) === manifest.mark) return generation;
  const {state} = await jsm.streams.info(logStream(partition.partition));
  if (state.last_seq >= sequence) await checkReach(jsm, partition.partition, sequence);
  log.error(
    {partition: partition.partition, sequence, last: state.last_seq},
    'the log lost the message that the snapshot stands at (a power cut without sync, or a restored backup): it is read again from its start',
  );
  partition.rewind();
  return generation + 1;
}

/** V3 */
async function checkReach(jsm: JetStreamManager, partition: number, position: number): Promise<void> {
  const {state} = await jsm.streams.info(logStream(partition));
  if (state.first_seq <= position + 1) return;
  throw new Final(
    `partition ${partition}: the log starts at ${state.first_seq}, but the newest snapshot ends at ${position}: entries between are missing`,
  );
}
