// AssemblyScript: turns ordinary event entries of a log message into rows of the open chunk, many in one call.
//   Owns: the rows of one chunk (columns, dictionary, bodies) while it is open, and a cache of recent users: a hit costs two
//   cache lines instead of a lookup in the host's table.
//   Does not own: who the users are, nor what windows and records gain from rows. That is the host's
//   (actors/chunk/kernel-chunk.ts), which also copies a chunk out when it closes.
//   test/twins/open-chunk.ts makes the same rows, codes and bodies one by one: tests compare both. D1 and D2 are in
//   actors/chunk/event-rows.ts, B1 in actors/chunk/bodies.ts.
//   E1. `take` stops before an entry that is not ordinary: another kind, a message id (which may be a duplicate), an unknown
//       name, or a time before that from which on events are kept. The host handles that entry, and calls `append` for its row.
//   E2. Reads, compares and copies take 16 bytes at a time: every area has a margin for that.
//   E3. `begin` overwrites the previous chunk: codes that no row sets are 0, and no area holds bytes of an erased user.

import {copyBytes, vectorBytes} from './shared/copy-bytes';
import {
  codeInBody,
  flagAnonymousId,
  flagApart,
  flagCorrected,
  flagMessageId,
  flagProperties,
  flagSecret,
  flagTimed,
  flagWhole,
  headBytes,
  keyInBody,
  kindEvent,
  payloadHeadBytes,
  tagDouble,
  tagInt,
  tagJson,
  tagText,
} from './shared/entry-format';
import {murmur3} from './shared/murmur3';

// ---- imports from the host: bounds, and the areas of the memory (src/partition/row-kernel.ts) ----

declare const chunkRowsMax: u32;
declare const chunkBodyBytesMax: u32;
declare const bodyBlockRows: u32;
declare const chunkColumnsMax: u32;
declare const chunkCodesMax: u32;
declare const dictionaryValueBytesMax: u32;
declare const dictionaryBytesMax: u32;
declare const entryPairsMax: u32;
declare const distinctSampleMin: u32;
declare const distinctShare: f64;
declare const codesReserved: u32;
declare const receivedBaseStepMs: f64;
declare const receivedDeltaMax: f64;
declare const predictedShapes: u32;
declare const runRowsMax: u32;
declare const keyBytesMax: u32;
/** Bytes of a key with its length, and a margin. E2 */
declare const keyStride: usize;
/** Sets of the cache of users: a power of two. */
declare const knownUserSets: u32;
declare const knownUserBytesMax: u32;
declare const knownNamesMax: u32;
declare const knownNameBytesMax: u32;
/** First codes and first shapes by hash: powers of two. */
declare const codeSlots: u32;
declare const shapeSlots: u32;
declare const tableSeed: u32;

/** Columns of the rows. The host fills in the users that the cache misses. */
declare const timesAt: usize;
declare const usersAt: usize;
declare const namesAt: usize;
/** Columns of u16, one after the other. */
declare const codesAt: usize;
/** By column: key with its length, in `keyStride` bytes; the length of both; values and codes so far, and D1's decision. */
declare const keysAt: usize;
declare const keyLengthsAt: usize;
declare const valueCountsAt: usize;
declare const codeCountsAt: usize;
declare const distinctAt: usize;
/** Values by code: bytes, their offsets (u32), column (u8), hash (u32), and the next code of the same slot (u16). */
declare const dictionaryAt: usize;
declare const offsetsAt: usize;
declare const codeColumnsAt: usize;
declare const hashesAt: usize;
declare const nextCodesAt: usize;
/** First code by hash (u16). */
declare const codeSlotsAt: usize;
/** Shapes: columns (u8), their offsets (u32), and the fields of a shape (`shapeFieldBytes`). */
declare const shapeColumnsAt: usize;
declare const shapeOffsetsAt: usize;
declare const shapeFieldsAt: usize;
/** Shape + 1 by hash, and by name (u32). */
declare const shapeSlotsAt: usize;
declare const shapeOfNameAt: usize;
/** Bodies of all blocks, one after the other; fields of a block (`blockBytes`); shapes of the blocks (u16), in order. */
declare const bodiesAt: usize;
declare const blocksAt: usize;
declare const blockShapesAt: usize;
/** Of the row that is being appended: its columns (u8), and the spans that its body copies (start and end, u32). */
declare const rowColumnsAt: usize;
declare const spansAt: usize;
/** Rows of a run whose users the cache misses: number in the run; start, length and hash of the key (u32). */
declare const missedRowsAt: usize;
declare const userStartsAt: usize;
declare const userLengthsAt: usize;
declare const userHashesAt: usize;
/** Cache of recent users: tags (u16) and next way (u8) by set, and the users of a set, `userBytes` each. */
declare const userTagsAt: usize;
declare const nextWaysAt: usize;
declare const knownUsersAt: usize;
/** Event names: bytes, `knownNameBytesMax` each; length and index (u32); place + 1 by hash (u16). */
declare const nameBytesAt: usize;
declare const nameLengthsAt: usize;
declare const nameIndexesAt: usize;
declare const nameSlotsAt: usize;

/** Flags that a body keeps. */
const flagsKept =
  flagMessageId | flagAnonymousId | flagProperties | flagTimed | flagCorrected | flagSecret | flagApart;
const none: u32 = 0xffff_ffff;
/** Index of each byte of a vector. */
const placesOfBytes: v128 = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

// ---- the chunk ----

let rowCount: u32 = 0;
let bodyByteCount: u32 = 0;
let columnCount: u32 = 0;
let codeCount: u32 = 0;
let dictionaryEnd: u32 = 0;
let shapeCount: u32 = 0;
let shapeColumnsEnd: u32 = 0;
let bodiesEnd: usize = 0;
let blockShapesCount: u32 = 0;
/** Number of the block that is being filled, its rows, and the base of its received times. */
let block: u32 = 0;
let blockRows: u32 = 0;
let receivedBase: f64 = 0;
let hasKeysInBody: bool = false;

export function rows(): u32 {
  return rowCount;
}
export function bodyBytes(): u32 {
  return bodyByteCount;
}
export function columns(): u32 {
  return columnCount;
}
export function codes(): u32 {
  return codeCount;
}
export function bodiesEndAt(): usize {
  return bodiesEnd;
}
export function blockShapes(): u32 {
  return blockShapesCount;
}
export function keysInBody(): bool {
  return hasKeysInBody;
}

/** Begins a chunk. E3 */
export function begin(): void {
  for (let column: u32 = 0; column < columnCount; column++) {
    memory.fill(codesAt + 2 * chunkRowsMax * column, 0, 2 * rowCount);
    memory.fill(keysAt + keyStride * column, 0, keyStride);
  }
  memory.fill(valueCountsAt, 0, 4 * chunkColumnsMax);
  memory.fill(codeCountsAt, 0, 4 * chunkColumnsMax);
  memory.fill(distinctAt, 0, chunkColumnsMax);
  memory.fill(dictionaryAt, 0, <usize>dictionaryEnd + vectorBytes);
  memory.fill(codeSlotsAt, 0, 2 * codeSlots);
  memory.fill(shapeSlotsAt, 0, 4 * shapeSlots);
  memory.fill(shapeOfNameAt, 0, 4 * predictedShapes);
  if (bodiesEnd > 0) memory.fill(bodiesAt, 0, bodiesEnd - bodiesAt + vectorBytes);
  store<u64>(offsetsAt, 0);
  rowCount = 0;
  bodyByteCount = 0;
  columnCount = 0;
  codeCount = 0;
  dictionaryEnd = 0;
  shapeCount = 0;
  shapeColumnsEnd = 0;
  store<u32>(shapeOffsetsAt, 0);
  bodiesEnd = bodiesAt;
  blockShapesCount = 0;
  block = 0;
  blockRows = 0;
  hasKeysInBody = false;
}

// ---- entries ----

/** End of the newest run's last entry. */
let stoppedAt: usize = 0;
/** The fields of an entry exceed it: the log is damaged. */
let hasBrokenEntry: bool = false;

export function stoppedBefore(): usize {
  return stoppedAt;
}
export function isBroken(): bool {
  return hasBrokenEntry;
}

/** Time from which on events are kept, epoch ms. */
let keptFromMs: f64 = 0;

export function keepFrom(fromMs: f64): void {
  keptFromMs = fromMs;
}

/** Appends rows of at most `entryCount` entries from `at`, while they are ordinary and whole. @returns their number. */
export function take(at: usize, end: usize, entryCount: u32): u32 {
  const room = chunkRowsMax - rowCount;
  const takenMax = min(min(entryCount, runRowsMax), room);
  let taken: u32 = 0;
  hasBrokenEntry = false;
  for (; taken < takenMax && bodyByteCount < chunkBodyBytesMax; taken++) {
    if (at + headBytes > end || load<u8>(at) != kindEvent) break;
    const payload = at + headBytes;
    const length = load<u32>(at, 1);
    if (length > <u32>(end - payload) || (load<u8>(payload) & flagMessageId) != 0) break;
    if (load<f64>(payload, 1) < keptFromMs) break;
    const payloadEnd = payload + length;
    let place = payload + payloadHeadBytes;
    const userLength = takeLength(place);
    const userStart = takenAt;
    place = userStart + userLength;
    const nameLength = takeLength(place);
    const name = knownName(takenAt, nameLength);
    if (name == none) break;
    store<u32>(userStartsAt + 4 * taken, <u32>userStart);
    store<u32>(userLengthsAt + 4 * taken, userLength);
    if (!addRow(payload, payloadEnd, takenAt + nameLength, name)) break;
    at = payloadEnd;
  }
  stoppedAt = at;
  findUsers(taken);
  return taken;
}

/** Appends the row of any event. */
export function append(payload: usize, payloadEnd: usize, name: u32): void {
  hasBrokenEntry = false;
  let at = payload + payloadHeadBytes;
  const userLength = takeLength(at);
  at = takenAt + userLength;
  const nameLength = takeLength(at);
  addRow(payload, payloadEnd, takenAt + nameLength, name);
}

/** Address after the length that `takeLength` read. */
let takenAt: usize = 0;

@inline
function takeLength(at: usize): u32 {
  let byte: u32 = load<u8>(at++);
  let length = byte & 0x7f;
  for (let shift: u32 = 7; byte > 0x7f && shift < 32; shift += 7) {
    byte = load<u8>(at++);
    length |= (byte & 0x7f) << shift;
  }
  takenAt = at;
  return length;
}

@inline
function isSame(a: usize, b: usize, length: u32): bool {
  for (; length > <u32>vectorBytes; length -= <u32>vectorBytes, a += vectorBytes, b += vectorBytes) {
    if (!i8x16.all_true(i8x16.eq(v128.load(a), v128.load(b)))) return false;
  }
  return <u32>ctz(~i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b)))) >= length;
}

/** Mixes the bytes; `length` is at least 1. Used in tables of this memory alone. */
@inline
function mix(seed: u32, at: usize, length: u32): u32 {
  let hash = (<u64>seed * 0x9e37_79b9_7f4a_7c15) ^ length;
  for (; length > 8; length -= 8, at += 8) {
    hash = (hash ^ load<u64>(at)) * 0xff51_afd7_ed55_8ccd;
    hash ^= hash >>> 32;
  }
  const last = load<u64>(at) & (~(<u64>0) >>> (64 - 8 * <u64>length));
  hash = (hash ^ last) * 0xff51_afd7_ed55_8ccd;
  return <u32>(hash >>> 32) ^ <u32>(hash >>> 50); // The last byte reaches the upper bits alone.
}

// ---- users ----

/**
 * A cached user is one cache line: index (u32), length of the key (u32; 0: an empty way), and the key, padded with zeros. A set
 * has eight ways, told apart by 16 bits of the key's hash: one vector compare finds the line to read.
 */
const userBytes: u32 = 64;
const userLengthField: usize = 4;
const userKeyField: usize = 8;
const waysOfSet: u32 = 8;

/** Rows of the newest run whose users the cache misses. */
let missedCount: u32 = 0;

export function missedUsers(): u32 {
  return missedCount;
}

/** The `length` bytes at `at`, at most 16, padded with zeros. */
@inline
function upTo16(at: usize, length: i32): v128 {
  return v128.and(v128.load(at), i8x16.lt_s(placesOfBytes, i8x16.splat(<i8>min(length, 16))));
}

/** Hashes a user's key: the low bits are its set, the high 16 its tag. */
@inline
function mixUser(at: usize, length: u32): u32 {
  let hash: u64 = length;
  for (let left = <i32>length; left > 0; left -= <i32>vectorBytes, at += vectorBytes) {
    const bytes = upTo16(at, left);
    hash = (hash ^ i64x2.extract_lane(bytes, 0)) * 0x9e37_79b9_7f4a_7c15;
    hash = (rotl(hash, 29) ^ i64x2.extract_lane(bytes, 1)) * 0xff51_afd7_ed55_8ccd;
  }
  return rotl<u32>(<u32>(hash >>> 32), 12); // The last byte reaches the upper bits alone: they become the set.
}

/** A bit for each way of the set whose tag is the hash's. */
@inline
function waysLike(hash: u32): u32 {
  const tags = v128.load(userTagsAt + 2 * waysOfSet * (hash & (knownUserSets - 1)));
  return i16x8.bitmask(i16x8.eq(tags, i16x8.splat(<i16>(hash >>> 16))));
}

@inline
function userPlace(hash: u32, way: u32): usize {
  return knownUsersAt + userBytes * (waysOfSet * (hash & (knownUserSets - 1)) + way);
}

/** Index of the user, or `none`. */
@inline
function knownUser(at: usize, length: u32, hash: u32): u32 {
  for (let ways = waysLike(hash); ways != 0; ways &= ways - 1) {
    const place = userPlace(hash, ctz(ways));
    if (load<u32>(place, userLengthField) == length && isSame(place + userKeyField, at, length)) return load<u32>(place);
  }
  return none;
}

/**
 * Writes the users of the newest rows. Users come in random order, so most of their lines are in no near cache. A branch-free
 * loop prefetches the first way with a matching tag, or the last way; its reads overlap, and the lookups after it do not wait.
 */
function findUsers(taken: u32): void {
  const to = usersAt + 4 * (rowCount - taken);
  missedCount = 0;
  for (let row: u32 = 0; row < taken; row++) {
    const length = load<u32>(userLengthsAt + 4 * row);
    store<u32>(userHashesAt + 4 * row, length - 1 < knownUserBytesMax ? mixUser(load<u32>(userStartsAt + 4 * row), length) : 0);
  }
  let read: u32 = 0;
  for (let row: u32 = 0; row < taken; row++) {
    const hash = load<u32>(userHashesAt + 4 * row);
    read ^= load<u32>(userPlace(hash, ctz(waysLike(hash) | lastWay)));
  }
  store<u32>(missedRowsAt, read); // Sink for the prefetched values: without a use the compiler drops the loads.
  for (let row: u32 = 0; row < taken; row++) {
    const at = load<u32>(userStartsAt + 4 * row);
    const length = load<u32>(userLengthsAt + 4 * row);
    const user = length - 1 < knownUserBytesMax ? knownUser(at, length, load<u32>(userHashesAt + 4 * row)) : none;
    store<u32>(to + 4 * row, user);
    if (user == none) missUser(row, at, length);
  }
}

/** Sentinel bit: an empty match mask yields way 7, so the prefetch loop has no branch. */
const lastWay: u32 = 0x80;

/** Lists a row whose user the cache misses. Overwrites the run's scratch in place: the list never passes the row. */
@inline
function missUser(row: u32, at: usize, length: u32): void {
  const place = 4 * missedCount++;
  store<u32>(missedRowsAt + place, row);
  store<u32>(userStartsAt + place, <u32>at);
  store<u32>(userLengthsAt + place, length);
  store<u32>(userHashesAt + place, murmur3(at, length, tableSeed));
}

/** Caches the users that the newest run missed. The host has filled them in from row `first` of the chunk on. */
export function learnUsers(first: u32): void {
  for (let place: usize = 0; place < 4 * missedCount; place += 4) {
    const at = load<u32>(userStartsAt + place);
    const length = load<u32>(userLengthsAt + place);
    if (length - 1 >= knownUserBytesMax) continue;
    const hash = mixUser(at, length);
    // A user that missed twice is cached already.
    if (knownUser(at, length, hash) == none)
      learnUser(at, length, hash, load<u32>(usersAt + 4 * (first + load<u32>(missedRowsAt + place))));
  }
}

/** Evicts the oldest way of the set (FIFO). */
@inline
function learnUser(at: usize, length: u32, hash: u32, user: u32): void {
  const set = hash & (knownUserSets - 1);
  const way: u32 = load<u8>(nextWaysAt + set);
  store<u8>(nextWaysAt + set, (way + 1) % waysOfSet);
  store<u16>(userTagsAt + 2 * (waysOfSet * set + way), <u16>(hash >>> 16));
  const place = userPlace(hash, way);
  store<u32>(place, user);
  store<u32>(place, length, userLengthField);
  memory.fill(place + userKeyField, 0, <usize>userBytes - userKeyField);
  memory.copy(place + userKeyField, at, length);
}

export function forgetUsers(): void {
  memory.fill(userTagsAt, 0, 2 * waysOfSet * knownUserSets);
  memory.fill(nextWaysAt, 0, knownUserSets);
  memory.fill(knownUsersAt, 0, userBytes * waysOfSet * knownUserSets);
}

// ---- event names ----

let nameCount: u32 = 0;

@inline
function nameSlots(): u32 {
  return 2 * knownNamesMax;
}

/** Index of the name, or `none`. */
@inline
function knownName(at: usize, length: u32): u32 {
  if (length - 1 >= knownNameBytesMax) return none;
  const mask = nameSlots() - 1;
  let slot = mix(0, at, length) & mask;
  let place: u32 = load<u16>(nameSlotsAt + 2 * slot);
  while (place != 0 && !isName(place - 1, at, length)) {
    slot = (slot + 1) & mask;
    place = load<u16>(nameSlotsAt + 2 * slot);
  }
  return place == 0 ? none : load<u32>(nameIndexesAt + 4 * (place - 1));
}

@inline
function isName(place: u32, at: usize, length: u32): bool {
  return load<u32>(nameLengthsAt + 4 * place) == length && isSame(nameBytesAt + knownNameBytesMax * place, at, length);
}

/** Caches the name at `at`, unless it is long. A full table forgets all names first. */
export function learnName(at: usize, length: u32, index: u32): void {
  if (length - 1 >= knownNameBytesMax || knownName(at, length) != none) return;
  if (nameCount == knownNamesMax) forgetNames();
  const place = nameCount++;
  memory.copy(nameBytesAt + knownNameBytesMax * place, at, length);
  store<u32>(nameLengthsAt + 4 * place, length);
  store<u32>(nameIndexesAt + 4 * place, index);
  const mask = nameSlots() - 1;
  let slot = mix(0, at, length) & mask;
  while (load<u16>(nameSlotsAt + 2 * slot) != 0) slot = (slot + 1) & mask;
  store<u16>(nameSlotsAt + 2 * slot, place + 1);
}

export function forgetNames(): void {
  memory.fill(nameBytesAt, 0, knownNameBytesMax * nameCount);
  memory.fill(nameSlotsAt, 0, 2 * nameSlots());
  nameCount = 0;
}

// ---- one row ----

let spanCount: u32 = 0;
/** Shape of the row, or `none`. */
let rowShape: u32 = none;

/** Appends a row. `at`: the end of the name. False, and no row, when the entry is broken. */
@inline
function addRow(payload: usize, end: usize, at: usize, name: u32): bool {
  const flags: u32 = load<u8>(payload);
  const fieldsAt = at;
  if ((flags & flagMessageId) != 0) at = skipString(at);
  if ((flags & flagAnonymousId) != 0) at = skipString(at);
  const fieldsEnd = at;
  spanCount = 0;
  rowShape = none;
  if ((flags & flagProperties) != 0) {
    at = addProperties(at, end, name);
  }
  if (at == 0 || at > end) {
    hasBrokenEntry = true;
    return false;
  }
  store<f64>(timesAt + 8 * rowCount, load<f64>(payload, 1));
  store<u32>(namesAt + 4 * rowCount, name);
  addBody(payload, end, flags & flagsKept, fieldsAt, fieldsEnd);
  rowCount += 1;
  blockRows += 1;
  if (blockRows == bodyBlockRows) endBlock();
  return true;
}

@inline
function skipString(at: usize): usize {
  const length = takeLength(at);
  return takenAt + length;
}

// ---- properties ----

/** Adds the properties that begin at `at`. @returns their end, or 0 when they are broken. */
function addProperties(at: usize, end: usize, name: u32): usize {
  const count = takeLength(at);
  at = takenAt;
  if (count > entryPairsMax) return 0;
  const predicted = load<u32>(shapeOfNameAt + 4 * (name % predictedShapes)) - 1;
  let predictedAt: usize = 0;
  if (predicted != none && shapeLength(predicted) == count) predictedAt = shapeStart(predicted);
  let isPredicted = predictedAt > 0;
  for (let i: u32 = 0; i < count; i++) {
    const pair = at;
    let column: u32 = isPredicted ? load<u8>(predictedAt + i) : keyInBody;
    if (column != keyInBody && isKey(column, at)) {
      at += load<u32>(keyLengthsAt + 4 * column);
    } else {
      const length = takeLength(at);
      at = takenAt + length;
      if (length > keyBytesMax || at > end) return 0;
      column = columnOf(pair, <u32>(at - pair));
      if (isPredicted && column != load<u8>(predictedAt + i)) isPredicted = false;
    }
    store<u8>(rowColumnsAt + i, column);
    const value = at;
    const tag: u32 = load<u8>(value);
    at = valueEnd(value, tag);
    if (at > end) return 0;
    if (column == keyInBody) {
      hasKeysInBody = true;
      addSpan(pair, at);
      continue;
    }
    const code = tag == tagJson ? codeInBody : codeOf(column, value, <u32>(at - value));
    if (code == codeInBody) addSpan(value, at);
    store<u16>(codesAt + 2 * (chunkRowsMax * column + rowCount), code);
  }
  if (isPredicted) rowShape = predicted;
  else {
    rowShape = shapeOf(count);
    store<u32>(shapeOfNameAt + 4 * (name % predictedShapes), rowShape + 1);
  }
  return at;
}

@inline
function valueEnd(at: usize, tag: u32): usize {
  at += 1;
  if (tag < tagInt) return at;
  if (tag >= tagText) return skipString(at);
  if (tag == tagDouble) return at + 8;
  while (load<u8>(at) > 0x7f) at += 1;
  return at + 1;
}

@inline
function addSpan(start: usize, end: usize): void {
  store<u32>(spansAt + 8 * spanCount, <u32>start);
  store<u32>(spansAt + 8 * spanCount, <u32>end, 4);
  spanCount += 1;
}

// ---- columns ----

@inline
function isKey(column: u32, at: usize): bool {
  return isSame(keysAt + keyStride * column, at, load<u32>(keyLengthsAt + 4 * column));
}

/** Column of the key at `at`, which has `bytes` bytes with its length; `keyInBody` when all columns are taken. */
function columnOf(at: usize, bytes: u32): u32 {
  for (let column: u32 = 0; column < columnCount; column++) {
    if (load<u32>(keyLengthsAt + 4 * column) == bytes && isKey(column, at)) return column;
  }
  if (columnCount == chunkColumnsMax) return keyInBody;
  const column = columnCount++;
  memory.copy(keysAt + keyStride * column, at, bytes);
  store<u32>(keyLengthsAt + 4 * column, bytes);
  return column;
}

// ---- values ----

/** Code of the value, a new one if it is new and there is room; otherwise `codeInBody`. */
@inline
function codeOf(column: u32, at: usize, length: u32): u32 {
  if (length > dictionaryValueBytesMax) return codeInBody;
  const isDistinct = load<u8>(distinctAt + column) != 0;
  const code = isDistinct ? ownCode(column, at, length) : sharedCode(column, at, length);
  if (code != codeInBody) increment(valueCountsAt + 4 * column);
  return code;
}

@inline
function increment(at: usize): void {
  store<u32>(at, load<u32>(at) + 1);
}

/** A new code for each value. D1 */
@inline
function ownCode(column: u32, at: usize, length: u32): u32 {
  if (codeCount >= chunkCodesMax - codesReserved || dictionaryEnd + length > dictionaryBytesMax) return codeInBody;
  return addCode(column, at, length);
}

function sharedCode(column: u32, at: usize, length: u32): u32 {
  const hash = mix(column + 1, at, length);
  const slot = codeSlotsAt + 2 * (hash & (codeSlots - 1));
  const first: u32 = load<u16>(slot);
  for (let code = first; code != 0; code = load<u16>(nextCodesAt + 2 * code)) {
    if (load<u32>(hashesAt + 4 * code) != hash || load<u8>(codeColumnsAt + code) != column) continue;
    const start = load<u32>(offsetsAt + 4 * code);
    if (load<u32>(offsetsAt + 4 * code, 4) - start == length && isSame(dictionaryAt + start, at, length)) return code;
  }
  if (codeCount == chunkCodesMax || dictionaryEnd + length > dictionaryBytesMax) return codeInBody;
  const code = addCode(column, at, length);
  store<u32>(hashesAt + 4 * code, hash);
  store<u16>(nextCodesAt + 2 * code, first);
  store<u16>(slot, code);
  return code;
}

@inline
function addCode(column: u32, at: usize, length: u32): u32 {
  const code = ++codeCount;
  copyBytes(at, length, dictionaryAt + dictionaryEnd);
  dictionaryEnd += length;
  store<u32>(offsetsAt + 4 * code, dictionaryEnd, 4);
  store<u8>(codeColumnsAt + code, column);
  increment(codeCountsAt + 4 * column);
  return code;
}

// ---- shapes ----

/** Fields of a shape: next shape + 1 of its slot, whether it is whole, block + 1, number in the block (u32 each). */
const shapeFieldBytes: usize = 16;
const wholeField: usize = 4;
const blockField: usize = 8;
const numberField: usize = 12;

@inline
function shapeStart(shape: u32): usize {
  return shapeColumnsAt + load<u32>(shapeOffsetsAt + 4 * shape);
}

@inline
function shapeLength(shape: u32): u32 {
  return load<u32>(shapeOffsetsAt + 4 * shape, 4) - load<u32>(shapeOffsetsAt + 4 * shape);
}

/** The shape of the row's `count` columns. */
function shapeOf(count: u32): u32 {
  const hash = count == 0 ? 0 : mix(count, rowColumnsAt, count);
  const slot = shapeSlotsAt + 4 * (hash & (shapeSlots - 1));
  for (let next = load<u32>(slot); next != 0; next = load<u32>(shapeFieldsAt + shapeFieldBytes * (next - 1))) {
    if (shapeLength(next - 1) == count && isSame(shapeStart(next - 1), rowColumnsAt, count)) return next - 1;
  }
  const shape = shapeCount++;
  memory.copy(shapeColumnsAt + shapeColumnsEnd, rowColumnsAt, count);
  shapeColumnsEnd += count;
  store<u32>(shapeOffsetsAt + 4 * shape, shapeColumnsEnd, 4);
  const fields = shapeFieldsAt + shapeFieldBytes * shape;
  store<u32>(fields, load<u32>(slot));
  store<u32>(fields, isWhole(count) ? 1 : 0, wholeField);
  store<u32>(fields, 0, blockField);
  store<u32>(slot, shape + 1);
  return shape;
}

/** Whether a property occurs twice: a column has one value for each row, so the body keeps the whole entry. */
function isWhole(count: u32): bool {
  let seen: u64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const column: u32 = load<u8>(rowColumnsAt + i);
    if (column == keyInBody) continue;
    if ((seen >>> column) & 1) return true;
    seen |= (<u64>1) << column;
  }
  return false;
}

/** Number of the shape in the block that is being filled. */
@inline
function shapeNumber(shape: u32): u32 {
  const fields = shapeFieldsAt + shapeFieldBytes * shape;
  if (load<u32>(fields, blockField) != block + 1) {
    store<u32>(fields, block + 1, blockField);
    store<u32>(fields, blockShapesCount - load<u32>(blocksAt + blockBytes * block, blockShapesField), numberField);
    store<u16>(blockShapesAt + 2 * blockShapesCount, shape);
    blockShapesCount += 1;
  }
  return load<u32>(fields, numberField);
}

// ---- bodies ----

/** Fields of a block: base of received times (f64), start of its bodies (u32), first of its shapes (u32). */
const blockBytes: usize = 16;
const blockBodiesField: usize = 8;
const blockShapesField: usize = 12;

@inline
function beginBlock(receivedMs: f64): void {
  receivedBase = floor(receivedMs / receivedBaseStepMs) * receivedBaseStepMs;
  const at = blocksAt + blockBytes * block;
  store<f64>(at, receivedBase);
  store<u32>(at, <u32>bodiesEnd, blockBodiesField);
  store<u32>(at, blockShapesCount, blockShapesField);
}

/** Decides for each column whether its values are distinct. D1, D2 */
function endBlock(): void {
  block += 1;
  blockRows = 0;
  for (let column: u32 = 0; column < columnCount; column++) {
    const values = load<u32>(valueCountsAt + 4 * column);
    const codes = load<u32>(codeCountsAt + 4 * column);
    if (values >= distinctSampleMin && <f64>codes > <f64>values * distinctShare) store<u8>(distinctAt + column, 1);
  }
}

/** `fieldsAt` to `fieldsEnd`: message id and anonymous id as the entry has them. B1 */
@inline
function addBody(payload: usize, end: usize, flags: u32, fieldsAt: usize, fieldsEnd: usize): void {
  const receivedMs = load<f64>(payload, 9);
  if (blockRows == 0) beginBlock(receivedMs);
  const delta = receivedMs - receivedBase;
  // Room for a length of one byte, which most bodies have.
  const start = bodiesEnd;
  let to = start + 1;
  const isWholeShape = rowShape != none && load<u32>(shapeFieldsAt + shapeFieldBytes * rowShape, wholeField) != 0;
  if (isWholeShape || floor(delta) != delta || abs(delta) > receivedDeltaMax) {
    store<u8>(to, flagWhole);
    to = copyBytes(payload, end - payload, to + 1);
  } else {
    store<u8>(to, flags);
    to = putVarint(to + 1, <u64>(delta < 0 ? -delta * 2 - 1 : delta * 2));
    if (rowShape != none) to = putVarint(to, shapeNumber(rowShape));
    if (fieldsEnd > fieldsAt) to = copyBytes(fieldsAt, fieldsEnd - fieldsAt, to);
    for (let i: u32 = 0; i < spanCount; i++) {
      const from = load<u32>(spansAt + 8 * i);
      to = copyBytes(from, load<u32>(spansAt + 8 * i, 4) - from, to);
    }
  }
  const length = <u32>(to - start - 1);
  bodyByteCount += length;
  if (length > 0x7f) {
    let width: usize = 1;
    for (let rest = length; rest > 0x7f; rest >>>= 7) width += 1;
    memory.copy(start + width, start + 1, length);
    putVarint(start, length);
    to += width - 1;
  } else store<u8>(start, length);
  bodiesEnd = to;
}

@inline
function putVarint(to: usize, value: u64): usize {
  for (; value > 0x7f; value >>>= 7) store<u8>(to++, <u32>(value & 0x7f) | 0x80);
  store<u8>(to, <u32>value);
  return to + 1;
}
