// State of the service, for the side of every page: the answers of `/readyz` and `/healthz`. The status is 200 also while the service is not
// ready.
import {version} from '../../version.js';
import type {Front} from '../front.js';
import {noParameters, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import type {StateAnswer} from './answers/state.js';

export async function stateOf(front: Front): Promise<StateAnswer> {
  const {reasons, warnings, notes} = await front.operations.readiness();
  const status = reasons.length === 0 ? 'ready' : 'not_ready';
  return {status, reasons, warnings, notes, durability: front.operations.durability.class, version};
}

export const readState: Handle = async (front, exchange) => {
  readQuery(exchange.query, noParameters);
  exchange.json('200 OK', JSON.stringify(await stateOf(front)));
};
