// The record of a user: when it was seen, the chunks of its rows, its traits. It has no timeline: that is in the rows.
//   Stored as sorted runs of blocks by user index (actors/manifest.ts `Run`). A user's record is its records in all runs
//   merged, oldest first. An ordinary event changes the deltas and never loads its user.
//
//   block  = record*                                        (by user index, ascending)
//   record = userStep:varint flags:u8 createdMs:f64 [lastEventMs:f64] [firstIdentifyMs:f64 lastIdentifyMs:f64]
//            [traits:string(JSON) times keys overLimit:varint] [ids:varint (day:u32 fingerprint:3*u32)*]
//            chunks:varint (chunkStep:varint)*
//     times: when each trait was set = count:varint [firstMs:f64 (msStep: zigzag varint)*]
//     keys: a bit for each trait, the lowest first, in whole bytes: a secret key set it last
//     ids: fingerprints of the identifies' message ids, which no row has
//     userStep: from the previous user index (the first from 0); chunkStep, msStep likewise
//
//   U1. createdMs = min(event times, identify times); lastEventMs, lastIdentifyMs = max: the order of arrival does not matter.
//       firstIdentifyMs = min(identify times): createdMs without some of the events follows from it.
//   U2. A record keeps the identify ids that its partition remembers, at most the newest `identifyIdsMax`: an erasure turns
//       them into tombstones (actors/partition.ts), like ids in rows.
import {ByteReader, ByteWriter, bytesOf} from '../bytes/bytes.js';
import {fingerprintWords} from '../dedupe/fingerprints.js';
import {assert} from '../invariant.js';
import {dayMs, dedupeMs} from '../limits.js';

/**
 * Bounds of a block; a merged block may exceed them by a quarter. A look-up skips the users before the wanted one, 40 to 100
 * us. Smaller blocks are more values, each of which is erased by itself once it is replaced
 * (src/partition/snapshot/part-sweep.ts).
 */
const userBlockUsers = 8_192;
const userBlockBytes = 256 * 1024;

const flagEvents = 1;
const flagIdentified = 2;
const flagTraits = 4;
const flagIdentifyIds = 8;

/** More than one every twelve minutes of the days for which ids are remembered. U2 */
const identifyIdsMax = 1_024;
/** Words of a logical day and a fingerprint. */
export const datedWords = 1 + fingerprintWords;

export interface Traits {
  readonly json: string;
  /** Time at which each trait was set, epoch ms. */
  readonly setMs: readonly number[];
  /** Whether a secret key set each trait last. */
  readonly isSecret: readonly boolean[];
  readonly overLimit: number;
}

export interface UserRecord {
  readonly user: number;
  readonly createdMs: number;
  /** Undefined without events, or without identifies. */
  readonly lastEventMs: number | undefined;
  readonly lastIdentifyMs: number | undefined;
  /** Absent: `lastIdentifyMs`. */
  readonly firstIdentifyMs?: number | undefined;
  /** Undefined: this record does not change the traits. */
  readonly traits: Traits | undefined;
  /** Fingerprints of identifies' message ids, `datedWords` each, the newest last. U2 */
  readonly identifyIds: Uint32Array;
  /** Chunks that may hold rows of the user, ascending. */
  readonly chunks: readonly number[];
}

export function mergeRecords(older: UserRecord, newer: UserRecord): UserRecord {
  assert(older.user === newer.user, 'records of one user are merged');
  return {
    user: older.user,
    createdMs: Math.min(older.createdMs, newer.createdMs),
    lastEventMs: later(older.lastEventMs, newer.lastEventMs),
    lastIdentifyMs: later(older.lastIdentifyMs, newer.lastIdentifyMs),
    firstIdentifyMs: earlier(firstIdentifyOf(older), firstIdentifyOf(newer)),
    traits: newer.traits ?? older.traits,
    identifyIds: rememberedIds(older.identifyIds, newer.identifyIds),
    chunks: uniteAscending(older.chunks, newer.chunks),
  };
}

export const noIds = new Uint32Array(0);

/** The fingerprints of a record's ids. */
export function identifyIds({identifyIds: ids}: UserRecord): Uint32Array[] {
  return Array.from({length: ids.length / datedWords}, (_, i) =>
    ids.subarray(i * datedWords + 1, (i + 1) * datedWords),
  );
}

/** Ids of both lists that are still remembered. U2 */
export function rememberedIds(older: Uint32Array, newer: Uint32Array): Uint32Array {
  if (newer.length === 0) return older;
  const both = new Uint32Array(older.length + newer.length);
  both.set(older);
  both.set(newer, older.length);
  const fromDay = both[both.length - datedWords] - dedupeMs / dayMs;
  let first = Math.max(0, both.length - identifyIdsMax * datedWords);
  while (both[first] < fromDay) first += datedWords;
  return both.subarray(first);
}

export const firstIdentifyOf = ({firstIdentifyMs, lastIdentifyMs}: UserRecord): number | undefined =>
  firstIdentifyMs ?? lastIdentifyMs;

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

function later(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.max(a, b);
}

/** Fast path: newer chunks mostly come after all older ones. */
function uniteAscending(older: readonly number[], newer: readonly number[]): readonly number[] {
  if (newer.length === 0) return older;
  if (older.length === 0) return newer;
  if (older[older.length - 1] < newer[0]) return [...older, ...newer];
  return [...new Set([...older, ...newer])].sort((a, b) => a - b);
}

export class UserBlockWriter {
  private readonly writer = new ByteWriter(64 * 1024);
  private users = 0;
  first = 0;
  last = 0;

  get isEmpty(): boolean {
    return this.users === 0;
  }

  get bytes(): number {
    return this.writer.position;
  }

  /** Whether the next record belongs in another block. */
  get isFull(): boolean {
    return this.users >= userBlockUsers || this.writer.position >= userBlockBytes;
  }

  add(record: UserRecord): void {
    const {writer} = this;
    if (this.isEmpty) this.first = record.user;
    writer.varint(this.isEmpty ? record.user : record.user - this.last);
    this.last = record.user;
    this.users += 1;
    writer.u8(
      (record.lastEventMs === undefined ? 0 : flagEvents) |
        (record.lastIdentifyMs === undefined ? 0 : flagIdentified) |
        (record.traits === undefined ? 0 : flagTraits) |
        (record.identifyIds.length === 0 ? 0 : flagIdentifyIds),
    );
    writer.f64(record.createdMs);
    if (record.lastEventMs !== undefined) writer.f64(record.lastEventMs);
    if (record.lastIdentifyMs !== undefined) {
      writer.f64(record.firstIdentifyMs ?? record.lastIdentifyMs);
      writer.f64(record.lastIdentifyMs);
    }
    if (record.traits !== undefined) {
      writer.string(record.traits.json);
      writeTimes(writer, record.traits.setMs);
      writeBits(writer, record.traits.isSecret);
      writer.varint(record.traits.overLimit);
    }
    if (record.identifyIds.length > 0) {
      writer.varint(record.identifyIds.length / datedWords);
      writer.raw(bytesOf(record.identifyIds));
    }
    writer.varint(record.chunks.length);
    let previous = 0;
    for (const chunk of record.chunks) {
      writer.varint(chunk - previous);
      previous = chunk;
    }
  }

  finish(): {first: number; last: number; payload: Uint8Array} {
    const block = {first: this.first, last: this.last, payload: this.writer.finish()};
    this.writer.position = 0;
    this.users = 0;
    return block;
  }
}

/** Where a record is in its block. */
interface PassedRecord {
  readonly user: number;
  readonly start: number;
  /** Start of what follows the step from the user before. */
  readonly bodyStart: number;
}

/** Reads the records of a block in order. */
export class UserBlockReader {
  private readonly reader: ByteReader;
  private user = 0;
  /** Whether the next record's user was read, but not the record. */
  private isAtRecord = false;

  constructor(payload: Uint8Array) {
    this.reader = new ByteReader(payload);
  }

  get restBytes(): number {
    return this.reader.end - this.reader.position;
  }

  next(): UserRecord | undefined {
    return this.nextUser() ? this.record() : undefined;
  }

  /**
   * The record of a user after those that were read; undefined if the block has none. Records before it are skipped, not
   * decoded.
   */
  find(user: number): UserRecord | undefined {
    while (this.nextUser()) {
      if (this.user === user) return this.record();
      if (this.user > user) return undefined;
      this.skipRecord();
    }
    return undefined;
  }

  /** Passes the next record without decoding it; undefined after the last. */
  pass(): PassedRecord | undefined {
    const start = this.reader.position;
    if (!this.nextUser()) return undefined;
    const bodyStart = this.reader.position;
    this.skipRecord();
    return {user: this.user, start, bodyStart};
  }

  /** Moves to the next record; false after the last. */
  private nextUser(): boolean {
    if (this.isAtRecord) return true;
    if (this.reader.done) return false;
    this.user += this.reader.varint();
    this.isAtRecord = true;
    return true;
  }

  private skipRecord(): void {
    const {reader} = this;
    this.isAtRecord = false;
    const flags = reader.u8();
    reader.position += 8 + (flags & flagEvents ? 8 : 0) + (flags & flagIdentified ? 16 : 0);
    if (flags & flagTraits) {
      reader.skipString();
      reader.skip(bitBytes(skipTimes(reader)));
      reader.skipVarints(1);
    }
    if (flags & flagIdentifyIds) reader.skip(reader.varint() * datedWords * 4);
    reader.skipVarints(reader.varint());
  }

  private record(): UserRecord {
    const {reader} = this;
    this.isAtRecord = false;
    const flags = reader.u8();
    const createdMs = reader.f64();
    const lastEventMs = flags & flagEvents ? reader.f64() : undefined;
    const firstIdentifyMs = flags & flagIdentified ? reader.f64() : undefined;
    const lastIdentifyMs = flags & flagIdentified ? reader.f64() : undefined;
    const traits = flags & flagTraits ? readTraits(reader) : undefined;
    const identifyIds = flags & flagIdentifyIds ? readIds(reader) : noIds;
    const chunks = new Array<number>(reader.varint());
    let chunk = 0;
    for (let i = 0; i < chunks.length; i++) {
      chunk += reader.varint();
      chunks[i] = chunk;
    }
    return {user: this.user, createdMs, lastEventMs, lastIdentifyMs, firstIdentifyMs, traits, identifyIds, chunks};
  }
}

function readTraits(reader: ByteReader): Traits {
  const json = reader.string();
  const setMs = readTimes(reader);
  return {json, setMs, isSecret: readBits(reader, setMs.length), overLimit: reader.varint()};
}

function readIds(reader: ByteReader): Uint32Array {
  return new Uint32Array(new Uint8Array(reader.raw(reader.varint() * datedWords * 4)).buffer); // Copies: `slice` of a Buffer would not.
}

/** Writes the times of traits. Most are set together: each but the first takes a byte. */
function writeTimes(writer: ByteWriter, times: readonly number[]): void {
  writer.varint(times.length);
  times.forEach((timeMs, i) => {
    if (i === 0) writer.f64(timeMs);
    else writer.varint(zigzag(timeMs - times[i - 1]));
  });
}

function readTimes(reader: ByteReader): number[] {
  const times = new Array<number>(reader.varint());
  for (let i = 0; i < times.length; i++) times[i] = i === 0 ? reader.f64() : times[i - 1] + unzigzag(reader.varint());
  return times;
}

/** @returns how many times there were. */
function skipTimes(reader: ByteReader): number {
  const count = reader.varint();
  if (count === 0) return 0;
  reader.skip(8);
  reader.skipVarints(count - 1);
  return count;
}

const bitBytes = (count: number): number => Math.ceil(count / 8);

function writeBits(writer: ByteWriter, bits: readonly boolean[]): void {
  for (let first = 0; first < bits.length; first += 8)
    writer.u8(bits.slice(first, first + 8).reduce((byte, bit, at) => (bit ? byte | (1 << at) : byte), 0));
}

function readBits(reader: ByteReader, count: number): boolean[] {
  const bytes = reader.raw(bitBytes(count));
  return Array.from({length: count}, (_, at) => ((bytes[at >> 3] >> (at & 7)) & 1) === 1);
}

/** Zigzag encoding of integers of up to 52 bits. */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

/** The record of one user in a block, if it is there. */
export function findRecord(payload: Uint8Array, user: number): UserRecord | undefined {
  return new UserBlockReader(payload).find(user);
}

/**
 * The block without the records of these users; undefined when nothing is left. The others are copied, not decoded: that would
 * take 10 ms for a full block.
 */
export function withoutRecords(
  payload: Uint8Array,
  users: readonly number[],
): {first: number; last: number; payload: Uint8Array} | undefined {
  const gone = new Set(users);
  const reader = new UserBlockReader(payload);
  const writer = new ByteWriter(payload.length);
  let first: number | undefined;
  let last = 0;
  /** Start of the bytes that are copied next; undefined behind a record that is left out. */
  let from: number | undefined;
  for (let record = reader.pass(); record !== undefined; record = reader.pass()) {
    const {user, start, bodyStart} = record;
    if (gone.has(user)) {
      if (from !== undefined) writer.raw(payload, from, start);
      from = undefined;
      continue;
    }
    if (from === undefined) {
      writer.varint(user - last);
      from = bodyStart;
    }
    first ??= user;
    last = user;
  }
  if (from !== undefined) writer.raw(payload, from, payload.length);
  return first === undefined ? undefined : {first, last, payload: writer.finish()};
}
