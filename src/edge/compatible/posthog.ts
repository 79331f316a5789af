// PostHog, whose libraries send events alone: traits, joins and groups are events with names and properties of their own.
import type {NativeCall} from '../../ingest/mixed-entries.js';
import type {Refusal} from '../../ingest/refusals.js';
import {
  answerOf,
  type Call,
  type CallRequest,
  eventOf,
  fieldsOf,
  given,
  hasSome,
  identifyOf,
  idOf,
  namesWithoutUse,
  objectOf,
  onceOf,
  type Translator,
  timeOf,
  webContext,
  without,
} from './translator.js';

const kinds = ['capture', 'identify', 'alias', 'group', 'replay'] as const;
type Kind = (typeof kinds)[number];

/** Events that mean something else than that they happened. */
const kindOfName: ReadonlyMap<unknown, Kind> = new Map<string, Kind>([
  ['$identify', 'identify'],
  ['$set', 'identify'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
  ['$groupidentify', 'group'],
  ['$snapshot', 'replay'],
  ['$snapshot_items', 'replay'],
  ['$performance_event', 'replay'],
  ['$$heatmap', 'replay'],
]);

const envelope = ['api_key', 'token', 'sent_at', 'type', 'library', 'library_version', 'historical_migration'] as const;
const usedFields = new Set<string>([
  ...envelope,
  ...['event', 'distinct_id', 'properties', 'timestamp', 'uuid', '$set', '$set_once'],
]);
/** Properties that are ids, the key, or traits. */
const noProperties = new Set(['token', 'api_key', 'distinct_id', '$user_id', '$set', '$set_once', '$unset']);
/** Properties with a use in calls that become no event of their own. */
const usedProperties = new Set([...noProperties, 'alias', 'title']);

const noAlias: Refusal = {code: 'invalid_event', message: '$create_alias needs an alias and a distinct_id to join'};

const stored = answerOf('{"status":1}');
const noFlags = answerOf('{"flags":{},"featureFlags":{}}');

export const posthog: Translator = {
  listName: 'batch',
  kinds,
  bodyFields: new Set(envelope),
  keyOf: (field) => given(field('api_key'), field('token'), objectOf(field('properties')).token),
  translate: (call, request) => {
    if (request.kind === 'flags') return {kind: 'flags', native: [], ignored: []};
    const kind = kindOfName.get(call.event) ?? 'capture';
    const native = nativeOf(kind, call, commonOf(call, request));
    return 'code' in native ? native : {kind, native, ignored: ignoredOf(kind, call, native)};
  },
  taken: ({kind}) => (kind === 'flags' ? noFlags : stored),
};

/** What a call says about its person and its time. */
interface Common {
  readonly userId: unknown;
  readonly anonymousId: unknown;
  readonly messageId: unknown;
  readonly timestamp: unknown;
  readonly sentAt: unknown;
}

/** One space of ids: flags say which of them are anonymous. A library for servers sends none, and names users. */
function commonOf(call: Call, {fields}: CallRequest): Common {
  const properties = objectOf(call.properties);
  const id = idOf(call.distinct_id, properties.distinct_id);
  const isAnonymous = properties.$is_identified === false || properties.$process_person_profile === false;
  const isOfPast = fields.get('historical_migration') === true;
  return {
    userId: isAnonymous ? undefined : id,
    anonymousId: isAnonymous ? id : undefined,
    messageId: idOf(call.uuid),
    timestamp: timeOf(call.timestamp),
    sentAt: isOfPast ? undefined : timeOf(fields.get('sent_at'), call.sent_at),
  };
}

function nativeOf(kind: Kind, call: Call, common: Common): readonly NativeCall[] | Refusal {
  switch (kind) {
    case 'capture':
      return captureOf(call, common);
    case 'identify':
      return [identityOf(call, common)];
    case 'alias':
      return aliasOf(call, common);
    case 'group':
      return groupOf(call, common);
    case 'replay':
      return [];
  }
}

function captureOf(call: Call, common: Common): readonly NativeCall[] {
  const {event, properties} = call;
  const traits = traitsOf(call);
  const ofEvent = eventOf({event, ...common, properties: without(properties, noProperties), context: contextOf(call)});
  // Traits belong to known users.
  if (common.userId === undefined || traits === undefined) return [ofEvent];
  return [identifyOf({...common, ...traits}), ofEvent];
}

/** `$identify` names a user, whatever its flags say: the library sends it before it has changed them. */
function identityOf(call: Call, common: Common): NativeCall {
  const properties = objectOf(call.properties);
  const isIdentify = call.event === '$identify';
  const userId = isIdentify ? (common.userId ?? common.anonymousId) : common.userId;
  const traits = traitsOf(call);
  if (userId !== undefined)
    return identifyOf({
      ...common,
      ...traits,
      userId,
      anonymousId: isIdentify ? idOf(properties.$anon_distinct_id) : undefined,
    });
  const all = {...objectOf(traits?.traitsOnce), ...objectOf(traits?.traits)};
  return eventOf({event: 'identify', ...common, properties: {traits: all}, context: contextOf(call)});
}

/** A library for pages calls the id that a visitor had `distinct_id`, and the one that it gets `alias`; others do the reverse. */
function aliasOf(call: Call, {userId, anonymousId, ...common}: Common): readonly NativeCall[] | Refusal {
  const alias = idOf(objectOf(call.properties).alias);
  if (alias === undefined || (userId ?? anonymousId) === undefined) return noAlias;
  const joined = anonymousId === undefined ? {userId, anonymousId: alias} : {userId: alias, anonymousId};
  return [identifyOf({...common, ...joined})];
}

function groupOf(call: Call, common: Common): readonly NativeCall[] {
  const {$group_type: groupType, $group_key: key, $group_set: traits} = objectOf(call.properties);
  const id = common.userId ?? common.anonymousId;
  // No person, or the one that the library makes up for the group: companies are not active users.
  if (id === undefined || id === `$${groupType}_${key}`) return [];
  const properties = fieldsOf({groupId: idOf(key), groupType, traits});
  return [eventOf({event: 'group', ...common, properties, context: contextOf(call)})];
}

/** Traits beside the properties win over those in them; undefined: there are none. */
function traitsOf(call: Call): {readonly traits?: unknown; readonly traitsOnce?: unknown} | undefined {
  const properties = objectOf(call.properties);
  const traits = both(properties.$set, call.$set);
  const traitsOnce = both(onceOf(properties.$set_once), onceOf(call.$set_once));
  return hasSome(traits) || hasSome(traitsOnce) ? {traits, traitsOnce} : undefined;
}

/** What is no object is left to the validator. */
function both(inner: unknown, outer: unknown): unknown {
  if (!hasSome(outer)) return inner;
  return hasSome(inner) && objectOf(inner) === inner && objectOf(outer) === outer
    ? {...objectOf(inner), ...objectOf(outer)}
    : outer;
}

function contextOf(call: Call): Call | undefined {
  const properties = objectOf(call.properties);
  const {$current_url: url, $pathname: path, title, $referrer: referrer} = properties;
  return webContext({
    url,
    path,
    title,
    referrer: referrer === '$direct' ? undefined : referrer,
    library: properties.$lib,
    version: properties.$lib_version,
  });
}

function ignoredOf(kind: Kind, call: Call, native: readonly NativeCall[]): readonly string[] {
  const ignored = [...namesWithoutUse(call, usedFields)];
  const properties = objectOf(call.properties);
  if (given(properties.$unset) !== undefined) ignored.push('$unset');
  if (native.length === 0) ignored.push(String(call.event));
  else if (kind === 'capture') {
    if (native.length === 1 && traitsOf(call) !== undefined) ignored.push('$set');
  } else for (const name of namesWithoutUse(properties, usedProperties)) if (!name.startsWith('$')) ignored.push(name);
  return ignored;
}
