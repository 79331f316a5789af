// Ids for visitors who name none: a keyed hash stands for the day, the key of the request, its address and its user agent.
//   VI1. The hash key is the salt of the day (visitor-salts.ts). Once it is destroyed, nobody can compute an id again, nor
//        try addresses against one. Neither address nor user agent is stored.
//   VI2. A visitor has another id on each day and for each key: nothing joins them.
import {createHmac} from 'node:crypto';
import {dayMs} from '../../actors/limits.js';

const idPrefix = 'v_';
/** 22 characters as base64url. */
const idBytes = 16;

/** What a request says about its visitor. */
export interface VisitorTraces {
  readonly receivedMs: number;
  /** The address, of IPv6 its /64 (`blockOf`). */
  readonly addressBlock: string;
  readonly userAgent: string;
}

/** The visitor of a request whose key is not known yet: hash of all but the key. Its bytes are needed for `visitorId` alone. */
export const visitorOf = (salt: Uint8Array, {receivedMs, addressBlock, userAgent}: VisitorTraces): Uint8Array =>
  createHmac('sha256', salt)
    .update(JSON.stringify([Math.floor(receivedMs / dayMs), addressBlock, userAgent]))
    .digest();

/** `key`: as it was sent. */
export const visitorId = (visitor: Uint8Array, key: string): string =>
  idPrefix + createHmac('sha256', visitor).update(key).digest().subarray(0, idBytes).toString('base64url');
