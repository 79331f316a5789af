// Recovery: from the newest manifest to a partition that continues folding after it, in three steps: look (take stock), decide
//   (recovery-plan.ts), load (restore.ts).
//   V1 to V5 and V8 are in recovery-plan.ts.
//   V6. A start takes the partition over before it looks: from then on no other owner can publish, sweep parts or truncate the
//       log. Where no manifest is stored, it writes one without a snapshot. A start that was paused may have a successor that does
//       these three. It asks for one before it calls anything lost or damaged (ownership.ts O1).
//   V7. A start that begins a generation writes it into the manifest before it folds anything: whoever takes the partition over
//       before the next snapshot, on a machine without the note, gives each event the same id and position.
import type {JetStreamManager} from '@nats-io/jetstream';
import {claimOf, isClaim} from '../../../actors/manifest.js';
import type {Partition, PartitionSetup} from '../../../actors/partition.js';
import {logStream} from '../../nats/topology.js';
import type {Logger} from '../../observe.js';
import {isUnreadable} from '../../parts/damage.js';
import type {PartsCache} from '../../parts/parts-cache.js';
import {program} from '../../version.js';
import {markAt} from '../log/log-reader.js';
import {NoState, retryForever} from '../retry.js';
import {type ManifestStore, Replaced, type StoredManifest} from './manifest-store.js';
import {storedValues} from './part-store.js';
import type {PositionNote} from './position-note.js';
import {type Beginning, decide, type Found, type Loss, type Plan} from './recovery-plan.js';
import {emptyState, type Restored, restore} from './restore.js';

interface Recovered extends Restored {
  /** Revision of the newest manifest. */
  readonly revision: number;
  readonly epoch: number;
  readonly hasLostLog: boolean;
}

/** Sources of a recovery. */
interface RecoverySources {
  readonly manifests: ManifestStore;
  readonly cache: PartsCache;
  readonly jsm: JetStreamManager;
  readonly note: PositionNote;
  readonly log: Logger;
}

/** A partition that this process owns, as `epoch`. */
interface Taken extends Pick<Found, 'newest' | 'noted'>, Pick<Recovered, 'epoch' | 'revision'> {}

/** Takes the partition over and loads its newest usable snapshot. @throws Replaced, NoState, DamagedState, Unrecoverable */
export async function recover(setup: PartitionSetup, sources: RecoverySources): Promise<Recovered> {
  const taken = await takeOver(setup.partition, sources);
  const {epoch, revision} = taken;
  const confirmOwner = (): Promise<void> => throwSuccessor(sources.manifests, epoch);
  const found = await look(setup.partition, sources.jsm, taken);
  const plan = decide(found);
  if (plan.losses.length > 0) await confirmOwner(); // V6
  say(sources.log, setup.partition, found, plan.losses);
  if (plan.losses.includes('entries')) throw lacksEntries(setup.partition, found);
  const {partition, manifest, ...rest} = await load(setup, sources, plan, found, confirmOwner);
  if (plan.losses.includes('snapshot message')) partition.rewind();
  if (plan.generation > partition.generation) partition.beginGeneration(plan.generation);
  const {hasLostLog} = plan;
  const owned = manifest && {manifest: {...manifest, epoch}, revision};
  const stored = owned && (await publishGeneration(sources, partition, owned));
  return {partition, ...rest, manifest: stored?.manifest, epoch, revision: stored?.revision ?? revision, hasLostLog};
}

/** The stored manifest, with the partition's generation. V7. @throws Replaced, Unrecoverable */
async function publishGeneration(
  {manifests, note}: RecoverySources,
  {generation, generations, appliedSequence: sequence, appliedMark: mark}: Partition,
  stored: StoredManifest,
): Promise<StoredManifest> {
  const {epoch, position} = stored.manifest;
  if (position.generation === generation) return stored;
  const manifest = {...stored.manifest, position: {generation, sequence}, mark, generations};
  await note.write({generation, sequence, mark, epoch}); // N1 (position-note.ts)
  return {manifest, revision: await manifests.write(manifest, stored.revision)};
}

/**
 * Takes the partition over: a new epoch fences off an owner that is still running. If that owner publishes meanwhile, its
 * manifest is used. V6
 */
async function takeOver(partition: number, {manifests, note}: RecoverySources): Promise<Taken> {
  for (;;) {
    const [stored, noted] = await Promise.all([manifests.read(), note.read()]);
    const last = stored?.manifest ?? claimOf(partition, 0, program);
    const epoch = Math.max(last.epoch, noted?.epoch ?? 0) + 1;
    try {
      const revision = await manifests.write({...last, epoch}, stored?.revision ?? 0);
      return {newest: isClaim(last) ? undefined : last, noted, epoch, revision};
    } catch (error) {
      const isOvertaken = error instanceof Replaced && error.epoch === last.epoch;
      if (!isOvertaken) throw error;
    }
  }
}

async function look(partition: number, jsm: JetStreamManager, {newest, noted}: Taken): Promise<Found> {
  const markOf = async (sequence: number | undefined): Promise<string | undefined> =>
    sequence === undefined ? undefined : markAt(jsm, partition, sequence);
  const [markAtNewest, markAtNoted, values] = await Promise.all([
    markOf(newest?.position.sequence),
    markOf(noted?.sequence),
    storedValues(jsm, partition),
  ]);
  // The state is read after the marks, since the former owner may still be truncating the log.
  const {state} = await jsm.streams.info(logStream(partition));
  return {newest, noted, log: {first: state.first_seq, last: state.last_seq, markAtNewest, markAtNoted}, values};
}

/** Asks for a successor. V6. @throws Replaced */
async function throwSuccessor(manifests: ManifestStore, epoch: number): Promise<void> {
  const successor = await retryForever(() => manifests.successorOf(epoch));
  if (successor !== undefined) throw successor;
}

function say(log: Logger, partition: number, {newest, noted, log: {last}}: Found, losses: readonly Loss[]): void {
  if (noted?.isRestored) log.warn({partition}, 'a backup was restored: later events are not in it');
  if (losses.includes('noted message')) {
    log.error(
      {partition, generation: noted?.generation, sequence: noted?.sequence},
      'the log lost messages that were folded before (a power cut without sync, a restored backup, a deleted stream, or another NATS): acknowledged events may be missing',
    );
  }
  if (losses.includes('snapshot message')) {
    log.error(
      {partition, sequence: newest?.position.sequence, last},
      'the log lost the message at the position of the snapshot (a power cut without sync, a restored backup, or a deleted stream): it is read again from its start',
    );
  }
}

/** The partition starts halted. V3 */
const lacksEntries = (partition: number, {newest, log}: Found): NoState =>
  new NoState(
    `partition ${partition}: the log starts at ${log.first}, but the newest snapshot ends at ${newest?.position.sequence ?? 0}: entries between are missing`,
  );

/** Loads the best candidate whose parts can be read. V1 */
async function load(
  setup: PartitionSetup,
  {cache, log}: RecoverySources,
  {beginnings}: Plan,
  {values}: Found,
  confirmOwner: () => Promise<void>,
): Promise<Restored> {
  const {partition} = setup;
  let fault: Error | undefined;
  for (const beginning of beginnings) {
    try {
      const state = await stateOf(beginning, setup, cache, values);
      if (beginning.kind === 'remains') {
        log.error(
          {err: fault, partition},
          'no kept snapshot is complete, and the log cannot replace them: requests that need the missing parts are answered 503',
        );
      }
      return state;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      await confirmOwner(); // V6
      fault ??= error;
      if (beginning.kind === 'snapshot') {
        log.error(
          {err: error, partition, sequence: beginning.manifest.position.sequence},
          'a snapshot is damaged: an earlier state is used, and the log after it',
        );
      }
    }
  }
  throw new NoState(
    `partition ${partition}: no kept snapshot is complete (${fault?.message}), and the log cannot replace them: restore a backup`,
  );
}

function stateOf(
  beginning: Beginning,
  setup: PartitionSetup,
  cache: PartsCache,
  values: ReadonlySet<string>,
): Promise<Restored> | Restored {
  switch (beginning.kind) {
    case 'snapshot':
      return restore(setup, beginning.manifest, cache, values);
    case 'remains':
      return restore(setup, beginning.manifest, cache, undefined);
    case 'log':
      return emptyState(setup);
  }
}
