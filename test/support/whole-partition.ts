// A whole partition in this thread, on the real nats-server of a test.
import {jetstreamManager} from '@nats-io/jetstream';
import {NatsLogSource} from '../../src/nats/log-pull.js';
import {partValues} from '../../src/nats/part-values.js';
import {createLogger} from '../../src/observe.js';
import {assemblePartition} from '../../src/partition/assembly.js';
import type {Outbox} from '../../src/partition/effects.js';
import {noJournal} from '../../src/partition/erasure/deletion-journal.js';
import type {SavedFunnelsSetup} from '../../src/partition/funnels/saved-funnels.js';
import {retryingValues} from '../../src/partition/retrying-values.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import type {Runner} from '../../src/partition/runner.js';
import type {ErasingLink} from '../../src/partition/snapshot/part-sweep.js';
import {noNote} from '../../src/partition/snapshot/position-note.js';
import {Damage} from '../../src/parts/damage.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import type {PartValues} from '../../src/parts/stored-parts.js';
import type {PartitionRole} from './partition-role.js';

export interface WholePartitionOptions {
  readonly erasing: ErasingLink;
  /** Default: the store's. */
  readonly stored?: PartValues;
  readonly outbox?: Outbox;
  readonly retentionDays?: number;
  readonly converted?: SavedFunnelsSetup['converted'];
  readonly onFatal: (error: Error) => void;
}

/** Started. No tick comes of itself. */
export async function startWholePartition(role: PartitionRole, options: WholePartitionOptions): Promise<Runner> {
  const log = createLogger('silent', 'test');
  const jsm = await jetstreamManager(role.nc, {checkAPI: false});
  const values = options.stored ?? partValues(jsm);
  const cache = new PartsCache(values, 1_024 * 1_024);
  const runner = await assemblePartition({
    setup: {partition: 0, partitions: 1, seeds: [1, 2, 3], dedupeBytesMax: 1_024 * 1_024, rowKernel: loadRowKernel()},
    js: role.js,
    jsm,
    erasing: options.erasing,
    logSource: new NatsLogSource(role.nc, jsm),
    logJsm: jsm,
    values,
    cache,
    foldCache: new PartsCache(retryingValues(values), cache.memory),
    damage: new Damage(log),
    positionNote: noNote,
    journal: noJournal,
    funnelBytesMax: 1_024 * 1_024,
    retentionDays: options.retentionDays ?? 0,
    memoryBytesMax: 2 ** 30,
    refresh: {ms: 600_000, change: undefined},
    stagger: 0,
    tailBytesMax: 2 ** 30,
    erasureReach: 'bytes',
    forgetLinks: () => {},
    notePublished: () => {},
    noteApplied: () => {},
    noteCompared: () => undefined,
    renewHandOver: () => undefined,
    log,
    onFatal: options.onFatal,
    ...(options.outbox && {outbox: options.outbox}),
    ...(options.converted && {converted: options.converted}),
  });
  await runner.start();
  return runner;
}
