// Write routes take no query parameter but the key of a beacon, which the key check has read by now.
import type {Exchange} from '../exchange.js';
import {parseQuery} from '../query.js';

const form = {write_key: 'single'} as const;

/** @throws RequestFailure */
export function checkWriteQuery(exchange: Exchange): void {
  if (exchange.query !== '') parseQuery(exchange.query, form);
}
