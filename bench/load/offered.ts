// Offers a fixed rate to a target for a bench; a fault of the generator voids the round.

import type {Target} from '../machine/target.js';
import type {BenchOptions} from '../options.js';
import {VoidRound} from '../rounds.js';
import type {LoadProcess} from './load-process.js';
import type {OpenPlan, OpenResult} from './open-loop.js';
import {connectionsOf, type Shape} from './shapes.js';

/** Result without single latencies. */
export type Offered = Omit<OpenResult, 'samples'>;

/** Bounds of the generator's own delay at its 99th percentile: in ms, or as a share of the measured latency. */
const lateMsMax = 2;
const lateShareMax = 0.25;
/** Share of one core above which the bench would measure the generator. */
const cpuShareMax = 0.95;

export interface Offer {
  readonly shape: Shape;
  readonly target: Pick<Target, 'host' | 'port'>;
  readonly requestsPerSecond: number;
  readonly seconds: number;
  /** Default: as many as the shape uses. */
  readonly connections?: number;
}

/** Throws `VoidRound` when the generator could not keep its schedule. */
export async function offer(load: LoadProcess, wanted: Offer, options: BenchOptions): Promise<Offered> {
  const result = await load.offer(wanted.shape, planOf(wanted, options, false));
  if (!options.isSmall) voidUnlessPunctual(result);
  const {samples: _, ...offered} = result;
  return offered;
}

/** As `offer`, with every latency and its moment. */
export async function offerKeeping(load: LoadProcess, wanted: Offer, options: BenchOptions): Promise<OpenResult> {
  const result = await load.offer(wanted.shape, planOf(wanted, options, true));
  if (!options.isSmall) voidUnlessPunctual(result);
  return result;
}

/** For benches that do not measure latencies: the load continues as well as the generator can. */
export async function offerUnjudged(load: LoadProcess, wanted: Offer, options: BenchOptions): Promise<Offered> {
  const {samples: _, ...offered} = await load.offer(wanted.shape, planOf(wanted, options, false));
  return offered;
}

function planOf(
  {shape, target: {host, port}, requestsPerSecond, seconds, connections}: Offer,
  options: BenchOptions,
  keepsSamples: boolean,
): OpenPlan {
  return {
    host,
    port,
    connections: connections ?? connectionsOf(shape, options),
    seconds,
    requestsPerSecond,
    keepsSamples,
  };
}

function voidUnlessPunctual({generator: {lateMs, cpuShare}, latencyMs}: OpenResult): void {
  if (lateMs.p99 > Math.max(lateMsMax, lateShareMax * latencyMs.p99)) {
    throw new VoidRound(`the generator was ${lateMs.p99.toFixed(1)} ms late (p99)`);
  }
  if (cpuShare > cpuShareMax) throw new VoidRound(`the generator used ${(cpuShare * 100).toFixed(0)} % of a core`);
}

/** Throws when a request was refused. */
export function requireAllStored({statuses, failures, firstRefusal}: Offered): void {
  const others = Object.keys(statuses).filter((status) => status !== '200');
  if (others.length === 0 && failures === 0) return;
  throw new Error(`answers ${JSON.stringify(statuses)}, ${failures} connections lost: ${firstRefusal}`);
}
