// OpenPanel, whose calls have a type and a payload. Without a profile they are of a visitor.
import type {NativeCall} from '../../ingest/mixed-entries.js';
import type {Refusal} from '../../ingest/refusals.js';
import {isJsonObject} from '../../ingest/validate.js';
import {answerOf, type Call, fieldsOf, given, idOf, namesWithoutUse, type Translator, timeOf} from './translator.js';
import {pageOf, someOf} from './web-fields.js';

const kinds = ['track', 'identify', 'alias', 'group', 'assign_group', 'increment', 'decrement', 'replay'] as const;
type Kind = (typeof kinds)[number];

const noKind: Refusal = {code: 'invalid_event', message: `type must be one of ${kinds.join(', ')}`};
const noPayload: Refusal = {code: 'invalid_event', message: 'payload must be an object'};
const noAlias: Refusal = {code: 'invalid_event', message: 'alias needs an alias to join'};
const noGroups: Refusal = {code: 'invalid_event', message: 'groupIds must be a list'};

const isKind = (kind: unknown): kind is Kind => (kinds as readonly unknown[]).includes(kind);

const usedInCall = new Set(['type', 'payload']);
const usedInTrack = new Set(['name', 'profileId', 'groups', 'properties']);
const usedInAlias = new Set(['profileId', 'alias']);
const usedInAssigned = new Set(['profileId', 'groupIds']);

interface Translated {
  readonly native: readonly NativeCall[];
  readonly ignored: readonly string[];
}

/** What has no place: counters of profiles, recordings, and groups of nobody. */
const nothing: Translated = {native: [], ignored: ['payload']};

export const openpanel: Translator = {
  kinds,
  bodyFields: new Set(),
  marks: ['type', 'payload'],
  hasVisitors: true,
  keyOf: () => undefined,
  translate: (call) => {
    const {type: kind, payload} = call;
    if (!isKind(kind)) return noKind;
    if (!isJsonObject(payload)) return noPayload;
    const translated = translatedOf[kind](payload);
    if ('code' in translated) return translated;
    return {kind, native: translated.native, ignored: [...namesWithoutUse(call, usedInCall), ...translated.ignored]};
  },
  taken: () => answerOf('{}'),
};

const translatedOf: Readonly<Record<Kind, (payload: Call) => Translated | Refusal>> = {
  track: (payload) => ({native: [trackOf(payload)], ignored: namesWithoutUse(payload, usedInTrack, 'payload.')}),
  identify: ({profileId, properties, ...fields}) => {
    const userId = idOf(profileId);
    const traits = isObjectOrAbsent(properties) ? {...properties, ...fields} : properties;
    const native: NativeCall =
      userId === undefined
        ? {kind: 'event', value: {event: 'identify', properties: {traits}}}
        : {kind: 'identify', value: fieldsOf({userId, traits})};
    return {native: [native], ignored: []};
  },
  alias: (payload) => {
    const anonymousId = idOf(payload.alias);
    if (anonymousId === undefined) return noAlias;
    const value = fieldsOf({userId: idOf(payload.profileId), anonymousId});
    return {native: [{kind: 'identify', value}], ignored: namesWithoutUse(payload, usedInAlias, 'payload.')};
  },
  assign_group: (payload) => {
    const userId = idOf(payload.profileId);
    const groupIds = payload.groupIds ?? [];
    if (!Array.isArray(groupIds)) return noGroups;
    if (userId === undefined) return nothing;
    return {
      native: groupIds.map((groupId) => ({
        kind: 'event',
        value: {event: 'group', userId, properties: fieldsOf({groupId: idOf(groupId)})},
      })),
      ignored: namesWithoutUse(payload, usedInAssigned, 'payload.'),
    };
  },
  group: () => nothing,
  increment: () => nothing,
  decrement: () => nothing,
  replay: () => nothing,
};

const isObjectOrAbsent = (value: unknown): value is Call | null | undefined =>
  value === undefined || value === null || isJsonObject(value);

function trackOf({name, profileId, groups, properties: sent}: Call): NativeCall {
  const {__timestamp, ...properties} = isJsonObject(sent) ? sent : ({} as Call);
  const {__path: url, __title: title, __referrer: referrer} = properties;
  const value = fieldsOf({
    event: name === 'screen_view' ? 'page' : name,
    userId: idOf(profileId),
    timestamp: timeOf(__timestamp),
    properties: isObjectOrAbsent(sent) ? properties : sent,
    context: someOf({page: pageOf({url, title, referrer}), groups: given(groups)}),
  });
  return {kind: 'event', value};
}
