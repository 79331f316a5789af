// What is kept of a user: when it was seen, which chunks hold its rows, its traits. No timeline: the rows are that.
//   Kept as sorted runs of blocks by user index (actors/manifest.ts `Run`); the record of a user is its parts in all runs
//   merged, oldest first. An ordinary event adds to the deltas and never loads its user.
//
//   block  = record*                                        (by user index, ascending)
//   record = userStep:varint flags:u8 createdMs:f64 [lastEventMs:f64] [lastIdentifyMs:f64]
//            [traits:string(JSON) overLimit:varint] chunks:varint (chunkStep:varint)*
//     userStep: from the previous user index (the first from 0); chunkStep likewise
//
//   U1. createdMs = min(event times, identify times); lastEventMs, lastIdentifyMs = max: any order of arrival gives the same.
import {ByteReader, ByteWriter} from './codec/bytes.js';
import {assert} from './invariant.js';

/**
 * A block is closed at so many users or bytes, one that is merged up to a quarter later: whoever looks for a user passes over
 * those before it, 40 to 100 us. Smaller blocks are more values, each of which is erased on its own once it is replaced
 * (src/partition/part-sweep.ts).
 */
const userBlockUsers = 8_192;
const userBlockBytes = 256 * 1024;

const flagEvents = 1;
const flagIdentified = 2;
const flagTraits = 4;

export interface Traits {
  readonly json: string;
  readonly overLimit: number;
}

export interface UserRecord {
  readonly user: number;
  readonly createdMs: number;
  /** Undefined without events (without identifies). */
  readonly lastEventMs: number | undefined;
  readonly lastIdentifyMs: number | undefined;
  /** Undefined: this part of the record says nothing of them. */
  readonly traits: Traits | undefined;
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
    traits: newer.traits ?? older.traits,
    chunks: uniteAscending(older.chunks, newer.chunks),
  };
}

function later(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.max(a, b);
}

/** Newer chunks mostly come after all older ones. */
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

  /** The next record belongs into another block. */
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
        (record.traits === undefined ? 0 : flagTraits),
    );
    writer.f64(record.createdMs);
    if (record.lastEventMs !== undefined) writer.f64(record.lastEventMs);
    if (record.lastIdentifyMs !== undefined) writer.f64(record.lastIdentifyMs);
    if (record.traits !== undefined) {
      writer.string(record.traits.json);
      writer.varint(record.traits.overLimit);
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

/** Records of a block in order. */
export class UserBlockReader {
  private readonly reader: ByteReader;
  private user = 0;

  constructor(payload: Uint8Array) {
    this.reader = new ByteReader(payload);
  }

  get restBytes(): number {
    return this.reader.end - this.reader.position;
  }

  next(): UserRecord | undefined {
    if (this.reader.done) return undefined;
    this.user += this.reader.varint();
    return this.record();
  }

  /** The record of a user behind those that were read, if it is there. The others are passed over, not read. */
  find(user: number): UserRecord | undefined {
    while (!this.reader.done && this.user <= user) {
      this.user += this.reader.varint();
      if (this.user === user) return this.record();
      this.skipRecord();
    }
    return undefined;
  }

  private skipRecord(): void {
    const {reader} = this;
    const flags = reader.u8();
    reader.position += 8 + (flags & flagEvents ? 8 : 0) + (flags & flagIdentified ? 8 : 0);
    if (flags & flagTraits) {
      reader.skipString();
      reader.skipVarints(1);
    }
    reader.skipVarints(reader.varint());
  }

  private record(): UserRecord {
    const {reader} = this;
    const flags = reader.u8();
    const createdMs = reader.f64();
    const lastEventMs = flags & flagEvents ? reader.f64() : undefined;
    const lastIdentifyMs = flags & flagIdentified ? reader.f64() : undefined;
    const traits = flags & flagTraits ? {json: reader.string(), overLimit: reader.varint()} : undefined;
    const chunks = new Array<number>(reader.varint());
    let chunk = 0;
    for (let i = 0; i < chunks.length; i++) {
      chunk += reader.varint();
      chunks[i] = chunk;
    }
    return {user: this.user, createdMs, lastEventMs, lastIdentifyMs, traits, chunks};
  }
}

/** The record of one user in a block, if it is there. */
export function findRecord(payload: Uint8Array, user: number): UserRecord | undefined {
  return new UserBlockReader(payload).find(user);
}

/** The same block without one user's record; undefined when nothing is left. */
export function withoutRecord(
  payload: Uint8Array,
  user: number,
): {first: number; last: number; payload: Uint8Array} | undefined {
  const reader = new UserBlockReader(payload);
  const writer = new UserBlockWriter();
  for (let record = reader.next(); record !== undefined; record = reader.next()) {
    if (record.user !== user) writer.add(record);
  }
  return writer.isEmpty ? undefined : writer.finish();
}
