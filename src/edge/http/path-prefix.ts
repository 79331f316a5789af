// The prefix under which a proxy serves the paths of the service (X-Forwarded-Prefix).

import type {ClientAddresses} from './client-address.js';
import type {Exchange} from './exchange.js';

const prefixCharactersMax = 256;
/** The prefix goes into pages and headers: no character with a meaning there, no segment that a client would resolve. */
const prefixForm = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/;

/** Empty without a prefix, and for one that no trusted proxy sent (client-address.ts). */
export function pathPrefix({clientAddresses}: {readonly clientAddresses: ClientAddresses}, exchange: Exchange): string {
  const {forwardedPrefix} = exchange;
  if (forwardedPrefix === '' || forwardedPrefix.length > prefixCharactersMax || !prefixForm.test(forwardedPrefix))
    return '';
  return clientAddresses.isByProxy(exchange) ? forwardedPrefix : '';
}
