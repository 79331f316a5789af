// Pieces of chunks and cuts: the order of rows, their bodies, records of users, and the open chunk of a start.

import {gunzipSync, gzipSync} from 'node:zlib';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {inOrder} from '../../actors/chunk/chunk.js';
import {NewestRows} from '../../actors/chunk/history.js';
import {timeOrder} from '../../actors/chunk/rows.js';
import {chunkRowsMax} from '../../actors/limits.js';
import {beginMessage, sealMessage, writeEvent} from '../../actors/log/entries.js';
import {MessageCursor} from '../../actors/log/entry-view.js';
import {InternedTable} from '../../actors/table/interned.js';
import {UserDeltas} from '../../actors/user/user-deltas.js';
import type {UserRecord} from '../../actors/user/user-records.js';
import {EventDraft, readEvent} from '../../src/ingest/validate.js';
import {storedBlock, storedMember} from '../../src/parts/stored-member.js';
import {OpenChunk} from '../../test/twins/open-chunk.js';
import {canonical, dayMs, workloadEvents} from '../workload/events.js';
import {type Piece, sumOf, told} from './piece.js';
import type {SomeEvents} from './some-events.js';

const pageRows = 100;
/** Of two minutes of ingestion of the canonical workload. */
const mixedMs = 120_000;

export function chunkPieces({count, times, users}: SomeEvents): Piece[] {
  const mixed = Float64Array.from(times, (_, row) => canonical.startMs + ((row * 7_919) % mixedMs));
  const inChunks =
    (of: Float64Array, order: (times: Float64Array, users: Uint32Array) => Uint16Array): (() => Uint16Array[]) =>
    () => {
      const orders: Uint16Array[] = [];
      for (let at = 0; at < count; at += chunkRowsMax)
        orders.push(order(of.subarray(at, at + chunkRowsMax), users.subarray(at, at + chunkRowsMax)));
      return orders;
    };
  const byComparator = (some: Float64Array): Uint16Array =>
    Uint16Array.from(some.keys()).sort((a, b) => some[a]! - some[b]! || a - b);
  const byTime = (some: Float64Array, of: Uint32Array): Uint16Array => timeOrder(some, of, some.length);
  const deltas = new UserDeltas();
  for (const [row, user] of users.entries()) deltas.addEvent(user, times[row]!, Math.floor(row / chunkRowsMax));
  return [
    {
      quick: 'rows by time: few late ones merged',
      plain: 'rows by time: comparator',
      work: {quick: inChunks(times, byTime), plain: inChunks(times, byComparator)},
      count,
    },
    {
      quick: 'rows in no order, by time: radix sort',
      plain: 'rows in no order, by time: comparator',
      work: {quick: inChunks(mixed, byTime), plain: inChunks(mixed, byComparator)},
      count,
    },
    {
      quick: 'chunks of every user: side by side',
      plain: 'chunks of every user: one by one',
      work: {
        quick: () => chunkSum(deltas.records(new Map())),
        plain: () => chunkSum(Array.from(deltas.usersAscending(), (user) => deltas.record(user, undefined)!)),
      },
      count,
    },
    ...ofOneChunk(Math.min(count, chunkRowsMax)),
  ];
}

/** A page without a filter. */
const newestOf = (offer: (newest: NewestRows) => void) => () => {
  const filter = {user: undefined, name: undefined, fromMs: 0, toMs: Number.POSITIVE_INFINITY, before: undefined};
  const newest = new NewestRows(pageRows, {...filter, ordinalEnd: Number.POSITIVE_INFINITY});
  offer(newest);
  return told(() => newest.rows.map(({ordinal}) => ordinal));
};

function ofOneChunk(count: number): Piece[] {
  const chunk = chunkOf(count);
  const blocks = chunk.blocks();
  const members = blocks.map(storedMember);
  const inflated = (inflate: (member: Uint8Array) => Uint8Array | undefined) => () => {
    const read = members.map((member) => inflate(member)!);
    return told(() => read.map(sumOf));
  };
  const deflated = (deflate: (block: Uint8Array) => Uint8Array) => () => {
    const made = blocks.map(deflate);
    return told(() => made.map((member) => sumOf(gunzipSync(member))));
  };
  return [
    {
      quick: 'bodies of a chunk read: stored members',
      plain: 'bodies of a chunk read: gunzip',
      work: {quick: inflated(storedBlock), plain: inflated((member) => gunzipSync(member))},
      count,
    },
    {
      quick: 'bodies of a chunk written: stored members',
      plain: 'bodies of a chunk written: gzip',
      work: {quick: deflated(storedMember), plain: deflated((block) => gzipSync(block))},
      count,
    },
    {
      quick: 'newest rows of an open chunk: where they stand',
      plain: 'newest rows of an open chunk: sorted',
      work: {
        quick: newestOf((newest) => newest.offerByOrdinal(chunk.rowsNow())),
        plain: newestOf((newest) => newest.offer(inOrder(chunk.columnsView()))),
      },
      count,
    },
  ];
}

function chunkOf(count: number): OpenChunk {
  const [users, names, draft] = [new InternedTable(), new InternedTable(), new EventDraft()];
  const writer = new ByteWriter(64 * 1024);
  beginMessage(writer);
  for (const {json} of workloadEvents({...canonical, eventCount: count})) {
    readEvent(JSON.parse(json), {receivedMs: canonical.startMs + canonical.dayCount * dayMs}, draft);
    writeEvent(writer, draft);
  }
  const cursor = new MessageCursor(sealMessage(writer, new Uint8Array(8), 1, canonical.startMs, count));
  const chunk = new OpenChunk(0, 0);
  while (cursor.next()) {
    const {entry} = cursor;
    const user = users.intern(entry.bytes, entry.keyStart, entry.keyEnd);
    chunk.append(entry, user, names.intern(entry.bytes, entry.textStart, entry.textEnd));
  }
  return chunk;
}

function chunkSum(records: Iterable<UserRecord>): number {
  let sum = 0;
  for (const {user, chunks} of records) for (const chunk of chunks) sum = (Math.imul(sum, 31) + user + chunk) | 0;
  return sum;
}
