// Assembles one partition: everything that its thread runs for it, over the given JetStream.
import type {JetStreamClient, JetStreamManager} from '@nats-io/jetstream';
import type {PartitionSetup} from '../../actors/partition.js';
import {PartsCache} from '../parts/parts-cache.js';
import {MissingPart, type PartValues} from '../parts/stored-parts.js';
import {Effects, noOutbox, type Outbox} from './effects.js';
import {Erasure} from './erasure/erasure.js';
import {stepNoter} from './erasure/erasure-steps.js';
import {completeMoves} from './identity/mover.js';
import {LogReader, type LogSource} from './log/log-reader.js';
import {LogWriter} from './log/log-writer.js';
import {RetryLog, retryForever} from './retry.js';
import {retryingValues} from './retrying-values.js';
import {Runner, type RunnerSetup} from './runner.js';
import type {PartLoader} from './snapshot/compaction.js';
import {Layout} from './snapshot/layout.js';
import {ManifestStore, type WrittenManifest} from './snapshot/manifest-store.js';
import {Ownership} from './snapshot/ownership.js';
import {PartStore} from './snapshot/part-store.js';
import {type ErasingLink, PartSweep} from './snapshot/part-sweep.js';
import type {PositionNote} from './snapshot/position-note.js';
import {recover} from './snapshot/recovery.js';
import {Snapshots} from './snapshot/snapshots.js';
import {Throttle} from './throttle.js';

/**
 * Share of the refresh that a snapshot may rest (throttle.ts TH2): a tick comes a fifth of the refresh early (runner.ts
 * `tickShare`).
 */
const restsShare = 0.02;

interface AssemblyOptions
  extends Pick<
    RunnerSetup,
    | 'cache'
    | 'foldCache'
    | 'damage'
    | 'foldPace'
    | 'refresh'
    | 'stagger'
    | 'tailBytesMax'
    | 'erasureReach'
    | 'journal'
    | 'funnelBytesMax'
    | 'retentionDays'
    | 'memoryBytesMax'
    | 'forgetLinks'
    | 'noteApplied'
    | 'noteCompared'
    | 'renewHandOver'
    | 'log'
    | 'onFatal'
  > {
  readonly setup: PartitionSetup;
  readonly positionNote: PositionNote;
  /** Called with each manifest that is written, before anyone is notified of it. */
  readonly notePublished: (written: WrittenManifest) => void;
  /** Queue of triggers. Absent: there are no notifications and no saved funnels. */
  readonly outbox?: Outbox;
  readonly converted?: RunnerSetup['converted'];
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** A connection of its own for erasing parts: nothing else waits for that. */
  readonly erasing: ErasingLink;
  /** Reads parts, for both caches as well. */
  readonly values: PartValues;
  /** Reads the log, over a connection of its own. */
  readonly logSource: LogSource;
  /** Asks for the log's end; questions are repeated soon. */
  readonly logJsm: JetStreamManager;
}

/** Recovers the partition, which fences off an earlier owner. */
export async function assemblePartition(options: AssemblyOptions): Promise<Runner> {
  const {setup, js, jsm, erasing, values, foldCache, damage, positionNote, notePublished, log} = options;
  const {outbox = noOutbox, converted = async () => undefined} = options;
  const number = setup.partition;
  const retriesOf = (tried: string): RetryLog => new RetryLog(log, {partition: number, tried});
  const publishing = retriesOf('to publish a snapshot');
  const manifests = new ManifestStore(js, jsm, number, notePublished, publishing);
  const recovered = await recover(setup, {manifests, cache: foldCache, jsm, note: positionNote, log});
  const {partition, index, epoch, named} = recovered;
  // Questions are answered from the current state: a part that it no longer names only takes room.
  const ownership = new Ownership(manifests, epoch, options.onFatal, retriesOf('to read who owns the partition'));
  const parts = new PartStore(js, jsm, number, ownership, foldCache, retriesOf('to write a part'));
  const sweep = new PartSweep({partition: number, parts, jsm, erasing, log});
  for (const ref of recovered.outdated) parts.retire(ref);
  const throttle = new Throttle(() => options.refresh.ms * restsShare);
  const layout = new Layout(parts, throttle, partition.moves.leftOut);
  if (index !== undefined) layout.restore(index);
  // A merge reads each block once: caching it would only evict what readers use.
  const unkept = new PartsCache(retryingValues(values, retriesOf('to read a part')), 0);
  const loader: PartLoader = {
    load: (ref) =>
      unkept.load(ref).catch(async (error: unknown) => {
        if (!(error instanceof MissingPart && (await ownership.isOutlived()))) damage.note(error);
        throw error;
      }),
  };
  const effects = new Effects(partition, outbox, retriesOf('to queue triggers for webhooks'));
  const snapshots = new Snapshots(
    {
      partition,
      whenQueued: () => effects.whenQueued(),
      layout,
      parts,
      sweep,
      manifests,
      loader,
      jsm,
      note: positionNote,
      ownership,
      throttle,
      completeMoves: (moves, slicer) => completeMoves({partition, layout, cache: foldCache}, moves, slicer, damage),
      log,
    },
    recovered.manifest,
    recovered.revision,
    named,
  );
  const note = stepNoter(log, number);
  const toAppend = retriesOf('to append the events of users who left');
  const toLook = retriesOf('to read what other partitions have published');
  const runner = new Runner({
    ...options,
    outbox,
    effects,
    converted,
    partition,
    sweep,
    layout,
    snapshots,
    ownership,
    throttle,
    erasure: new Erasure(partition, layout, parts, foldCache, note),
    note,
    reader: new LogReader(options.logSource, options.logJsm, number, retriesOf('to read the log')),
    destination: (to) => {
      const manifests = new ManifestStore(js, jsm, to);
      return {
        writer: new LogWriter(js, to, toAppend),
        manifests: {read: () => retryForever(() => manifests.read(), toLook)},
      };
    },
    writer: new LogWriter(js, number, retriesOf('to append to the log')),
  });
  if (recovered.hasLostLog) runner.identity.noteLoss();
  return runner;
}
