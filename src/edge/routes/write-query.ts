// Write routes take the key of a beacon, which the key check has read by now. They ignore other parameters: libraries and proxies
// add their own, and that must not lose an event.
import type {Exchange} from '../http/exchange.js';
import {anyText, optional} from '../query/parameters.js';
import {readQuery} from '../query/query.js';

/** The one parameter of write routes is a security scheme (docs/api/events.md, Browsers). */
const writeForm = {write_key: optional(anyText, {description: 'A write key, for beacons.'})};

/** @throws RequestFailure */
export function checkWriteQuery(exchange: Exchange): void {
  if (exchange.query !== '') readQuery(exchange.query, writeForm, 'ignored');
}
