// Admin routes of API keys. They take the admin token, never an API key.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {idCharsMax} from '../../../actors/limits.js';
import {jsonFault} from '../../ingest/json-fault.js';
import {notJson, parseJson} from '../../ingest/json-text.js';
import {isJsonObject, isName} from '../../ingest/validate.js';
import type {KeyRecord} from '../../keys/key.js';
import {BucketFault, type KeyAuthor, type KeyStore} from '../../keys/store.js';
import type {createdKeyAnswer, listedKey} from '../answers.js';
import type {Exchange} from '../exchange.js';
import {type Failure, invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import {anyText, required} from '../parameters.js';
import {noParameters, readPathId, readQuery} from '../query.js';
import type {Handle} from '../route.js';
import {invalidJson, noObject} from './track.js';

// A key that was created all the same is known to nobody: it opens nothing, and can be revoked by the list.
const outcomeUnknown = unavailable('the store of keys does not answer: the change may be there or not, see the list');
const unknownKey: Failure = {code: 'not_found', message: 'no such key'};

export const exampleKeyId = 'key_0123456789abcdef01';
const nameRule = `name must be 1 to ${idCharsMax} characters, none of them a control character`;

export const newKeyBody = z.looseObject({
  kind: z
    .enum(['write', 'secret'], 'kind must be write or secret')
    .describe('`write` may track events and identify; `secret` may do everything but manage keys.'),
  name: z
    .string(nameRule)
    .refine(isName, nameRule)
    .meta({minLength: 1, maxLength: idCharsMax})
    .describe('What the key is for.'),
});

const refusalOf = ({path, message}: z.core.$ZodIssue): Failure => invalidRequest(message, String(path[0]));

export function listKeys({keys}: Front, exchange: Exchange): void {
  readQuery(exchange.query, noParameters);
  exchange.json('200 OK', JSON.stringify({keys: keys.ring.list().map(publicRecord)}));
}

export async function createKey(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = parseJson(bytes);
  if (body === notJson) return exchange.fail(invalidJson(jsonFault(bytes)));
  if (!isJsonObject(body)) return exchange.fail(noObject);
  readQuery(exchange.query, noParameters);
  const read = newKeyBody.safeParse(body);
  if (!read.success) return exchange.fail(refusalOf(read.error.issues[0]));
  const {kind, name} = read.data;
  const {record, key} = await changed(front, exchange, (keys, author) => keys.create(kind, name, author));
  const created: z.infer<typeof createdKeyAnswer> = {
    id: record.id,
    name,
    kind,
    key,
    created_at: isoText(record.createdMs),
  };
  exchange.json('201 Created', JSON.stringify(created));
}

export const keyForm = {
  id: required(anyText, {description: 'The id of the key.', example: exampleKeyId}),
};

export const revokeKey: Handle = (front, exchange) => revoke(front, exchange, readQuery(exchange.query, keyForm).id);

export const revokeKeyInPath: Handle = (front, exchange, segment) => {
  const id = readPathId(segment);
  readQuery(exchange.query, noParameters);
  return revoke(front, exchange, id);
};

async function revoke(front: Front, exchange: Exchange, id: string): Promise<void> {
  const record = await changed(front, exchange, (keys, author) => keys.revoke(id, author));
  if (record === undefined) exchange.fail(unknownKey);
  else exchange.json('200 OK', JSON.stringify({status: 'revoked', id: record.id}));
}

/** @throws RequestFailure (503) when it cannot be tried, or nobody knows whether the change is there. */
async function changed<Value>(
  {keys, obstacles, clientAddresses}: Front,
  exchange: Exchange,
  change: (keys: KeyStore, author: KeyAuthor) => Promise<Value>,
): Promise<Value> {
  const obstacle = obstacles.toKeyChanges();
  if (obstacle !== undefined) throw new RequestFailure(obstacle);
  try {
    return await change(keys, {by: 'admin', address: clientAddresses.of(exchange)});
  } catch (error) {
    if (error instanceof BucketFault) throw new RequestFailure(outcomeUnknown);
    throw error;
  }
}

/** Never the hash: it would let a reader of this list test guesses. */
function publicRecord({id, name, kind, last4, createdMs, lastUsedMs, revokedMs}: KeyRecord): z.infer<typeof listedKey> {
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
