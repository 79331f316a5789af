// The plain twin of what kernels/plain-batch.ts does with one event: the same events are plain for both.

import {isUtf8} from 'node:buffer';
import {eventBytesMax, futureMsMax, idCharsMax, messageIdCharsMax, objectKeyCharsMax} from '../../actors/limits.js';
import type {Json} from '../../actors/log/entries.js';
import {parseTimestamp} from '../../actors/log/timestamp.js';
import {plainPropertiesMax, timestampCharsMax} from '../../src/ingest/batch-kernel.js';
import {backslash, JsonScanner, quote, token} from '../../src/ingest/json-scanner.js';
import {clockAheadMsMin} from '../../src/ingest/validate.js';

const del = 0x7f;
const words = new Map<Buffer, Json>([
  [Buffer.from('null'), null],
  [Buffer.from('true'), true],
  [Buffer.from('false'), false],
]);
const [nothing] = words.keys();
/** Without an exponent. */
const numbers = /-?(0|[1-9]\d*)(\.\d+)?(?![.\deE])/y;
/** Some integers of 16 digits are safe. */
const safeDigitsMax = 16;

/** By their names, when they are taken: a field that comes twice is seen. */
interface Fields {
  event?: string | null;
  userId?: string | null;
  anonymousId?: string | null;
  messageId?: string | null;
  timestamp?: string | null;
  properties?: Record<string, Json> | null;
}
const fieldNames: readonly string[] = ['event', 'userId', 'anonymousId', 'messageId', 'timestamp', 'properties'];

export class PlainEvent extends JsonScanner {
  event = '';
  userId: string | undefined;
  anonymousId: string | undefined;
  messageId: string | undefined;
  properties: Record<string, Json> = {};
  timeMs = 0;
  receivedMs = 0;
  /** Undefined: the client sent no time. */
  sentMs: number | undefined;
  /** The newest string, and its UTF-8 bytes. */
  text = '';
  private textBytes = 0;

  /** Reads the event at `at` and moves behind it; false when it is not plain, and then `at` says nothing. */
  takeEvent(receivedMs: number): boolean {
    this.peek();
    const start = this.at;
    const fields = this.takeFields();
    if (fields === undefined || this.at - start > eventBytesMax) return false;
    const {event, userId, anonymousId, messageId, timestamp, properties} = fields;
    if (event == null || (userId == null && anonymousId == null)) return false;
    this.event = event;
    this.userId = userId ?? undefined;
    this.anonymousId = anonymousId ?? undefined;
    this.messageId = messageId ?? undefined;
    this.properties = properties ?? {};
    this.sentMs = timestamp == null ? undefined : parseTimestamp(timestamp);
    this.timeMs = this.sentMs ?? receivedMs;
    this.receivedMs = receivedMs;
    return this.timeMs >= 0 && this.timeMs <= receivedMs + futureMsMax;
  }

  /** Whether the time of the event that was taken lies ahead of its receipt by more than `clockAheadMsMin`. */
  get isAhead(): boolean {
    return this.timeMs > this.receivedMs + clockAheadMsMin;
  }

  private takeFields(): Fields | undefined {
    const fields: Record<string, unknown> = {};
    if (!this.take(token.openBrace)) return undefined;
    do {
      if (!this.takeString()) return undefined;
      const name = this.text;
      if (!fieldNames.includes(name) || Object.hasOwn(fields, name) || !this.take(token.colon)) return undefined;
      const value = this.takeFieldValue(name);
      if (value === undefined) return undefined;
      fields[name] = value;
    } while (this.take(token.comma));
    return this.take(token.closeBrace) ? fields : undefined;
  }

  private takeFieldValue(name: string): Json | undefined {
    if (this.takeWord(nothing!)) return null;
    if (name === 'properties') return this.takeProperties();
    return this.takeString() && this.isField(name) ? this.text : undefined;
  }

  private isField(name: string): boolean {
    const {text, textBytes} = this;
    switch (name) {
      case 'event':
        return isNameLength(textBytes);
      case 'userId':
      case 'anonymousId':
        // A slash at the start, or a segment `.` or `..`, is refused; others with a dot first are too rare to be told apart.
        return isNameLength(textBytes) && !/^[./]|\/\./.test(text);
      case 'messageId':
        // An id that begins with white space, of Unicode too, may be blank.
        return /^[!-\x7f]/.test(text) && textBytes <= messageIdCharsMax;
      default:
        return textBytes <= timestampCharsMax;
    }
  }

  private takeProperties(): Record<string, Json> | undefined {
    const properties: Record<string, Json> = {};
    if (!this.take(token.openBrace)) return undefined;
    if (this.take(token.closeBrace)) return properties;
    let count = 0;
    do {
      if (++count > plainPropertiesMax || !this.takeString()) return undefined;
      const key = this.text;
      // Keys that begin with a digit may be array indexes, which objects put first; a repeated key keeps its first place.
      if (this.textBytes > objectKeyCharsMax || /^\d/.test(key) || key === '__proto__') return undefined;
      if (Object.hasOwn(properties, key) || !this.take(token.colon)) return undefined;
      const value = this.takeValue();
      if (value === undefined) return undefined;
      properties[key] = value;
    } while (this.take(token.comma));
    return this.take(token.closeBrace) ? properties : undefined;
  }

  private takeValue(): Json | undefined {
    if (this.peek() === quote) return this.takeString() ? this.text : undefined;
    for (const [word, value] of words) if (this.takeWord(word)) return value;
    return this.takeNumber();
  }

  /** No unsafe integer: a double may change it. */
  private takeNumber(): number | undefined {
    numbers.lastIndex = 0;
    const found = numbers.exec(this.bytes.toString('latin1', this.at, this.at + eventBytesMax + 1));
    if (found === null) return undefined;
    const [text, integer, fraction] = found;
    this.at += text.length;
    const value = Number(text);
    const isLong = integer!.length >= safeDigitsMax;
    if (fraction !== undefined) return Number.isFinite(value) && !isLong ? value : undefined;
    return integer!.length <= safeDigitsMax && Number.isSafeInteger(value) ? value : undefined;
  }

  /** One without an escape, and without DEL, which names must not hold. */
  takeString(): boolean {
    if (!this.take(quote)) return false;
    const {bytes, at: start} = this;
    let end = start;
    while (bytes[end]! >= 0x20 && bytes[end] !== quote && bytes[end] !== backslash && bytes[end] !== del) end += 1;
    if (bytes[end] !== quote) return false;
    this.text = bytes.toString('utf8', start, end);
    this.textBytes = end - start;
    this.at = end + 1;
    return true;
  }
}

/** A body that is one plain event as a whole; undefined: it is none. */
export function plainEventOf(body: Buffer, receivedMs: number): PlainEvent | undefined {
  const event = new PlainEvent();
  event.bytes = body;
  return isUtf8(body) && event.takeEvent(receivedMs) && event.peek() === undefined ? event : undefined;
}

/** 1-256 characters: so many bytes hold no more characters; names of more bytes are not plain. */
const isNameLength = (bytes: number): boolean => bytes > 0 && bytes <= idCharsMax;
