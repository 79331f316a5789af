// Who sends events that name nobody: the visitor of the request (src/keys/visitor-id.ts).
import {visitorId, visitorOf} from '../../keys/visitor-id.js';
import {blockOf} from '../admission/address-limits.js';
import {placesOfLibraries, sentKey} from '../admission/authentication.js';
import {unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';

export const noSalt = unavailable('the service has no salt to name visitors with now: nothing was stored');

/** Id of the visitor who sends a request of a page; undefined: the service has no salt for it now. */
export function visitorOfPage(front: Front, exchange: Exchange, receivedMs: number): string | undefined {
  const visitor = visitorOfRequest(front, exchange, receivedMs);
  return visitor && visitorId(visitor, sentKey(exchange, placesOfLibraries)!);
}

/** See `visitorOf`. */
export function visitorOfRequest(front: Front, exchange: Exchange, receivedMs: number): Uint8Array | undefined {
  const salt = front.writes.visitorSalt(receivedMs);
  const addressBlock = blockOf(front.operations.clientAddresses.of(exchange));
  return salt && visitorOf(salt, {receivedMs, addressBlock, userAgent: exchange.userAgent});
}
