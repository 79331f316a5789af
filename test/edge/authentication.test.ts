// Which key opens what, and where it may be sent.
import {expect, test} from 'vitest';
import {eventFlag} from '../../actors/log/entries.js';
import {
  authenticate,
  type KeyPlaces,
  placesOfBeacons,
  placesOfLibraries,
  placesOfRoutes,
  refuseKind,
} from '../../src/edge/admission/authentication.js';
import {forbiddenBy, markOf} from '../../src/edge/admission/key-permissions.js';
import type {Exchange} from '../../src/edge/http/exchange.js';
import {generateKey, type KeyKind, keyKinds, type RecordKind, recordOf} from '../../src/keys/key.js';
import {KeyRing} from '../../src/keys/key-ring.js';

const ring = new KeyRing();
const made = (kind: RecordKind): string => {
  const key = generateKey(kind);
  const access = kind === 'person' && {access: {role: 'admin', untilMs: null} as const};
  ring.put({...recordOf(key, kind, `key_${kind}`, kind, 0), ...access});
  return key;
};
const keys = {write: made('write'), read: made('read'), secret: made('secret'), person: made('person')};

/** Kind of the key that is found, or the code of the refusal. */
function found(request: Partial<Exchange>, places: KeyPlaces): string {
  const active = authenticate(ring, {query: '', ...request} as Exchange, places);
  return 'code' in active ? active.code : active.kind;
}

const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`;

test.each<[string, Partial<Exchange>, KeyPlaces, string]>([
  ['a key in the header', {authorization: `Bearer ${keys.secret}`}, placesOfRoutes, 'secret'],
  ["a person's token", {authorization: `Bearer ${keys.person}`}, placesOfRoutes, 'invalid_key'],
  ["a library's form of a key", {authorization: basic(keys.write)}, placesOfRoutes, 'invalid_key'],
  ['the same for a library', {authorization: basic(keys.write)}, placesOfLibraries, 'write'],
  ['a header of a library', {libraryKey: `name:${keys.secret}`}, placesOfLibraries, 'secret'],
  ['nothing', {}, placesOfBeacons, 'missing_key'],
  ['a write key in the URL', {query: `a=1&write_key=${keys.write}`}, placesOfBeacons, 'write'],
  ['a write key in the URL of another route', {query: `write_key=${keys.write}`}, placesOfRoutes, 'missing_key'],
  ['a secret key in the URL', {query: `write_key=${keys.secret}`}, placesOfBeacons, 'invalid_key'],
  ['a read key in the URL of a library', {query: `writeKey=${keys.read}`}, placesOfLibraries, 'invalid_key'],
  [
    'a wrong header and a right URL',
    {authorization: 'Bearer x', query: `write_key=${keys.write}`},
    placesOfBeacons,
    'invalid_key',
  ],
])('%s', (_, request, places, outcome) => {
  expect(found(request, places)).toBe(outcome);
});

test.each([
  'Bearer',
  'Bearer nothing',
  'Bearer sk_live_unknown',
  `Basic ${keys.secret}`,
  keys.secret,
  `Bearer ${keys.secret}x`,
  `Bearer ${keys.secret.slice(0, -1)}`,
  `Bearer ${keys.secret} ${keys.secret}`,
  `Bearer ${keys.secret.toUpperCase()}`,
])('%s is no known key', (authorization) => {
  expect(found({authorization}, placesOfRoutes)).toBe('invalid_key');
  expect(found({authorization: `bEARER ${keys.secret}`}, placesOfRoutes)).toBe('secret');
});

test('a kind opens its own routes, and a secret key all of them', () => {
  const opened = (kind: KeyKind) => keyKinds.filter((access) => refuseKind(access, kind) === undefined);
  expect(keyKinds.map(opened)).toEqual([['write'], ['read'], ['write', 'read', 'secret']]);
});

test('a key with origins is refused to pages of others alone', () => {
  const options = {mayIdentify: true, origins: ['https://shop.example']};
  const code = (origin: string | undefined, own = options.origins) =>
    forbiddenBy({...options, origins: own}, {origin} as Exchange, undefined)?.code;
  expect(code('https://evil.example')).toBe('origin_not_allowed');
  expect(code('https://shop.example')).toBeUndefined();
  expect(code(undefined)).toBeUndefined();
});

test('a key that may not identify is refused where that is needed, and marks its events', () => {
  const options = {mayIdentify: false};
  expect(forbiddenBy(options, {} as Exchange, 'identify')?.code).toBe('insufficient_permissions');
  expect(forbiddenBy(options, {} as Exchange, undefined)).toBeUndefined();
  expect(markOf({kind: 'write', options})).toBe(eventFlag.apart);
  expect(markOf({kind: 'write', options: {mayIdentify: true}})).toBe(0);
  expect(markOf({kind: 'secret', options})).toBe(eventFlag.secret);
});
