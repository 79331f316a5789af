// Bodies of rows: the payload bytes of their log entries, `bodyBlockRows` rows to a block, blocks compressed one by one.
//
//   block (uncompressed) = (length:varint payload)*        one a row; length 0 = erased
//   bodies part = blocks:u32 (end:u32)*blocks gzip-member*  `end`: where the member ends, from the first member's start
//
// Compression is the shell's: the core knows uncompressed blocks only. Members are gzip, so that anybody can check a disk.

import {isoText} from './calendar.js';
import {ByteReader, ByteWriter} from './codec/bytes.js';
import {EntryView, entryKind, propertiesJson} from './codec/entries.js';
import {bodyBlockRows} from './limits.js';

/** Where one row's payload lies in its uncompressed block. */
export function findBody(block: Uint8Array, row: number): {start: number; end: number} | undefined {
  const reader = new ByteReader(block);
  for (let skipped = row % bodyBlockRows; skipped > 0; skipped--) reader.skipString();
  const start = reader.skipString();
  return start === reader.position ? undefined : {start, end: reader.position};
}

/** The entry of one row; undefined when it was erased. */
export function readBody(block: Uint8Array, row: number): EntryView | undefined {
  const place = findBody(block, row);
  if (place === undefined) return undefined;
  const entry = new EntryView(block);
  entry.movePayload(entryKind.event, place.start, place.end);
  return entry;
}

/** The same block with the bodies of some rows (numbers within the block) left out. */
export function withoutBodies(block: Uint8Array, rows: ReadonlySet<number>): Uint8Array {
  const reader = new ByteReader(block);
  const writer = new ByteWriter(block.length);
  for (let row = 0; !reader.done; row++) {
    const start = reader.skipString();
    const end = rows.has(row) ? start : reader.position;
    writer.varint(end - start);
    writer.raw(block, start, end);
  }
  return writer.finish();
}

/** JSON text of an event as GET /v1/events shows it (API.md). */
export function eventJson(entry: EntryView, partition: number, ordinal: number): string {
  const key = entry.userKey();
  const id = JSON.stringify(key.slice(1));
  const isUser = key.startsWith('u');
  const anonymousId = isUser ? (entry.anonymousIdEnd > 0 ? JSON.stringify(entry.anonymousId()) : 'null') : id;
  return (
    `{"id":"${partition}-${ordinal}","event":${JSON.stringify(entry.text())},"userId":${isUser ? id : 'null'}` +
    `,"anonymousId":${anonymousId},"properties":${propertiesJson(entry.bytes, entry.propertiesStart)}` +
    `,"timestamp":"${isoText(entry.timeMs)}","received_at":"${isoText(entry.receivedMs)}"` +
    (entry.hasMessageId ? `,"messageId":${JSON.stringify(entry.messageId())}}` : '}')
  );
}

export interface BodiesLayout {
  /** Byte ranges of the members within the part. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** How long the head of a bodies part is, from its first bytes. */
export const bodiesHeadBytes = (part: Uint8Array): number => 4 + new ByteReader(part).u32() * 4;

/** `part`: its head is enough. */
export function bodiesLayout(part: Uint8Array): BodiesLayout {
  const reader = new ByteReader(part);
  const blocks = reader.u32();
  const first = 4 + blocks * 4;
  const starts = new Uint32Array(blocks);
  const ends = new Uint32Array(blocks);
  let start = first;
  for (let i = 0; i < blocks; i++) {
    starts[i] = start;
    start = ends[i] = first + reader.u32();
  }
  return {starts, ends};
}

/** Joins compressed members into a bodies part. */
export function joinBodies(members: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const head = 4 + members.length * 4;
  const total = members.reduce((sum, member) => sum + member.length, 0);
  const part = new Uint8Array(head + total);
  const ends = new DataView(part.buffer);
  ends.setUint32(0, members.length, true);
  let at = 0;
  members.forEach((member, i) => {
    part.set(member, head + at);
    at += member.length;
    ends.setUint32(4 + i * 4, at, true);
  });
  return part;
}
