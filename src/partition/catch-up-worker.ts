// Thread entry of a start over a long log: recovers some partitions of another thread, folds what is in their logs,
// publishes that, and ends (catch-up.ts).
import {parentPort, workerData} from 'node:worker_threads';
import {must} from '../../actors/invariant.js';
import {createLogger} from '../observe.js';
import type {FromCatchUp, PartitionWorkerData} from '../worker-messages.js';
import {answerMeanwhile} from './answering.js';
import {assembleOver, closeGround, openGround, vitalsOf, watchLog} from './ground.js';

const data = workerData as PartitionWorkerData;
const port = must(parentPort, 'this runs in a thread');
const tell = (message: FromCatchUp): void => port.postMessage(message);
const log = createLogger(data.logLevel, 'partition');

function fail(error: Error): void {
  log.error({err: error}, 'a partition cannot go on');
  tell({kind: 'fatal', message: error.message});
}

async function main(): Promise<void> {
  const ground = await openGround(data, log, fail);
  const runners = await Promise.all(data.partitions.map((number) => assembleOver(ground, number)));
  const vitals = vitalsOf(ground);
  for (const runner of runners) answerMeanwhile(ground, runner, vitals);
  void watchLog(ground, runners);
  await Promise.all(runners.map((runner) => runner.catchUp()));
  await closeGround(ground);
  tell({
    kind: 'caught up',
    found: runners.map(({found, setup: {partition}}) => ({partition: partition.partition, ...found})),
  });
}

main().catch(fail);
