// Thread entry of the partition role: owns some partitions, folds their logs, answers live questions about them.
import {parentPort, workerData} from 'node:worker_threads';
import {must} from '../../actors/invariant.js';
import {monotonicMs} from '../clock.js';
import {createLogger} from '../observe.js';
import type {ThreadVitals} from '../thread-vitals.js';
import type {FoundInLog, FromWorker, PartitionWorkerData, ToWorker} from '../worker-messages.js';
import {AckedIntake, type OfferedPartition} from './acked-intake.js';
import {answerQuestions} from './answering.js';
import {beginCatchUp, type CatchUp} from './catch-up.js';
import {assembleOver, closeGround, type Ground, openGround, vitalsOf, watchLog} from './ground.js';
import type {OfferedMessage} from './offered-messages.js';
import {rehearse} from './rehearsal.js';
import {hasRowKernel} from './row-kernel.js';
import type {Runner} from './runner.js';
import {warmUp} from './warm-up.js';

const data = workerData as PartitionWorkerData;
const port = must(parentPort, 'the partition worker runs in a thread');
const tell = (message: FromWorker): void => port.postMessage(message);
const log = createLogger(data.logLevel, 'partition');

/** Brings several hundred MiB. */
const warmUpMsMax = 3_000;
/** Some hundred pages. */
const rehearsalMsMax = 400;

function fail(error: Error): void {
  log.error({err: error}, 'a partition cannot go on');
  tell({kind: 'fatal', message: error.message});
}

function offeredTo(runner: Runner): OfferedPartition {
  const {reader} = runner.setup;
  return {
    offer: (message: OfferedMessage) => reader.offer(message),
    forgetOffered: () => reader.forgetOffered(),
    compareLog: () => {
      runner.logDisconnected();
      runner.logReconnected().catch(fail);
    },
  };
}

/** The partitions of this thread, from their recovery to the drain. */
class Owner {
  private readonly ground: Ground;
  private readonly vitals: ThreadVitals;
  private readonly intake: AckedIntake;
  private readonly runners: Runner[] = [];
  private readonly warmUpEndMs = monotonicMs() + warmUpMsMax;
  private catchUp: CatchUp | undefined;
  isDraining = false;

  constructor(ground: Ground) {
    this.ground = ground;
    this.vitals = vitalsOf(ground);
    this.intake = new AckedIntake(new Map(), data.releasedBytes, () => tell({kind: 'ask anew'}));
    ground.logSource.onHurry = () => tell({kind: 'hurry'});
    void watchLog(ground, this.runners, () => this.intake.logDisconnected());
    port.on('message', (message: ToWorker) => {
      if (message.kind === 'acked') this.intake.take(message);
      else void this.drain().catch(fail);
    });
  }

  /** Resolves when every partition is live. */
  async start(): Promise<void> {
    this.catchUp = await beginCatchUp(this.ground);
    const later = this.catchUp?.partitions ?? [];
    const first = this.own(data.partitions.filter((number) => !later.includes(number)));
    await Promise.all([first, this.catchUp?.done.then((found) => this.own(later, found))]);
  }

  /** `found`: by the thread that caught up with their logs. */
  private async own(partitions: readonly number[], found: readonly FoundInLog[] = []): Promise<void> {
    if (this.isDraining) return;
    const runners = await Promise.all(partitions.map((number) => assembleOver(this.ground, number)));
    // Nothing of them is folded: what the drain would have them publish is published.
    if (this.isDraining) return;
    for (const runner of runners) {
      this.runners.push(runner);
      answerQuestions(this.ground, runner, this.vitals);
      this.intake.add(runner.setup.partition.partition, offeredTo(runner));
    }
    for (const {partition, gaps, logLosses} of found) {
      runners.find(({setup}) => setup.partition.partition === partition)?.noteFound(gaps, logLosses);
    }
    const warmedUp = this.warmUp(runners);
    await Promise.all(runners.map((runner) => runner.start(warmedUp)));
  }

  /** Those that come later than the others get what is left of the time. */
  private async warmUp(runners: readonly Runner[]): Promise<void> {
    const stored = runners.map(({setup: {layout}}) => ({
      chunks: [...layout.chunks.values()],
      userRuns: layout.userRuns,
    }));
    const isFirst = runners.length === this.runners.length;
    await warmUp(this.ground.cache, stored, Math.max(0, this.warmUpEndMs - monotonicMs()));
    // What is run by that is the same code for all of them.
    if (!isFirst) return;
    await rehearse(
      runners.map(({setup}) => setup),
      rehearsalMsMax,
    );
  }

  private async drain(): Promise<void> {
    this.isDraining = true;
    await Promise.all([this.catchUp?.done, ...this.runners.map((runner) => runner.drain())]); // CU3 (catch-up.ts)
    await closeGround(this.ground);
    tell({kind: 'stopped'});
    port.close();
  }
}

async function main(): Promise<void> {
  if (!hasRowKernel)
    log.warn('events are folded without the WebAssembly kernel (SIMD): that takes three times as long');
  const owner = new Owner(await openGround(data, log, fail));
  try {
    await owner.start();
  } catch (error) {
    if (owner.isDraining) return; // What was starting lost its ground to the drain.
    throw error;
  }
  tell({kind: 'ready'});
}

main().catch(fail);
