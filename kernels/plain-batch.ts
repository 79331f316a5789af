// AssemblyScript: turns the bytes of plain events, one or a batch, into log entries, 16 bytes at a time.
//   Owns: which events are plain, and their entries.
//   K1. The entry of a plain event has the bytes that the parsers (src/ingest/validate.ts) give it (test/ingest).
//   K2. `zeroBytes` zeros follow the body, and no token contains a zero: scans need no check for the end.
//   K3. Copies move whole vectors: they overwrite up to 15 bytes after the target, and every area has room for that.
//   K4. The first `knownKeyCount` keys of the table are those of one event, none of them twice, and they are in this body.

import {copyBytes, vectorBytes} from './shared/copy-bytes';
import {
  flagAnonymousId,
  flagMessageId,
  flagProperties,
  flagTimed,
  headBytes,
  kindEvent,
  payloadHeadBytes,
  tagDouble,
  tagFalse,
  tagInt,
  tagNull,
  tagText,
  tagTrue,
} from './shared/entry-format';
import {murmur3} from './shared/murmur3';

// ---- imports from the host: bounds, and the areas of the memory (src/ingest/batch-kernel.ts) ----

declare const idBytesMax: u32;
declare const messageIdBytesMax: u32;
declare const keyBytesMax: u32;
declare const timestampBytesMax: u32;
declare const eventBytesMax: u32;
declare const batchEventsMax: u32;
declare const plainPropertiesMax: u32;
declare const futureMsMax: f64;
declare const clockAheadMsMin: f64;
declare const safeIntegerMax: f64;
declare const partitionSeed: u32;

declare const bodyAt: usize;
/** Keys of the properties of one event: first eight bytes, start, length. */
declare const keyHeadsAt: usize;
declare const keyStartsAt: usize;
declare const keyLengthsAt: usize;
/** The properties of one event as its entry has them. */
declare const propertiesAt: usize;
/** Entries in the order of the batch: bytes, end (u32), partition (u16). */
declare const entriesAt: usize;
declare const endsAt: usize;
declare const partitionsAt: usize;
/**
 * Columns by partition: number of its first entry (one more is the end), start of its entries, number and address of its next
 * entry.
 */
declare const firstsAt: usize;
declare const startsAt: usize;
declare const nextsAt: usize;
declare const placesAt: usize;
/** Entries grouped by partition: bytes, end (u32), index of the event (u16). */
declare const groupedAt: usize;
declare const groupedEndsAt: usize;
declare const indexesAt: usize;

/** Parses a decimal that is too long for exact arithmetic here. */
declare function decimalOf(start: usize, end: usize): f64;
/** Epoch ms of a timestamp of any form; NaN: no timestamp. */
declare function timestampOf(start: usize, end: usize): f64;

// ---- results ----

const declined: u32 = 0;
const readAll: u32 = 1;
/** The event at `oddAt` is not plain: the host reads it, and calls `resume`. */
const odd: u32 = 2;

const zeroBytes: usize = 64;

let bodyEnd: usize = 0;
let receivedMs: f64 = 0;
let partitionCount: u32 = 0;
let entriesEnd: usize = 0;
let eventCount: u32 = 0;
let aheadCount: u32 = 0;
let eventStart: usize = 0;

export function oddAt(): usize {
  return eventStart;
}
export function entriesEndAt(): usize {
  return entriesEnd;
}
export function count(): u32 {
  return eventCount;
}

/** Plain events whose time is ahead of the receipt by more than `clockAheadMsMin`. */
export function ahead(): u32 {
  return aheadCount;
}

/** Reads a batch, the body of `bodyBytes` at `bodyAt`. */
export function begin(bodyBytes: usize, nowMs: f64, partitions: u32): u32 {
  bodyEnd = bodyAt + bodyBytes;
  memory.fill(bodyEnd, 0, zeroBytes); // K2
  receivedMs = nowMs;
  partitionCount = partitions;
  entriesEnd = entriesAt;
  eventCount = 0;
  aheadCount = 0;
  knownKeyCount = 0;
  let at = takeByte(bodyAt, openBrace);
  if (at == 0) return declined;
  at = takeByte(at, quote);
  if (at == 0 || (load<u64>(at) & 0xff_ffff_ffff_ffff) != 0x22_7374_6e65_7665) return declined; // events"
  at = takeByte(at + 7, colon);
  if (at == 0) return declined;
  at = takeByte(at, openBracket);
  return at == 0 ? declined : takeEvents(at);
}

/** Flag in the result of `readOne`: the host must check that the body is UTF-8. */
const notAscii: i32 = 0x10000;

/** Reads a body that is one event, and writes its entry at `entriesAt`. @returns its partition; -1: it is not plain. */
export function readOne(bodyBytes: usize, nowMs: f64, partitions: u32): i32 {
  bodyEnd = bodyAt + bodyBytes;
  memory.fill(bodyEnd, 0, zeroBytes); // K2
  receivedMs = nowMs;
  aheadCount = 0;
  knownKeyCount = 0;
  const end = takeEvent(skipSpace(bodyAt));
  if (end == 0 || skipSpace(end) != bodyEnd) return -1;
  entriesEnd = writeEntry(entriesAt);
  const partition = <i32>(keyHash(entriesAt) % partitions);
  return isAscii() ? partition : partition | notAscii;
}

function isAscii(): bool {
  let all = i8x16.splat(0);
  for (let at = bodyAt; at < bodyEnd; at += vectorBytes) all = v128.or(all, v128.load(at)); // K2
  return i8x16.bitmask(all) == 0;
}

/** Continues after an odd event, which ends at `at`; its entry of `entryBytes` (0: refused) is at `entriesEndAt`. */
export function resume(at: usize, entryBytes: usize): u32 {
  if (entryBytes > 0) noteEntry(entriesEnd, entriesEnd + entryBytes);
  else noteEntry(0, entriesEnd);
  at = skipSpace(at);
  return load<u8>(at) == comma ? takeEvents(at + 1) : takeTail(at);
}

function takeEvents(at: usize): u32 {
  while (true) {
    if (eventCount == batchEventsMax) return declined;
    eventStart = at;
    at = takeEvent(skipSpace(at));
    if (at == 0) return odd;
    noteEntry(entriesEnd, writeEntry(entriesEnd));
    at = skipSpace(at);
    if (load<u8>(at) != comma) return takeTail(at);
    at += 1;
  }
}

function takeTail(at: usize): u32 {
  at = takeByte(at, closeBracket);
  if (at == 0) return declined;
  at = takeByte(at, closeBrace);
  return at != 0 && skipSpace(at) == bodyEnd ? readAll : declined;
}

/** `start` 0: the event has no entry. */
@inline
function noteEntry(start: usize, end: usize): void {
  store<u32>(endsAt + 4 * eventCount, <u32>end);
  if (start > 0) store<u16>(partitionsAt + 2 * eventCount, <u16>(keyHash(start) % partitionCount));
  entriesEnd = end;
  eventCount += 1;
}

// ---- bytes ----

const quote: u32 = 0x22;
const comma: u32 = 0x2c;
const minus: u32 = 0x2d;
const dot: u32 = 0x2e;
const slash: u32 = 0x2f;
const zero: u32 = 0x30;
const colon: u32 = 0x3a;
const openBracket: u32 = 0x5b;
const closeBracket: u32 = 0x5d;
const openBrace: u32 = 0x7b;
const closeBrace: u32 = 0x7d;

@inline
function skipSpace(at: usize): usize {
  while (true) {
    const byte: u32 = load<u8>(at);
    if (byte > 0x20 || (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09)) return at;
    at += 1;
  }
}

/** Address after `byte`; 0 when another byte comes. */
@inline
function takeByte(at: usize, byte: u32): usize {
  at = skipSpace(at);
  return load<u8>(at) == byte ? at + 1 : 0;
}

/** A bit for each byte that a string cannot copy as it is: quotes, backslashes, control characters, DEL. */
@inline
function marks(bytes: v128): i32 {
  const isQuote = i8x16.eq(bytes, i8x16.splat(0x22));
  const isBackslash = i8x16.eq(bytes, i8x16.splat(0x5c));
  const isDelete = i8x16.eq(bytes, i8x16.splat(0x7f));
  const isControl = i8x16.eq(v128.and(bytes, i8x16.splat(-32)), i8x16.splat(0));
  return i8x16.bitmask(v128.or(v128.or(isQuote, isBackslash), v128.or(isDelete, isControl)));
}

/** Address of the closing quote of the string that begins at `at`; 0 when the string has other than plain bytes. */
@inline
function stringEnd(at: usize): usize {
  while (true) {
    const mask = marks(v128.load(at));
    if (mask != 0) {
      at += ctz(mask);
      return load<u8>(at) == quote ? at : 0;
    }
    at += vectorBytes;
  }
}

/** As `stringEnd`, and copies the bytes to `to`. K3 */
@inline
function copyString(at: usize, to: usize): usize {
  while (true) {
    const bytes = v128.load(at);
    v128.store(to, bytes);
    const mask = marks(bytes);
    if (mask != 0) {
      at += ctz(mask);
      return load<u8>(at) == quote ? at : 0;
    }
    at += vectorBytes;
    to += vectorBytes;
  }
}

@inline
function putVarint(to: usize, value: u32): usize {
  for (; value > 0x7f; value >>>= 7) store<u8>(to++, (value & 0x7f) | 0x80);
  store<u8>(to, value);
  return to + 1;
}

/** Writes the length of a string whose bytes are at `to + 1`; a longer length moves them. @returns the end of the string. */
@inline
function putLength(to: usize, length: usize): usize {
  if (length < 0x80) {
    store<u8>(to, length);
    return to + 1 + length;
  }
  let width: usize = 1;
  for (let rest = length; rest > 0x7f; rest >>>= 7) width += 1;
  memory.copy(to + width, to + 1, length);
  putVarint(to, <u32>length);
  return to + width + length;
}

@inline
function putString(to: usize, from: usize, length: u32): usize {
  return copyBytes(from, length, putVarint(to, length));
}

// ---- one event ----

const fieldEvent: u32 = 1;
const fieldUserId: u32 = 2;
const fieldAnonymousId: u32 = 4;
const fieldMessageId: u32 = 8;
const fieldTimestamp: u32 = 16;
const fieldProperties: u32 = 32;

/** Fields of the newest event. A length of 0: absent. */
let nameStart: usize = 0;
let nameLength: u32 = 0;
let userIdStart: usize = 0;
let userIdLength: u32 = 0;
let anonymousIdStart: usize = 0;
let anonymousIdLength: u32 = 0;
let messageIdStart: usize = 0;
let messageIdLength: u32 = 0;
let timeMs: f64 = 0;
let timedFlag: u32 = 0;
let propertyCount: u32 = 0;
let propertiesEnd: usize = 0;

/** The bit of the field whose name, with its closing quote, is at `at`; 0: an unknown field. */
@inline
function fieldAt(at: usize): u32 {
  const head = load<u64>(at);
  if ((head & 0xffff_ffff_ffff) == 0x22_746e_6576_65) return fieldEvent;
  if ((head & 0xff_ffff_ffff_ffff) == 0x22_6449_7265_7375) return fieldUserId;
  if (head == 0x6d61_7473_656d_6974) return load<u16>(at, 8) == 0x2270 ? fieldTimestamp : 0;
  if (head == 0x6974_7265_706f_7270) return load<u32>(at, 7) == 0x2273_6569 ? fieldProperties : 0;
  if (head == 0x4965_6761_7373_656d) return load<u16>(at, 8) == 0x2264 ? fieldMessageId : 0;
  if (head == 0x756f_6d79_6e6f_6e61) return load<u32>(at, 8) == 0x2264_4973 ? fieldAnonymousId : 0;
  return 0;
}

/** Length of a field's name with its closing quote. */
@inline
function fieldBytes(field: u32): usize {
  if (field == fieldEvent) return 6;
  if (field == fieldUserId) return 7;
  if (field == fieldProperties) return 11;
  return field == fieldAnonymousId ? 12 : 10;
}

/** End of the event that begins at `start`; 0 when it is not plain. */
function takeEvent(start: usize): usize {
  nameLength = 0;
  userIdLength = 0;
  anonymousIdLength = 0;
  messageIdLength = 0;
  timeMs = receivedMs;
  timedFlag = 0;
  propertyCount = 0;
  let seen: u32 = 0;
  if (load<u8>(start) != openBrace) return 0;
  let at = start + 1;
  while (true) {
    at = takeByte(at, quote);
    if (at == 0) return 0;
    const field = fieldAt(at);
    if (field == 0 || (seen & field) != 0) return 0;
    seen |= field;
    at = takeByte(at + fieldBytes(field), colon);
    if (at == 0) return 0;
    at = takeFieldValue(skipSpace(at), field);
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte: u32 = load<u8>(at++);
    if (byte == comma) continue;
    if (byte != closeBrace) return 0;
    const isComplete = nameLength > 0 && (userIdLength > 0 || anonymousIdLength > 0);
    return isComplete && at - start <= eventBytesMax ? at : 0;
  }
}

@inline
function takeFieldValue(at: usize, field: u32): usize {
  const byte: u32 = load<u8>(at);
  if (byte != quote) {
    if (byte == 0x6e) return load<u32>(at) == 0x6c6c_756e ? at + 4 : 0; // null
    return byte == openBrace && field == fieldProperties ? takeProperties(at + 1) : 0;
  }
  const start = at + 1;
  if (field == fieldTimestamp && load<u8>(start, isoBytes) == quote) {
    timeMs = isoMs(start);
    timedFlag = flagTimed;
    if (isTime(timeMs)) return start + isoBytes + 1;
  }
  const end = stringEnd(start);
  return end != 0 && keepString(field, start, <u32>(end - start)) ? end + 1 : 0;
}

@inline
function keepString(field: u32, start: usize, length: u32): bool {
  if (field == fieldTimestamp) return keepTimestamp(start, length);
  if (length == 0) return false;
  if (field == fieldEvent) {
    nameStart = start;
    nameLength = length;
    return length <= idBytesMax;
  }
  if (field == fieldUserId) {
    userIdStart = start;
    userIdLength = length;
    return length <= idBytesMax && !isStrangeId(start, length);
  }
  if (field == fieldAnonymousId) {
    anonymousIdStart = start;
    anonymousIdLength = length;
    return length <= idBytesMax && !isStrangeId(start, length);
  }
  messageIdStart = start;
  messageIdLength = length;
  // An id that begins with white space, of Unicode too, may be blank.
  const first: u32 = load<u8>(start);
  return field == fieldMessageId && length <= messageIdBytesMax && first > 0x20 && first < 0x80;
}

/** Whether the id begins with a slash, or one of its segments with a dot. */
@inline
function isStrangeId(start: usize, length: u32): bool {
  const first: u32 = load<u8>(start);
  if (first == dot || first == slash) return true;
  for (let left = <i32>length - 1; left > 0; left -= <i32>vectorBytes, start += vectorBytes) {
    const isSlash = i8x16.eq(v128.load(start), i8x16.splat(<i8>slash));
    const isDotNext = i8x16.eq(v128.load(start, 1), i8x16.splat(<i8>dot));
    if (<i32>ctz(i8x16.bitmask(v128.and(isSlash, isDotNext))) < left) return true;
  }
  return false;
}

// ---- time ----

const isoBytes: usize = 24;

function isTime(ms: f64): bool {
  return ms >= 0 && ms <= receivedMs + futureMsMax;
}

/** Reads a timestamp of another form than that of `isoMs`. @returns false for one that is refused. */
function keepTimestamp(start: usize, length: u32): bool {
  if (length > timestampBytesMax) return false;
  timeMs = timestampOf(start, start + length);
  timedFlag = flagTimed;
  return isTime(timeMs);
}

/** The date that `isoMs` read last, as text and in ms: events of a batch often share it. */
let knownYearAndMonth: u64 = 0;
let knownDay: u16 = 0;
let knownDayMs: f64 = 0;

/** Reads 2024-02-29T12:34:56.789Z, the form of nearly all clients. NaN: another form, or no time. */
function isoMs(at: usize): f64 {
  // Digits become their value and marks zero; a digit above nine, or a mark that is not zero, is out of place.
  const first = i8x16.sub(v128.load(at), i8x16(48, 48, 48, 48, 45, 48, 48, 45, 48, 48, 84, 48, 48, 58, 48, 48));
  const last = i8x16.sub(v128.load(at, 8), i8x16(48, 48, 84, 48, 48, 58, 48, 48, 58, 48, 48, 46, 48, 48, 48, 90));
  const isFirst = i8x16.le_u(first, i8x16(9, 9, 9, 9, 0, 9, 9, 0, 9, 9, 0, 9, 9, 0, 9, 9));
  const isLast = i8x16.le_u(last, i8x16(9, 9, 0, 9, 9, 0, 9, 9, 0, 9, 9, 0, 9, 9, 9, 0));
  if (!i8x16.all_true(v128.and(isFirst, isLast))) return NaN;
  // Pairs of digits, the seconds and milliseconds from the second vector: YY YY MM DD hh mm ss mm.
  const digits = v128.shuffle<u8>(first, last, 0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 25, 26, 28, 29);
  const tens = v128.and(digits, i16x8.splat(0xff));
  const pairs = i16x8.add(i16x8.mul(tens, i16x8.splat(10)), i16x8.shr_u(digits, 8));
  const hour: u32 = i16x8.extract_lane_u(pairs, 4);
  const minute: u32 = i16x8.extract_lane_u(pairs, 5);
  const second: u32 = i16x8.extract_lane_u(pairs, 6);
  if (hour > 23 || minute > 59 || second > 59) return NaN;
  if ((load<u64>(at) != knownYearAndMonth || load<u16>(at, 8) != knownDay) && !noteDate(at, pairs)) return NaN;
  const millisecond = <u32>i16x8.extract_lane_u(pairs, 7) * 10 + i8x16.extract_lane_u(last, 14);
  return knownDayMs + <f64>((hour * 60 + minute) * 60_000 + second * 1_000 + millisecond);
}

/** Caches the date at `at`, whose pairs of digits are in the first four lanes. @returns false when there is no such date. */
function noteDate(at: usize, pairs: v128): bool {
  const year = <u32>i16x8.extract_lane_u(pairs, 0) * 100 + i16x8.extract_lane_u(pairs, 1);
  const month: u32 = i16x8.extract_lane_u(pairs, 2);
  const day: u32 = i16x8.extract_lane_u(pairs, 3);
  if (year < 1970 || month - 1 > 11 || day - 1 >= daysInMonth(year, month)) return false;
  knownYearAndMonth = load<u64>(at);
  knownDay = load<u16>(at, 8);
  knownDayMs = <f64>daysFromCivil(year, month, day) * 86_400_000;
  return true;
}

function daysInMonth(year: u32, month: u32): u32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/** As in actors/calendar.ts, for years from 1970 on. Dates of both are compared in test/ingest. */
function daysFromCivil(year: u32, month: u32, day: u32): u32 {
  const y = month <= 2 ? year - 1 : year;
  const era = y / 400;
  const yearOfEra = y - era * 400;
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468;
}

// ---- properties ----

/** Reads the properties after their opening brace. @returns their end; 0: not plain. */
function takeProperties(at: usize): usize {
  propertiesEnd = propertiesAt;
  at = skipSpace(at);
  if (load<u8>(at) == closeBrace) return at + 1;
  let to = propertiesAt;
  while (true) {
    at = takeByte(at, quote);
    if (at == 0 || propertyCount == plainPropertiesMax) return 0;
    const known = isKnownKey(at) ? load<u32>(keyLengthsAt + 4 * propertyCount) : 0;
    if (known > 0) {
      store<u8>(to, known);
      v128.store(to, v128.load(at), 1);
      to += known + 1;
      at += known;
      propertyCount += 1;
    } else {
      const keyEnd = copyString(at, to + 1);
      if (keyEnd == 0 || !isNewKey(at, keyEnd - at)) return 0;
      to = putLength(to, keyEnd - at);
      at = keyEnd;
    }
    at = takeByte(at + 1, colon);
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte: u32 = load<u8>(at);
    if (byte == quote) {
      store<u8>(to++, tagText);
      const end = copyString(at + 1, to + 1);
      if (end == 0) return 0;
      to = putLength(to, end - at - 1);
      at = end + 1;
    } else if (byte == minus || byte - zero <= 9) {
      at = takeNumber(at);
      to = putNumber(to);
    } else {
      const tag = wordAt(at);
      if (tag == noWord) return 0;
      store<u8>(to++, tag);
      at += tag == tagFalse ? 5 : 4;
    }
    if (at == 0) return 0;
    at = skipSpace(at);
    const next: u32 = load<u8>(at++);
    if (next == comma) continue;
    propertiesEnd = to;
    return next == closeBrace ? at : 0;
  }
}

/** Number of keys of the previous event that are known. K4 */
let knownKeyCount: u32 = 0;

const noWord: u32 = 0xff;

function wordAt(at: usize): u32 {
  const word = load<u32>(at);
  if (word == 0x6575_7274) return tagTrue;
  if (word == 0x6c6c_756e) return tagNull;
  return word == 0x736c_6166 && load<u8>(at, 4) == 0x65 ? tagFalse : noWord;
}

/**
 * Whether the next key is that of the previous event in this place, as in most batches. Such a key needs no check, and its end
 * is known before it is read, so the processor need not wait for it. K4
 */
@inline
function isKnownKey(at: usize): bool {
  if (propertyCount >= knownKeyCount) return false;
  const same = i8x16.bitmask(i8x16.eq(v128.load(at), v128.load(load<u32>(keyStartsAt + 4 * propertyCount))));
  // The closing quote is compared, too: a key of 16 bytes or more is never known.
  return <u32>ctz(~same) > load<u32>(keyLengthsAt + 4 * propertyCount);
}

/** Notes a key that is short, not an array index, not __proto__, and new in this event. */
@inline
function isNewKey(start: usize, length: usize): bool {
  if (length > keyBytesMax || <u32>load<u8>(start) - zero <= 9) return false;
  let head = load<u64>(start);
  if (length < 8) head &= ((<u64>1) << (8 * <u64>length)) - 1;
  if (length == 9 && head == 0x5f6f_746f_7270_5f5f && load<u8>(start, 8) == 0x5f) return false;
  for (let i: usize = 0; i < propertyCount; i++) {
    if (load<u64>(keyHeadsAt + 8 * i) != head || <usize>load<u32>(keyLengthsAt + 4 * i) != length) continue;
    if (memory.compare(load<u32>(keyStartsAt + 4 * i), start, length) == 0) return false;
  }
  store<u64>(keyHeadsAt + 8 * propertyCount, head);
  store<u32>(keyStartsAt + 4 * propertyCount, <u32>start);
  store<u32>(keyLengthsAt + 4 * propertyCount, <u32>length);
  propertyCount += 1;
  knownKeyCount = propertyCount;
  return true;
}

// ---- numbers ----

/** An integer of 15 digits, and each power of ten up to 10^15, is exact in a double: one division rounds right. */
const exactDigitsMax: u32 = 15;
/** Some integers of 16 digits are exact in a double. */
const safeDigitsMax: u32 = 16;

/** The number that `takeNumber` read last. */
let number: f64 = 0;

/** Reads the number, without an exponent, that begins at `at`. @returns its end; 0: not plain. */
function takeNumber(at: usize): usize {
  const start = at;
  const isNegative = load<u8>(at) == minus;
  if (isNegative) at += 1;
  const integerStart = at;
  let digits: u64 = 0;
  let digit: u32 = <u32>load<u8>(at) - zero;
  const isZero = digit == 0;
  for (; digit <= 9; digit = <u32>load<u8>(++at) - zero) digits = digits * 10 + digit;
  let digitCount = <u32>(at - integerStart);
  if (digitCount == 0 || (isZero && digitCount > 1)) return 0;
  let divisor: f64 = 1;
  const isLong = digitCount > exactDigitsMax;
  // A double may change a larger number (src/ingest/inexact-numbers.ts).
  if (load<u8>(at) != dot) {
    if (isLong && (digitCount > safeDigitsMax || <f64>digits > safeIntegerMax)) return 0;
  } else {
    if (isLong) return 0;
    const fractionStart = ++at;
    for (digit = <u32>load<u8>(at) - zero; digit <= 9; digit = <u32>load<u8>(++at) - zero) {
      digits = digits * 10 + digit;
      divisor *= 10;
    }
    if (at == fractionStart) return 0;
    digitCount += <u32>(at - fractionStart);
  }
  if ((load<u8>(at) | 0x20) == 0x65) return 0; // An exponent.
  if (digitCount <= exactDigitsMax || divisor == 1) number = <f64>digits / divisor;
  else {
    number = decimalOf(integerStart, at);
    if (number == Infinity) return 0;
  }
  if (isNegative) number = -number;
  return at;
}

function putNumber(to: usize): usize {
  const integer = <i32>number;
  if (<f64>integer == number && (integer != 0 || reinterpret<u64>(number) == 0)) {
    store<u8>(to, tagInt);
    return putVarint(to + 1, <u32>((integer << 1) ^ (integer >> 31)));
  }
  store<u8>(to, tagDouble);
  store<f64>(to + 1, number);
  return to + 9;
}

// ---- entries ----

const userKeyOffset: usize = headBytes + payloadHeadBytes;

/** Appends the entry of the newest event. @returns its end. */
@inline
function writeEntry(start: usize): usize {
  const hasUserId = userIdLength > 0;
  const hasBoth = hasUserId && anonymousIdLength > 0;
  let flags = timedFlag;
  if (messageIdLength > 0) flags |= flagMessageId;
  if (hasBoth) flags |= flagAnonymousId;
  if (propertyCount > 0) flags |= flagProperties;
  if (timeMs > receivedMs + clockAheadMsMin) aheadCount += 1;
  store<u8>(start, kindEvent);
  store<u8>(start, flags, 5);
  store<f64>(start, timeMs, 6);
  store<f64>(start, receivedMs, 14);
  // The copy starts at the id's opening quote, which the kind byte overwrites.
  const idLength = hasUserId ? userIdLength : anonymousIdLength;
  let to = putString(start + userKeyOffset, (hasUserId ? userIdStart : anonymousIdStart) - 1, idLength + 1);
  store<u8>(to - idLength - 1, hasUserId ? 0x75 : 0x61);
  to = putString(to, nameStart, nameLength);
  if (messageIdLength > 0) to = putString(to, messageIdStart, messageIdLength);
  if (hasBoth) to = putString(to, anonymousIdStart, anonymousIdLength);
  if (propertyCount > 0) to = copyBytes(propertiesAt, propertiesEnd - propertiesAt, putVarint(to, propertyCount));
  store<u32>(start + 1, <u32>(to - start - headBytes));
  return to;
}

/** Hash of the user key of the entry at `start`. */
function keyHash(start: usize): u32 {
  let at = start + userKeyOffset;
  let length: u32 = load<u8>(at++);
  if (length > 0x7f) length = (length & 0x7f) | (<u32>load<u8>(at++) << 7);
  return murmur3(at, length, partitionSeed);
}

/**
 * Groups the entries by partition, in their order: those of partition p are the grouped entries from `firsts[p]` to
 * `firsts[p + 1]`, and begin at `starts[p]`.
 */
export function group(): void {
  memory.fill(firstsAt, 0, 4 * (partitionCount + 1));
  memory.fill(placesAt, 0, 4 * partitionCount);
  let start = <u32>entriesAt;
  for (let index: u32 = 0; index < eventCount; index++) {
    const end = load<u32>(endsAt + 4 * index);
    if (end != start) measureEntry(load<u16>(partitionsAt + 2 * index), end - start);
    start = end;
  }
  placeRuns();
  start = <u32>entriesAt;
  for (let index: u32 = 0; index < eventCount; index++) {
    const end = load<u32>(endsAt + 4 * index);
    if (end != start) moveEntry(load<u16>(partitionsAt + 2 * index), index, start, end - start);
    start = end;
  }
}

/** Counts an entry and its bytes for `placeRuns`. */
@inline
function measureEntry(partition: u32, length: u32): void {
  const count = firstsAt + 4 * (partition + 1);
  store<u32>(count, load<u32>(count) + 1);
  const bytes = placesAt + 4 * partition;
  store<u32>(bytes, load<u32>(bytes) + length);
}

function placeRuns(): void {
  let first: u32 = 0;
  let place = <u32>groupedAt;
  for (let partition: u32 = 0; partition < partitionCount; partition++) {
    const bytes = load<u32>(placesAt + 4 * partition);
    store<u32>(startsAt + 4 * partition, place);
    store<u32>(placesAt + 4 * partition, place);
    store<u32>(nextsAt + 4 * partition, first);
    first += load<u32>(firstsAt + 4 * (partition + 1));
    store<u32>(firstsAt + 4 * (partition + 1), first);
    place += bytes + <u32>vectorBytes; // K3
  }
}

@inline
function moveEntry(partition: u32, index: u32, from: usize, length: usize): void {
  const place = placesAt + 4 * partition;
  const next = nextsAt + 4 * partition;
  const at = load<u32>(next);
  const end = copyBytes(from, length, load<u32>(place));
  store<u32>(place, <u32>end);
  store<u32>(next, at + 1);
  store<u32>(groupedEndsAt + 4 * at, <u32>end);
  store<u16>(indexesAt + 2 * at, <u16>index);
}
