// A start over a long log shares it out: a second thread folds some of the partitions, publishes their snapshots and ends,
// and their owner recovers them from there. Two threads for good would cost the ingestion that follows a third of its rate.
//   Owns: when that is worth it, which partitions, and the second thread's life. What that does is in catch-up-worker.ts.
//   CU1. The second thread is an owner as any other: it takes its partitions over, publishes, and is fenced by the take-over
//        of the owner that follows it. No state goes from thread to thread, and a kill at any moment leaves what a kill
//        of an owner leaves.
//   CU2. The owner takes a partition over only when that thread has ended, and nothing of it is on its way any more.
//   CU3. A drain waits for that thread, as it would for its own folding: what was in the log is in a snapshot then.
import {once} from 'node:events';
import {availableParallelism} from 'node:os';
import {Worker} from 'node:worker_threads';
import {jetstreamManager} from '@nats-io/jetstream';
import {publishedManifests} from '../nats/published-manifests.js';
import {logStream} from '../nats/topology.js';
import type {FoundInLog, FromCatchUp, PartitionWorkerData} from '../worker-messages.js';
import type {Ground} from './ground.js';

/**
 * Log bytes that the second thread must take off the first one: about a second of folding. It costs 1.2 CPU seconds, most
 * of them for compiling once more what the first one compiles; by that, estimated, it brings nothing below 1.6 million events.
 */
export const catchUpBytesMin = 128 * 1024 * 1024;
/** Of the owner's cache: what is read ahead for its other partitions leaves more than that free (warm-up.ts, W1). */
const cacheShare = 1 / 8;

/** Log bytes behind its newest snapshot. */
export interface Tail {
  readonly partition: number;
  readonly bytes: number;
}

export interface CatchUp {
  readonly partitions: readonly number[];
  /** Resolves when their snapshots are published and the thread has ended. */
  readonly done: Promise<readonly FoundInLog[]>;
}

/** Undefined where one thread does as well. */
export async function beginCatchUp(ground: Ground): Promise<CatchUp | undefined> {
  const {data} = ground;
  if (data.partitions.length < 2 || availableParallelism() < 2) return undefined;
  const partitions = partitionsToShare(await tailsOf(ground), data.catchUpBytesMin);
  return partitions === undefined ? undefined : {partitions, done: runThread(ground, partitions)};
}

/** Dealt out to two, the longest first; those of the one with less, if that is worth a thread. */
export function partitionsToShare(tails: readonly Tail[], bytesMin: number): number[] | undefined {
  const hands = [
    {partitions: [] as number[], bytes: 0},
    {partitions: [] as number[], bytes: 0},
  ];
  for (const {partition, bytes} of [...tails].sort((a, b) => b.bytes - a.bytes)) {
    const lighter = hands[0].bytes <= hands[1].bytes ? hands[0] : hands[1];
    lighter.partitions.push(partition);
    lighter.bytes += bytes;
  }
  const [less] = hands.sort((a, b) => a.bytes - b.bytes);
  return less.bytes >= bytesMin && less.partitions.length > 0 ? less.partitions : undefined;
}

/** As they are now: what is wrong with a snapshot, or with a log, is its recovery's to find out. */
async function tailsOf({nc, data}: Ground): Promise<Tail[]> {
  const jsm = await jetstreamManager(nc, {checkAPI: false});
  const manifests = publishedManifests(jsm);
  return Promise.all(
    data.partitions.map(async (partition) => {
      const [manifest, {state}] = await Promise.all([
        manifests.newest(partition),
        jsm.streams.info(logStream(partition)),
      ]);
      const behind = Math.min(state.last_seq - (manifest?.position.sequence ?? 0), state.messages);
      return {partition, bytes: behind <= 0 ? 0 : (state.bytes / state.messages) * behind};
    }),
  );
}

async function runThread({data, onFatal}: Ground, partitions: readonly number[]): Promise<readonly FoundInLog[]> {
  const share = partitions.length / data.partitions.length;
  const workerData: PartitionWorkerData = {
    ...data,
    partitions: [...partitions],
    cacheBytesMax: Math.floor(data.cacheBytesMax * cacheShare),
    // As much for each partition as its owner has: message ids that did not fit here would be forgotten for good.
    dedupeBytesMax: data.dedupeBytesMax * share,
  };
  const program = new URL('./catch-up-worker.js', import.meta.url);
  const worker = new Worker(program, {workerData, name: `catching up ${partitions.join(',')}`});
  let found: readonly FoundInLog[] | undefined;
  worker.on('message', (message: FromCatchUp) => {
    if (message.kind === 'fatal') {
      onFatal(new Error(message.message));
      return;
    }
    ({found} = message);
    void worker.terminate(); // Whatever it still holds open is no longer needed.
  });
  worker.on('error', onFatal);
  await once(worker, 'exit'); // CU2
  if (found !== undefined) return found;
  onFatal(new Error('the thread that caught up with the log ended by itself'));
  return new Promise(() => {}); // The process ends.
}
