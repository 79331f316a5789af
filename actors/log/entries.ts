// Bytes of the log. One log message carries many entries (group commit); the body of a row (actors/chunk/bodies.ts) gives its
// entry back.
//
//   message  = 'M' version:u8 producer:8 bytes n:f64 logTimeMs:f64 count:u32 entry*
//   entry    = kind:u8 length:u32 payload                      (length counts the payload)
//   event    = head userKey:string name:string [messageId:string] [anonymousId:string] [properties]
//   identify = head userKey:string traits:string(JSON) [messageId:string]
//   erase    = head userKey:string deletionId:string [onward] (userKey empty: the partition does not know the user)
//   link     = head userKey:string ownerKey:string          (of an anonymous user; the user that it is: actors/identity;
//              flag `takenBackFlag`: the link came with a late copy of what was erased, and is taken back)
//   leave    = count:varint (user:varint isTooLarge:u8)*    (indexes of anonymous users, as the partition gave them)
//   arrive   = from:varint n:f64 piece:varint pieces:varint (heads a message with the events of users who left partition `from`)
//   tick     = timeMs:f64 periodMs:f64                      (periodMs: the longest step that logical time takes)
//   filler   = any bytes; folding skips it
//   complete = stage:u8 funnel:string count:varint userStep:varint*   (of a saved funnel: actors/funnels; indexes of users ascend,
//              a step is the distance from the one before)
//   onward   = count:varint partition:varint*               (where the deletion goes on, in this order: flag `onwardFlag`)
//   head     = flags:u8 timeMs:f64 receivedMs:f64
//   userKey  = 'u' userId | 'a' anonymousId                    (two name spaces)
//   properties = count:varint [context] [origin] (key:string value)*
//   context  = key:string value                    (a property whose key, `contextKey`, no client can send; columns and bodies
//                                                   hold it like any other)
//   origin   = key:string text                     (the id of an event in the partition that it came from: a property like the
//                                                   context, behind it; its key is `originKey`)
//   value    = tag:u8 [int: zigzag varint | double: f64 | text: string | json: string]
//
//   E1. Version 1 bytes stay readable for ever (test/actors/log/entries.test.ts). A new layout is a new version.
//       The context of an event whose time was corrected has the time as sent, as `original_timestamp`.
//   E2. Equal values have equal bytes: dictionaries and filters compare values without decoding them.

import {equalRanges, viewOf} from '../bytes/byte-ranges.js';
import {ByteReader, type ByteWriter, readWtf8, wtf8} from '../bytes/bytes.js';
import {hashBytes, hashUint32, hashWords, partitionOf} from '../bytes/hash.js';
import {isoText} from '../calendar.js';
import {assert, must} from '../invariant.js';
import {parseTimestamp} from './timestamp.js';

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
} as const;
type EntryKind = (typeof entryKind)[keyof typeof entryKind];

export const valueTag = {null: 0, false: 1, true: 2, int: 3, double: 4, text: 5, json: 6} as const;

const messageVersion = 1;
export const messageHeadBytes = 30;
/** Bytes of an entry's kind and length. */
export const entryHeadBytes = 5;
/** Bytes of flags, time and receipt time, which begin the payload of an event, identify or erase. */
export const payloadHeadBytes = 17;
const userKeyOffset = entryHeadBytes + payloadHeadBytes;

/**
 * Flags of an event or identify entry: which optional fields follow, whether the client sent a time (otherwise `timeMs` is the
 * receipt's, which differs with each retry), and whether that time was corrected. Bodies use 8 (actors/chunk/bodies.ts).
 */
export const eventFlag = {messageId: 1, anonymousId: 2, properties: 4, timed: 16, corrected: 32} as const;

/** Flag of an erase entry: partitions follow that the deletion goes on to. */
const onwardFlag = 1;

/** Flag of a link entry: it takes the link back. */
const takenBackFlag = 1;

/** Key of the context: a byte that occurs in no UTF-8 and no WTF-8. */
const contextKeyByte = 0xff;
export const contextKey = Uint8Array.of(contextKeyByte);
/** Key of the origin: another such byte. */
const originKeyByte = 0xfe;
export const originKey = Uint8Array.of(originKeyByte);
/** Key of the time as sent in the context. */
const originalTimestamp = 'original_timestamp';

/** JSON as JSON.parse returns it. */
export type Json = null | boolean | number | string | Json[] | {[key: string]: Json};

/** An event that the edge has accepted. At least one id; `timeMs` and `receivedMs` in epoch ms. */
export interface AcceptedEvent {
  readonly event: string;
  readonly userId?: string | undefined;
  readonly anonymousId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly properties?: {readonly [key: string]: Json} | undefined;
  readonly context?: {readonly [key: string]: Json} | undefined;
  readonly timeMs: number;
  readonly receivedMs: number;
  /** The time that the client sent; `timeMs` differs from it when it was corrected. Undefined: the client sent none. */
  readonly sentMs?: number | undefined;
}

export type KeyKind = 'u' | 'a';

// ---- writing ----

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
}

/** Appends one identify entry; `traitsJson` is the compact JSON text of the traits object. */
export function writeIdentify(
  writer: ByteWriter,
  userId: string,
  traitsJson: string,
  receivedMs: number,
  {messageId, sentMs, anonymousId}: IdentifyOptions = {},
): void {
  const flags =
    (messageId === undefined ? 0 : eventFlag.messageId) |
    (sentMs === undefined ? 0 : eventFlag.timed) |
    (anonymousId === undefined ? 0 : eventFlag.anonymousId);
  const start = beginUserEntry(writer, entryKind.identify, flags, sentMs ?? receivedMs, receivedMs);
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

/** Appends an erase entry. `key`: the user's key as tables hold it, or `nobody`, which only records the deletion. */
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
const completeStages = ['before', 'begin', 'now', 'removed'] as const;
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

/** What a message of events from another partition begins with. */
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

/**
 * Appends the event of an anonymous user as one of its owner, whose key is `owner`. `origin`: its id, `<partition>-<ordinal>`.
 */
export function writeArrivedEvent(writer: ByteWriter, entry: EntryView, owner: Uint8Array, origin: string): void {
  const {bytes} = entry;
  const flags = entry.flags | eventFlag.anonymousId | eventFlag.properties;
  const start = beginUserEntry(writer, entryKind.event, flags, entry.timeMs, entry.receivedMs);
  writer.reserve(entry.payloadEnd - entry.payloadStart + owner.length + origin.length + 32);
  writer.stringBytes(owner, 0, owner.length);
  writer.stringBytes(bytes, entry.textStart, entry.textEnd);
  if (entry.hasMessageId) writer.stringBytes(bytes, entry.messageIdStart, entry.messageIdEnd);
  writer.stringBytes(bytes, entry.keyStart + 1, entry.keyEnd);
  const pairs = new PropertyCursor(bytes);
  writer.varint(pairs.open(entry.propertiesStart) + 1);
  const contextStart = pairs.position;
  pairs.passContext();
  if (entry.propertiesStart > 0) writer.raw(bytes, contextStart, pairs.position);
  writer.stringBytes(originKey, 0, originKey.length);
  writer.u8(valueTag.text);
  writer.string(origin);
  if (entry.propertiesStart > 0) writer.raw(bytes, pairs.position, entry.payloadEnd);
  endEntry(writer, start);
}

export function writeTick(writer: ByteWriter, timeMs: number, periodMs: number): void {
  const start = beginEntry(writer, entryKind.tick);
  writer.f64(timeMs);
  writer.f64(periodMs);
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

/** Whether the event entry that starts at `entryStart` has both ids. */
export const entryHasAnonymousId = (bytes: Uint8Array, entryStart: number): boolean =>
  (bytes[entryStart + entryHeadBytes] & eventFlag.anonymousId) !== 0;

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

/** Ids and names have at most 1 + 256 code points of 4 bytes: their lengths take at most two bytes. */
const shortStringStart = (bytes: Uint8Array, at: number): number => (bytes[at] > 0x7f ? at + 2 : at + 1);
const shortLength = (bytes: Uint8Array, at: number): number =>
  bytes[at] > 0x7f ? (bytes[at] & 0x7f) | (bytes[at + 1] << 7) : bytes[at];

function beginEntry(writer: ByteWriter, kind: EntryKind): number {
  const start = writer.position;
  writer.reserve(entryHeadBytes + 24);
  writer.bytes[writer.position] = kind;
  writer.position += entryHeadBytes;
  return start;
}

function beginUserEntry(
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

function endEntry(writer: ByteWriter, start: number): void {
  writer.setU32At(start + 1, writer.position - start - entryHeadBytes);
}

function writeProperties(
  writer: ByteWriter,
  context: AcceptedEvent['context'],
  keys: readonly string[],
  properties: {readonly [key: string]: Json},
): void {
  writer.varint(context === undefined ? keys.length : keys.length + 1);
  if (context !== undefined) {
    writer.stringBytes(contextKey, 0, contextKey.length);
    writer.u8(valueTag.json);
    writer.string(JSON.stringify(context));
  }
  for (const key of keys) {
    writer.string(key);
    writeValue(writer, properties[key]);
  }
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

// ---- reading ----

/** Cursor over the entries of one log message: `next()` moves the fields to the next entry and allocates nothing. */
export class MessageCursor {
  readonly bytes: Uint8Array;
  readonly producer: string;
  readonly n: number;
  readonly logTimeMs: number;
  readonly count: number;
  /** Number of entries passed, the current one included. */
  index = 0;
  readonly entry: EntryView;
  private at = messageHeadBytes;

  /** @throws InvariantError when the bytes are no log message of a known version. */
  constructor(bytes: Uint8Array) {
    assert(bytes.length >= messageHeadBytes && bytes[0] === 0x4d, 'log: a message starts with M');
    assert(bytes[1] === messageVersion, `log: message version ${bytes[1]} is unknown to this program`);
    const reader = new ByteReader(bytes, 10);
    this.bytes = bytes;
    let producer = '';
    for (let i = 2; i < 10; i++) producer += bytes[i].toString(16).padStart(2, '0');
    this.producer = producer;
    this.n = reader.f64();
    this.logTimeMs = reader.f64();
    this.count = reader.u32();
    this.entry = new EntryView(bytes);
  }

  /** Identifies this message in its log. */
  get mark(): string {
    return `${this.producer}.${this.n}`;
  }

  next(): boolean {
    if (this.index >= this.count) return false;
    this.at = this.entry.moveTo(this.at);
    this.index += 1;
    return true;
  }

  /** Start of the next entry. */
  get position(): number {
    return this.at;
  }

  /** End of the next entry, if there is one and the bytes are whole. */
  get nextEnd(): number {
    const {bytes, at} = this;
    const length = (bytes[at + 1] | (bytes[at + 2] << 8) | (bytes[at + 3] << 16) | (bytes[at + 4] << 24)) >>> 0;
    return at + entryHeadBytes + length;
  }

  /** Number of entries after the current one. */
  get left(): number {
    return this.count - this.index;
  }

  /** Passes `entryCount` entries, which end at `position`, without reading them. */
  skip(entryCount: number, position: number): void {
    this.index += entryCount;
    this.at = position;
  }
}

/** One entry in place. Positions point into `bytes`; a missing string has start = end = 0. */
export class EntryView {
  readonly bytes: Uint8Array;
  private readonly reader: ByteReader;
  kind: EntryKind = entryKind.filler;
  /** Flags of an event or identify entry (`eventFlag`). */
  flags = 0;
  payloadStart = 0;
  payloadEnd = 0;
  timeMs = 0;
  receivedMs = 0;
  periodMs = 0;
  keyStart = 0;
  keyEnd = 0;
  /** Event name, traits JSON (identify), deletion id (erase) or the owner's key (link). */
  textStart = 0;
  textEnd = 0;
  messageIdStart = 0;
  messageIdEnd = 0;
  anonymousIdStart = 0;
  anonymousIdEnd = 0;
  /** Start of the properties' count; 0 without properties and context. */
  propertiesStart = 0;
  /** The head of an arrive entry; undefined in other entries. */
  arrival: Arrival | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.reader = new ByteReader(bytes);
  }

  /** Moves to the entry that starts at `start`. @returns the start of the next one. */
  moveTo(start: number): number {
    const reader = this.reader;
    reader.position = start;
    const kind = reader.u8() as EntryKind;
    const length = reader.u32();
    const end = reader.position + length;
    this.movePayload(kind, reader.position, end);
    return end;
  }

  /** Moves to an entry whose payload alone is stored (bodies of rows). */
  movePayload(kind: EntryKind, start: number, end: number): void {
    assert(end <= this.bytes.length, 'log: an entry ends within its message');
    this.kind = kind;
    this.payloadStart = start;
    this.payloadEnd = end;
    const reader = this.reader;
    reader.position = start;
    if (kind === entryKind.tick) {
      this.timeMs = reader.f64();
      this.periodMs = reader.f64();
    } else if (kind === entryKind.arrive) {
      this.arrival = {from: reader.varint(), n: reader.f64(), piece: reader.varint(), pieces: reader.varint()};
    } else if (kind !== entryKind.filler && kind !== entryKind.leave && kind !== entryKind.complete) {
      assert(kind >= entryKind.event && kind <= entryKind.link, `log: entry kind ${kind} is unknown to this program`);
      this.readUserEntry(kind);
    }
  }

  private readUserEntry(kind: EntryKind): void {
    const reader = this.reader;
    const flags = reader.u8();
    this.flags = flags;
    this.timeMs = reader.f64();
    this.receivedMs = reader.f64();
    this.keyStart = reader.skipString();
    this.keyEnd = reader.position;
    this.textStart = reader.skipString();
    this.textEnd = reader.position;
    this.messageIdStart = this.messageIdEnd = this.anonymousIdStart = this.anonymousIdEnd = this.propertiesStart = 0;
    if (kind === entryKind.erase || kind === entryKind.link) return;
    if (flags & eventFlag.messageId) {
      this.messageIdStart = reader.skipString();
      this.messageIdEnd = reader.position;
    }
    if (flags & eventFlag.anonymousId) {
      this.anonymousIdStart = reader.skipString();
      this.anonymousIdEnd = reader.position;
    }
    if (flags & eventFlag.properties) this.propertiesStart = reader.position;
  }

  get hasMessageId(): boolean {
    return this.messageIdEnd > 0;
  }

  /** Whether the client sent a time. */
  get isTimed(): boolean {
    return (this.flags & eventFlag.timed) !== 0;
  }

  /** The time that the client sent, epoch ms; undefined: it sent none. */
  get sentMs(): number | undefined {
    if (!this.isTimed) return undefined;
    if ((this.flags & eventFlag.corrected) === 0) return this.timeMs;
    const context = must(this.contextJson(), 'log: a corrected event has the time as sent in its context');
    return parseTimestamp((JSON.parse(context) as Record<string, string>)[originalTimestamp]);
  }

  /** Users of a leave entry. */
  leavers(): Leaver[] {
    const reader = new ByteReader(this.bytes, this.payloadStart, this.payloadEnd);
    return Array.from({length: reader.varint()}, () => ({user: reader.varint(), isTooLarge: reader.u8() !== 0}));
  }

  /** The users of a complete entry, and what it says about them. */
  completion(): Completion {
    const reader = new ByteReader(this.bytes, this.payloadStart, this.payloadEnd);
    const stage = must(completeStages[reader.u8()], 'log: the stage of a complete entry is known to this program');
    const funnel = reader.string();
    let user = 0;
    const users = Array.from({length: reader.varint()}, () => {
      user += reader.varint();
      return user;
    });
    return {stage, funnel, users};
  }

  /** Whether this link entry takes the link back. */
  get isTakenBack(): boolean {
    return (this.flags & takenBackFlag) !== 0;
  }

  /** Partitions that an erase entry sends the deletion to next, in this order. */
  onward(): number[] {
    if ((this.flags & onwardFlag) === 0) return [];
    const reader = new ByteReader(this.bytes, this.textEnd, this.payloadEnd);
    return Array.from({length: reader.varint()}, () => reader.varint());
  }

  /** Compact JSON text of the context, if there is one. */
  contextJson(): string | undefined {
    const properties = new PropertyCursor(this.bytes);
    properties.open(this.propertiesStart);
    return properties.isAtContext && properties.next() ? (properties.value() as string) : undefined;
  }

  /** The id that an event had in the partition that it came from; undefined: it came from none. */
  origin(): string | undefined {
    const properties = new PropertyCursor(this.bytes);
    properties.open(this.propertiesStart);
    properties.passContext();
    return properties.isAtOrigin && properties.next() ? (properties.value() as string) : undefined;
  }

  /** Start of the pairs that the client sent as properties; they end with the payload. */
  get pairsStart(): number {
    if (this.propertiesStart === 0) return this.payloadEnd;
    const properties = new PropertyCursor(this.bytes);
    properties.open(this.propertiesStart);
    properties.passOwn();
    return properties.position;
  }

  userKey(): string {
    return readWtf8(this.bytes, this.keyStart, this.keyEnd);
  }

  text(): string {
    return readWtf8(this.bytes, this.textStart, this.textEnd);
  }

  messageId(): string {
    return readWtf8(this.bytes, this.messageIdStart, this.messageIdEnd);
  }

  anonymousId(): string {
    return readWtf8(this.bytes, this.anonymousIdStart, this.anonymousIdEnd);
  }
}

/** Cursor over the `(key, value)` pairs of an event's properties; the context and the origin, if there are any, come first. */
export class PropertyCursor {
  readonly bytes: Uint8Array;
  private at = 0;
  private left = 0;
  /** Start of the pair: the length of its key. */
  pairStart = 0;
  keyStart = 0;
  keyEnd = 0;
  /** The value with its tag, as dictionaries hold it. E2 */
  valueStart = 0;
  valueEnd = 0;
  tag = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** `start` is `EntryView.propertiesStart`; 0: no pairs. @returns the number of pairs. */
  open(start: number): number {
    this.left = 0;
    if (start === 0) return 0;
    this.at = start;
    this.left = this.varint();
    return this.left;
  }

  /** Start of the next pair. */
  get position(): number {
    return this.at;
  }

  /** Whether the next pair is the context. */
  get isAtContext(): boolean {
    return this.isAt(contextKeyByte);
  }

  /** Whether the next pair is the origin. */
  get isAtOrigin(): boolean {
    return this.isAt(originKeyByte);
  }

  private isAt(keyByte: number): boolean {
    return this.left > 0 && this.bytes[this.at + 1] === keyByte && this.bytes[this.at] === 1;
  }

  passContext(): void {
    if (this.isAtContext) this.next();
  }

  /** Moves to the first pair that the client sent as a property; returns how many there are. */
  passOwn(): number {
    this.passContext();
    if (this.isAtOrigin) this.next();
    return this.left;
  }

  next(): boolean {
    if (this.left === 0) return false;
    this.left -= 1;
    const {bytes} = this;
    this.pairStart = this.at;
    const keyLength = this.varint();
    this.keyStart = this.at;
    const keyEnd = this.at + keyLength;
    this.keyEnd = keyEnd;
    this.valueStart = keyEnd;
    this.tag = bytes[keyEnd];
    this.at = keyEnd + 1;
    if (this.tag >= valueTag.text) {
      const length = this.varint();
      this.at += length;
    } else if (this.tag === valueTag.int) {
      while (bytes[this.at] > 0x7f) this.at += 1;
      this.at += 1;
    } else if (this.tag === valueTag.double) this.at += 8;
    this.valueEnd = this.at;
    assert(this.at <= bytes.length, 'log: a property ends within its message');
    return true;
  }

  /** Moves the reader past one value. */
  static skipValue(reader: ByteReader): void {
    const tag = reader.u8();
    if (tag === valueTag.int) reader.varint();
    else if (tag === valueTag.double) reader.f64();
    else if (tag >= valueTag.text) reader.skipString();
  }

  /** A loop for lengths above 127, which are rare. */
  private varint(): number {
    const {bytes} = this;
    let byte = bytes[this.at++];
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let scale = 0x80; byte > 0x7f; scale *= 0x80) {
      byte = bytes[this.at++];
      value += (byte & 0x7f) * scale;
    }
    return value;
  }

  key(): string {
    return readWtf8(this.bytes, this.keyStart, this.keyEnd);
  }

  valueJson(): string {
    const value = this.value();
    return this.tag === valueTag.json ? (value as string) : JSON.stringify(value);
  }

  /** The value; nested values as their JSON text. */
  value(): null | boolean | number | string {
    const reader = new ByteReader(this.bytes, this.valueStart + 1, this.valueEnd);
    switch (this.tag) {
      case valueTag.null:
        return null;
      case valueTag.false:
        return false;
      case valueTag.true:
        return true;
      case valueTag.int: {
        const zigzag = reader.varint();
        return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
      }
      case valueTag.double:
        return reader.f64();
      default:
        return reader.string();
    }
  }
}

/** Compact JSON text of an event's properties. */
export function propertiesJson(bytes: Uint8Array, propertiesStart: number): string {
  const cursor = new PropertyCursor(bytes);
  cursor.open(propertiesStart);
  cursor.passOwn();
  let text = '{';
  while (cursor.next()) {
    if (text.length > 1) text += ',';
    text += JSON.stringify(cursor.key()) + ':' + cursor.valueJson();
  }
  return text + '}';
}

/** Message ids of identifies are a scope of their own: an event of the same user may have an equal one. 'iden' */
const identifyDomain = 0x6964656e;

/** Keyed 96-bit fingerprint of (kind of entry, user, message id), written to `words`. */
export function fingerprint(entry: EntryView, seeds: readonly [number, number, number], words: Uint32Array): void {
  const domain = entry.kind === entryKind.identify ? identifyDomain : 0;
  words[0] = seeds[0] ^ domain;
  words[1] = seeds[1] ^ domain;
  words[2] = seeds[2] ^ domain;
  hashWords(entry.bytes, entry.keyStart, entry.keyEnd, words);
  words[0] ^= seeds[0];
  words[1] ^= seeds[1];
  words[2] ^= seeds[2];
  hashWords(entry.bytes, entry.messageIdStart, entry.messageIdEnd, words);
}

// ---- content ----
// The content of an event or identify is what a retry repeats: name or traits, ids, properties in their order, and the time as
// sent, if there is one. Receipt, correction and context are not part of it: they differ from one try to the next.

/** Keyed 16-bit hash of the content. */
export function contentHash(entry: EntryView, seed: number): number {
  const {bytes, pairsStart} = entry;
  // The content of an identify has no time: each try corrects it by another amount.
  const sentMs = entry.kind === entryKind.event ? entry.sentMs : undefined;
  let hash = hashBytes(bytes, entry.keyStart, entry.textEnd, seed);
  if (entry.anonymousIdEnd > 0) hash = hashBytes(bytes, entry.anonymousIdStart, entry.anonymousIdEnd, hash);
  if (pairsStart < entry.payloadEnd) hash = hashBytes(bytes, pairsStart, entry.payloadEnd, hash + 1);
  if (sentMs !== undefined) hash = hashUint32(hash ^ hashUint32(sentMs >>> 0) ^ Math.floor(sentMs / 2 ** 32));
  return hash & 0xffff;
}

/** Whether two entries in the same bytes have the same content. */
export const sameContent = (a: EntryView, b: EntryView): boolean =>
  a.sentMs === b.sentMs &&
  sameRange(a.bytes, a.keyStart, a.textEnd, b.keyStart, b.textEnd) &&
  sameRange(a.bytes, a.anonymousIdStart, a.anonymousIdEnd, b.anonymousIdStart, b.anonymousIdEnd) &&
  sameRange(a.bytes, a.pairsStart, a.payloadEnd, b.pairsStart, b.payloadEnd);

/** Whether two entries in the same bytes have the same user and message id. */
export const sameMessageId = (a: EntryView, b: EntryView): boolean =>
  sameRange(a.bytes, a.keyStart, a.keyEnd, b.keyStart, b.keyEnd) &&
  sameRange(a.bytes, a.messageIdStart, a.messageIdEnd, b.messageIdStart, b.messageIdEnd);

function sameRange(bytes: Uint8Array, aStart: number, aEnd: number, bStart: number, bEnd: number): boolean {
  const view = viewOf(bytes);
  return aEnd - aStart === bEnd - bStart && equalRanges(view, aStart, view, bStart, aEnd - aStart);
}
