// The two shapes of requests, and their connections: the same in every bench.

import type {Target} from '../machine/target.js';
import type {BenchOptions} from '../options.js';
import {canonical, type WorkloadOptions} from '../workload/events.js';
import type {LoadProcess, Prepared} from './load-process.js';

export type Shape = 'single' | 'batch';

export const shapes: readonly Shape[] = ['single', 'batch'];
/** Words of the shapes in the names of figures. */
export const shapeNames: Readonly<Record<Shape, string>> = {single: 'single events', batch: 'batches'};
/** Events of a batch: the limit of the API. */
export const batchEvents = 1_000;

/** Prepares the requests of both shapes, under their names. Each copy has new events with current times. */
export async function prepareShapes(
  load: LoadProcess,
  {isSmall}: BenchOptions,
  key: string,
  workload: Omit<WorkloadOptions, 'eventCount'> = canonical,
): Promise<Prepared> {
  const single = {...workload, eventCount: isSmall ? 500 : 20_000};
  const batch = {...workload, eventCount: isSmall ? 5_000 : 200_000};
  await load.prepare('batch', batch, batchEvents, key, 'of their moment');
  return load.prepare('single', single, 1, key, 'of their moment');
}

/** Seconds of a burst: a service that may defer a third of a second of folding has done so by then. */
const burstSeconds = 2;

/** Saturated rate: requests per second that the target answers in a closed loop after its first burst. */
export function saturatedRate(
  load: LoadProcess,
  shape: Shape,
  target: Pick<Target, 'host' | 'port'>,
  seconds: number,
  options: BenchOptions,
): Promise<number> {
  const uncountedSeconds = options.isSmall ? 0 : burstSeconds;
  return closedLoopRate(load, shape, target, {seconds: uncountedSeconds + seconds, uncountedSeconds}, options);
}

/** Requests per second that the target answers in a closed loop, from the first one. */
export function rateFromStart(
  load: LoadProcess,
  shape: Shape,
  target: Pick<Target, 'host' | 'port'>,
  seconds: number,
  options: BenchOptions,
): Promise<number> {
  return closedLoopRate(load, shape, target, {seconds, uncountedSeconds: 0}, options);
}

async function closedLoopRate(
  load: LoadProcess,
  shape: Shape,
  {host, port}: Pick<Target, 'host' | 'port'>,
  duration: {readonly seconds: number; readonly uncountedSeconds: number},
  options: BenchOptions,
): Promise<number> {
  const plan = {host, port, connections: connectionsOf(shape, options), ...duration};
  const {requests, elapsedMs, refusals, firstRefusal} = await load.run(shape, plan);
  if (refusals > 0) throw new Error(`${refusals} requests were refused: ${firstRefusal}`);
  return requests / (elapsedMs / 1_000);
}

export function connectionsOf(shape: Shape, {isSmall}: Pick<BenchOptions, 'isSmall'>): number {
  if (shape === 'single') return isSmall ? 16 : 256;
  return isSmall ? 2 : 12;
}

/** Round 0 only warms up. */
export function secondsOf(round: number, {seconds}: Pick<BenchOptions, 'seconds'>): number {
  return round === 0 ? Math.min(2, seconds) : seconds;
}
