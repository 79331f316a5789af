// GET /healthz: the process runs. GET /readyz: it can do all of its work (readiness.ts).
import {commit, version} from '../../version.js';
import {retryAfter} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';

export function health({operations: {durability}}: Front, exchange: Exchange): void {
  exchange.json('200 OK', JSON.stringify({status: 'ok', durability: durability.class, version, commit}));
}

export async function readiness(front: Front, exchange: Exchange): Promise<void> {
  const {reasons, warnings, notes} = await front.operations.readiness();
  const isReady = reasons.length === 0;
  const body = JSON.stringify({status: isReady ? 'ready' : 'not_ready', reasons, warnings, notes});
  if (isReady) exchange.json('200 OK', body);
  else exchange.json('503 Service Unavailable', body, retryAfter);
}
