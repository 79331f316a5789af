// From the newest manifest to a partition that goes on folding behind it.
//   Loaded: identities, names, message ids, the open chunk. Everything else stays in parts until something asks for it.
//   V1. A part that is damaged or gone makes its snapshot unusable: the one before is taken, as long as the log still
//       reaches back to it; without a usable one the log is folded from its first message, if it has all of them. Never
//       half of a snapshot. What no snapshot and no log can replace leaves an alarm, and its answers are 503; records of
//       past deletions are left out then.
//   V2. The log must have the message that the snapshot stands at. One that lost it (power cut without sync, deleted stream,
//       restored backup) is another generation: it is folded from its first message on, skipping by producer and number.
//       So is one without the position that was noted outside of NATS (position-note.ts), as manifests are lost with logs;
//       what is left of it agrees with the manifest, and is folded on.
//   V3. A log that starts behind the snapshot lacks messages for ever: the start is refused.
//   V4. The note is this machine's, and another one may have had the partition since. A manifest of a later generation is of
//       another log than was noted, and a log that starts between the noted position and the manifest's was cut by whoever
//       published that: neither says that anything is lost. Where manifests were lost with the end of the log, what is left of
//       them stands before what was noted, and the log starts no later than at one of them (V3).
//   V5. The first start of a backup begins a generation as well: the original gave the positions after it to other messages.
//       Nothing is lost by that, and nothing is read again.
//   V6. A start that was paused may have a successor, too, which swept parts that this one still reads, and cut the log. It asks
//       for one before it calls anything lost or damaged (ownership.ts O1).
import type {JetStreamManager} from '@nats-io/jetstream';
import {RestoredChunk} from '../../../actors/chunk/restored-chunk.js';
import {bodyBlockRows} from '../../../actors/limits.js';
import {
  type ChunkEntry,
  decodeDeletions,
  decodeIndex,
  encodeDeletions,
  forgottenIds,
  type Manifest,
  type PartRef,
  type Position,
  partsOf,
  type SnapshotIndex,
  type StoredIndex,
  storedIndex,
} from '../../../actors/manifest.js';
import {Partition, type PartitionSetup} from '../../../actors/partition.js';
import {bucketStream, bucketSubject, logStream} from '../../nats/topology.js';
import type {Logger} from '../../observe.js';
import {isUnreadable} from '../../parts/damage.js';
import {loadAhead} from '../../parts/load-ahead.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {IndexReader} from '../../parts/stored-index.js';
import {DamagedPart, MissingPart} from '../../parts/stored-parts.js';
import {markAt} from '../log/log-reader.js';
import {Final, retryForever} from '../retry.js';
import {type ManifestStore, Replaced, type StoredManifest} from './manifest-store.js';
import {entriesOfBlock, type KeptNames, NamedParts} from './named-parts.js';
import type {NotedPosition, PositionNote} from './position-note.js';

/** Parts under way at once, of one kind. */
export const loadsAheadMax = 8;

interface Recovered {
  readonly partition: Partition;
  readonly index: SnapshotIndex | undefined;
  readonly manifest: Manifest | undefined;
  readonly revision: number;
  readonly epoch: number;
  /** V2: the log is of another generation than the snapshot's. */
  readonly hasLostLog: boolean;
  readonly named: KeptNames;
  /** Parts that only the older of the two names: they leave the store with it. */
  readonly outdated: readonly PartRef[];
}

/** What recovery reads from. */
interface RecoverySources {
  readonly manifests: ManifestStore;
  readonly cache: PartsCache;
  readonly jsm: JetStreamManager;
  readonly note: PositionNote;
  readonly log: Logger;
}

/**
 * Takes the partition over (a new epoch fences an owner that still lives) and loads its newest usable snapshot. Both at
 * once, as what is loaded is of no use to anybody before the partition is taken over: the write of the manifest finds
 * that it is still the newest, and until then no owner can have swept its parts or cut the log behind what it kept. Where that
 * owner has published another one meanwhile, recovery starts again.
 */
export async function recover(setup: PartitionSetup, sources: RecoverySources): Promise<Recovered> {
  for (;;) {
    const [stored, noted] = await Promise.all([sources.manifests.read(), sources.note.read()]);
    if (stored === undefined) return recoverWithoutManifest(setup, sources, noted);
    try {
      return await recoverFrom(stored, noted, setup, sources);
    } catch (error) {
      const isOvertaken = error instanceof Replaced && error.epoch === stored.manifest.epoch;
      if (!isOvertaken) throw error;
    }
  }
}

async function recoverFrom(
  stored: StoredManifest,
  noted: NotedPosition | undefined,
  setup: PartitionSetup,
  sources: RecoverySources,
): Promise<Recovered> {
  const {manifest} = stored;
  const found = lookAtLog(sources.jsm, setup.partition, manifest.position.sequence);
  const values = storedValues(sources.jsm, setup.partition);
  const takenOver = takeOver(sources.manifests, stored, noted?.epoch ?? 0);
  const reading = [loadNewest(setup, manifest, sources, {found, values, takenOver}), found, values] as const;
  const [{epoch, revision}, {loaded, log}] = await Promise.all([takenOver, ...reading]).catch(
    async (error: unknown) => {
      await Promise.allSettled(reading); // Memory holds one state at a time.
      throw error;
    },
  );
  const checkOwner = (): Promise<void> => checkStillOwner(sources.manifests, epoch);
  const {generation, hasLostLog} = await checkGeneration(loaded, manifest, noted, sources, log, checkOwner);
  loaded.partition.generation = generation;
  return {
    ...loaded,
    manifest: loaded.manifest === undefined ? undefined : {...loaded.manifest, epoch},
    revision,
    epoch,
    hasLostLog,
  };
}

/** A first start; or one after all manifests were lost. */
async function recoverWithoutManifest(
  setup: PartitionSetup,
  {jsm, log}: RecoverySources,
  noted: NotedPosition | undefined,
): Promise<Recovered> {
  checkReach(setup.partition, (await endsOf(jsm, setup.partition)).first, 0);
  const nothing = {...nothingLoaded(setup), revision: 0};
  if (noted === undefined) return {...nothing, epoch: 1, hasLostLog: false};
  const isLost = !(await isNoteTrue(jsm, setup.partition, noted, {generation: 0, sequence: 0}));
  if (isLost) alarmNoted(log, setup.partition, noted);
  nothing.partition.generation = noted.generation + (isLost ? 1 : 0);
  return {...nothing, epoch: noted.epoch + 1, hasLostLog: isLost};
}

function nothingLoaded(setup: PartitionSetup): Loaded {
  return {
    partition: new Partition(setup),
    index: undefined,
    manifest: undefined,
    named: {current: NamedParts.none, previous: NamedParts.none},
    outdated: [],
  };
}

/** The log as it was found: its ends, and what stands at the position of the newest manifest. */
interface FoundLog {
  readonly first: number;
  readonly last: number;
  readonly mark: string | undefined;
}

async function lookAtLog(jsm: JetStreamManager, partition: number, sequence: number): Promise<FoundLog> {
  const [ends, mark] = await Promise.all([endsOf(jsm, partition), markAt(jsm, partition, sequence)]);
  return {...ends, mark};
}

async function endsOf(jsm: JetStreamManager, partition: number): Promise<Pick<FoundLog, 'first' | 'last'>> {
  const {state} = await jsm.streams.info(logStream(partition));
  return {first: state.first_seq, last: state.last_seq};
}

/** @throws Replaced. V6 */
async function checkStillOwner(manifests: ManifestStore, epoch: number): Promise<void> {
  const successor = await retryForever(() => manifests.successorOf(epoch));
  if (successor !== undefined) throw successor;
}

interface TakenOver {
  readonly epoch: number;
  readonly revision: number;
}

async function takeOver(
  manifests: ManifestStore,
  {manifest, revision}: StoredManifest,
  notedEpoch: number,
): Promise<TakenOver> {
  const epoch = Math.max(manifest.epoch, notedEpoch) + 1;
  return {epoch, revision: await manifests.write({...manifest, epoch}, revision)};
}

type Loaded = Pick<Recovered, 'partition' | 'index' | 'manifest' | 'named' | 'outdated'>;

/** What was asked for together with the newest snapshot. */
interface UnderWay {
  readonly found: Promise<FoundLog>;
  readonly values: StoredValues;
  readonly takenOver: Promise<TakenOver>;
}

interface Damage extends Omit<UnderWay, 'found'> {
  readonly log: FoundLog;
  /** What is wrong with the newest snapshot. */
  readonly fault: Error;
}

/** V1 */
async function loadNewest(
  setup: PartitionSetup,
  manifest: Manifest,
  sources: RecoverySources,
  {found, values, takenOver}: UnderWay,
): Promise<{loaded: Loaded; log: FoundLog}> {
  const newest = await loadWhole(setup, manifest, sources, values, takenOver);
  if (!(newest instanceof Error)) return {loaded: newest, log: await found};
  // Until the partition was taken over, an owner that was paused may have cut the log.
  const log = await lookAtLog(sources.jsm, setup.partition, manifest.position.sequence);
  return {loaded: await loadEarlier(setup, manifest, sources, {log, values, takenOver, fault: newest}), log};
}

/** Of the newest snapshot a part is missing or damaged. */
async function loadEarlier(
  setup: PartitionSetup,
  manifest: Manifest,
  sources: RecoverySources,
  {log, values, takenOver, fault}: Damage,
): Promise<Loaded> {
  const older = olderOf(manifest, log);
  const loaded = older === undefined ? undefined : await loadWhole(setup, older, sources, values, takenOver);
  if (loaded !== undefined && !(loaded instanceof Error)) return loaded;
  // Folding the log from its first message brings everything that the snapshot had.
  if (log.first <= 1 && log.mark === manifest.mark) return nothingLoaded(setup);
  return loadDamaged(setup, older === undefined ? [manifest] : [manifest, older], sources, values, fault);
}

/** The snapshot before, if the log still reaches back to it. */
function olderOf(manifest: Manifest, log: FoundLog): Manifest | undefined {
  const {previous} = manifest;
  if (previous === null || !reachesBack(log.first, previous.position.sequence)) return undefined;
  return {...manifest, ...previous, previous: null};
}

/** Or what is wrong with it, which is so only when it is still what the partition has: an owner that lives may have gone on. */
async function loadWhole(
  setup: PartitionSetup,
  snapshot: Manifest,
  sources: RecoverySources,
  stored: StoredValues,
  takenOver: Promise<TakenOver>,
): Promise<Loaded | Error> {
  try {
    return await load(setup, snapshot, sources, stored, false);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    await checkStillOwner(sources.manifests, (await takenOver).epoch);
    sources.log.error(
      {err: error, partition: setup.partition, sequence: snapshot.position.sequence},
      'a snapshot is damaged: an earlier state is used, and the log behind it',
    );
    return error;
  }
}

/** Some of its parts are missing for ever. What they held answers 503, the rest is whole. */
async function loadDamaged(
  setup: PartitionSetup,
  kept: readonly Manifest[],
  sources: RecoverySources,
  stored: StoredValues,
  fault: Error,
): Promise<Loaded> {
  const {partition} = setup;
  for (const snapshot of kept) {
    try {
      const loaded = await load(setup, snapshot, sources, stored, true);
      sources.log.error(
        {err: fault, partition},
        'no kept snapshot is whole, and the log cannot replace them: answers that need the missing parts are 503',
      );
      return loaded;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
  }
  throw new Final(
    `partition ${partition}: no kept snapshot is whole (${fault.message}), and the log cannot replace them: restore a backup`,
  );
}

/** Subjects of the values of parts that the bucket has; awaited where they are needed. */
type StoredValues = Promise<ReadonlySet<string>>;

async function storedValues(jsm: JetStreamManager, partition: number): Promise<ReadonlySet<string>> {
  const filter = bucketSubject('parts', `p${partition}.>`);
  const {state} = await jsm.streams.info(bucketStream('parts'), {subjects_filter: filter});
  return new Set(Object.keys(state.subjects ?? {}));
}

const isStored = (ref: PartRef, stored: ReadonlySet<string>): boolean =>
  ref.revisions.every((_, i) => stored.has(bucketSubject('parts', `${ref.key}.${i}`)));

/** `permitsMissing`: parts may be missing as long as the state itself can be loaded. */
async function load(
  setup: PartitionSetup,
  manifest: Manifest,
  {cache}: RecoverySources,
  stored: StoredValues,
  permitsMissing: boolean,
): Promise<Loaded> {
  const partition = new Partition(setup);
  const loadPart = (ref: PartRef): Promise<Uint8Array> => cache.loadUnkept(ref);
  const indexes = new IndexReader();
  const older = loadOlderIndex(manifest, loadPart);
  older.catch(() => undefined); // Listened to below, when the newer one is there.
  const index = await indexes.read(manifest.index, loadPart);
  const restored = restoreTables(partition, index, cache, permitsMissing);
  restored.catch(() => undefined); // Listened to below.
  if (!permitsMissing) {
    await checkStored(index, stored).catch(async (error) => {
      await restored.catch(() => undefined); // Memory holds one state at a time.
      throw error;
    });
  }
  // Last, as the memory of the kernel is there once for all states of a partition.
  partition.restore(manifest.position.sequence, manifest.mark, index, ...(await restored));
  const previous = await wholeIfReadable(await older, (stored) => indexes.whole(stored, loadPart));
  const {named, outdated} = keptParts(manifest, index, previous);
  return {partition, index, manifest, named, outdated};
}

/** @throws MissingPart */
async function checkStored(index: SnapshotIndex, stored: StoredValues): Promise<void> {
  const values = await stored;
  for (const ref of partsOf(index)) if (!isStored(ref, values)) throw new MissingPart(ref);
}

type RestoredParts = readonly [nameCounts: Uint8Array | undefined, openChunk: RestoredChunk | undefined];

/** Asked for together: each has a way of its own to the store and back, which takes longer than restoring most of them. */
async function restoreTables(
  partition: Partition,
  index: SnapshotIndex,
  cache: PartsCache,
  permitsMissing: boolean,
): Promise<RestoredParts> {
  const load = (ref: PartRef): Promise<Uint8Array> => cache.loadUnkept(ref);
  const loadSome = (ref: PartRef | null): Promise<Uint8Array> | undefined => (ref === null ? undefined : load(ref));
  const open = index.chunks.find((entry) => entry.chunk === index.nextChunk);
  const {users, names} = partition.tables;
  users.reserve(
    index.users.count,
    index.users.blocks.reduce((sum, {bytes}) => sum + bytes, 0),
  );
  let forgotten = forgottenIds(index);
  const [nameCounts, openChunk] = await Promise.all([
    loadSome(index.nameCounts),
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
      (bytes) => partition.deletions.restore(decodeDeletions(bytes)),
    ),
  ]);
  return [nameCounts, openChunk];
}

/** Who is whose, and who left. */
export async function restoreLinks(
  {links, moves}: Partition,
  index: SnapshotIndex,
  load: (ref: PartRef) => Promise<Uint8Array>,
): Promise<void> {
  await Promise.all([
    restoreEach(index.devices.blocks, load, (bytes) => links.devices.restoreBlock(bytes)),
    restoreEach(index.owners.blocks, load, (bytes) => links.owners.restoreBlock(bytes)),
  ]);
  let block = 0;
  await restoreEach(index.links, load, (bytes) => links.restoreBlock(block++, bytes));
  if (index.leftOut !== null) moves.leftOut.restore(await load(index.leftOut));
}

/** Receipts of the past are no reason to refuse a start. */
function noRecords(error: unknown, {deletions}: Partition): Uint8Array {
  if (!isUnreadable(error)) throw error;
  deletions.isIncomplete = true;
  return encodeDeletions([]);
}

/** In order; memory holds what is loaded ahead beside what is restored. */
async function restoreEach<T>(
  items: readonly T[],
  load: (item: T) => Promise<Uint8Array>,
  restoreOne: (bytes: Uint8Array, item: T) => void,
): Promise<void> {
  for await (const [item, bytes] of loadAhead(items, load, loadsAheadMax)) restoreOne(bytes, item);
}

async function loadOpenChunk(entry: ChunkEntry, cache: PartsCache): Promise<RestoredChunk> {
  const [rows, count] = await Promise.all([cache.loadRows(entry.rows), cache.bodyBlocks(entry.bodies)]);
  if (count !== Math.ceil(rows.count / bodyBlockRows)) {
    throw new DamagedPart(entry.bodies, `it has ${count} blocks for ${rows.count} rows`);
  }
  const blocks = await Promise.all(Array.from({length: count}, (_, block) => cache.loadBodyBlock(entry.bodies, block)));
  return new RestoredChunk(rows, blocks);
}

function keptParts(
  {index: ref, previous}: Manifest,
  index: SnapshotIndex,
  older: SnapshotIndex | undefined,
): Pick<Recovered, 'named' | 'outdated'> {
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

async function loadOlderIndex(
  {previous}: Manifest,
  load: (ref: PartRef) => Promise<Uint8Array>,
): Promise<StoredIndex | undefined> {
  return previous === null ? undefined : wholeIfReadable(previous.index, async (ref) => decodeIndex(await load(ref)));
}

/**
 * The older snapshot is kept for the case that the newest one is damaged, and whether that is so, the newest one's own parts
 * tell: undefined when a part of the older one is missing or damaged.
 */
async function wholeIfReadable<T, U>(from: T | undefined, read: (from: T) => Promise<U>): Promise<U | undefined> {
  try {
    return from === undefined ? undefined : await read(from);
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** V2, V3, V5. The generation to go on with. `newest`: the manifest that was published last, used or not. */
async function checkGeneration(
  {partition, manifest}: Loaded,
  newest: Manifest,
  noted: NotedPosition | undefined,
  {jsm, log}: RecoverySources,
  {first, last, mark}: FoundLog,
  checkOwner: () => Promise<void>,
): Promise<{readonly generation: number; readonly hasLostLog: boolean}> {
  const isRestored = noted?.isRestored === true;
  if (isRestored) log.warn({partition: partition.partition}, 'a backup is restored: what came after it is not in it');
  const generation = Math.max(newest.position.generation, noted?.generation ?? 0);
  const isTrue = noted === undefined || (await isNoteTrue(jsm, partition.partition, noted, newest.position));
  const isSame = mark === newest.mark;
  const from = manifest?.position.sequence ?? 0;
  if (!isTrue || !isSame || !reachesBack(first, from)) await checkOwner(); // V6
  if (!isTrue) alarmNoted(log, partition.partition, noted);
  const {sequence} = newest.position;
  if (isSame) {
    checkReach(partition.partition, first, from);
    // V5
    return {
      generation: generation + (isTrue && !isRestored ? 0 : 1),
      hasLostLog: generation > newest.position.generation || !isTrue,
    };
  }
  if (last >= from) checkReach(partition.partition, first, from);
  log.error(
    {partition: partition.partition, sequence, last},
    'the log lost the message that the snapshot stands at (a power cut without sync, a restored backup, or a deleted stream): it is read again from its start',
  );
  partition.rewind();
  return {generation: generation + 1, hasLostLog: true};
}

/** V4. Whether the log has what was noted, or may lack it though it lost nothing. `published`: where the newest manifest stands. */
async function isNoteTrue(
  jsm: JetStreamManager,
  partition: number,
  noted: NotedPosition,
  published: Position,
): Promise<boolean> {
  if (noted.generation < published.generation) return true;
  if ((await markAt(jsm, partition, noted.sequence)) === noted.mark) return true;
  // Asked behind the above: an owner that was taken over from may still be cutting the log.
  const {first} = await endsOf(jsm, partition);
  return noted.sequence < first && first <= published.sequence;
}

function alarmNoted(log: Logger, partition: number, {generation, sequence}: NotedPosition): void {
  log.error(
    {partition, generation, sequence},
    'the log lost messages that were folded before (a power cut without sync, a restored backup, a deleted stream, or another NATS): acknowledged events may be missing',
  );
}

const reachesBack = (first: number, position: number): boolean => first <= position + 1;

/** V3. `first`: of the log. */
function checkReach(partition: number, first: number, position: number): void {
  if (reachesBack(first, position)) return;
  throw new Final(
    `partition ${partition}: the log starts at ${first}, but the newest snapshot ends at ${position}: entries between are missing`,
  );
}
