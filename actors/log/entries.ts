// Bytes of the log. One log message carries many entries (group commit); the body of a row (actors/chunk/bodies.ts) gives its
// entry back.
//
//   message  = 'M' version:u8 producer:8 bytes n:f64 logTimeMs:f64 count:u32 entry*
//   entry    = kind:u8 length:u32 payload                      (length counts the payload)
//   event    = head userKey:string name:string [messageId:string] [anonymousId:string] [properties]
//   identify = head userKey:string traits:string(JSON) [messageId:string]
//   erase    = head userKey:string deletionId:string [onward] (userKey empty: the partition does not know the user; 'n' + a name:
//              all events of this name)
//   link     = head userKey:string ownerKey:string          (of an anonymous user; the user that it is: actors/identity;
//              flag `takenBackFlag`: the link came with a late copy of what was erased, and is taken back)
//   leave    = count:varint (user:varint isTooLarge:u8)*    (indexes of anonymous users, as the partition gave them)
//   arrive   = from:varint n:f64 piece:varint pieces:varint (heads a message with the events of users who left partition `from`)
//   tick     = timeMs:f64 periodMs:f64 epoch:varint         (periodMs: the longest step that logical time takes; epoch: its owner's)
//   filler   = any bytes; folding skips it
//   complete = stage:u8 funnel:string count:varint userStep:varint*   (of a saved funnel: actors/funnels; indexes of users ascend,
//              a step is the distance from the one before)
//   retain   = days:varint fromDay:varint                   (actors/retention.ts; days 0: events are kept for ever)
//   onward   = count:varint partition:varint*               (where the deletion goes on, in this order: flag `onwardFlag`)
//   head     = flags:u8 timeMs:f64 receivedMs:f64    (of an identify that sets traits once, timeMs is the negative of its time)
//   userKey  = 'u' userId | 'a' anonymousId                    (two name spaces)
//   properties = count:varint [context] [origin] (key:string value)*
//   context  = [rest] (key:string value)*          (properties whose keys no client can send, in pieces: context.ts. Columns and
//                                                   bodies hold them like any other; rest = the key `contextKey`, and a JSON text)
//   origin   = key:string text                     (the id of an event in the partition that it came from: a property like the
//                                                   context, behind it; its key is `originKey`)
//   value    = tag:u8 [int: zigzag varint | double: f64 | text: string | json: string]
//
//   E1. Version 2 bytes stay readable for ever (test/actors/log/entries.test.ts). A new layout is a new version.
//       The context of an event whose time was corrected has the time as sent, as `original_timestamp`.
//   E2. Equal values have equal bytes: dictionaries and filters compare values without decoding them.

import {viewOf} from '../bytes/byte-ranges.js';
import {type ByteWriter, wtf8} from '../bytes/bytes.js';
import {hashBytes, partitionOf} from '../bytes/hash.js';
import {isoText} from '../calendar.js';
import {assert} from '../invariant.js';
import type {RetentionSetting} from '../retention.js';
import {type Context, contextKey, type Members, splitContext} from './context.js';
import type {Json} from './json.js';

export const entryKind = {
  event: 1,
  identify: 2,
  erase: 3,
  tick: 4,
  filler: 5,
  link: 6,
  leave: 7,
  arrive: 8,
  complete: 14,
  retain: 15,
} as const;
export type EntryKind = (typeof entryKind)[keyof typeof entryKind];

export const valueTag = {null: 0, false: 1, true: 2, int: 3, double: 4, text: 5, json: 6} as const;

export const messageVersion = 2;
export const messageHeadBytes = 30;
/** Bytes of an entry's kind and length. */
export const entryHeadBytes = 5;
/** Bytes of flags, time and receipt time, which begin the payload of an event, identify or erase. */
export const payloadHeadBytes = 17;
const userKeyOffset = entryHeadBytes + payloadHeadBytes;

/**
 * Flags of an event or identify entry. Which optional fields follow: `messageId`, `anonymousId`, `properties`. `timed`: the client
 * sent a time; otherwise `timeMs` is the receipt's, which differs with each retry. `corrected`: that time was corrected, or moved
 * to keep an order (src/ingest/request-order.ts). `secret`: the key was a secret one, which no page has. `apart`: the key may not
 * identify, so the entry joins none of its ids. Bodies use 8 (actors/chunk/bodies.ts).
 */
export const eventFlag = {
  messageId: 1,
  anonymousId: 2,
  properties: 4,
  timed: 16,
  corrected: 32,
  secret: 64,
  apart: 128,
} as const;

/** Flag of an erase entry: partitions follow that the deletion goes on to. */
export const onwardFlag = 1;

/** Flag of a link entry: it takes the link back. */
export const takenBackFlag = 1;

/** Key of the origin: a byte that occurs in no UTF-8 and no WTF-8, and begins no key of the context (context.ts). */
export const originKeyByte = 0xfe;
export const originKey = Uint8Array.of(originKeyByte);
/** Key of the time as sent in the context. */
export const originalTimestamp = 'original_timestamp';

/** An event that the edge has accepted. At least one id; `timeMs` and `receivedMs` in epoch ms. */
export interface AcceptedEvent {
  readonly event: string;
  readonly userId?: string | undefined;
  readonly anonymousId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly properties?: {readonly [key: string]: Json} | undefined;
  readonly context?: Context | undefined;
  readonly timeMs: number;
  readonly receivedMs: number;
  /** The time that the client sent; `timeMs` differs from it when it was corrected. Undefined: the client sent none. */
  readonly sentMs?: number | undefined;
}

/** Kind of what an erase entry names: a user by `userId` or `anonymousId`, or an event name. */
export type KeyKind = 'u' | 'a' | 'n';
/** First byte of the keys of anonymous users. */
export const anonymousByte = 0x61; // 'a'

/** Appends one event entry. */
export function writeEvent(writer: ByteWriter, event: AcceptedEvent): void {
  const {userId, anonymousId, messageId, properties, sentMs} = event;
  const context = contextOf(event);
  let flags = 0;
  if (sentMs !== undefined) flags |= sentMs === event.timeMs ? eventFlag.timed : eventFlag.timed | eventFlag.corrected;
  if (messageId !== undefined) flags |= eventFlag.messageId;
  if (userId !== undefined && anonymousId !== undefined) flags |= eventFlag.anonymousId;
  const keys = properties === undefined ? [] : Object.keys(properties);
  if (keys.length > 0 || context !== undefined) flags |= eventFlag.properties;
  const start = beginUserEntry(writer, entryKind.event, flags, event.timeMs, event.receivedMs);
  writer.string(userId !== undefined ? 'u' + userId : 'a' + anonymousId);
  writer.string(event.event);
  if (messageId !== undefined) writer.string(messageId);
  if (flags & eventFlag.anonymousId) writer.string(anonymousId as string);
  if (flags & eventFlag.properties) writeProperties(writer, context, keys, properties ?? {});
  endEntry(writer, start);
}

/** The event's context, with the time as sent if that was corrected. E1 */
function contextOf({context, sentMs, timeMs}: AcceptedEvent): AcceptedEvent['context'] {
  if (sentMs === undefined || sentMs === timeMs) return context;
  return {...context, [originalTimestamp]: isoText(sentMs)};
}

/** Optional fields of an identify: the client's idempotency key, and the time at which the traits were set, epoch ms. */
interface IdentifyOptions {
  readonly messageId?: string | undefined;
  readonly sentMs?: number | undefined;
  /** The anonymous user that it is. */
  readonly anonymousId?: string | undefined;
  /** Whether the traits are set only where the user has none. */
  readonly isOnce?: boolean;
}

/** Appends one identify entry; `traitsJson` is the compact JSON text of the traits object. */
export function writeIdentify(
  writer: ByteWriter,
  userId: string,
  traitsJson: string,
  receivedMs: number,
  {messageId, sentMs, anonymousId, isOnce = false}: IdentifyOptions = {},
): void {
  const flags =
    (messageId === undefined ? 0 : eventFlag.messageId) |
    (sentMs === undefined && !isOnce ? 0 : eventFlag.timed) |
    (anonymousId === undefined ? 0 : eventFlag.anonymousId);
  const timeMs = sentMs ?? receivedMs;
  const start = beginUserEntry(writer, entryKind.identify, flags, isOnce ? -timeMs : timeMs, receivedMs);
  writer.string('u' + userId);
  writer.string(traitsJson);
  if (messageId !== undefined) writer.string(messageId);
  if (anonymousId !== undefined) writer.string(anonymousId);
  endEntry(writer, start);
}

/**
 * Appends an erase entry: it deletes everything of this user that comes before it in the log. `onward`: the partitions where
 * the deletion goes on, one after the other.
 */
export function writeErase(
  writer: ByteWriter,
  kind: KeyKind,
  id: string,
  deletionId: string,
  receivedMs: number,
  onward: readonly number[] = [],
): void {
  writeEraseOfKey(writer, wtf8(kind + id), deletionId, receivedMs, onward);
}

/** Appends an erase entry. `key`: the user's key as tables hold it, or `noUserKey`, which only records the deletion. */
export function writeEraseOfKey(
  writer: ByteWriter,
  key: Uint8Array,
  deletionId: string,
  receivedMs: number,
  onward: readonly number[] = [],
): void {
  const flags = onward.length > 0 ? onwardFlag : 0;
  const start = beginUserEntry(writer, entryKind.erase, flags, receivedMs, receivedMs);
  writer.stringBytes(key, 0, key.length);
  writer.string(deletionId);
  if (onward.length > 0) {
    writer.varint(onward.length);
    for (const partition of onward) writer.varint(partition);
  }
  endEntry(writer, start);
}

/** First byte of the key of an event name: users have others. */
export const nameByte = 0x6e; // 'n'

/** Key of an event name in erase entries and hashes. */
export const nameKey = (name: string): Uint8Array => wtf8(`n${name}`);

/** A key that no user has. */
export const noUserKey = new Uint8Array(0);

/** Appends a link entry: the anonymous user is this user. It goes to the log of the anonymous user's partition. */
export function writeLink(
  writer: ByteWriter,
  anonymousId: string,
  userId: string,
  receivedMs: number,
  isTakenBack = false,
): void {
  const start = beginUserEntry(writer, entryKind.link, isTakenBack ? takenBackFlag : 0, receivedMs, receivedMs);
  writer.string('a' + anonymousId);
  writer.string('u' + userId);
  endEntry(writer, start);
}

/** An anonymous user of a partition who may leave it; `isTooLarge`: it has more events than are moved. */
export interface Leaver {
  readonly user: number;
  readonly isTooLarge: boolean;
}

export function writeLeave(writer: ByteWriter, leavers: readonly Leaver[]): void {
  const start = beginEntry(writer, entryKind.leave);
  writer.varint(leavers.length);
  for (const {user, isTooLarge} of leavers) {
    writer.varint(user);
    writer.u8(isTooLarge ? 1 : 0);
  }
  endEntry(writer, start);
}

/**
 * Stage of the users of a complete entry. `before`: they completed the funnel before it was saved. `begin`: that was all of them.
 * `now`: they completed it since. `removed`: the funnel is saved no more.
 */
export const completeStages = ['before', 'begin', 'now', 'removed'] as const;
type CompleteStage = (typeof completeStages)[number];

export interface Completion {
  readonly stage: CompleteStage;
  /** Id of the saved funnel. */
  readonly funnel: string;
  /** Ascending. */
  readonly users: readonly number[];
}

export function writeComplete(writer: ByteWriter, {stage, funnel, users}: Completion): void {
  const start = beginEntry(writer, entryKind.complete);
  writer.u8(completeStages.indexOf(stage));
  writer.string(funnel);
  writer.varint(users.length);
  let last = 0;
  for (const user of users) {
    writer.varint(user - last);
    last = user;
  }
  endEntry(writer, start);
}

/** Head of a message of events from another partition. */
export interface Arrival {
  /** The partition that they left, and the number of the move (actors/identity). */
  readonly from: number;
  readonly n: number;
  /** Which message of the move it is, from 0 on, and how many there are; 0: the move is lost (actors/identity/moves.ts). */
  readonly piece: number;
  readonly pieces: number;
}

export function writeArrive(writer: ByteWriter, {from, n, piece, pieces}: Arrival): void {
  const start = beginEntry(writer, entryKind.arrive);
  writer.varint(from);
  writer.f64(n);
  writer.varint(piece);
  writer.varint(pieces);
  endEntry(writer, start);
}

/** Appends a retain entry. */
export function writeRetain(writer: ByteWriter, {days, fromDay}: RetentionSetting): void {
  const start = beginEntry(writer, entryKind.retain);
  writer.varint(days);
  writer.varint(fromDay);
  endEntry(writer, start);
}

/** `epoch`: that of the owner who appends it. */
export function writeTick(writer: ByteWriter, timeMs: number, periodMs: number, epoch: number): void {
  const start = beginEntry(writer, entryKind.tick);
  writer.f64(timeMs);
  writer.f64(periodMs);
  writer.varint(epoch);
  endEntry(writer, start);
}

export function writeFiller(writer: ByteWriter, bytes: number): void {
  const start = beginEntry(writer, entryKind.filler);
  writer.reserve(bytes);
  writer.bytes.fill(0, writer.position, writer.position + bytes);
  writer.position += bytes;
  endEntry(writer, start);
}

/** Starts a log message; `sealMessage` fills in the fields that are known only when it is published. */
export function beginMessage(writer: ByteWriter): void {
  writer.position = 0;
  writer.reserve(messageHeadBytes);
  writer.bytes.fill(0, 0, messageHeadBytes);
  writer.bytes[0] = 0x4d;
  writer.bytes[1] = messageVersion;
  writer.position = messageHeadBytes;
}

/** `producer` is 8 bytes, `n` counts this producer's messages of this partition from 1 on. */
export function sealMessage(
  writer: ByteWriter,
  producer: Uint8Array,
  n: number,
  logTimeMs: number,
  entryCount: number,
): Uint8Array {
  assert(producer.length === 8, 'a producer id has 8 bytes');
  writer.bytes.set(producer, 2);
  writer.setF64At(10, n);
  writer.setF64At(18, logTimeMs);
  writer.setU32At(26, entryCount);
  return writer.bytes.subarray(0, writer.position);
}

const producerStart = 2;
const producerEnd = 10;

/** Whether two messages are of the same producer. */
export function haveOneProducer(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = producerStart; i < producerEnd; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The partition of the user entry that starts at `entryStart`. */
export function partitionOfEntry(bytes: Uint8Array, entryStart: number, partitionCount: number): number {
  const lengthAt = entryStart + userKeyOffset;
  const start = shortStringStart(bytes, lengthAt);
  return partitionOf(bytes, start, start + shortLength(bytes, lengthAt), partitionCount);
}

/** Whether the event entry that starts at `entryStart` has a message id. */
export const entryHasMessageId = (bytes: Uint8Array, entryStart: number): boolean =>
  (bytes[entryStart + entryHeadBytes] & eventFlag.messageId) !== 0;

const joiningMask = eventFlag.anonymousId | eventFlag.apart;

/** Whether the event or identify entry that starts at `entryStart` has both ids, and joins them. */
export const entryJoins = (bytes: Uint8Array, entryStart: number): boolean =>
  (bytes[entryStart + entryHeadBytes] & joiningMask) === eventFlag.anonymousId;

/** What the key that an entry came with says about it: `secret`, `apart`, or 0. An entry with one id joins none anyway. */
export function markEntry(bytes: Uint8Array, entryStart: number, mark: number): void {
  const at = entryStart + entryHeadBytes;
  bytes[at] |= (bytes[at] & eventFlag.anonymousId) === 0 ? mark & ~eventFlag.apart : mark;
}

/** Whether the event entry that starts at `entryStart` is of an anonymous user. */
export const isAnonymousEntry = (bytes: Uint8Array, entryStart: number): boolean =>
  bytes[shortStringStart(bytes, entryStart + userKeyOffset)] === anonymousByte;

/** Whether the entry that starts at `entryStart` is an event. */
export const isEventEntry = (bytes: Uint8Array, entryStart: number): boolean => bytes[entryStart] === entryKind.event;

/** Whether the client sent a time with the event entry that starts at `entryStart`. */
export const entryIsTimed = (bytes: Uint8Array, entryStart: number): boolean =>
  (bytes[entryStart + entryHeadBytes] & eventFlag.timed) !== 0;

/** The time of the event entry that starts at `entryStart`, epoch ms. */
export const timeOfEntry = (bytes: Uint8Array, entryStart: number): number =>
  viewOf(bytes).getFloat64(entryStart + entryHeadBytes + 1, true);

/** Gives the event entry that starts at `entryStart`, whose client sent no time, another one. */
export function setEntryTime(bytes: Uint8Array, entryStart: number, timeMs: number): void {
  assert(!entryIsTimed(bytes, entryStart), 'a time that was sent is not overwritten');
  viewOf(bytes).setFloat64(entryStart + entryHeadBytes + 1, timeMs, true);
}

/** How long after its receipt the time of the event entry that starts at `entryStart` is, ms; negative before it. */
export function aheadMsOfEntry(bytes: Uint8Array, entryStart: number): number {
  const view = viewOf(bytes);
  const timesAt = entryStart + entryHeadBytes + 1;
  return view.getFloat64(timesAt, true) - view.getFloat64(timesAt + 8, true);
}

/** A hash of the user and message id of an event entry that has a message id. */
export function messageIdHash(bytes: Uint8Array, entryStart: number): number {
  const keyStart = shortStringStart(bytes, entryStart + userKeyOffset);
  const keyEnd = keyStart + shortLength(bytes, entryStart + userKeyOffset);
  const nameEnd = shortStringStart(bytes, keyEnd) + shortLength(bytes, keyEnd);
  const idStart = shortStringStart(bytes, nameEnd);
  const ofUser = hashBytes(bytes, keyStart, keyEnd, 0);
  return hashBytes(bytes, idStart, idStart + shortLength(bytes, nameEnd), ofUser);
}

/** Places of the user key and of the anonymousId of an event or identify entry that has both ids. */
export interface BothIds {
  keyStart: number;
  keyEnd: number;
  anonymousIdStart: number;
  anonymousIdEnd: number;
}

/** Writes the places of both ids of the event or identify entry that starts at `entryStart` to `ids`. Nothing else of the entry is read. */
export function findBothIds(bytes: Uint8Array, entryStart: number, ids: BothIds): void {
  const keyAt = entryStart + userKeyOffset;
  ids.keyStart = shortStringStart(bytes, keyAt);
  ids.keyEnd = ids.keyStart + shortLength(bytes, keyAt);
  let at = textEnd(bytes, ids.keyEnd);
  if (entryHasMessageId(bytes, entryStart)) at = shortStringStart(bytes, at) + shortLength(bytes, at);
  ids.anonymousIdStart = shortStringStart(bytes, at);
  ids.anonymousIdEnd = ids.anonymousIdStart + shortLength(bytes, at);
}

/** Place of the name of an event entry, and of its message id; `messageIdEnd` 0: it has none. */
export interface NamePlace {
  nameStart: number;
  nameEnd: number;
  messageIdStart: number;
  messageIdEnd: number;
}

/** Writes the places of the name and the message id of the event entry that starts at `entryStart` to `place`. */
export function findName(bytes: Uint8Array, entryStart: number, place: NamePlace): void {
  const keyAt = entryStart + userKeyOffset;
  const nameAt = shortStringStart(bytes, keyAt) + shortLength(bytes, keyAt);
  place.nameStart = shortStringStart(bytes, nameAt);
  place.nameEnd = place.nameStart + shortLength(bytes, nameAt);
  place.messageIdStart = 0;
  place.messageIdEnd = 0;
  if (!entryHasMessageId(bytes, entryStart)) return;
  place.messageIdStart = shortStringStart(bytes, place.nameEnd);
  place.messageIdEnd = place.messageIdStart + shortLength(bytes, place.nameEnd);
}

/** Ids and names have at most 1 + 256 code points of 4 bytes: their lengths take at most two bytes. */
const shortStringStart = (bytes: Uint8Array, at: number): number => (bytes[at] > 0x7f ? at + 2 : at + 1);
const shortLength = (bytes: Uint8Array, at: number): number =>
  bytes[at] > 0x7f ? (bytes[at] & 0x7f) | (bytes[at + 1] << 7) : bytes[at];

/** End of the name of an event, or of the traits of an identify, whose length takes at most three bytes. */
function textEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] <= 0x7f || bytes[at + 1] <= 0x7f) return shortStringStart(bytes, at) + shortLength(bytes, at);
  return at + 3 + ((bytes[at] & 0x7f) | ((bytes[at + 1] & 0x7f) << 7) | (bytes[at + 2] << 14));
}

export function beginEntry(writer: ByteWriter, kind: EntryKind): number {
  const start = writer.position;
  writer.reserve(entryHeadBytes + 24);
  writer.bytes[writer.position] = kind;
  writer.position += entryHeadBytes;
  return start;
}

export function beginUserEntry(
  writer: ByteWriter,
  kind: EntryKind,
  flags: number,
  timeMs: number,
  receivedMs: number,
): number {
  const start = beginEntry(writer, kind);
  writer.u8(flags);
  writer.f64(timeMs);
  writer.f64(receivedMs);
  return start;
}

export function endEntry(writer: ByteWriter, start: number): void {
  writer.setU32At(start + 1, writer.position - start - entryHeadBytes);
}

function writeProperties(
  writer: ByteWriter,
  context: AcceptedEvent['context'],
  keys: readonly string[],
  properties: {readonly [key: string]: Json},
): void {
  const pieces = context === undefined ? undefined : splitContext(context);
  const {rest, members = []} = pieces ?? {};
  writer.varint(keys.length + members.length + (rest === undefined ? 0 : 1));
  if (rest !== undefined) writeContextRest(writer, rest);
  writeMembers(writer, members);
  for (const key of keys) {
    writer.string(key);
    writeValue(writer, properties[key]);
  }
}

export function writeMembers(writer: ByteWriter, members: Members): void {
  for (const [key, value] of members) {
    writer.stringBytes(key, 0, key.length);
    writeValue(writer, value);
  }
}

export function writeContextRest(writer: ByteWriter, rest: Context): void {
  writer.stringBytes(contextKey, 0, contextKey.length);
  writer.u8(valueTag.json);
  writer.string(JSON.stringify(rest));
}

export function writeValue(writer: ByteWriter, value: Json): void {
  switch (typeof value) {
    case 'string':
      writer.u8(valueTag.text);
      writer.string(value);
      return;
    case 'number':
      writeNumber(writer, value);
      return;
    case 'boolean':
      writer.u8(value ? valueTag.true : valueTag.false);
      return;
    default:
      if (value === null) {
        writer.u8(valueTag.null);
        return;
      }
      writer.u8(valueTag.json);
      writer.string(JSON.stringify(value));
  }
}

export function writeNumber(writer: ByteWriter, value: number): void {
  if ((value | 0) === value && !Object.is(value, -0)) {
    writer.u8(valueTag.int);
    writer.varint(((value << 1) ^ (value >> 31)) >>> 0);
    return;
  }
  writer.u8(valueTag.double);
  writer.f64(value);
}
