// Requests that the options of a key forbid, and what a key says about the entries that come with it (docs/api/keys.md).
import {eventFlag} from '../../../actors/log/entries.js';
import type {KeyOptions} from '../../keys/key.js';
import type {ActiveKey} from '../../keys/key-ring.js';
import type {Failure} from '../failure.js';
import type {Exchange} from '../http/exchange.js';

/** Permission that an endpoint needs beyond its access. */
export type Permission = 'identify';

const originNotAllowed: Failure = {
  code: 'origin_not_allowed',
  message: 'pages of this origin may not use this key',
};
const mayNotIdentify: Failure = {
  code: 'insufficient_permissions',
  message: 'this key may track events but not identify users',
};

/** A request without an Origin does not come from a page. Origins stop other sites but no program, which can send any Origin. */
export function forbiddenBy(
  {mayIdentify, origins}: KeyOptions,
  {origin}: Exchange,
  permission: Permission | undefined,
): Failure | undefined {
  if (origin !== undefined && origins?.includes(origin) === false) return originNotAllowed;
  return permission === 'identify' && !mayIdentify ? mayNotIdentify : undefined;
}

/** Mark of the entries that come with this key (`eventFlag`); 0: none. */
export function markOf({kind, options}: Pick<ActiveKey, 'kind' | 'options'>): number {
  if (kind === 'secret') return eventFlag.secret;
  return options?.mayIdentify === false ? eventFlag.apart : 0;
}
