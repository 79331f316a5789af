// Admin routes of API keys. They take the admin token, never an API key.
import {isoText} from '../../../actors/calendar.js';
import {notJson, parseJson} from '../../ingest/json-text.js';
import {isJsonObject, isName} from '../../ingest/validate.js';
import type {KeyRecord} from '../../keys/key.js';
import type {Exchange} from '../exchange.js';
import {type Failure, invalidRequest} from '../failure.js';
import type {Front} from '../front.js';
import {decodePercent, parseQuery} from '../query.js';
import {invalidJson, noObject} from './track.js';

const unknownKey: Failure = {code: 'not_found', message: 'no such key'};

export function listKeys({keys}: Front, exchange: Exchange): void {
  parseQuery(exchange.query, {});
  exchange.json('200 OK', JSON.stringify({keys: keys.ring.list().map(publicRecord)}));
}

export async function createKey({keys}: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = parseJson(bytes);
  if (body === notJson) return exchange.fail(invalidJson);
  if (!isJsonObject(body)) return exchange.fail(noObject);
  parseQuery(exchange.query, {});
  const {kind, name} = body;
  if (kind !== 'write' && kind !== 'secret')
    return exchange.fail(invalidRequest('kind must be write or secret', 'kind'));
  if (!isName(name))
    return exchange.fail(invalidRequest('name must be 1 to 256 characters, none of them a control character', 'name'));
  const {record, key} = await keys.create(kind, name);
  const created = {id: record.id, name, kind, key, created_at: isoText(record.createdMs)};
  exchange.json('201 Created', JSON.stringify(created));
}

export async function revokeKey({keys}: Front, exchange: Exchange, segment: string): Promise<void> {
  parseQuery(exchange.query, {});
  const record = await keys.revoke(decodePercent(segment) ?? segment);
  if (record === undefined) exchange.fail(unknownKey);
  else exchange.json('200 OK', JSON.stringify({status: 'revoked', id: record.id}));
}

/** Never the hash: it would let a reader of this list test guesses. */
function publicRecord({id, name, kind, last4, createdMs, lastUsedMs, revokedMs}: KeyRecord): object {
  return {
    id,
    name,
    kind,
    last4,
    created_at: isoText(createdMs),
    last_used_at: lastUsedMs === null ? null : isoText(lastUsedMs),
    revoked_at: revokedMs === null ? null : isoText(revokedMs),
  };
}
