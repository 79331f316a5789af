// JSON texts of stored events, as GET /v1/events shows them (docs/api.md).
//   ET1. A row's text is that of its entry, byte for byte (`eventJson`).
//   ET2. Rows of a block share most of their pieces: names of events, keys, values of columns. Each such text is made once.
import {ByteReader, ByteWriter, readWtf8} from '../bytes/bytes.js';
import {isoText} from '../calendar.js';
import {contextKeyByte, eventFlag, originKeyByte, valueTag} from '../log/entries.js';
import {type EntryView, PropertyCursor, propertiesJson, valueAt} from '../log/entry-view.js';
import {type BodyBlock, flagWhole, keyInBody, type WrittenKeys} from './bodies.js';

/** Texts of a column's values that are kept. Of sessions or amounts, of which each row has another one, few help. */
const valueTextsMax = 256;

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
    properties: propertiesJson(entry.bytes, entry.propertiesStart),
    context: entry.contextJson(),
    timeMs: entry.timeMs,
    receivedMs: entry.receivedMs,
    messageId: entry.hasMessageId ? JSON.stringify(entry.messageId()) : undefined,
  });
}

/** Texts of the rows of one block; ascending reads are cheapest. */
export class EventTexts {
  private readonly block: BodyBlock;
  private readonly users: WrittenKeys;
  private readonly names: Pick<WrittenKeys, 'write'>;
  private readonly partition: number;
  private readonly scratch = new ByteWriter(256);
  /** By name index. */
  private readonly nameTexts = new Map<number, string>();
  /** By column, with the colon. */
  private readonly keyTexts = new Map<number, string>();
  /** By column and code. */
  private readonly valueTexts = new Map<number, Map<number, string>>();

  constructor(block: BodyBlock, users: WrittenKeys, names: Pick<WrittenKeys, 'write'>, partition: number) {
    this.block = block;
    this.users = users;
    this.names = names;
    this.partition = partition;
  }

  /** Undefined when the row was erased. ET1 */
  of(row: number, ordinal: number): string | undefined {
    const {block, partition} = this;
    const {columns} = block;
    const body = block.body(row, this.users);
    if (body === undefined) return undefined;
    const flags = body.u8();
    if (flags === flagWhole) return eventJson(block.whole(body), partition, ordinal);
    const receivedMs = block.receivedMs(body);
    const shape = flags & eventFlag.properties ? block.shape(body.varint()) : undefined;
    const messageId = flags & eventFlag.messageId ? JSON.stringify(body.string()) : undefined;
    const anonymousId = flags & eventFlag.anonymousId ? JSON.stringify(body.string()) : undefined;
    return textOf({
      partition,
      ordinal,
      event: this.nameText(columns.names[row]),
      userKey: this.written((writer) => this.users.write(writer, columns.users[row])),
      anonymousId,
      timeMs: columns.timeBase + columns.times[row],
      receivedMs,
      messageId,
      ...this.propertiesOf(row, shape, body),
    });
  }

  /** `body` is at the values that no column has. */
  private propertiesOf(row: number, shape: Uint8Array | undefined, body: ByteReader) {
    const {columns} = this.block.columns;
    let [origin, context]: [string | undefined, string | undefined] = [undefined, undefined];
    let properties = '{';
    for (let at = 0; shape !== undefined && at < shape.length; at++) {
      const column = shape[at];
      let keyByte: number | undefined;
      let keyText: string;
      if (column === keyInBody) {
        const start = body.skipString();
        keyByte = body.position - start === 1 ? body.bytes[start] : undefined;
        keyText = `${JSON.stringify(readWtf8(body.bytes, start, body.position))}:`;
      } else {
        const {key} = columns[column];
        keyByte = key.length === 1 ? key[0] : undefined;
        keyText = this.keyText(column, key);
      }
      const isInBody = column === keyInBody || columns[column].codes[row] === columns[column].inBody;
      const value = isInBody ? valueIn(body) : this.valueText(column, columns[column].codes[row]);
      if (keyByte === contextKeyByte) context = value;
      else if (keyByte === originKeyByte) origin = JSON.parse(value) as string;
      else properties += properties.length > 1 ? `,${keyText}${value}` : `${keyText}${value}`;
    }
    return {origin, context, properties: `${properties}}`};
  }

  private nameText(name: number): string {
    let text = this.nameTexts.get(name);
    if (text === undefined) {
      text = JSON.stringify(this.written((writer) => this.names.write(writer, name)));
      this.nameTexts.set(name, text);
    }
    return text;
  }

  private keyText(column: number, key: Uint8Array): string {
    let text = this.keyTexts.get(column);
    if (text === undefined) {
      text = `${JSON.stringify(readWtf8(key, 0, key.length))}:`;
      this.keyTexts.set(column, text);
    }
    return text;
  }

  private valueText(column: number, code: number): string {
    let texts = this.valueTexts.get(column);
    if (texts === undefined) {
      texts = new Map();
      this.valueTexts.set(column, texts);
    }
    const known = texts.get(code);
    if (known !== undefined) return known;
    const {scratch} = this;
    scratch.position = 0;
    this.block.columns.columns[column].values.write(code, scratch);
    const text = valueTextAt(scratch.bytes, 0, scratch.position);
    if (texts.size < valueTextsMax) texts.set(code, text);
    return text;
  }

  /** The string that `write` writes. */
  private written(write: (writer: ByteWriter) => void): string {
    const {scratch} = this;
    scratch.position = 0;
    write(scratch);
    return new ByteReader(scratch.bytes, 0, scratch.position).string();
  }
}

/** The next value of a body. */
function valueIn(body: ByteReader): string {
  const start = body.position;
  PropertyCursor.skipValue(body);
  return valueTextAt(body.bytes, start, body.position);
}

function valueTextAt(bytes: Uint8Array, start: number, end: number): string {
  const value = valueAt(bytes, start, end);
  return bytes[start] === valueTag.json ? (value as string) : JSON.stringify(value);
}
