// Umami, whose calls have a type and a payload. Few name a user: the others are of a visitor.
import type {NativeCall} from '../../ingest/mixed-entries.js';
import type {Refusal} from '../../ingest/refusals.js';
import {isJsonObject} from '../../ingest/validate.js';
import {answerOf, type Call, fieldsOf, given, idOf, namesWithoutUse, type Translator, timeOf} from './translator.js';
import {pageOf, screenOf, someOf} from './web-fields.js';

const kinds = ['event', 'identify', 'performance'] as const;
type Kind = (typeof kinds)[number];

const ofEveryPayload = ['website', 'id', 'timestamp', 'data'] as const;
const ofContext = ['hostname', 'language', 'referrer', 'screen', 'title', 'url', 'tag', 'userAgent'] as const;

/** Fields of a payload with a use, by kind. A measured performance has no place. */
const usedFields: Readonly<Record<Kind, ReadonlySet<string>>> = {
  event: new Set([...ofEveryPayload, ...ofContext, 'name']),
  identify: new Set<string>(ofEveryPayload),
  performance: new Set(),
};
/** An identify without an id is an event, which has a context. */
const usedByNameless = new Set([...ofEveryPayload, ...ofContext]);
const usedInCall = new Set(['type', 'payload']);

const noKind: Refusal = {code: 'invalid_event', message: `type must be one of ${kinds.join(', ')}`};
const noPayload: Refusal = {code: 'invalid_event', message: 'payload must be an object'};

const isKind = (kind: unknown): kind is Kind => (kinds as readonly unknown[]).includes(kind);

export const umami: Translator = {
  kinds,
  bodyFields: new Set(),
  hasVisitors: true,
  keyOf: (field) => {
    const payload = field('payload');
    return isJsonObject(payload) ? payload.website : undefined;
  },
  translate: (call) => {
    const {type: kind, payload} = call;
    if (!isKind(kind)) return noKind;
    if (!isJsonObject(payload)) return noPayload;
    if (kind === 'performance') return {kind, native: [], ignored: ['payload']};
    const userId = idOf(payload.id);
    const isOfUser = kind === 'identify' && userId !== undefined;
    const used = kind === 'identify' && !isOfUser ? usedByNameless : usedFields[kind];
    const ignored = [...namesWithoutUse(call, usedInCall), ...namesWithoutUse(payload, used, 'payload.')];
    if (!isOfUser && given(payload.screen) !== undefined && screenOf(payload.screen) === undefined)
      ignored.push('payload.screen');
    return {kind, native: [isOfUser ? identifyOf(payload, userId) : eventOf(kind, payload, userId)], ignored};
  },
  // Ids that nobody reads: a visitor has none that it could send.
  taken: () => answerOf('{"cache":"","sessionId":"","visitId":""}'),
};

const identifyOf = ({timestamp, data}: Call, userId: unknown): NativeCall => ({
  kind: 'identify',
  value: fieldsOf({userId, timestamp: timeOf(timestamp), traits: data}),
});

function eventOf(kind: Kind, payload: Call, userId: unknown): NativeCall {
  const {name, timestamp, data} = payload;
  const [event, properties] =
    kind === 'identify' ? ['identify', someOf({traits: data})] : [given(name) ?? 'page', data];
  const value = fieldsOf({event, userId, timestamp: timeOf(timestamp), properties, context: contextOf(payload)});
  return {kind: 'event', value};
}

const contextOf = ({hostname, language, referrer, screen, title, url, tag, userAgent}: Call): Call | undefined =>
  someOf({
    page: pageOf({url, title, referrer, host: hostname}),
    screen: screenOf(screen),
    locale: given(language),
    tag: given(tag),
    userAgent: given(userAgent),
  });
