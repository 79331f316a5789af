// From the newest manifest to a partition that goes on folding behind it.
//   Loaded: identities, names, message ids, the open chunk. Everything else stays in parts until something asks for it.
import type {JetStreamManager} from '@nats-io/jetstream';
import {bodiesLayout} from '../../actors/bodies.js';
import {bodyBlockRows} from '../../actors/limits.js';
import {type ChunkEntry, decodeIndex, type Manifest, partsOf, type SnapshotIndex} from '../../actors/manifest.js';
import {OpenChunk} from '../../actors/open-chunk.js';
import {Partition, type PartitionSetup} from '../../actors/partition.js';
import {logStream} from '../nats/topology.js';
import type {PartsCache} from '../parts/parts-cache.js';
import type {ManifestStore, StoredManifest} from './manifest-store.js';
import {Final} from './retry.js';

export interface Recovered {
  readonly partition: Partition;
  readonly index: SnapshotIndex | undefined;
  readonly manifest: Manifest | undefined;
  readonly revision: number;
  readonly epoch: number;
  readonly generation: number;
  /** Keys of the parts that the two kept manifests name. */
  readonly named: {readonly current: ReadonlySet<string>; readonly previous: ReadonlySet<string>};
}

/** Takes the partition over (a new epoch fences an owner that still lives) and loads its newest snapshot. */
export async function recover(
  setup: PartitionSetup,
  manifests: ManifestStore,
  cache: PartsCache,
  jsm: JetStreamManager,
): Promise<Recovered> {
  const stored = await manifests.read();
  const partition = new Partition(setup);
  if (stored === undefined) {
    await checkLog(jsm, setup.partition, 0);
    const nothing: ReadonlySet<string> = new Set();
    return {
      partition,
      index: undefined,
      manifest: undefined,
      revision: 0,
      epoch: 1,
      generation: 1,
      named: {current: nothing, previous: nothing},
    };
  }
  const {manifest, revision} = await takeOver(manifests, stored);
  await checkLog(jsm, setup.partition, manifest.position.sequence);
  const index = decodeIndex(await cache.load(manifest.index));
  await restore(partition, manifest, index, cache);
  const {generation} = manifest.position;
  return {
    partition,
    index,
    manifest,
    revision,
    epoch: manifest.epoch,
    generation,
    named: await namedBy(manifest, index, cache),
  };
}

async function takeOver(manifests: ManifestStore, stored: StoredManifest): Promise<StoredManifest> {
  const manifest: Manifest = {...stored.manifest, epoch: stored.manifest.epoch + 1};
  return {manifest, revision: await manifests.write(manifest, stored.revision)};
}

/** The log must reach back to the manifest's position, and at least up to it: otherwise something is missing. */
async function checkLog(jsm: JetStreamManager, partition: number, position: number): Promise<void> {
  const {state} = await jsm.streams.info(logStream(partition));
  if (state.first_seq > position + 1) {
    throw new Final(
      `partition ${partition}: the log starts at ${state.first_seq}, but the newest snapshot ends at ${position}: entries between are missing`,
    );
  }
  if (state.last_seq < position) {
    throw new Final(
      `partition ${partition}: the log ends at ${state.last_seq}, before the newest snapshot at ${position}: it lost entries or belongs to another deployment`,
    );
  }
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
  partition.restore(manifest.position.sequence, index, nameCounts, openChunk);
}

async function loadOpenChunk(entry: ChunkEntry, cache: PartsCache): Promise<OpenChunk> {
  const rows = await cache.loadRows(entry.rows);
  const count = bodiesLayout(await cache.load(entry.bodies)).starts.length;
  const blocks: Uint8Array[] = [];
  for (let block = 0; block < count; block++) blocks.push(await cache.loadBodyBlock(entry.bodies, block));
  const open = OpenChunk.restore(rows, blocks);
  if (count !== Math.ceil(rows.count / bodyBlockRows))
    throw new Final('the open chunk has another number of body blocks than rows');
  return open;
}

async function namedBy(manifest: Manifest, index: SnapshotIndex, cache: PartsCache): Promise<Recovered['named']> {
  const keysOf = (of: SnapshotIndex, own: string) => new Set([own, ...[...partsOf(of)].map((ref) => ref.key)]);
  const current = keysOf(index, manifest.index.key);
  if (manifest.previous === null) return {current, previous: new Set()};
  const previousIndex = decodeIndex(await cache.load(manifest.previous.index));
  return {current, previous: keysOf(previousIndex, manifest.previous.index.key)};
}
