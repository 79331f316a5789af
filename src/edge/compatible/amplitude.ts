// Amplitude, whose libraries read the code in the body of an answer, not its status.
import type {NativeCall} from '../../ingest/mixed-entries.js';
import type {Refusal} from '../../ingest/refusals.js';
import {isJsonObject} from '../../ingest/validate.js';
import {type RefusalForm, statusOf} from '../failure.js';
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
  messageIdOf,
  namesWithoutUse,
  objectOf,
  type Translator,
  timeOf,
  webContext,
  without,
} from './translator.js';

const kinds = ['event', 'identify', 'group'] as const;
type Kind = (typeof kinds)[number];
const kindOfName: ReadonlyMap<unknown, Kind> = new Map<string, Kind>([
  ['$identify', 'identify'],
  ['$groupidentify', 'group'],
]);

const envelope = ['api_key', 'client_upload_time', 'options', 'request_metadata'] as const;
/** Members of an event that do not go to its context. */
const noContext = new Set<string>([
  ...['event_type', 'user_id', 'device_id', 'time', 'insert_id', '$insert_id', 'api_key'],
  ...['event_properties', 'user_properties', 'group_properties', 'library', 'ip'],
]);
/** What describes the library and its order of calls says nothing about a user. */
const usedByIdentify = new Set([...noContext, 'event_id', 'session_id']);

/** Operations of `user_properties` that have no place here. */
const operations = new Set([
  ...['$add', '$append', '$prepend', '$preInsert', '$postInsert', '$remove', '$unset', '$clearAll'],
]);

const noGroup: Refusal = {code: 'invalid_event', message: '$groupidentify needs groups that name one'};

/** The only refusal after which the libraries do not send again. It has the status 400, and an error that is a text. */
const invalidKey = {status: '400 Bad Request', body: {code: 400, error: 'Invalid API key'}};
const refusalForm: RefusalForm = ({code, message}) => {
  if (code === 'missing_key' || code === 'invalid_key') return invalidKey;
  const status = statusOf[code];
  return {status, body: {code: Number.parseInt(status, 10), error: message}};
};

export const amplitude: Translator = {
  listName: 'events',
  kinds,
  bodyFields: new Set(envelope),
  keyOf: (field) => field('api_key'),
  translate: (call, request) => {
    const kind = kindOfName.get(call.event_type) ?? 'event';
    const traits = traitsOf(call.user_properties);
    const native = nativeOf[kind](call, commonOf(call, request), traits);
    return 'code' in native ? native : {kind, native, ignored: ignoredOf(kind, call, native, traits)};
  },
  marks: ['events'],
  taken: ({callCount, bodyBytes, nowMs}) =>
    answerOf(
      JSON.stringify({
        code: 200,
        events_ingested: callCount,
        payload_size_bytes: bodyBytes,
        server_upload_time: nowMs,
      }),
    ),
  refusalForm,
};

interface Common {
  readonly userId: unknown;
  readonly anonymousId: unknown;
  readonly messageId: unknown;
  readonly timestamp: unknown;
  readonly sentAt: unknown;
}

const commonOf = (call: Call, {fields}: CallRequest): Common => ({
  userId: idOf(call.user_id),
  anonymousId: idOf(call.device_id),
  messageId: idOf(call.insert_id, call.$insert_id),
  timestamp: timeOf(call.time),
  sentAt: timeOf(fields.get('client_upload_time')),
});

/** What `user_properties` set; undefined: nothing. */
interface Traits {
  readonly traits?: unknown;
  readonly traitsOnce?: unknown;
  /** Operations that have no place here. */
  readonly ignored: readonly string[];
}

/** Traits are in `$set`, or plain. */
function traitsOf(properties: unknown): Traits {
  if (!isJsonObject(properties)) return {traits: properties ?? undefined, ignored: []};
  const {$set, $setOnce} = properties;
  const plain = without(properties, noTraits);
  const traits = given($set) !== undefined && !isJsonObject($set) ? $set : {...objectOf(plain), ...objectOf($set)};
  return {
    ...(hasSome(traits) && {traits}),
    ...(hasSome($setOnce) && {traitsOnce: isJsonObject($setOnce) ? known($setOnce) : $setOnce}),
    ignored: namesWithoutUse(properties, settings).filter((name) => operations.has(name)),
  };
}
const settings = new Set(['$set', '$setOnce']);
const noTraits = new Set([...settings, ...operations]);

/** The library for pages sets what it does not know to `EMPTY`. */
const known = (traits: Call): Call =>
  Object.fromEntries(Object.entries(fieldsOf(traits)).filter(([, value]) => value !== 'EMPTY'));

const nativeOf: Readonly<
  Record<Kind, (call: Call, common: Common, traits: Traits) => readonly NativeCall[] | Refusal>
> = {
  event: (call, common, {traits, traitsOnce}) => {
    const {event_type: event, event_properties: properties} = call;
    const ofEvent = eventOf({event, ...common, properties, context: contextOf(call)});
    // Traits belong to known users.
    if (common.userId === undefined || (traits === undefined && !hasSome(traitsOnce))) return [ofEvent];
    return [identifyOf({...common, traits, traitsOnce}), ofEvent];
  },
  identify: (call, common, {traits, traitsOnce}) => {
    if (common.userId !== undefined) return [identifyOf({...common, traits, traitsOnce})];
    const all = {...objectOf(traitsOnce), ...objectOf(traits)};
    if (common.anonymousId !== undefined && !hasSome(all)) return [];
    return [eventOf({event: 'identify', ...common, properties: {traits: all}, context: contextOf(call)})];
  },
  group: (call, common) => {
    if (common.userId === undefined && common.anonymousId === undefined) return []; // It names no person.
    const groups = groupsOf(call.groups);
    const set = objectOf(call.group_properties);
    const traits = set.$set ?? without(set, noTraits);
    const context = contextOf({...call, groups: undefined});
    return groups.length === 0
      ? noGroup
      : groups.map(([groupType, groupId], at) =>
          eventOf({
            event: 'group',
            ...common,
            messageId: messageIdOf(common.messageId, at),
            properties: fieldsOf({groupId, groupType, traits: hasSome(traits) ? traits : undefined}),
            context,
          }),
        );
  },
};

/** A type may have several groups. */
const groupsOf = (groups: unknown): readonly (readonly [type: string, id: unknown])[] =>
  Object.entries(objectOf(groups)).flatMap(([type, ids]) =>
    (Array.isArray(ids) ? ids : [ids]).flatMap((one) => {
      const id = idOf(one);
      return id === undefined ? [] : [[type, id] as const];
    }),
  );

/** Every other member, and what the properties say about the page. */
function contextOf(call: Call): Call | undefined {
  const properties = objectOf(call.event_properties);
  const [library, version] = typeof call.library === 'string' ? call.library.split('/', 2) : [];
  const web = webContext({
    url: properties['[Amplitude] Page Location'],
    path: properties['[Amplitude] Page Path'],
    title: properties['[Amplitude] Page Title'],
    library,
    version,
  });
  const ip = call.ip === '$remote' ? undefined : call.ip; // It asks for the address of the request, which is stored nowhere.
  const context = {...fieldsOf({...objectOf(without(call, noContext)), ip}), ...web};
  return hasSome(context) ? context : undefined;
}

function ignoredOf(kind: Kind, call: Call, native: readonly NativeCall[], traits: Traits): readonly string[] {
  const {ignored} = traits;
  if (kind === 'group') return native.length === 0 ? ['groups'] : ignored;
  if (kind === 'event') {
    const isLeftOut = native.length === 1 && (traits.traits !== undefined || hasSome(traits.traitsOnce));
    return isLeftOut ? [...ignored, 'user_properties'] : ignored;
  }
  if (native.length === 0) return ignored.length === 0 ? ['user_properties'] : ignored;
  return native[0]!.kind === 'event' ? ignored : [...ignored, ...namesWithoutUse(call, usedByIdentify)];
}
