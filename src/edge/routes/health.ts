// GET /healthz: the process lives. GET /readyz: every partition and the report role can do their work.
import type {Exchange} from '../exchange.js';
import {RequestFailure, retryAfter} from '../failure.js';
import type {Front} from '../front.js';

// A load balancer asks every few seconds and must hear "no" rather than nothing.
const statusMsMax = 1_000;

export function health({durability}: Front, exchange: Exchange): void {
  exchange.json('200 OK', JSON.stringify({status: 'ok', durability}));
}

export async function readiness(front: Front, exchange: Exchange): Promise<void> {
  const reasons = await readinessReasons(front);
  if (reasons.length === 0) exchange.json('200 OK', JSON.stringify({status: 'ready', reasons}));
  else exchange.json('503 Service Unavailable', JSON.stringify({status: 'not_ready', reasons}), retryAfter);
}

/** Why the service cannot do all of its work now; none when it can. Within a second. */
export async function readinessReasons(front: Front): Promise<string[]> {
  if (front.isDraining()) return ['the service is stopping'];
  const partitions = Array.from({length: front.partitionCount}, (_, partition) => partitionReason(front, partition));
  const reasons = await Promise.all([...partitions, reportReason(front)]);
  return [...front.obstacles.reasons(), ...reasons.filter((reason) => reason !== undefined)];
}

async function partitionReason({asks}: Front, partition: number): Promise<string | undefined> {
  const name = `partition ${partition}`;
  const status = await orSilence(asks.partition(partition, {ask: 'status'}, ['status'], statusMsMax));
  if (status === undefined) return `${name} does not answer`;
  if (status.phase !== 'live') return `${name} is ${status.phase}`;
  if (status.published === null) return `${name} has not published a snapshot yet`;
  return status.lag === null ? undefined : `${name}: ${status.lag}`;
}

async function reportReason({asks}: Front): Promise<string | undefined> {
  const status = await orSilence(asks.report({ask: 'status'}, statusMsMax));
  if (status === undefined) return 'reports do not answer';
  return status.kind === 'status' && status.ready
    ? undefined
    : 'reports have not loaded a snapshot of every partition yet';
}

async function orSilence<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RequestFailure) return undefined;
    throw error;
  }
}
