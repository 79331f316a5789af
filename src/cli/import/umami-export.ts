// Umami's tables: a visit's events, with the data of each, and what sessions say about their users.
//   UE1. A session is an anonymous id; what it was told is the id of a user. Both in one row join.

import {
  type Call,
  fieldsOf,
  given,
  identifyOf,
  idOf,
  objectOf,
  type Translation,
} from '../../edge/compatible/translator.js';
import {umami} from '../../edge/compatible/umami.js';
import {someOf} from '../../edge/compatible/web-fields.js';
import type {Refusal} from '../../ingest/refusals.js';
import {jsonOrUndefined} from '../../json.js';
import type {Zone} from '../../zone.js';
import {zonedText} from './local-time.js';

/** Kinds of rows that are events: a page was seen, or something was tracked. The others are measurements. */
const eventTypes: readonly unknown[] = [undefined, '1', '2'];
const dataTypes = {number: '2', boolean: '3', date: '4', array: '5'} as const;

/** A row of `website_event`, with the rows of its `event_data` beside it; or one of `session_data`. */
export const umamiTranslate =
  (zone: Zone | undefined) =>
  (row: Call): Translation | Refusal => {
    const {session_id: session, distinct_id: user, created_at: at} = row;
    const timestamp = typeof at === 'string' ? zonedText(at, zone, 'created_at') : undefined;
    if ('data_key' in row) return sessionCall(row, timestamp);
    if (!eventTypes.includes(row.event_type)) return {kind: 'other', native: [], ignored: ['event_type']};
    const data = Object.fromEntries(
      Object.entries(objectOf(row.data)).map(([key, cell]) => [key, dataOf(objectOf(cell))]),
    );
    const translation = umami.translate({type: 'event', payload: payloadOf(row, data)}, {fields: new Map()});
    if ('code' in translation) return translation;
    const [event] = translation.native;
    const context = {...objectOf(event!.value.context), ...webOf(row)};
    const ids = {userId: idOf(user), anonymousId: idOf(session), messageId: idOf(row.event_id)};
    const value = fieldsOf({...event!.value, ...ids, timestamp, context: someOf(context)});
    return {...translation, native: [{kind: 'event', value}]};
  };

/** Traits belong to known users. */
function sessionCall(row: Call, timestamp: string | undefined): Translation {
  const [kind, userId] = ['session_data', idOf(row.distinct_id)];
  if (userId === undefined) return {kind, native: [], ignored: ['session_data']};
  return {kind, native: [identifyOf({userId, timestamp, traits: {[String(row.data_key)]: dataOf(row)}})], ignored: []};
}

/** As a library would have sent it. */
function payloadOf(row: Call, data: Call): Call {
  const {event_name: name, page_title: title, hostname, language, screen, tag} = row;
  const url = addressOf('', row.url_path, row.url_query);
  const referrer = addressOf(row.referrer_domain, row.referrer_path, row.referrer_query);
  return fieldsOf({name, title, hostname, language, screen, tag, url, referrer, data: someOf(data)});
}

function addressOf(domain: unknown, path: unknown, query: unknown): string | undefined {
  const host = given(domain);
  const search = given(query);
  const address = [
    host === undefined ? '' : `https://${host}`,
    given(path) ?? '',
    search === undefined ? '' : `?${search}`,
  ];
  return given(address.join('').replace('??', '?')) as string | undefined;
}

function webOf(row: Call): Call {
  const campaign = Object.fromEntries(
    ['source', 'medium', 'campaign', 'term', 'content'].map((name) => [
      name === 'campaign' ? 'name' : name,
      given(row[`utm_${name}`]),
    ]),
  );
  return fieldsOf({
    browser: someOf({name: given(row.browser)}),
    os: someOf({name: given(row.os)}),
    device: someOf({type: given(row.device)}),
    location: someOf({country: given(row.country), region: given(row.region, row.subdivision1), city: given(row.city)}),
    campaign: someOf(campaign),
  });
}

/** The value of a key, in the column of its type. */
function dataOf({data_type: type, string_value: text, number_value: number, date_value: date}: Call): unknown {
  if (type === dataTypes.number && given(number, text) !== undefined) return numberOf(String(given(number, text)));
  if (type === dataTypes.boolean) return text === 'true';
  if (type === dataTypes.date) return given(date, text);
  if (type === dataTypes.array && typeof text === 'string') return jsonOrUndefined(text) ?? text;
  return given(text, number, date);
}

/** A decimal with four digits. One that a double does not hold stays a text. */
function numberOf(text: string): unknown {
  const digits = text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  return String(Number(digits)) === digits ? Number(digits) : text;
}
