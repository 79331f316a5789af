// Bodies of rows: the fields of an event that no column holds. Columns and body together give the entry's exact bytes, so a
// reader gets each event as the log had it.
//
//   bodies part = version << 24 | blocks:u32 (end:u32)*blocks gzip-member*
//                                          `end`: where the member ends, from the first member's start
//   block (uncompressed), `bodyBlockRows` rows but in the last one
//         = receivedBase:f64 shapes:varint shape* (length:varint body)*      one body a row; length 0 = erased
//   shape = properties:varint (column:u8)*         which columns an event's properties are in, in its own order
//   body  = flags:u8 receivedMs - receivedBase: zigzag varint
//           [shape:varint] [messageId:string] [anonymousId:string] (in-body value | in-body key and value)*
//         | `whole` payload                        for what the fields above cannot tell
//
//   B1. A property with a value code in its column (property-columns.ts PC1) is not in the body. The body holds the value of an
//       `inBody` property, and key and value of a property without a column (PC2, `keyInBody` in the shape), in the shape's
//       order.
//   B2. A block needs only itself and the columns. Shapes name columns and nothing else, so a shape that only an erased row
//       used reveals nothing of it.
//
// The shell compresses; the core sees uncompressed blocks only. Members are gzip, so that standard tools can check a disk.

import {ByteReader, ByteWriter} from '../bytes/bytes.js';
import {assert} from '../invariant.js';
import {bodyBlockRows, chunkColumnsMax} from '../limits.js';
import {entryKind, eventFlag} from '../log/entries.js';
import {EntryView, PropertyCursor} from '../log/entry-view.js';
import type {InternedTable} from '../table/interned.js';
import {codeAbsent, type WholeRows} from './property-columns.js';

const bodiesVersion = 2;
/** Flag of a body, beside the entry's flags: the entry's whole payload follows. */
export const flagWhole = 8;
/** Column number in a shape for a property without a column. B1 */
export const keyInBody = 0xff;
assert(chunkColumnsMax < keyInBody, 'a shape names every column in one byte');
/** Coarse step, so that the base reveals the first row's time no more precisely than the others'. */
export const receivedBaseStepMs = 65_536;
/** A delta beyond this, or a fractional one, makes the body a `whole` one. */
export const receivedDeltaMax = 2 ** 40;

/** The chunk's columns that a body is decoded with. */
export type RowColumns = Omit<WholeRows, 'order'>;

// ---- writing ----

/** The pieces of one block. */
export interface BlockPieces {
  readonly receivedBase: number;
  readonly shapes: readonly Uint8Array[];
  /** Bodies, each as length:varint body. */
  readonly bodies: Uint8Array;
}

/** Encodes blocks into one buffer: a chunk has 64, and the garbage collector pays per buffer more than per byte. */
export function encodeBlocks(blocks: readonly BlockPieces[]): Uint8Array<ArrayBuffer>[] {
  const writer = new ByteWriter(blocks.reduce((sum, block) => sum + bytesMaxOf(block), 0));
  const ends = blocks.map((block) => {
    writeBlock(writer, block);
    return writer.position;
  });
  return ends.map((end, i) => writer.bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
}

const bytesMaxOf = ({shapes, bodies}: BlockPieces): number =>
  shapes.reduce((sum, columns) => sum + columns.length + 2, 24) + bodies.length;

function writeBlock(writer: ByteWriter, {receivedBase, shapes, bodies}: BlockPieces): void {
  writer.f64(receivedBase);
  writer.varint(shapes.length);
  for (const columns of shapes) {
    writer.varint(columns.length);
    writer.raw(columns);
  }
  writer.raw(bodies);
}

// ---- reading ----

interface BlockHead {
  readonly receivedBase: number;
  /** Start of each shape: its length. */
  readonly shapeStarts: readonly number[];
  readonly bodiesStart: number;
}

function readHead(block: Uint8Array): BlockHead {
  const reader = new ByteReader(block);
  const receivedBase = reader.f64();
  const shapeStarts: number[] = new Array(reader.varint());
  for (let i = 0; i < shapeStarts.length; i++) {
    shapeStarts[i] = reader.position;
    reader.skipString();
  }
  return {receivedBase, shapeStarts, bodiesStart: reader.position};
}

function shapeAt(block: Uint8Array, start: number): Uint8Array {
  const reader = new ByteReader(block, start);
  return reader.raw(reader.varint());
}

/** Interned keys (users or names) by index; a reader of few rows may have loaded only those it needs. */
export type WrittenKeys = Pick<InternedTable, 'has' | 'write'>;

/** Reader of one block with its chunk's columns. Rows are numbered within the chunk; ascending reads are cheapest. */
export class BodyBlock {
  readonly columns: RowColumns;
  private readonly block: Uint8Array;
  private readonly head: BlockHead;
  private readonly shapes: Uint8Array[] = [];
  private readonly reader: ByteReader;
  /** Row whose body begins at the reader's position. */
  private next = 0;
  private lazyScratch: ByteWriter | undefined;
  private scratchEntry: EntryView | undefined;

  constructor(block: Uint8Array, columns: RowColumns) {
    this.block = block;
    this.columns = columns;
    this.head = readHead(block);
    this.reader = new ByteReader(block, this.head.bodiesStart);
  }

  /** Created for the first row that needs it: texts of events need none. */
  private get scratch(): ByteWriter {
    return (this.lazyScratch ??= new ByteWriter(1_024));
  }

  /** Base of the bodies' received times, epoch ms. */
  get receivedBase(): number {
    return this.head.receivedBase;
  }

  /** A reader at the body of one row; undefined when the row was erased. */
  body(row: number, users: Pick<WrittenKeys, 'has'>): ByteReader | undefined {
    const user = this.columns.users[row];
    const place = this.seek(row);
    if (place === undefined || user === this.columns.noUser || !users.has(user)) return undefined;
    return new ByteReader(this.block, place.start, place.end);
  }

  /** The received time in a body, epoch ms. `reader` is behind the flags. */
  receivedMs(reader: ByteReader): number {
    return this.head.receivedBase + readZigzag(reader);
  }

  /** Columns of a shape. Made when a row needs it: a reader of one late row needs one of many. */
  shape(number: number): Uint8Array {
    return (this.shapes[number] ??= shapeAt(this.block, this.head.shapeStarts[number]));
  }

  /** The entry of one row, valid until the next call; undefined when it was erased. */
  entry(row: number, users: WrittenKeys, names: Pick<WrittenKeys, 'write'>): EntryView | undefined {
    const reader = this.body(row, users);
    if (reader === undefined) return undefined;
    const flags = reader.u8();
    if (flags === flagWhole) return this.whole(reader);
    const {scratch} = this;
    scratch.position = 0;
    scratch.u8(flags);
    scratch.f64(this.columns.timeBase + this.columns.times[row]);
    scratch.f64(this.receivedMs(reader));
    const shape = flags & eventFlag.properties ? this.shape(reader.varint()) : undefined;
    users.write(scratch, this.columns.users[row]);
    names.write(scratch, this.columns.names[row]);
    if (flags & eventFlag.messageId) copyString(reader, scratch);
    if (flags & eventFlag.anonymousId) copyString(reader, scratch);
    if (shape !== undefined) this.writeProperties(row, shape, reader);
    if (this.scratchEntry?.bytes !== scratch.bytes) this.scratchEntry = new EntryView(scratch.bytes);
    this.scratchEntry.movePayload(entryKind.event, 0, scratch.position);
    return this.scratchEntry;
  }

  /** A cursor at the properties of a live row, valid until the next call. */
  properties(row: number): PropertyCursor {
    const place = this.seek(row);
    assert(place !== undefined, 'a live row has a body: manifest.ts P7');
    const reader = new ByteReader(this.block, place.start, place.end);
    const flags = reader.u8();
    if (flags === flagWhole) {
      const entry = this.whole(reader);
      const cursor = new PropertyCursor(entry.bytes);
      cursor.open(entry.propertiesStart);
      return cursor;
    }
    const {scratch} = this;
    scratch.position = 0;
    readZigzag(reader);
    const shape = flags & eventFlag.properties ? this.shape(reader.varint()) : new Uint8Array(0);
    if (flags & eventFlag.messageId) reader.skipString();
    if (flags & eventFlag.anonymousId) reader.skipString();
    // Padding: a properties position of 0 would mean no properties.
    scratch.u8(0);
    this.writeProperties(row, shape, reader);
    const cursor = new PropertyCursor(scratch.bytes);
    cursor.open(1);
    return cursor;
  }

  /** The entry of a `whole` body. `reader` is behind the flags. */
  whole(reader: ByteReader): EntryView {
    const entry = new EntryView(this.block);
    entry.movePayload(entryKind.event, reader.position, reader.end);
    return entry;
  }

  /** Writes the properties of a row. `reader` is at the body's share of them. B1 */
  private writeProperties(row: number, shape: Uint8Array, reader: ByteReader): void {
    const {scratch, columns} = this;
    scratch.varint(shape.length);
    for (const column of shape) {
      if (column === keyInBody) {
        copyString(reader, scratch);
        copyValue(reader, scratch);
        continue;
      }
      const {key, codes, inBody, values} = columns.columns[column];
      scratch.stringBytes(key, 0, key.length);
      const code = codes[row];
      assert(code !== codeAbsent, 'bodies: the columns of a shape have a code in its rows');
      if (code === inBody) copyValue(reader, scratch);
      else values.write(code, scratch);
    }
  }

  /** Byte range of a row's body in the block; undefined for an erased row. */
  private seek(row: number): {readonly start: number; readonly end: number} | undefined {
    const {reader} = this;
    const place = row % bodyBlockRows;
    if (place < this.next) {
      this.next = 0;
      reader.position = this.head.bodiesStart;
    }
    for (; this.next < place; this.next++) reader.skipString();
    const start = reader.skipString();
    this.next += 1;
    return start === reader.position ? undefined : {start, end: reader.position};
  }
}

function readZigzag(reader: ByteReader): number {
  const zigzag = reader.varint();
  return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
}

function copyString(reader: ByteReader, writer: ByteWriter): void {
  const start = reader.skipString();
  writer.stringBytes(reader.bytes, start, reader.position);
}

function copyValue(reader: ByteReader, writer: ByteWriter): void {
  const start = reader.position;
  PropertyCursor.skipValue(reader);
  writer.raw(reader.bytes, start, reader.position);
}

// ---- erasing ----

/** A copy of the block without the bodies of these rows (numbers within the block). B2 */
export function withoutBodies(block: Uint8Array, rows: ReadonlySet<number>): Uint8Array {
  const {bodiesStart} = readHead(block);
  const reader = new ByteReader(block, bodiesStart);
  const writer = new ByteWriter(block.length);
  writer.raw(block, 0, bodiesStart);
  for (let row = 0; !reader.done; row++) {
    const start = reader.skipString();
    const end = rows.has(row) ? start : reader.position;
    writer.varint(end - start);
    writer.raw(block, start, end);
  }
  return writer.finish();
}

// ---- parts ----

export interface BodiesLayout {
  /** Byte ranges of the members within the part. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Reads the part's head and returns its number of blocks. */
function readPartHead(reader: ByteReader): number {
  const head = reader.u32();
  const version = head >>> 24;
  assert(version === bodiesVersion, `bodies: part version ${version} is unknown to this program`);
  return head & 0xffffff;
}

/** Bytes of a bodies part's head, from its first bytes. */
export const bodiesHeadBytes = (part: Uint8Array): number => 4 + readPartHead(new ByteReader(part)) * 4;

/** Byte ranges of the members. `part` may be the head alone. */
export function bodiesLayout(part: Uint8Array): BodiesLayout {
  const reader = new ByteReader(part);
  const blocks = readPartHead(reader);
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
  ends.setUint32(0, (bodiesVersion << 24) | members.length, true);
  let at = 0;
  members.forEach((member, i) => {
    part.set(member, head + at);
    at += member.length;
    ends.setUint32(4 + i * 4, at, true);
  });
  return part;
}
