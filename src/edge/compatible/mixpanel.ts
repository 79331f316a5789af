// Mixpanel: events, profiles of people, and profiles of groups, each on a path of its own.
import type {NativeCall} from '../../ingest/mixed-entries.js';
import type {Refusal} from '../../ingest/refusals.js';
import {
  answerOf,
  type Call,
  eventOf,
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

const kinds = ['track', 'identify', 'alias', 'engage', 'groups'] as const;
type Kind = (typeof kinds)[number];
const kindOfName: ReadonlyMap<unknown, Kind> = new Map<string, Kind>([
  ['$identify', 'identify'],
  ['$create_alias', 'alias'],
]);

/** Properties that are ids, the time, or the key. */
const noProperties = new Set(['token', 'time', 'distinct_id', '$device_id', '$user_id', '$insert_id']);
/** Properties with a use in calls that become no event of their own, and what the library says about itself. */
const usedProperties = new Set([...noProperties, 'alias', 'mp_lib']);
const usedFields = new Set(['event', 'properties', '$token', 'token', '$mp_metadata']);
/** Fields of a profile with a use, and what only the vendor's service reads. */
const usedByProfile = new Set([
  ...['$token', '$distinct_id', '$device_id', '$user_id', '$time', '$set', '$set_once'],
  ...['$ip', '$ignore_time', '$ignore_alias', '$had_persisted_distinct_id', '$mp_metadata'],
]);
const usedByGroups = new Set(['$token', '$group_key', '$group_id', '$time', '$ip', '$ignore_time', '$mp_metadata']);

const noAlias: Refusal = {code: 'invalid_event', message: '$create_alias needs an alias and a distinct_id to join'};

const stored = answerOf('1');
const storedVerbose = answerOf('{"status":1,"error":null}');

export const mixpanel: Translator = {
  listName: 'data',
  kinds,
  bodyFields: new Set(),
  keyOf: (field) => given(field('$token'), objectOf(field('properties')).token, field('token')),
  translate: (call, {kind: ofPath}) => {
    if (ofPath === 'groups') return {kind: ofPath, native: [], ignored: withoutUse(call, usedByGroups)};
    if (ofPath === 'engage') return {kind: ofPath, native: profileOf(call), ignored: withoutUse(call, usedByProfile)};
    const kind = kindOfName.get(call.event) ?? 'track';
    const native = nativeOf(kind, call);
    return 'code' in native ? native : {kind, native, ignored: ignoredOf(kind, call)};
  },
  taken: ({parameters}) => (new URLSearchParams(parameters).getAll('verbose').includes('1') ? storedVerbose : stored),
};

const devicePrefix = '$device:';

const isDevice = (id: unknown): id is string => typeof id === 'string' && id.startsWith(devicePrefix);
/** The id of a device, which has a prefix where an id of a user may stand. */
const deviceOf = (id: unknown): unknown => (isDevice(id) ? given(id.slice(devicePrefix.length)) : id);

interface Ids {
  readonly userId: unknown;
  readonly anonymousId: unknown;
}

/** Older libraries send the device's id in both fields while nobody has logged in. */
function idsOf(distinctId: unknown, userId: unknown, deviceId: unknown): Ids {
  const [distinct, device] = [idOf(distinctId), idOf(deviceId)];
  const isAnonymous = isDevice(distinct) || (distinct !== undefined && distinct === device);
  return {
    userId: idOf(userId) ?? (isAnonymous ? undefined : distinct),
    anonymousId: device ?? (isAnonymous ? deviceOf(distinct) : undefined),
  };
}

interface Common extends Ids {
  readonly messageId: unknown;
  readonly timestamp: unknown;
}

function commonOf(properties: Call): Common {
  return {
    ...idsOf(properties.distinct_id, properties.$user_id, properties.$device_id),
    messageId: idOf(properties.$insert_id),
    timestamp: timeOf(properties.time),
  };
}

function nativeOf(kind: Kind, call: Call): readonly NativeCall[] | Refusal {
  const properties = objectOf(call.properties);
  const common = commonOf(properties);
  if (kind === 'alias') return aliasOf(properties, common);
  if (kind === 'identify') {
    const anonymousId = deviceOf(idOf(properties.$anon_distinct_id, properties.$anon_id)) ?? common.anonymousId;
    return [identifyOf({...common, userId: idOf(properties.$identified_id) ?? common.userId, anonymousId})];
  }
  const {event} = call;
  const ofEvent = {event, ...common, properties: without(call.properties, noProperties)};
  return [eventOf({...ofEvent, context: contextOf(properties)})];
}

/** The library for pages calls the id that a visitor had `distinct_id`, and the one that it gets `alias`; others do the reverse. */
function aliasOf(properties: Call, {userId, anonymousId, ...common}: Common): readonly NativeCall[] | Refusal {
  const alias = deviceOf(idOf(properties.alias));
  if (alias === undefined || (userId ?? anonymousId) === undefined) return noAlias;
  const joined = userId === undefined ? {userId: alias, anonymousId} : {userId, anonymousId: alias};
  return [identifyOf({...common, ...joined})];
}

function profileOf(call: Call): readonly NativeCall[] {
  const {$set: traits, $set_once: once} = call;
  const traitsOnce = onceOf(once);
  if (!hasSome(traits) && !hasSome(traitsOnce)) return [];
  const ids = idsOf(call.$distinct_id, call.$user_id, call.$device_id);
  const timestamp = timeOf(call.$time);
  if (ids.userId !== undefined) return [identifyOf({...ids, timestamp, traits, traitsOnce})];
  const all = {...objectOf(traitsOnce), ...objectOf(traits)};
  return [eventOf({event: 'identify', ...ids, timestamp, properties: {traits: all}})];
}

function contextOf(properties: Call): Call | undefined {
  const {$current_url: url, $referrer: referrer} = properties;
  const {current_page_title: title, current_url_path: path, mp_lib: library, $lib_version: version} = properties;
  return webContext({url, path, title, referrer, library, version});
}

/** Operations without a value count: `$delete` has an empty text. */
const withoutUse = (call: Call, used: ReadonlySet<string>): readonly string[] =>
  Object.keys(call).filter((name) => !used.has(name));

function ignoredOf(kind: Kind, call: Call): readonly string[] {
  const ignored = namesWithoutUse(call, usedFields);
  if (kind === 'track') return ignored;
  const ofProperties = namesWithoutUse(objectOf(call.properties), usedProperties);
  return [...ignored, ...ofProperties.filter((name) => !name.startsWith('$'))];
}
