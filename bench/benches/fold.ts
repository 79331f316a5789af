// Distance of folding from the least work of any reader of a log. Over the same messages, written by the service:
//   F6    a scan of their bytes in memory
//   F5    reading the log from nats-server, and unpacking every entry to its fields and properties
//   fold  the same reading, folded by the real partition core: identities, rows, windows, user records; no snapshot
//   A fold that also looks for rows of ten saved funnels is measured beside the one from memory.
// Unpacking and folding are measured a second time from memory, without nats-server.

import type {RowKernel} from '../../actors/chunk/event-rows.js';
import {must} from '../../actors/invariant.js';
import {MessageCursor} from '../../actors/log/entry-view.js';
import {Partition} from '../../actors/partition.js';
import {UserSet} from '../../actors/table/user-set.js';
import {monotonicMs} from '../../src/clock.js';
import {windowMsOf} from '../../src/conversion-window.js';
import {loadRowKernel} from '../../src/partition/row-kernel.js';
import type {Bench, Say} from '../bench.js';
import {startBroker} from '../engine/broker.js';
import {fillLog, Logs} from '../engine/log-store.js';
import {unpackMessage} from '../engine/unpack.js';
import {type Bounds, ratioFigure} from '../figures.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {type Measure, playRounds, type Ratio, type Rounds, ratioOf, ratioText, roundsText} from '../rounds.js';
import {spreadOf} from '../statistics.js';
import {fixed, tableText, whole} from '../table.js';
import {canonical} from '../workload/events.js';
import {frequentFunnels} from '../workload/saved-funnels.js';

const contenders = [
  'F6: scan in memory',
  'unpack in memory',
  'fold in memory',
  'fold in memory, every value looked up',
  'fold in memory, every user looked up',
  'fold in memory, ten saved funnels',
  'F5: log read + unpack',
  'log read + fold',
] as const;
type Contender = (typeof contenders)[number];

/** Folds without one of the fast paths. */
const withoutOne = [
  'fold in memory, every value looked up',
  'fold in memory, every user looked up',
] as const satisfies readonly Contender[];

interface Sample {
  readonly elapsedMs: number;
  /** CPU of this process, without nats-server's. */
  readonly cpuMs: number;
}

interface FoldReport {
  readonly eventCount: number;
  readonly logBytes: number;
  readonly rounds: Rounds<Sample, Contender>;
  /** Rate of the fold / rate of the floor, by wall time. */
  readonly ratios: {
    readonly fold: Ratio;
    readonly foldInMemory: Ratio;
  };
  /** CPU of each / CPU of the fold in memory. */
  readonly gains: Readonly<Record<(typeof withoutOne)[number], Ratio>>;
  /** CPU of the fold that looks for rows of ten saved funnels / of the fold. */
  readonly funnels: Ratio;
}

const dedupeBytesMax = 128 * 2 ** 20;
const funnelBytesMax = 256 * 2 ** 20;
const bounds: Bounds = {reach: 0.6, limit: 0.85};
const funnelBounds: Bounds = {reach: 1.1, limit: 1.02};

/** Work of a contender on a message; returns a count, so that no work is optimised away. */
type Use = (partition: number) => (sequence: number, bytes: Uint8Array) => number;

async function run(options: BenchOptions, owned: Owned, say: Say): Promise<FoldReport> {
  const eventCount = options.numbers.events!;
  const dataDir = await fillLog({...canonical, userCount: 100_000, eventCount}, options, owned, say);
  const logs = owned.add(await Logs.open(owned.add(await startBroker(dataDir))));
  const messages = await inMemory(logs);
  const logBytes = messages.flat().reduce((sum, {bytes}) => sum + bytes.length, 0);
  const fromMemory = (use: Use): Measure<Sample> =>
    timed(eventCount, async () => {
      let events = 0;
      for (const [partition, ofPartition] of messages.entries()) {
        const take = use(partition);
        for (const {sequence, bytes} of ofPartition) events += take(sequence, bytes);
      }
      return events;
    });
  const fromLog = (use: Use): Measure<Sample> =>
    timed(eventCount, async () => {
      let events = 0;
      for (const partition of logs.partitions) {
        const take = use(partition);
        for await (const {sequence, bytes} of logs.messages(partition)) events += take(sequence, bytes);
      }
      return events;
    });
  const kernels = logs.partitions.map(() => loadRowKernel());
  const valuesLookedUp = logs.partitions.map(() => loadRowKernel({distinctShare: 2}));
  const usersLookedUp = logs.partitions.map(() => loadRowKernel({knownUserBytesMax: 0}));
  const measures: Record<Contender, Measure<Sample>> = {
    'F6: scan in memory': fromMemory(scan),
    'unpack in memory': fromMemory(unpack),
    'fold in memory': fromMemory(foldBy(kernels)),
    'fold in memory, every value looked up': fromMemory(foldBy(valuesLookedUp)),
    'fold in memory, every user looked up': fromMemory(foldBy(usersLookedUp)),
    'fold in memory, ten saved funnels': fromMemory(foldBy(kernels, watching)),
    'F5: log read + unpack': fromLog(unpack),
    'log read + fold': fromLog(foldBy(kernels)),
  };
  const rounds = await playRounds(measures, options, say);
  const gains = withoutOne.map(
    (name) => [name, ratioOf(rounds, (samples) => samples[name].cpuMs / samples['fold in memory'].cpuMs)] as const,
  );
  return {
    eventCount,
    logBytes,
    rounds,
    ratios: {
      fold: ratioOf(
        rounds,
        (samples) => samples['F5: log read + unpack'].elapsedMs / samples['log read + fold'].elapsedMs,
      ),
      foldInMemory: ratioOf(
        rounds,
        (samples) => samples['unpack in memory'].elapsedMs / samples['fold in memory'].elapsedMs,
      ),
    },
    gains: Object.fromEntries(gains) as FoldReport['gains'],
    funnels: ratioOf(
      rounds,
      (samples) => samples['fold in memory, ten saved funnels'].cpuMs / samples['fold in memory'].cpuMs,
    ),
  };
}

interface Kept {
  readonly sequence: number;
  /** A copy in a buffer of its own: the scan reads words, which must be aligned. */
  readonly bytes: Uint8Array;
}

async function inMemory(logs: Logs): Promise<Kept[][]> {
  const messages: Kept[][] = [];
  for (const partition of logs.partitions) {
    const ofPartition: Kept[] = [];
    for await (const {sequence, bytes} of logs.messages(partition))
      ofPartition.push({sequence, bytes: new Uint8Array(bytes)});
    messages.push(ofPartition);
  }
  return messages;
}

function timed(eventCount: number, work: () => Promise<number>): Measure<Sample> {
  return async () => {
    const [startMs, cpuBefore] = [monotonicMs(), process.cpuUsage()];
    const events = await work();
    const {user, system} = process.cpuUsage(cpuBefore);
    if (events !== eventCount) throw new Error(`${events} of ${eventCount} events were seen`);
    return {elapsedMs: monotonicMs() - startMs, cpuMs: (user + system) / 1_000};
  };
}

/** Sink: without a use the JIT would drop the work. */
const scanned = {wordSum: 0};

const scan: Use = () => (_, bytes) => {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  let sum = 0;
  for (let at = 0; at < words.length; at++) sum = (sum + words[at]!) | 0;
  scanned.wordSum ^= sum;
  return new MessageCursor(bytes).count; // From the message's head.
};

const unpack: Use = () => (_, bytes) => unpackMessage(bytes);

/** Runs after each message. */
type Behind = () => void;
const nothing: Behind = () => {};

/** Looks for rows of saved funnels. Who may have completed one is taken to have done so: in place of the shell, which walks them. */
function watching(partition: Partition): Behind {
  const done = frequentFunnels.map(() => new UserSet());
  const funnels = frequentFunnels.map(({steps, window}, at) => ({
    steps,
    windowMs: window === undefined ? undefined : windowMsOf(window),
    isDone: (user: number) => done[at]!.has(user),
  }));
  const watch = must(partition.events.watchFunnels(funnels, funnelBytesMax), 'there are funnels');
  return () => {
    for (const [user, mask] of watch.takeUsers())
      for (let left = mask; left !== 0; left &= left - 1) done[31 - Math.clz32(left & -left)]!.add(user);
  };
}

const foldBy =
  (kernels: readonly RowKernel[], begin: (partition: Partition) => Behind = () => nothing): Use =>
  (number) => {
    const partition = new Partition({
      partition: number,
      partitions: 1,
      seeds: [1, 2, 3],
      dedupeBytesMax,
      rowKernel: kernels[number]!,
    });
    const behind = begin(partition);
    return (sequence, bytes) => {
      const cursor = partition.openMessage(sequence, bytes);
      if (cursor === undefined) throw new Error('a message of the log came twice');
      const before = partition.events.tally.counted;
      const stop = partition.fold(sequence, cursor);
      if (stop.kind !== 'done') throw new Error(`the log has more than events: ${stop.kind}`);
      partition.takeClosedChunks(); // In place of the shell, which would write them.
      behind();
      return partition.events.tally.counted - before;
    };
  };

function text({eventCount, logBytes, rounds, ratios, gains, funnels}: FoldReport): string {
  const rows = contenders.map((name) => {
    const of = (value: (sample: Sample) => number) =>
      spreadOf(rounds.rounds.map(({samples}) => value(samples[name]))).median;
    const [elapsedMs, cpuMs] = [of((sample) => sample.elapsedMs), of((sample) => sample.cpuMs)];
    return [
      name,
      whole(eventCount / (elapsedMs / 1_000)),
      fixed(logBytes / 2 ** 20 / (elapsedMs / 1_000), 0),
      fixed(cpuMs / 1_000 / (eventCount / 1e6), 3),
    ];
  });
  return [
    `Folding ${whole(eventCount)} events, ${fixed(logBytes / eventCount, 0)} B an event in the log`,
    tableText(['', 'events/s', 'MiB/s', 'CPU s per million'], rows),
    `fold / F5: ${ratioText(ratios.fold)} (to reach: ${bounds.reach}); in memory, without nats-server: ${ratioText(ratios.foldInMemory)}`,
    ...withoutOne.map((name) => `CPU, ${name} / fold in memory: ${ratioText(gains[name])}`),
    `CPU, ten saved funnels / fold in memory: ${ratioText(funnels)} (to reach: ${funnelBounds.reach})`,
    roundsText(rounds),
  ].join('\n');
}

export const foldBench: Bench<FoldReport> = {
  name: 'fold',
  summary: 'folding a log beside reading and unpacking it, and beside a scan of its bytes',
  numbers: {events: {normal: 2_000_000, small: 20_000, help: 'events of the log'}},
  run,
  figures: ({ratios, funnels}) => [
    ratioFigure({id: 'fold-to-floor', name: 'Rate of the fold / F5', better: 'more'}, ratios.fold, bounds),
    ratioFigure(
      {id: 'funnels', name: 'CPU of the fold, ten saved funnels / none', better: 'less'},
      funnels,
      funnelBounds,
    ),
  ],
  rounds: ({rounds}) => ({fold: rounds}),
  text,
};
