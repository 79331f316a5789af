// Segment and RudderStack, whose libraries send the same calls: track, page, screen, identify, group, alias.
import {messageIdCharsMax} from '../../../actors/limits.js';
import type {NativeCall} from '../../ingest/mixed-entries.js';
import type {Refusal} from '../../ingest/refusals.js';
import {isJsonObject} from '../../ingest/validate.js';
import {type Call, type CallRequest, fieldsOf, given, idOf, type Translator, timeOf, withMore} from './translator.js';

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
};

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
  track: (call, common) => [eventOf(call.event, call.properties, call, common)],
  page: (call, common) => [eventOf('page', namedProperties(call), call, common)],
  screen: (call, common) => [eventOf('screen', namedProperties(call), call, common)],
  identify: (call, common) => {
    const traits = traitsOf(call);
    if (common.userId === undefined) return [eventOf('identify', fieldsOf({traits}), call, common)];
    return [identifyOf({...common, traits})];
  },
  group: (call, common) => {
    if (common.userId === undefined && common.anonymousId === undefined) return []; // It names no person.
    const {groupType, traits} = call;
    return [eventOf('group', fieldsOf({groupId: idOf(call.groupId), groupType, traits}), call, common)];
  },
  alias: (call, {anonymousId, messageId, ...common}) => {
    const previousId = idOf(call.previousId);
    const joined = [...new Set([previousId, anonymousId])].filter((id) => id !== undefined);
    if (joined.length === 0) return noPreviousId;
    return joined.map((id, at) =>
      identifyOf({...common, messageId: at === 0 ? messageId : secondOf(messageId), anonymousId: id}),
    );
  },
};

/** Message id of the second identify call of one user: with that of the first it would be its copy. */
const secondOf = (messageId: unknown): unknown =>
  typeof messageId === 'string' && messageId.length <= messageIdCharsMax - secondMark.length
    ? messageId + secondMark
    : undefined;
const secondMark = '/2';

const eventOf = (event: unknown, properties: unknown, {context}: Call, common: Common): NativeCall => ({
  kind: 'event',
  value: fieldsOf({event, ...common, properties, context}),
});

const identifyOf = (value: Call): NativeCall => ({kind: 'identify', value: fieldsOf(value)});

const namedProperties = ({properties, name, category}: Call): unknown =>
  withMore(properties, {name: given(name), category: given(category)});

/** RudderStack's pages send them in the context alone. */
function traitsOf({traits, context}: Call): unknown {
  const isGiven = given(traits) !== undefined && !(isJsonObject(traits) && Object.keys(traits).length === 0);
  return isGiven || !isJsonObject(context) ? traits : (context.traits ?? traits);
}

function ignoredOf(kind: Kind, call: Call, native: readonly NativeCall[]): readonly string[] {
  if (native.length === 0) return ['groupId'];
  const used = kind === 'identify' && native[0]!.kind === 'event' ? usedByAnonymous : usedFields[kind];
  let ignored: string[] | undefined;
  for (const name in call) {
    if (used.has(name) || given(call[name]) === undefined) continue;
    ignored ??= [];
    ignored.push(name);
  }
  return ignored ?? nothing;
}
const nothing: readonly string[] = [];
