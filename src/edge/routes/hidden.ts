// GET and PUT of /v1/names/hidden and /v1/properties/hidden: what lists leave out (docs/api/lists.md).
import {z} from 'zod';
import {idCharsMax, objectKeyCharsMax} from '../../../actors/limits.js';
import {isName} from '../../ingest/validate.js';
import type {HiddenList} from '../../keys/name-lists.js';
import {unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {authorOf} from './author.js';
import {changedSinceRead, etagOf, meantVersion, versionOf} from './if-match.js';
import {readFields, readObject} from './json-fields.js';
import {storedChange} from './stored-change.js';

const hiddenMax = 1_000;
/** A list of the longest names, most of which are no escapes; stored, it is within the 1 MiB of a NATS message. */
export const hiddenBodyBytesMax = 512 * 1024;

const outcomeUnknown = unavailable(
  'the key store does not respond: the list may or may not have been changed, read it to see',
);

const nameRule = `names must be up to ${hiddenMax} names of events, each of 1 to ${idCharsMax} characters`;
const propertyRule = `properties must be up to ${hiddenMax} names of properties, each of 1 to ${objectKeyCharsMax} characters, without lone surrogates`;

/** A lone surrogate (with the flag u a pair is one character). It cannot be stored: UTF-8 would give another text back. */
const loneSurrogate = /\p{Surrogate}/u;

export const hiddenNames = z.strictObject({
  names: z.array(z.string(nameRule).refine(isName, nameRule), nameRule).max(hiddenMax, nameRule),
});

export const hiddenProperties = z.strictObject({
  properties: z
    .array(
      z
        .string(propertyRule)
        .min(1, propertyRule)
        .max(objectKeyCharsMax, propertyRule)
        .refine((name) => !loneSurrogate.test(name), propertyRule),
      propertyRule,
    )
    .max(hiddenMax, propertyRule),
});

export const readHidden =
  (list: HiddenList): Handle =>
  ({kept: {keys}}, exchange) => {
    readQuery(exchange.query, noParameters);
    answer(exchange, list, keys.lists[list]);
  };

export async function hideNames(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  await hide(front, exchange, 'names', readFields(hiddenNames, body).names);
}

export async function hideProperties(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  await hide(front, exchange, 'properties', readFields(hiddenProperties, body).properties);
}

async function hide(front: Front, exchange: Exchange, list: HiddenList, texts: readonly string[]): Promise<void> {
  const {keys} = front.kept;
  const isMeant = meantVersion(exchange);
  const author = authorOf(front, exchange);
  const isSet = await storedChange(front, outcomeUnknown, () =>
    keys.lists.set(list, [...new Set(texts)], isMeant && ((known) => isMeant(versionOf(known)))),
  );
  const now = keys.lists[list];
  if (!isSet) return exchange.failWith(changedSinceRead('list'), {[list]: now}, [etagOf(versionOf(now))]);
  front.kept.audit.defined(`${list}.hidden`, author);
  answer(exchange, list, now);
}

const answer = (exchange: Exchange, list: HiddenList, texts: readonly string[]): void =>
  exchange.json('200 OK', JSON.stringify({[list]: texts}), [etagOf(versionOf(texts))]);
