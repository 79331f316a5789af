// Admin routes of API keys. They take the admin token, never an API key.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {idCharsMax} from '../../../actors/limits.js';
import {isName} from '../../ingest/validate.js';
import {type ApiKeyRecord, isOfApiKey, type KeyOptions, type KeyRecord, keyKinds} from '../../keys/key.js';
import type {KeyAuthor, KeyStore} from '../../keys/store.js';
import type {createdKeyAnswer, KeyChangedAnswer, ListedKey} from '../answers/keys.js';
import {type Failure, invalidRequest, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {anyText, required} from '../query/parameters.js';
import {noParameters, readPathId, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {authorOf} from './author.js';
import {changedSinceRead, etagOf, meantVersion, versionOf} from './if-match.js';
import {readFields, readObject} from './json-fields.js';
import {storedChange} from './stored-change.js';

// A key that was created nevertheless opens nothing, since no client has its text; an admin can revoke it in the list.
const outcomeUnknown = unavailable(
  'the key store does not respond: the change may or may not have been made, list the keys to see',
);
const unknownKey: Failure = {code: 'not_found', message: 'no such key'};

const noWriteKey = invalidRequest('options are for write keys', 'options');
const revokedKey = invalidRequest('the key is revoked', 'id');

const originsMax = 100;
const eventsPerSecondMax = 1_000_000;
export const exampleKeyId = 'key_0123456789abcdef01';
const nameRule = `name must be 1 to ${idCharsMax} characters, none of them a control character`;

const originRule = `origins must be 1 to ${originsMax} origins as browsers send them, such as https://example.com: no path, no "*"`;
const perAddressRule = `events_per_second_per_address must be a whole number from 1 to ${eventsPerSecondMax}`;

const webRule = 'web must be true or false';
const namesRule = 'names must be "known"';

/** A misspelt option must not leave a key open. */
export const keyOptions = z.strictObject(
  {
    identify: z
      .boolean('identify must be true or false')
      .optional()
      .describe('`false`: the key may track events, but not set traits or join ids.'),
    origins: z
      .array(z.string(originRule).refine(isOrigin, originRule), originRule)
      .min(1, originRule)
      .max(originsMax, originRule)
      .optional()
      .describe('Sites whose pages may use the key: any other `Origin` is refused. Programs send none, or any.'),
    events_per_second_per_address: z
      .int(perAddressRule)
      .min(1, perAddressRule)
      .max(eventsPerSecondMax, perAddressRule)
      .optional()
      .describe('Limit per client address (IPv6: per /64), with bursts of twice as many.'),
    names: z
      .literal('known', namesRule)
      .optional()
      .describe('`known`: events of the key may only have names that exist; others are `unknown_name`.'),
    web: z
      .boolean(webRule)
      .optional()
      .describe(
        'Whether its events come from pages: their context is completed with browser, country and the like, and events that name ' +
          'nobody are of a visitor. Absent: if it has `origins`.',
      ),
  },
  'options must be an object',
);

export const newKeyBody = z.strictObject({
  kind: z
    .enum(keyKinds, 'kind must be write, read or secret')
    .describe(
      '`write` may track events and identify; `read` may read reports, events and users; `secret` may do everything ' +
        'except manage keys.',
    ),
  name: z
    .string(nameRule)
    .refine(isName, nameRule)
    .meta({minLength: 1, maxLength: idCharsMax})
    .describe('What the key is for.'),
  options: keyOptions.optional().describe('For a write key only.'),
});

function isOrigin(text: string): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\/[^\s/?#@*]+$/.exec(text) ?? [];
  if (scheme === undefined) return false;
  return (scheme !== 'http' && scheme !== 'https') || (URL.canParse(text) && new URL(text).origin === text);
}

export function listKeys({kept: {keys}}: Front, exchange: Exchange): void {
  readQuery(exchange.query, noParameters);
  exchange.json('200 OK', JSON.stringify({keys: keys.ring.list().map(publicRecord)}));
}

export async function createKey(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  const {kind, name, options: given = {}} = readFields(newKeyBody, body);
  const options = keptOptions(given);
  if (options !== undefined && kind !== 'write') return exchange.fail(noWriteKey);
  const {record, key} = await changed(front, exchange, (keys, author) => keys.create(kind, name, options, author));
  const created: z.infer<typeof createdKeyAnswer> = {
    id: record.id,
    name,
    kind,
    key,
    created_at: isoText(record.createdMs),
    version: versionOfKey(record),
    ...shownOptions(options),
  };
  exchange.json('201 Created', JSON.stringify(created), [etagOf(created.version)]);
}

export const keyForm = {
  id: required(anyText, {description: 'The id of the key.', example: exampleKeyId}),
};

export async function changeKey(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  const {id} = readQuery(exchange.query, keyForm);
  const options = keptOptions(readFields(keyOptions, body));
  const known = front.kept.keys.ring.get(id);
  if (known !== undefined && !isOfApiKey(known)) return exchange.fail(unknownKey);
  if (options !== undefined && known !== undefined && known.kind !== 'write') return exchange.fail(noWriteKey);
  const isMeant = meantVersion(exchange);
  const isMeantKey = isMeant && ((record: KeyRecord) => isMeant(versionOfKey(record)));
  const set = await changed(front, exchange, (keys, author) => keys.setOptions(id, options, author, isMeantKey));
  if (set === undefined || !isOfApiKey(set.record)) return exchange.fail(unknownKey);
  if (set.record.revokedMs !== null) return exchange.fail(revokedKey);
  const key = publicRecord(set.record);
  const headers = [etagOf(key.version)];
  const more: Omit<KeyChangedAnswer, 'error'> = {key};
  if (set.isOutdated) exchange.failWith(changedSinceRead('key'), more, headers);
  else exchange.json('200 OK', JSON.stringify(key), headers);
}

/** IM1 (if-match.ts) */
const versionOfKey = ({options}: Pick<KeyRecord, 'options'>): string => {
  const {mayIdentify = true, origins, eventsPerSecondPerAddress, mustUseKnownNames, isWeb} = options ?? {};
  return versionOf([mayIdentify, origins, eventsPerSecondPerAddress, mustUseKnownNames, isWeb]);
};

export const revokeKey: Handle = (front, exchange) => revoke(front, exchange, readQuery(exchange.query, keyForm).id);

export const revokeKeyInPath: Handle = (front, exchange, segment) => {
  const id = readPathId(segment);
  readQuery(exchange.query, noParameters);
  return revoke(front, exchange, id);
};

async function revoke(front: Front, exchange: Exchange, id: string): Promise<void> {
  const known = front.kept.keys.ring.get(id);
  if (known !== undefined && !isOfApiKey(known)) return exchange.fail(unknownKey);
  const record = await changed(front, exchange, (keys, author) => keys.revoke(id, author));
  if (record === undefined) exchange.fail(unknownKey);
  else exchange.json('200 OK', JSON.stringify({status: 'revoked', id: record.id}));
}

function changed<Value>(
  front: Front,
  exchange: Exchange,
  change: (keys: KeyStore, author: KeyAuthor) => Promise<Value>,
): Promise<Value> {
  const author = authorOf(front, exchange);
  return storedChange(front, outcomeUnknown, () => change(front.kept.keys, author));
}

/** The key without its hash: with the hash a reader of the list could test guesses. */
function publicRecord(record: ApiKeyRecord): ListedKey {
  const {id, name, kind, last4, createdMs, lastUsedMs, revokedMs, options} = record;
  return {
    id,
    name,
    kind,
    last4,
    created_at: isoText(createdMs),
    last_used_at: lastUsedMs === null ? null : isoText(lastUsedMs),
    revoked_at: revokedMs === null ? null : isoText(revokedMs),
    version: versionOfKey(record),
    ...shownOptions(options),
  };
}

/** Undefined for options that limit nothing. */
function keptOptions(given: z.infer<typeof keyOptions>): KeyOptions | undefined {
  const {identify = true, origins, events_per_second_per_address: eventsPerSecondPerAddress, names, web} = given;
  if (identify && [origins, eventsPerSecondPerAddress, names, web].every((one) => one === undefined)) return undefined;
  return {
    ...{mayIdentify: identify, origins, eventsPerSecondPerAddress},
    ...(names !== undefined && {mustUseKnownNames: true}),
    ...(web !== undefined && {isWeb: web}),
  };
}

export function shownOptions(options: KeyOptions | undefined): Pick<ListedKey, 'options'> {
  if (options === undefined) return {};
  const {mayIdentify, origins, eventsPerSecondPerAddress, mustUseKnownNames, isWeb} = options;
  return {
    options: {
      ...(mayIdentify ? {} : {identify: false}),
      ...(origins === undefined ? {} : {origins}),
      ...(eventsPerSecondPerAddress === undefined ? {} : {events_per_second_per_address: eventsPerSecondPerAddress}),
      ...(mustUseKnownNames ? {names: 'known' as const} : {}),
      ...(isWeb === undefined ? {} : {web: isWeb}),
    },
  };
}
