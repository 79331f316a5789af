// GET /healthz: the process lives. GET /readyz: every partition and the report role can do their work. A damaged part is a
// warning and no reason: only what needs it is a 503, and another machine would have the same parts.
import type {Exchange} from '../exchange.js';
import {RequestFailure, retryAfter} from '../failure.js';
import type {Front} from '../front.js';

// A load balancer asks every few seconds and must hear "no" rather than nothing.
const statusMsMax = 1_000;

export function health({durability}: Front, exchange: Exchange): void {
  exchange.json('200 OK', JSON.stringify({status: 'ok', durability: durability.class}));
}

export async function readiness(front: Front, exchange: Exchange): Promise<void> {
  const {reasons, warnings} = await readinessOf(front);
  const isReady = reasons.length === 0;
  const body = JSON.stringify({status: isReady ? 'ready' : 'not_ready', reasons, warnings});
  if (isReady) exchange.json('200 OK', body);
  else exchange.json('503 Service Unavailable', body, retryAfter);
}

export interface Readiness {
  /** Why the service cannot do all of its work now; none when it can. */
  readonly reasons: readonly string[];
  /** What an operator should know, and no other machine would do better. */
  readonly warnings: readonly string[];
}

/** Within a second. */
export async function readinessOf(front: Front): Promise<Readiness> {
  if (front.isDraining()) return {reasons: ['the service is stopping'], warnings: []};
  const partitions = Array.from({length: front.partitionCount}, (_, partition) => partitionReadiness(front, partition));
  const all = await Promise.all([...partitions, reportReadiness(front)]);
  return {
    reasons: [...front.obstacles.reasons(), ...all.flatMap(({reasons}) => reasons)],
    warnings: all.flatMap(({warnings}) => warnings),
  };
}

async function partitionReadiness({asks}: Front, partition: number): Promise<Readiness> {
  const name = `partition ${partition}`;
  const status = await orSilence(asks.partition(partition, {ask: 'status'}, ['status'], statusMsMax));
  if (status === undefined) return because(`${name} does not answer`);
  const warnings = status.damagedParts > 0 ? [damageWarning(name, status.damagedParts)] : [];
  if (status.appendFault) return because(`${name} cannot append to its log: ${status.appendFault}`, warnings);
  if (status.phase !== 'live') return because(`${name} is ${status.phase}`, warnings);
  if (status.published === null) return because(`${name} has not published a snapshot yet`, warnings);
  return status.lag === null ? {reasons: [], warnings} : because(`${name}: ${status.lag}`, warnings);
}

async function reportReadiness({asks}: Front): Promise<Readiness> {
  const status = await orSilence(asks.report({ask: 'status'}, statusMsMax));
  if (status?.kind !== 'status') return because('reports do not answer');
  const warnings = Object.entries(status.damagedParts).map(([partition, count]) =>
    damageWarning(`reports of partition ${partition}`, count),
  );
  return status.ready
    ? {reasons: [], warnings}
    : because('reports have not loaded a snapshot of every partition yet', warnings);
}

const because = (reason: string, warnings: readonly string[] = []): Readiness => ({reasons: [reason], warnings});

const damageWarning = (name: string, count: number): string =>
  `${name}: ${count} ${count === 1 ? 'part' : 'parts'} cannot be read, what needs them is answered 503`;

/** Undefined for a role that does not answer. */
export async function orSilence<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RequestFailure) return undefined;
    throw error;
  }
}
