// Reads entries of the log in place (grammar: entries.ts): a cursor over a message, a view of an entry, a cursor over properties.
//   None of them allocates per entry: positions point into the bytes of the message.

import {ByteReader, readWtf8} from '../bytes/bytes.js';
import {assert, must} from '../invariant.js';
import type {RetentionSetting} from '../retention.js';
import {contextKeyByte, joinContext} from './context.js';
import {
  type Arrival,
  type Completion,
  completeStages,
  type EntryKind,
  entryHeadBytes,
  entryKind,
  eventFlag,
  type Leaver,
  messageHeadBytes,
  messageVersion,
  onwardFlag,
  originalTimestamp,
  originKeyByte,
  takenBackFlag,
  valueTag,
} from './entries.js';
import type {Json} from './json.js';
import {parseTimestamp} from './timestamp.js';

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
  /** The epoch of the owner that appended this tick. */
  epoch = 0;
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
      this.epoch = reader.varint();
    } else if (kind === entryKind.arrive) {
      this.arrival = {from: reader.varint(), n: reader.f64(), piece: reader.varint(), pieces: reader.varint()};
    } else if (!isReadLater(kind)) {
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

  /** Whether it came with a secret key. */
  get isSecret(): boolean {
    return (this.flags & eventFlag.secret) !== 0;
  }

  /** Whether it has both ids and joins neither, because its key may not identify. */
  get isApart(): boolean {
    return (this.flags & eventFlag.apart) !== 0;
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

  /** What a retain entry sets. */
  retaining(): RetentionSetting {
    const reader = new ByteReader(this.bytes, this.payloadStart, this.payloadEnd);
    return {days: reader.varint(), fromDay: reader.varint()};
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
    return properties.takeContext();
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

  /** Whether the next pair is of the context. */
  get isAtContext(): boolean {
    return this.isAt(contextKeyByte);
  }

  /** Whether the next pair is the rest of the context, which comes first in it. */
  get isAtContextRest(): boolean {
    return this.isAtContext && this.bytes[this.at] === 1;
  }

  /** Whether the next pair is the origin. */
  get isAtOrigin(): boolean {
    return this.isAt(originKeyByte);
  }

  /** The length of such a key takes one byte. */
  private isAt(keyByte: number): boolean {
    return this.left > 0 && this.bytes[this.at + 1] === keyByte;
  }

  /** @returns how many pairs the context has. */
  passContext(): number {
    let count = 0;
    for (; this.isAtContext; count++) this.next();
    return count;
  }

  /** Path of the pair as a member of the context; empty for its rest. */
  get contextPath(): string {
    return readWtf8(this.bytes, this.keyStart + 1, this.keyEnd);
  }

  /** Compact JSON text of the context, which is passed; undefined: there is none. */
  takeContext(): string | undefined {
    if (!this.isAtContext) return undefined;
    const rest = this.isAtContextRest && this.next() ? (this.value() as string) : undefined;
    const members: [string, Json][] = [];
    while (this.isAtContext && this.next()) members.push([this.contextPath, this.json()]);
    return joinContext(rest, members);
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

  /** The value, nested ones parsed. */
  json(): Json {
    const value = this.value();
    return this.tag === valueTag.json ? (JSON.parse(value as string) as Json) : value;
  }

  valueJson(): string {
    const value = this.value();
    return this.tag === valueTag.json ? (value as string) : JSON.stringify(value);
  }

  /** The value; nested values as their JSON text. */
  value(): null | boolean | number | string {
    return valueAt(this.bytes, this.valueStart, this.valueEnd);
  }
}

/** The value from `start`, where its tag is, to `end`; nested values as their JSON text. */
export function valueAt(bytes: Uint8Array, start: number, end: number): null | boolean | number | string {
  const reader = new ByteReader(bytes, start, end);
  switch (reader.u8()) {
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

/** Kinds whose fields are read when they are asked for. */
const isReadLater = (kind: EntryKind): boolean =>
  kind === entryKind.filler || kind === entryKind.leave || kind === entryKind.complete || kind === entryKind.retain;

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
