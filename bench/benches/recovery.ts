// Duration of a start, compared with reading its input.
//   from a snapshot  `recover()` of every partition, in this process, compared with only reading the same parts; and the whole
//                    service, from its first instruction until /readyz answers 200
//   from the log     the whole service over a log that was never folded, until /readyz answers 200: by then everything is
//                    folded, written to parts and published; compared with F5, reading and unpacking the same log

import {cpSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {jetstream, jetstreamManager} from '@nats-io/jetstream';
import {MessageCursor} from '../../actors/log/entry-view.js';
import type {Manifest, PartRef} from '../../actors/manifest.js';
import type {Figure} from '../../src/bench-run.js';
import {monotonicMs} from '../../src/clock.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {partValues} from '../../src/nats/part-values.js';
import {publishedManifests} from '../../src/nats/published-manifests.js';
import {createLogger} from '../../src/observe.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import {loadsAheadMax} from '../../src/partition/snapshot/actor-state.js';
import {ManifestStore} from '../../src/partition/snapshot/manifest-store.js';
import {noNote} from '../../src/partition/snapshot/position-note.js';
import {recover} from '../../src/partition/snapshot/recovery.js';
import {loadAhead} from '../../src/parts/load-ahead.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {IndexReader} from '../../src/parts/stored-index.js';
import type {Bench, Say} from '../bench.js';
import {startBroker} from '../engine/broker.js';
import {fillLog, Logs} from '../engine/log-store.js';
import {openStore, storeEnv} from '../engine/store.js';
import {unpackMessage} from '../engine/unpack.js';
import {type Bounds, ratioFigure} from '../figures.js';
import {startService} from '../machine/service.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {type Measure, playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical} from '../workload/events.js';

/** Ms. */
type Played<Name extends string> = Rounds<number, Name>;
type FromSnapshot = 'read its bytes' | 'recover()';
type FromLog = 'F5: log read + unpack' | 'start from the log';

export interface RecoveryReport {
  readonly eventCount: number;
  readonly logEventCount: number;
  readonly snapshotBytes: number;
  readonly snapshot: Played<FromSnapshot>;
  readonly snapshotStart: Played<'start from the snapshot'>;
  readonly log: Played<FromLog>;
  readonly ratios: {readonly snapshot: Ratio; readonly log: Ratio};
}

const cacheBytesMax = 64 * 2 ** 20;
const dedupeBytesMax = 128 * 2 ** 20;
const seeds = [1, 2, 3] as const;
const bounds: Readonly<Record<'snapshot' | 'log', Bounds>> = {
  snapshot: {reach: 3, limit: 1.3},
  log: {reach: 1.35, limit: 1.1},
};

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<RecoveryReport> {
  const workload = {...canonical, userCount: 100_000, eventCount: options.numbers.events!};
  const logEventCount = options.numbers.logevents!;
  const store = await openStore(options, workload, owned, say);
  const {snapshot, snapshotBytes} = await playSnapshot(store.dataDir, options, owned, say);
  const snapshotStart = await playStart(store.dataDir, options, owned, say);
  const log = await playLog(
    await fillLog({...workload, eventCount: logEventCount}, options, owned, say),
    options,
    owned,
    say,
  );
  return {
    eventCount: workload.eventCount,
    logEventCount,
    snapshotBytes,
    snapshot,
    snapshotStart,
    log,
    ratios: {
      snapshot: ratioOf(snapshot, (ms) => ms['recover()'] / ms['read its bytes']),
      log: ratioOf(log, (ms) => ms['start from the log'] / ms['F5: log read + unpack']),
    },
  };
}

async function playSnapshot(dataDir: string, options: BenchOptions, owned: Owned, say: Say) {
  const broker = owned.add(await startBroker(dataDir));
  const nc = await connectNats(broker.address, 'bench-recovery');
  owned.add({stop: () => nc.close()}); // An open connection would keep the process alive when every round is void.
  const [js, jsm] = [jetstream(nc), await jetstreamManager(nc)];
  const values = partValues(jsm);
  const log = createLogger('warn', 'bench');
  const manifests = await Promise.all(
    partitionsOf(options).map((partition) => publishedManifests(jsm).newest(partition)),
  );
  const parts = await Promise.all(manifests.map((manifest) => partsOfRecovery(manifest!, new PartsCache(values, 0))));
  const readParts = async (ofPartition: readonly PartRef[]): Promise<void> => {
    const load = ({revisions, key}: PartRef) => Promise.all(revisions.map((revision) => values.read(revision, key)));
    for await (const _ of loadAhead(ofPartition, load, loadsAheadMax));
  };
  const kernels = partitionsOf(options).map(() => loadRowKernel());
  const recoverOne = async (partition: number): Promise<void> => {
    const cache = new PartsCache(values, cacheBytesMax);
    const sources = {manifests: new ManifestStore(js, jsm, partition), cache, jsm, note: noNote, log};
    const recovered = await recover(
      {partition, partitions: kernels.length, seeds, dedupeBytesMax, rowKernel: kernels[partition]!},
      sources,
    );
    if (recovered.index === undefined) throw new Error(`partition ${partition} was not recovered from its snapshot`);
  };
  // Like the service: all partitions of a thread at once.
  const read: Measure<number> = timed(async () => void (await Promise.all(parts.map(readParts))));
  const recoverAll: Measure<number> = timed(
    async () => void (await Promise.all(partitionsOf(options).map(recoverOne))),
  );
  const snapshot = await playRounds({'read its bytes': read, 'recover()': recoverAll}, options, say);
  await nc.close();
  await broker.stop();
  return {snapshot, snapshotBytes: parts.flat().reduce((sum, {bytes}) => sum + bytes, 0)};
}

const partitionsOf = ({partitions}: BenchOptions): number[] => Array.from({length: partitions}, (_, at) => at);

/** Parts that a recovery loads (src/partition/snapshot/recovery.ts), the index first. */
async function partsOfRecovery(manifest: Manifest, parts: PartsCache): Promise<PartRef[]> {
  const index = await new IndexReader().read(manifest.index, (ref) => parts.load(ref));
  const open = index.chunks.find(({chunk}) => chunk === index.nextChunk);
  const named = Object.entries(index.parts).filter(([name]) => name !== 'changes.records');
  const optional = [open?.rows, open?.properties, open?.bodies, manifest.previous?.index];
  return [
    manifest.index,
    ...index.chunkBlocks,
    ...named.flatMap(([, parts]) => parts.map(({part}) => part)),
    ...optional.filter((part) => part !== undefined),
  ];
}

function playStart(dataDir: string, options: BenchOptions, owned: Owned, say: Say) {
  const start: Measure<number> = () => startAndStop(dataDir, options, owned);
  return playRounds({'start from the snapshot': start}, options, say);
}

/** Starts and stops the service; returns the ms until it is ready. */
async function startAndStop(dataDir: string, {partitions}: BenchOptions, owned: Owned): Promise<number> {
  const startMs = monotonicMs();
  const service = owned.add(await startService({env: storeEnv(partitions), profileFolder: null, dataDir}));
  const elapsedMs = monotonicMs() - startMs;
  await service.stop();
  return elapsedMs;
}

async function playLog(dataDir: string, options: BenchOptions, owned: Owned, say: Say): Promise<Played<FromLog>> {
  const contenders: Record<FromLog, Measure<number>> = {
    'F5: log read + unpack': async () => {
      const broker = owned.add(await startBroker(dataDir));
      const logs = await Logs.open(broker);
      const elapsedMs = await timed(() => unpackAll(logs))(0);
      await logs.stop();
      await broker.stop();
      return elapsedMs;
    },
    // A start publishes snapshots and truncates the log: each gets a copy.
    'start from the log': async () => {
      const copy = mkdtempSync(join(tmpdir(), 'millrace-bench-copy-'));
      try {
        cpSync(dataDir, copy, {recursive: true});
        return await startAndStop(copy, options, owned);
      } finally {
        rmSync(copy, {recursive: true, force: true});
      }
    },
  };
  return playRounds(contenders, options, say);
}

async function unpackAll(logs: Logs): Promise<void> {
  for (const partition of logs.partitions) {
    for await (const {bytes} of logs.messages(partition)) {
      if (unpackMessage(bytes) !== new MessageCursor(bytes).count) throw new Error('an entry of the log is no event');
    }
  }
}

function timed(work: () => Promise<void>): Measure<number> {
  return async () => {
    const startMs = monotonicMs();
    await work();
    return monotonicMs() - startMs;
  };
}

function figures({snapshot, snapshotStart, log, ratios}: RecoveryReport): Figure[] {
  const ms = <Name extends string>(id: string, name: string, {rounds}: Played<Name>, of: Name): Figure => ({
    id,
    name,
    unit: 'ms',
    better: 'less',
    samples: rounds.map(({samples}) => samples[of]),
  });
  const toBytes = {id: 'snapshot-to-bytes', name: 'recover() / reading its bytes', better: 'less'} as const;
  const toLog = {id: 'log-to-floor', name: 'Start from the log / F5', better: 'less'} as const;
  return [
    ratioFigure(toBytes, ratios.snapshot, bounds.snapshot),
    ratioFigure(toLog, ratios.log, bounds.log),
    ms('recover', 'recover() of all partitions', snapshot, 'recover()'),
    ms('start-from-snapshot', 'Start from the snapshot', snapshotStart, 'start from the snapshot'),
    ms('start-from-log', 'Start from the log', log, 'start from the log'),
  ];
}

function text(report: RecoveryReport): string {
  const {eventCount, logEventCount, snapshotBytes, snapshot, snapshotStart, log, ratios} = report;
  const row = <Name extends string>({rounds}: Played<Name>, name: Name): string[] => {
    const {median, min, max} = spreadOf(rounds.map(({samples}) => samples[name]));
    return [name, whole(median), `${whole(min)}-${whole(max)}`];
  };
  return [
    `Starts over ${whole(eventCount)} events from snapshots, over ${whole(logEventCount)} from the log`,
    tableText(
      ['', 'ms', 'spread'],
      [
        row(snapshot, 'read its bytes'),
        row(snapshot, 'recover()'),
        row(snapshotStart, 'start from the snapshot'),
        row(log, 'F5: log read + unpack'),
        row(log, 'start from the log'),
      ],
    ),
    `recover() / reading its ${fixed(snapshotBytes / 2 ** 20, 1)} MiB: ${ratioText(ratios.snapshot)} (to reach: ${bounds.snapshot.reach})`,
    `start from the log / F5: ${ratioText(ratios.log)} (to reach: ${bounds.log.reach})`,
    ...[snapshot, snapshotStart, log].map((rounds) => roundsText(rounds)),
  ].join('\n');
}

export const recoveryBench: Bench<RecoveryReport> = {
  name: 'recovery',
  summary: 'starts over 10 million events, from snapshots and from the log, beside reading the same bytes',
  numbers: {
    events: {normal: 10_000_000, small: 20_000, help: 'events of the data set'},
    logevents: {normal: 10_000_000, small: 20_000, help: 'events of the log'},
  },
  run,
  figures,
  rounds: ({snapshot, snapshotStart, log}) => ({
    'recovery from the snapshot': snapshot,
    'start from the snapshot': snapshotStart,
    'start from the log': log,
  }),
  text,
};
