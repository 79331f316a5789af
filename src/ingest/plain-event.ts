// Events that need no parser: known fields, no escapes, flat properties. Their strings go from the body to the log entry
// as the bytes that they are, which takes less than half the time of JSON.parse, validation and encoding
// (0.75 instead of 1.8 CPU seconds per million events), and most events are plain.
//   P1. What is read as plain is accepted, and makes the same entry as JSON.parse and validate.ts would (test/ingest).
//   P2. Anything else is not plain, whether it is refused or only rare: the parsers decide.

import {ByteWriter} from '../../actors/bytes/bytes.js';
import {daysFromCivil, daysInMonth} from '../../actors/calendar.js';
import {
  dayMs,
  eventBytesMax,
  futureMsMax,
  hourMs,
  idCharsMax,
  messageIdCharsMax,
  objectKeyCharsMax,
} from '../../actors/limits.js';
import {type EventText, valueTag, writeNumber} from '../../actors/log/entries.js';
import {parseTimestamp} from '../../actors/log/timestamp.js';
import {dot, equals, JsonScanner, minus, quote, token} from './json-scanner.js';
import {clockAheadMsMin} from './validate.js';

/** More are rare, and finding a repeated key compares each with each. */
export const plainPropertiesMax = 32;
export const timestampCharsMax = 64;

const slash = 0x2f;
const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const words = {null: ascii('null'), true: ascii('true'), false: ascii('false')};

/** Bits, so that a field that comes twice is seen. */
const field = {event: 1, userId: 2, anonymousId: 4, messageId: 8, timestamp: 16, properties: 32};
const fieldNames = {
  event: ascii('event'),
  userId: ascii('userId'),
  anonymousId: ascii('anonymousId'),
  messageId: ascii('messageId'),
  timestamp: ascii('timestamp'),
  properties: ascii('properties'),
};
const proto = ascii('__proto__');

export class PlainEvent extends JsonScanner implements EventText {
  eventStart = 0;
  eventEnd = 0;
  userIdStart = 0;
  userIdEnd = 0;
  anonymousIdStart = 0;
  anonymousIdEnd = 0;
  messageIdStart = 0;
  messageIdEnd = 0;
  timeMs = 0;
  receivedMs = 0;
  isTimed = false;
  propertyCount = 0;
  readonly properties = new ByteWriter(2 * eventBytesMax);
  private readonly keyStarts = new Int32Array(plainPropertiesMax);
  private readonly keyLengths = new Int32Array(plainPropertiesMax);
  private seen = 0;

  /** Reads the event at `at` and moves behind it; false when it is not plain (P2), and then `at` says nothing. */
  takeEvent(receivedMs: number): boolean {
    this.reset(receivedMs);
    this.peek();
    const start = this.at;
    return this.takeFields() && this.isAccepted() && this.at - start <= eventBytesMax;
  }

  /** Whether the time of the event that was taken lies ahead of its receipt by more than `clockAheadMsMin`. */
  get isAhead(): boolean {
    return this.timeMs > this.receivedMs + clockAheadMsMin;
  }

  private reset(receivedMs: number): void {
    this.eventEnd = this.userIdEnd = this.anonymousIdEnd = this.messageIdEnd = 0;
    this.timeMs = this.receivedMs = receivedMs;
    this.isTimed = false;
    this.propertyCount = 0;
    this.properties.position = 0;
    this.seen = 0;
  }

  private takeFields(): boolean {
    if (!this.take(token.openBrace)) return false;
    do {
      if (!this.takeString() || !this.takeField()) return false;
    } while (this.take(token.comma));
    return this.take(token.closeBrace);
  }

  private takeField(): boolean {
    const found = fieldAt(this.bytes, this.stringStart, this.stringEnd);
    if (found === 0 || (this.seen & found) !== 0 || !this.take(token.colon)) return false;
    this.seen |= found;
    if (this.takeWord(words.null)) return true; // Absent; where it is required, `isAccepted` misses it.
    if (found === field.properties) return this.takeProperties();
    if (!this.takeString()) return false;
    return this.keepString(found);
  }

  private keepString(found: number): boolean {
    const {stringStart: start, stringEnd: end} = this;
    switch (found) {
      case field.event:
        this.eventStart = start;
        this.eventEnd = end;
        return isNameLength(end - start);
      case field.userId:
        this.userIdStart = start;
        this.userIdEnd = end;
        return this.isId(start, end);
      case field.anonymousId:
        this.anonymousIdStart = start;
        this.anonymousIdEnd = end;
        return this.isId(start, end);
      case field.messageId:
        this.messageIdStart = start;
        this.messageIdEnd = end;
        // An id that begins with white space, of Unicode too, may be blank.
        return end > start && end - start <= messageIdCharsMax && isVisibleAscii(this.bytes[start]!);
      default:
        return this.keepTimestamp(start, end);
    }
  }

  /** A slash at the start, or a segment `.` or `..`, is refused; others with a dot first are too rare to be told apart here. */
  private isId(start: number, end: number): boolean {
    const {bytes} = this;
    if (!isNameLength(end - start) || bytes[start] === dot || bytes[start] === slash) return false;
    for (let at = start + 1; at < end; at++) if (bytes[at] === dot && bytes[at - 1] === slash) return false;
    return true;
  }

  private keepTimestamp(start: number, end: number): boolean {
    if (end - start > timestampCharsMax) return false;
    this.timeMs = isoMs(this.bytes, start, end);
    // Every other form, and what is no timestamp.
    if (Number.isNaN(this.timeMs)) this.timeMs = parseTimestamp(this.bytes.toString('latin1', start, end));
    this.isTimed = true;
    return this.timeMs >= 0 && this.timeMs <= this.receivedMs + futureMsMax;
  }

  private isAccepted(): boolean {
    return this.eventEnd > 0 && (this.userIdEnd > 0 || this.anonymousIdEnd > 0);
  }

  private takeProperties(): boolean {
    if (!this.take(token.openBrace)) return false;
    if (this.take(token.closeBrace)) return true;
    do {
      if (this.propertyCount === plainPropertiesMax || !this.takeProperty()) return false;
    } while (this.take(token.comma));
    return this.take(token.closeBrace);
  }

  private takeProperty(): boolean {
    if (!this.takeStringInto(this.properties) || !this.isPlainKey() || !this.take(token.colon)) return false;
    return this.takeValue(this.properties);
  }

  /** Keys that begin with a digit may be array indexes, which objects put first; a repeated key keeps its first place. */
  private isPlainKey(): boolean {
    const {bytes, keyStarts, keyLengths, propertyCount, stringStart: start} = this;
    const length = this.stringEnd - start;
    if (length > objectKeyCharsMax || isDigit(bytes[start])) return false;
    if (bytes[start] === proto[0] && equals(bytes, start, this.stringEnd, proto)) return false;
    for (let i = 0; i < propertyCount; i++) {
      if (keyLengths[i] === length && areEqual(bytes, keyStarts[i]!, start, length)) return false;
    }
    keyStarts[propertyCount] = start;
    keyLengths[propertyCount] = length;
    this.propertyCount = propertyCount + 1;
    return true;
  }

  private takeValue(properties: ByteWriter): boolean {
    const first = this.peek();
    if (first === quote) {
      properties.u8(valueTag.text);
      return this.takeStringInto(properties);
    }
    // By its first byte: what begins as a number and is none (`-true`) must not go on as a word.
    if (first === minus || isDigit(first)) {
      if (!this.takeNumber()) return false;
      writeNumber(properties, this.number);
      return true;
    }
    if (this.takeWord(words.true)) properties.u8(valueTag.true);
    else if (this.takeWord(words.false)) properties.u8(valueTag.false);
    else if (this.takeWord(words.null)) properties.u8(valueTag.null);
    else return false;
    return true;
  }
}

function areEqual(bytes: Uint8Array, a: number, b: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}

const isVisibleAscii = (byte: number): boolean => byte > 0x20 && byte < 0x80;

/** 1-256 characters: so many bytes hold no more characters; names of more bytes are not plain. */
function isNameLength(bytes: number): boolean {
  return bytes > 0 && bytes <= idCharsMax;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** 0: none of the fields that we know. */
function fieldAt(bytes: Uint8Array, start: number, end: number): number {
  switch (end - start) {
    case 5:
      return equals(bytes, start, end, fieldNames.event) ? field.event : 0;
    case 6:
      return equals(bytes, start, end, fieldNames.userId) ? field.userId : 0;
    case 9:
      if (equals(bytes, start, end, fieldNames.timestamp)) return field.timestamp;
      return equals(bytes, start, end, fieldNames.messageId) ? field.messageId : 0;
    case 10:
      return equals(bytes, start, end, fieldNames.properties) ? field.properties : 0;
    case 11:
      return equals(bytes, start, end, fieldNames.anonymousId) ? field.anonymousId : 0;
    default:
      return 0;
  }
}

const isoChars = '2024-02-29T12:34:56.789Z'.length;

/** Epoch ms of the form that JavaScript's toISOString writes, by far the most frequent one; NaN: not of this form. */
function isoMs(bytes: Uint8Array, start: number, end: number): number {
  if (end - start !== isoChars || !hasIsoMarks(bytes, start)) return Number.NaN;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  const hour = twoDigits(bytes, start + 11);
  const minute = twoDigits(bytes, start + 14);
  const second = twoDigits(bytes, start + 17);
  if (!(month >= 1 && month <= 12 && day >= 1 && hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN;
  if (!(day <= daysInMonth(year, month))) return Number.NaN;
  const millisecond =
    twoDigits(bytes, start + 20) * 10 + (isDigit(bytes[start + 22]) ? bytes[start + 22]! - 0x30 : Number.NaN);
  return daysFromCivil(year, month, day) * dayMs + hour * hourMs + minute * 60_000 + second * 1_000 + millisecond;
}

function hasIsoMarks(bytes: Uint8Array, start: number): boolean {
  return (
    bytes[start + 4] === 0x2d &&
    bytes[start + 7] === 0x2d &&
    bytes[start + 10] === 0x54 &&
    bytes[start + 13] === 0x3a &&
    bytes[start + 16] === 0x3a &&
    bytes[start + 19] === 0x2e &&
    bytes[start + 23] === 0x5a
  );
}

/** NaN unless two ASCII digits stand at `at`. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - 0x30;
  const units = bytes[at + 1]! - 0x30;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : Number.NaN;
}
