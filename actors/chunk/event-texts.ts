// JSON texts of stored events, as GET /v1/events shows them (docs/api/events.md, History).
//   ET1. A row's text is that of its entry, byte for byte (`eventJson`).
//   ET2. A row's text is written as bytes, from the bytes of its columns and its body: as a string it would be joined of sixty
//        pieces, and the strings of a page outlive a collection of young garbage.
//   ET3. Names of events and columns are the same in many rows: their texts are made once.
import {ByteReader, ByteWriter, readWtf8} from '../bytes/bytes.js';
import {ascii, writeBytes, writeInteger, writeJsonString} from '../bytes/json-bytes.js';
import {isoText} from '../calendar.js';
import {contextKeyByte} from '../log/context.js';
import {eventFlag, originKeyByte} from '../log/entries.js';
import {type EntryView, PropertyCursor, propertiesJson} from '../log/entry-view.js';
import {writeValueJson} from '../log/value-json.js';
import {type BodyBlock, flagWhole, keyInBody, type WrittenKeys} from './bodies.js';
import {IsoTimes} from './iso-times.js';
import type {RowColumn} from './property-columns.js';

/** What a text is made of: ids and names are JSON. */
interface EventPieces {
  readonly partition: number;
  readonly ordinal: number;
  readonly event: string;
  /** Key of the user in its partition. */
  readonly userKey: string;
  /** The anonymousId that a user's event came with. */
  readonly anonymousId: string | undefined;
  /** Id of the event where it was first, if that was elsewhere. */
  readonly origin: string | undefined;
  /** It has both ids and joins neither. */
  readonly isApart: boolean;
  readonly properties: string;
  readonly context: string | undefined;
  readonly timeMs: number;
  readonly receivedMs: number;
  readonly messageId: string | undefined;
}

function textOf({partition, ordinal, userKey, origin, context, messageId, ...rest}: EventPieces): string {
  const id = JSON.stringify(userKey.slice(1));
  const isUser = userKey.startsWith('u');
  return (
    `{"id":"${origin ?? `${partition}-${ordinal}`}","event":${rest.event},"userId":${isUser ? id : 'null'}` +
    `,"anonymousId":${isUser ? (rest.anonymousId ?? 'null') : id},"properties":${rest.properties}` +
    (context === undefined ? '' : `,"context":${context}`) +
    (origin === undefined ? '' : ',"joined":true') +
    (rest.isApart ? ',"joins":false' : '') +
    `,"timestamp":"${isoText(rest.timeMs)}","received_at":"${isoText(rest.receivedMs)}"` +
    (messageId === undefined ? '}' : `,"messageId":${messageId}}`)
  );
}

export function eventJson(entry: EntryView, partition: number, ordinal: number): string {
  return textOf({
    partition,
    ordinal,
    event: JSON.stringify(entry.text()),
    userKey: entry.userKey(),
    anonymousId: entry.anonymousIdEnd > 0 ? JSON.stringify(entry.anonymousId()) : undefined,
    origin: entry.origin(),
    isApart: entry.isApart,
    properties: propertiesJson(entry.bytes, entry.propertiesStart),
    context: entry.contextJson(),
    timeMs: entry.timeMs,
    receivedMs: entry.receivedMs,
    messageId: entry.hasMessageId ? JSON.stringify(entry.messageId()) : undefined,
  });
}

const userByte = 0x75; // 'u'

const pieces = {
  id: ascii('"id":"'),
  dash: ascii('-'),
  user: ascii(',"userId":'),
  unknownUser: ascii(',"userId":null,"anonymousId":'),
  anonymous: ascii(',"anonymousId":'),
  noAnonymous: ascii(',"anonymousId":null'),
  properties: ascii(',"properties":{'),
  colon: ascii(':'),
  end: ascii('}'),
  context: ascii('},"context":'),
  joined: ascii(',"joined":true'),
  apart: ascii(',"joins":false'),
  timestamp: ascii(',"timestamp":"'),
  received: ascii('","received_at":"'),
  messageId: ascii('","messageId":'),
  quoteEnd: ascii('"}'),
};
const comma = 0x2c;

/** Byte range in a body, or `noRange`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

const noRange: Range = {start: 0, end: 0};
const noShape = new Uint8Array(0);

/** Writes the texts of rows of one partition, block by block; ascending reads are cheapest. */
export class EventTexts {
  private readonly partition: number;
  private readonly users: WrittenKeys;
  private readonly names: Pick<WrittenKeys, 'write'>;
  private block!: BodyBlock;
  private columns: readonly RowColumn[] = [];
  /** JSON of each column's name, with the colon after it. ET3 */
  private columnTexts: Uint8Array[] = [];
  /** By name index, with what is before it. ET3 */
  private readonly nameTexts: Uint8Array[] = [];
  private readonly times = new IsoTimes();
  private readonly scratch = new ByteWriter(256);
  /** Pieces of a row's context (actors/log/context.ts), and how many there are. */
  private readonly context = new ByteWriter(256);
  private contextCount = 0;

  constructor(partition: number, users: WrittenKeys, names: Pick<WrittenKeys, 'write'>) {
    this.partition = partition;
    this.users = users;
    this.names = names;
  }

  /** Rows are of this block from now on. */
  open(block: BodyBlock): this {
    this.block = block;
    const {columns} = block.columns;
    if (columns !== this.columns) this.columnTexts = [];
    this.columns = columns;
    return this;
  }

  /**
   * Appends the text of a row after its first brace, so that a caller may write fields of its own before. False, and nothing
   * written, when the row was erased. ET1
   */
  write(row: number, ordinal: number, writer: ByteWriter): boolean {
    const {block} = this;
    const body = block.body(row, this.users);
    if (body === undefined) return false;
    const flags = body.u8();
    if (flags === flagWhole) {
      writer.text(eventJson(block.whole(body), this.partition, ordinal).slice(1));
      return true;
    }
    const receivedMs = block.receivedMs(body);
    const shape = flags & eventFlag.properties ? block.shape(body.varint()) : noShape;
    const messageId = flags & eventFlag.messageId ? stringIn(body) : noRange;
    const anonymousId = flags & eventFlag.anonymousId ? stringIn(body) : noRange;
    const context = this.takenContext(shape, row, body);
    let next = this.contextCount;
    const origin = this.isKey(shape[next], body, originKeyByte) ? this.taken(shape[next++], row, body) : undefined;
    this.writeId(writer, ordinal, origin);
    writeBytes(writer, this.nameText(block.columns.names[row]));
    this.writeUser(writer, row, body, anonymousId);
    this.writeProperties(writer, shape, next, row, body);
    writeBytes(writer, context === undefined ? pieces.end : pieces.context);
    if (context !== undefined) writer.text(context);
    if (origin !== undefined) writeBytes(writer, pieces.joined);
    if (flags & eventFlag.apart) writeBytes(writer, pieces.apart);
    this.writeTimes(writer, row, receivedMs);
    if (messageId === noRange) writeBytes(writer, pieces.quoteEnd);
    else {
      writeBytes(writer, pieces.messageId);
      writeJsonString(writer, body.bytes, messageId.start, messageId.end);
      writeBytes(writer, pieces.end);
    }
    return true;
  }

  /** `origin`: at the event's id where it was first. */
  private writeId(writer: ByteWriter, ordinal: number, origin: ByteReader | undefined): void {
    writeBytes(writer, pieces.id);
    if (origin === undefined) {
      writeInteger(writer, this.partition);
      writeBytes(writer, pieces.dash);
      writeInteger(writer, ordinal);
      return;
    }
    origin.u8(); // An id is a text.
    writer.raw(origin.bytes, origin.skipString(), origin.position);
  }

  private nameText(name: number): Uint8Array {
    return (this.nameTexts[name] ??= this.madeNameText(name));
  }

  private madeNameText(name: number): Uint8Array {
    const {scratch} = this;
    scratch.position = 0;
    this.names.write(scratch, name);
    const text = new ByteReader(scratch.bytes, 0, scratch.position).string();
    return utf8(`","event":${JSON.stringify(text)}`);
  }

  private writeUser(writer: ByteWriter, row: number, body: ByteReader, anonymousId: Range): void {
    const {scratch} = this;
    scratch.position = 0;
    this.users.write(scratch, this.block.columns.users[row]);
    const key = new ByteReader(scratch.bytes, 0, scratch.position);
    const start = key.skipString();
    const isUser = key.bytes[start] === userByte;
    writeBytes(writer, isUser ? pieces.user : pieces.unknownUser);
    writeJsonString(writer, key.bytes, start + 1, key.position);
    if (!isUser) return;
    writeBytes(writer, anonymousId === noRange ? pieces.noAnonymous : pieces.anonymous);
    if (anonymousId !== noRange) writeJsonString(writer, body.bytes, anonymousId.start, anonymousId.end);
  }

  private writeTimes(writer: ByteWriter, row: number, receivedMs: number): void {
    const {timeBase, times} = this.block.columns;
    writeBytes(writer, pieces.timestamp);
    this.times.write(writer, timeBase + times[row]);
    writeBytes(writer, pieces.received);
    this.times.write(writer, receivedMs);
  }

  // -- properties; `body` is at the next value that no column has --

  /** Without the brace at their end. */
  private writeProperties(writer: ByteWriter, shape: Uint8Array, first: number, row: number, body: ByteReader): void {
    writeBytes(writer, pieces.properties);
    for (let at = first; at < shape.length; at++) {
      if (at > first) writer.u8(comma);
      const number = shape[at];
      if (number === keyInBody) {
        writeJsonString(writer, body.bytes, body.skipString(), body.position);
        writeBytes(writer, pieces.colon);
      } else {
        writeBytes(writer, this.columnText(number));
        const {codes, inBody, values} = this.columns[number];
        const code = codes[row];
        if (code !== inBody) {
          values.writeJson(code, writer);
          continue;
        }
      }
      body.position = writeValueJson(writer, body.bytes, body.position);
    }
  }

  private columnText(number: number): Uint8Array {
    return (this.columnTexts[number] ??= columnText(this.columns[number]));
  }

  /** Whether the key of the next property begins with this byte, which no client can send. */
  private isKey(column: number | undefined, {bytes, position}: ByteReader, keyByte: number): boolean {
    if (column === undefined) return false;
    return (column === keyInBody ? bytes[position + 1] : this.columns[column].key[0]) === keyByte;
  }

  /** JSON of the context, whose pieces are the first properties and are passed; undefined: there is none. */
  private takenContext(shape: Uint8Array, row: number, body: ByteReader): string | undefined {
    const {context} = this;
    context.position = 0;
    context.u8(0); // A position of 0 would mean no properties.
    context.u8(0);
    let count = 0;
    for (; this.isKey(shape[count], body, contextKeyByte); count++) this.takePiece(shape[count], row, body);
    this.contextCount = count;
    if (count === 0) return undefined;
    context.bytes[1] = count;
    const pairs = new PropertyCursor(context.bytes);
    pairs.open(1);
    return pairs.takeContext();
  }

  private takePiece(number: number, row: number, body: ByteReader): void {
    const {context} = this;
    const column = number === keyInBody ? undefined : this.columns[number];
    const key = column?.key ?? body.bytes;
    const {start, end} = column === undefined ? stringIn(body) : {start: 0, end: key.length};
    context.stringBytes(key, start, end);
    const code = column?.codes[row];
    if (column !== undefined && code !== undefined && code !== column.inBody) {
      column.values.write(code, context);
      return;
    }
    const valueStart = body.position;
    PropertyCursor.skipValue(body);
    context.raw(body.bytes, valueStart, body.position);
  }

  /** A reader at the value of the next property, which is passed. */
  private taken(column: number, row: number, body: ByteReader): ByteReader {
    if (column === keyInBody) body.skipString();
    else {
      const {codes, inBody, values} = this.block.columns.columns[column];
      if (codes[row] !== inBody) {
        const own = new ByteWriter(64);
        values.write(codes[row], own);
        return new ByteReader(own.bytes, 0, own.position);
      }
    }
    const start = body.position;
    PropertyCursor.skipValue(body);
    return new ByteReader(body.bytes, start, body.position);
  }
}

function columnText({key}: RowColumn): Uint8Array {
  return utf8(`${JSON.stringify(readWtf8(key, 0, key.length))}:`);
}

function utf8(text: string): Uint8Array {
  const writer = new ByteWriter(0);
  writer.text(text);
  return writer.finish();
}

function stringIn(body: ByteReader): Range {
  return {start: body.skipString(), end: body.position};
}
