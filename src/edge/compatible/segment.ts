// Segment and RudderStack, whose libraries send the same calls: track, page, screen, identify, group, alias.
import type {NativeCall} from '../../ingest/mixed-entries.js';
import type {Refusal} from '../../ingest/refusals.js';
import {isJsonObject} from '../../ingest/validate.js';
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
  type Translator,
  timeOf,
  withMore,
} from './translator.js';

const kinds = ['track', 'page', 'screen', 'identify', 'group', 'alias'] as const;
type Kind = (typeof kinds)[number];

/** What only the vendor's service reads, and the key. */
const envelope = ['type', 'sentAt', 'integrations', 'channel', '_metadata', 'writeKey'] as const;
const ofEveryCall = [...envelope, 'userId', 'anonymousId', 'messageId', 'timestamp', 'originalTimestamp'] as const;

/** Fields with a use, by kind. */
const usedFields: Readonly<Record<Kind, ReadonlySet<string>>> = {
  track: new Set([...ofEveryCall, 'context', 'event', 'properties']),
  page: new Set([...ofEveryCall, 'context', 'name', 'category', 'properties']),
  screen: new Set([...ofEveryCall, 'context', 'name', 'category', 'properties']),
  identify: new Set([...ofEveryCall, 'traits']),
  group: new Set([...ofEveryCall, 'context', 'groupId', 'groupType', 'traits']),
  alias: new Set([...ofEveryCall, 'previousId']),
};

/** An identify without a userId is an event, which has a context. */
const usedByAnonymous = new Set([...usedFields.identify, 'context']);

const noKind: Refusal = {code: 'invalid_event', message: `type must be one of ${kinds.join(', ')}`};
const noPreviousId: Refusal = {code: 'invalid_event', message: 'alias needs a previousId or an anonymousId to join'};

const isKind = (kind: unknown): kind is Kind => (kinds as readonly unknown[]).includes(kind);

export const segment: Translator = {
  listName: 'batch',
  kinds,
  bodyFields: new Set([...envelope, 'timestamp']),
  keyOf: (field) => field('writeKey'),
  translate: (call, request) => {
    const kind = request.kind ?? call.type;
    if (!isKind(kind)) return noKind;
    const native = nativeOf[kind](call, commonOf(call, request));
    if ('code' in native) return native;
    return {kind, native, ignored: ignoredOf(kind, call, native)};
  },
  taken: () => success,
};
const success = answerOf('{"success":true}');

/** The fields that all kinds share, as native calls have them. */
interface Common {
  readonly userId: unknown;
  readonly anonymousId: unknown;
  readonly messageId: unknown;
  readonly timestamp: unknown;
  readonly sentAt: unknown;
}

const commonOf = (call: Call, {fields, isImport}: CallRequest): Common => ({
  userId: idOf(call.userId),
  anonymousId: idOf(call.anonymousId),
  messageId: idOf(call.messageId),
  timestamp: timeOf(call.timestamp, call.originalTimestamp),
  sentAt: isImport ? undefined : timeOf(fields.get('sentAt'), call.sentAt),
});

const nativeOf: Readonly<Record<Kind, (call: Call, common: Common) => readonly NativeCall[] | Refusal>> = {
  track: (call, common) => [ownEvent(call.event, call.properties, call, common)],
  page: (call, common) => [ownEvent('page', namedProperties(call), call, common)],
  screen: (call, common) => [ownEvent('screen', namedProperties(call), call, common)],
  identify: (call, common) => {
    const traits = traitsOf(call);
    if (common.userId === undefined) return [ownEvent('identify', fieldsOf({traits}), call, common)];
    return [identifyOf({...common, traits})];
  },
  group: (call, common) => {
    if (common.userId === undefined && common.anonymousId === undefined) return []; // It names no person.
    const {groupType, traits} = call;
    return [ownEvent('group', fieldsOf({groupId: idOf(call.groupId), groupType, traits}), call, common)];
  },
  alias: (call, {anonymousId, messageId, ...common}) => {
    const previousId = idOf(call.previousId);
    const joined = [...new Set([previousId, anonymousId])].filter((id) => id !== undefined);
    if (joined.length === 0) return noPreviousId;
    return joined.map((id, at) => identifyOf({...common, messageId: messageIdOf(messageId, at), anonymousId: id}));
  },
};

const ownEvent = (event: unknown, properties: unknown, {context}: Call, common: Common): NativeCall =>
  eventOf({event, ...common, properties, context});

const namedProperties = ({properties, name, category}: Call): unknown =>
  withMore(properties, {name: given(name), category: given(category)});

/** RudderStack's pages send them in the context alone. */
function traitsOf({traits, context}: Call): unknown {
  return hasSome(traits) || !isJsonObject(context) ? traits : (context.traits ?? traits);
}

function ignoredOf(kind: Kind, call: Call, native: readonly NativeCall[]): readonly string[] {
  if (native.length === 0) return ['groupId'];
  const used = kind === 'identify' && native[0]!.kind === 'event' ? usedByAnonymous : usedFields[kind];
  return namesWithoutUse(call, used);
}
