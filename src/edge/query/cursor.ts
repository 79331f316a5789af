// Cursors of GET /v1/events: the last row of a page, and the bounds that freeze the answer (docs/api/events.md, History).
//   C1. A cursor that the deployment did not make is refused: its tag is an HMAC of its content and its filters, keyed by a
//       secret of the deployment. Nothing in it is trusted before the tag.
//   C2. A cursor has values (times, ordinals), never a place in memory: any edge continues it, also after restarts.
import {createHmac, timingSafeEqual} from 'node:crypto';
import {ByteReader, ByteWriter} from '../../../actors/bytes/bytes.js';
import type {RowPlace} from '../../asks/events.js';

export interface Cursor {
  /** The last row that was shown. */
  readonly place: RowPlace;
  /** Upper ordinals of the partitions asked, in their order. */
  readonly ordinalEnds: readonly number[];
}

const version = 1;
const tagBytes = 16;
// Up to 8 bytes of each number, for up to 256 partitions; positions of changes have nine of each, most of them small.
const cursorCharsMax = 16_384;

export class CursorSeal {
  private readonly key: Buffer;

  /** `deploymentSecret`: the same on every edge. A cursor of another number of partitions is one of other ordinals. C1 */
  constructor(deploymentSecret: string, partitionCount: number) {
    this.key = createHmac('sha256', deploymentSecret).update(`history cursor ${partitionCount}`).digest();
  }

  /** `filters` is any text that is equal for equal filters. */
  seal({place, ordinalEnds}: Cursor, filters: string): string {
    const writer = new ByteWriter(64);
    writer.u8(version);
    writer.f64(place.timeMs);
    writer.varint(place.partition);
    writer.varint(place.ordinal);
    writer.varint(ordinalEnds.length);
    for (const ordinalEnd of ordinalEnds) writer.varint(ordinalEnd);
    return this.sealed(writer.finish(), filters);
  }

  /** Numbers from 0 on. `use`: equal where they may be opened. */
  sealNumbers(numbers: readonly number[], use: string): string {
    const writer = new ByteWriter(64);
    writer.varint(numbers.length);
    for (const number of numbers) writer.varint(number);
    return this.sealed(writer.finish(), use);
  }

  /** Undefined for a text that this deployment did not make for this use. C1 */
  openNumbers(text: string, use: string): readonly number[] | undefined {
    const content = this.opened(text, use);
    if (content === undefined) return undefined;
    const reader = new ByteReader(content);
    return Array.from({length: reader.varint()}, () => reader.varint());
  }

  private sealed(content: Uint8Array, filters: string): string {
    return Buffer.concat([content, this.tag(content, filters)]).toString('base64url');
  }

  /** Undefined for a text that this deployment did not make for these filters. C1 */
  open(text: string, filters: string): Cursor | undefined {
    const content = this.opened(text, filters);
    if (content === undefined) return undefined;
    const reader = new ByteReader(content);
    if (reader.u8() !== version) return undefined;
    const place = {timeMs: reader.f64(), partition: reader.varint(), ordinal: reader.varint()};
    return {place, ordinalEnds: Array.from({length: reader.varint()}, () => reader.varint())};
  }

  private opened(text: string, filters: string): Uint8Array | undefined {
    if (text.length > cursorCharsMax || !/^[\w-]+$/.test(text)) return undefined;
    const bytes = Buffer.from(text, 'base64url');
    // Base64 can write the same bytes in several ways; only ours is accepted.
    if (bytes.length <= tagBytes || bytes.toString('base64url') !== text) return undefined;
    const content = bytes.subarray(0, -tagBytes);
    return timingSafeEqual(bytes.subarray(-tagBytes), this.tag(content, filters)) ? content : undefined;
  }

  private tag(content: Uint8Array, filters: string): Buffer {
    return createHmac('sha256', this.key).update(content).update(filters).digest().subarray(0, tagBytes);
  }
}
