// An owner of a partition: the real partition role over a fake link, assembled as in src/partition/worker.ts.
import type {AckedSequences} from '../../src/ingest/acked-sequences.js';
import type {AckedMessage} from '../../src/ingest/hand-over.js';
import {partValues} from '../../src/nats/part-values.js';
import {assemblePartition} from '../../src/partition/assembly.js';
import {noJournal} from '../../src/partition/erasure/deletion-journal.js';
import {ReadBarrier} from '../../src/partition/log/read-barrier.js';
import {LiveReads} from '../../src/partition/reads/live-reads.js';
import {longReadSlots} from '../../src/partition/reads/read-budget.js';
import {retryingValues} from '../../src/partition/retrying-values.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import type {Runner} from '../../src/partition/runner.js';
import {noNote} from '../../src/partition/snapshot/position-note.js';
import {Damage} from '../../src/parts/damage.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {simJetStream, simLogSource, simManager} from './jetstream.js';
import {type LinkWorld, SimLink} from './link.js';
import {SimProcess} from './timeline.js';

const cacheBytes = 256 * 1024;
const lastSequenceMsMax = 500;

interface PartitionOptions {
  readonly partition: number;
  readonly refreshMs: number;
  readonly stagger: number;
  /** Set if one edge alone writes. */
  readonly acked: AckedSequences | undefined;
  /** As in src/partition/log/log-identity.ts. */
  readonly renewHandOver: () => void;
  readonly onFatal: (error: Error) => void;
}

export interface OwnerOptions extends Omit<PartitionOptions, 'onFatal'> {
  readonly onFatal: (owner: SimOwner, error: Error) => void;
}

/** A partition that its process has recovered. */
export interface SimPartition {
  readonly runner: Runner;
  readonly reads: LiveReads;
}

export async function simPartition(link: SimLink, log: object, options: PartitionOptions): Promise<SimPartition> {
  const {partition, refreshMs, stagger, acked, renewHandOver, onFatal} = options;
  const jsm = simManager(link);
  const values = partValues(jsm);
  const partitions = link.world.server.logs.length;
  const runner = await assemblePartition({
    setup: {partition, partitions, seeds: [1, 2, 3], dedupeBytesMax: 64 * 1024, rowKernel: loadRowKernel()},
    js: simJetStream(link),
    jsm,
    erasing: {jsm, run: () => link.serverRun, isOfCluster: () => false},
    logSource: simLogSource(link),
    logJsm: simManager(link, lastSequenceMsMax),
    values,
    cache: new PartsCache(values, cacheBytes),
    foldCache: new PartsCache(retryingValues(values), cacheBytes),
    positionNote: noNote,
    journal: noJournal,
    funnelBytesMax: 1_024 * 1_024,
    retentionDays: 0,
    memoryBytesMax: 2 ** 30,
    forgetLinks: () => {},
    refresh: {ms: refreshMs, change: undefined},
    stagger,
    tailBytesMax: 64 * 1_024 * 1_024,
    erasureReach: 'bytes',
    notePublished: () => {},
    noteApplied: () => {},
    noteCompared: () => {},
    renewHandOver,
    damage: new Damage(log as never),
    log: log as never,
    onFatal,
  });
  const barrier = new ReadBarrier(runner.view.reader, partition, acked);
  return {runner, reads: new LiveReads(runner, longReadSlots(), barrier)};
}

export class SimOwner {
  readonly process: SimProcess;
  readonly partition: number;
  readonly link: SimLink;
  runner: Runner | undefined;
  reads: LiveReads | undefined;
  phase: 'starting' | 'live' | 'drained' = 'starting';
  private readonly world: LinkWorld;
  private readonly options: OwnerOptions;

  constructor(name: string, world: LinkWorld, options: OwnerOptions) {
    this.process = new SimProcess(name);
    this.partition = options.partition;
    this.link = new SimLink(this.process, world);
    this.world = world;
    this.options = options;
  }

  start(): void {
    this.world.timeline.schedule(0, this.process, () => {
      this.run().catch(this.fail);
    });
  }

  get isLive(): boolean {
    return this.phase === 'live' && this.process.state === 'running';
  }

  /** Takes a last snapshot, and ends. */
  drain(): void {
    this.world.timeline.schedule(0, this.process, () => {
      this.runner?.drain().then(() => {
        this.phase = 'drained';
      }, this.fail);
    });
  }

  /** Takes messages that an edge handed over. */
  takeHanded(connection: number, messages: readonly AckedMessage[]): void {
    this.world.timeline.schedule(0, this.process, () => {
      this.runner?.identity.takeHanded(
        connection,
        messages.filter(({partition}) => partition === this.partition),
      );
    });
  }

  private readonly fail = (error: Error): void => this.options.onFatal(this, error);

  private async run(): Promise<void> {
    const {options, fail: onFatal} = this;
    const {runner, reads} = await simPartition(this.link, this.log(), {...options, onFatal});
    this.runner = runner;
    this.reads = reads;
    this.link.onDisconnect = () => runner.identity.disconnected();
    this.link.onReconnect = () => {
      runner.identity.reconnected().catch(this.fail);
    };
    await runner.start();
    this.phase = 'live';
  }

  private log() {
    const say = (level: string) => (_fields: object, text: string) => this.world.timeline.trace(`${level}: ${text}`);
    return {debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error')};
  }
}
