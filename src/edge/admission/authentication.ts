// Authentication: API keys from the Authorization header or, for beacons, a write key from the URL; the admin token.
import {createHash, timingSafeEqual} from 'node:crypto';
import type {RecordKind} from '../../keys/key.js';
import {type ActiveKey, basicName, type KeyRing} from '../../keys/key-ring.js';
import type {Failure, Header} from '../failure.js';
import type {Exchange} from '../http/exchange.js';
import {decodePercent} from '../query/query.js';

/**
 * Callers that a route admits. `open`: anybody. `key`: any API key. `write`: a write or a secret key. `read`: a read or a secret key. `secret`: a secret
 * key. `admin`: the admin token, never an API key. `dashboard`: a browser, with a session where the route names a role (dashboard/door.ts).
 */
export type Access = 'open' | KeyAccess | 'admin' | 'dashboard';
export type KeyAccess = 'key' | KindAccess;
type KindAccess = 'write' | 'read' | 'secret';

/** RFC 9110, 11.6.1: a 401 says how to authenticate. RFC 6750: it names a fault only when the request had a credential. */
const challenge: readonly Header[] = [['WWW-Authenticate', 'Bearer realm="millrace"']];
const challengeAgain: readonly Header[] = [['WWW-Authenticate', 'Bearer realm="millrace", error="invalid_token"']];
const missing = (message: string): Failure => ({code: 'missing_key', message, headers: challenge});
const invalid = (message: string): Failure => ({code: 'invalid_key', message, headers: challengeAgain});

const missingKey = missing('send an API key as "Authorization: Bearer <API_KEY>"');
const missingToken = missing('send the admin token as "Authorization: Bearer <ADMIN_TOKEN>"');
const invalidKey = invalid('the API key is invalid or revoked');
const noBearer = invalid('the Authorization header is not "Bearer <API_KEY>"');
const invalidToken = invalid('the admin token is invalid');
const insufficientPermissions = (message: string): Failure => ({code: 'insufficient_permissions', message});

const refusalOfKind: Readonly<Record<KindAccess, Failure>> = {
  write: insufficientPermissions('this needs a write key (sk_write_) or a secret key (sk_live_)'),
  read: insufficientPermissions('this needs a read key (sk_read_) or a secret key (sk_live_)'),
  secret: insufficientPermissions('this needs a secret key (sk_live_)'),
};

/** @returns the refusal of a key whose kind does not open a route of this access. */
export const refuseKind = (access: KeyAccess, kind: RecordKind): Failure | undefined =>
  access === 'key' || kind === access || kind === 'secret' ? undefined : refusalOfKind[access];

/** Places where a route takes a key, beside `Authorization: Bearer`. */
export interface KeyPlaces {
  /** Parameters of the query. */
  readonly inQuery: readonly string[];
  /** Whether a library may send it as the name of `Authorization: Basic`, or in a header of its own. */
  readonly isOfLibrary: boolean;
  /** The segment of the path that is a key, undecoded, if one is. */
  readonly inPath?: string;
}

export const placesOfRoutes: KeyPlaces = {inQuery: [], isOfLibrary: false};
export const placesOfBeacons: KeyPlaces = {inQuery: ['write_key'], isOfLibrary: false};
export const placesOfLibraries: KeyPlaces = {inQuery: ['write_key', 'writeKey'], isOfLibrary: true};

/** The header wins over the URL (docs/api/errors.md). @returns the key, or the refusal. */
export function authenticate(ring: KeyRing, exchange: Exchange, places: KeyPlaces): ActiveKey | Failure {
  const {authorization} = exchange;
  if (authorization !== undefined && authorization !== '') {
    const active = ring.byHeader(authorization) ?? (places.isOfLibrary ? ring.byBasic(authorization) : undefined);
    return active ?? (places.isOfLibrary || /^bearer /i.test(authorization) ? invalidKey : noBearer);
  }
  const inHeader = places.isOfLibrary ? libraryKey(exchange) : undefined;
  if (inHeader !== undefined) return ring.byKey(inHeader) ?? invalidKey;
  return ofPublicPlace(ring, keyInUrl(exchange, places));
}

/** The key in a header of a library, some of which send a name and a colon before it. */
function libraryKey({libraryKey: sent}: Exchange): string | undefined {
  return sent === undefined || sent === '' ? undefined : sent.slice(sent.lastIndexOf(':') + 1);
}

/** A key from a place that others see: proxies log URLs, so a secret key there is refused although it is known. */
export function ofPublicPlace(ring: KeyRing, key: string | undefined): ActiveKey | Failure {
  if (key === undefined) return missingKey;
  const active = ring.byKey(key);
  return active?.kind === 'write' ? active : invalidKey;
}

/** The key in the head of an admitted request, as it was sent. */
export function sentKey(exchange: Exchange, places: KeyPlaces): string {
  const {authorization = ''} = exchange;
  if (authorization !== '') return basicName(authorization) ?? authorization.replace(/^\S+ +/, '');
  return libraryKey(exchange) ?? keyInUrl(exchange, places) ?? '';
}

function keyInUrl({query}: Exchange, {inQuery, inPath}: KeyPlaces): string | undefined {
  return inPath === undefined ? keyInQuery(query, inQuery) : (decodePercent(inPath) ?? '');
}

/** Undefined for one that cannot be decoded: the check of the query refuses it later. */
function keyInQuery(query: string, names: readonly string[]): string | undefined {
  if (query === '' || names.length === 0) return undefined;
  for (const pair of query.split('&')) {
    const [name = ''] = pair.split('=', 1);
    if (names.includes(decodePercent(name) ?? '')) return decodePercent(pair.slice(name.length + 1)) ?? '';
  }
  return undefined;
}

/** Tokens that open the admin routes. */
export interface AdminTokens {
  /** The operator's. */
  readonly admin: string;
  /** Created by this start for the command line on this machine. */
  readonly command: string;
}

/** Holds hashes of the tokens: comparing these takes the same time for an offered token of any length. */
export class AdminDoor {
  private readonly hashes: readonly Buffer[];

  constructor({admin, command}: AdminTokens) {
    this.hashes = [sha256(admin), sha256(command)];
  }

  /** @returns the refusal, or undefined when the header has one of the tokens. */
  refuse({authorization}: Exchange): Failure | undefined {
    if (authorization === undefined || authorization === '') return missingToken;
    return this.opens(/^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '') ? undefined : invalidToken;
  }

  opens(token: string): boolean {
    const offered = sha256(token);
    return this.hashes.some((hash) => timingSafeEqual(offered, hash));
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
