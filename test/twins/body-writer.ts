// Bodies of rows written one by one: what the kernel of event rows writes (kernels/event-rows.ts).
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {encodeBlocks, flagWhole, receivedBaseStepMs, receivedDeltaMax} from '../../actors/chunk/bodies.js';
import {eventFlag} from '../../actors/log/entries.js';
import type {EntryView} from '../../actors/log/entry-view.js';

/** The columns of an event's properties in their order, and which number they have in the block that used them last. */
export interface Shape {
  readonly columns: Uint8Array;
  /** A property that stands twice has only one place in the columns. */
  readonly isWhole: boolean;
  block: number;
  id: number;
}

/** Writes the bodies of one block after the other. */
export class BodyWriter {
  private readonly bodies = new ByteWriter(4 * 1024);
  private shapes: Uint8Array[] = [];
  private receivedBase = 0;
  /** Number of the block that is being written: tells whether a shape has a number in it. */
  private block = 0;
  private count = 0;

  /** Rows of the block so far. */
  get rows(): number {
    return this.count;
  }

  /**
   * Appends one body; returns its bytes. `shape` is undefined without properties. `spans` are the first `spanCount` pairs
   * of start and end in the entry's bytes of what B1 leaves to the body.
   */
  append(entry: EntryView, shape: Shape | undefined, spans: readonly number[], spanCount: number): number {
    if (this.count === 0) this.receivedBase = Math.floor(entry.receivedMs / receivedBaseStepMs) * receivedBaseStepMs;
    const delta = entry.receivedMs - this.receivedBase;
    this.count += 1;
    const {bodies} = this;
    const start = bodies.position;
    // The length is mostly one byte.
    bodies.u8(0);
    if (shape?.isWhole || !Number.isInteger(delta) || Math.abs(delta) > receivedDeltaMax) {
      bodies.u8(flagWhole);
      bodies.raw(entry.bytes, entry.payloadStart, entry.payloadEnd);
    } else this.appendFields(entry, delta, shape, spans, spanCount);
    return this.endBody(start);
  }

  private appendFields(
    entry: EntryView,
    delta: number,
    shape: Shape | undefined,
    spans: readonly number[],
    spanCount: number,
  ): void {
    const {bodies} = this;
    let flags = entry.flags & (eventFlag.timed | eventFlag.corrected | eventFlag.secret | eventFlag.apart);
    if (shape !== undefined) flags |= eventFlag.properties;
    if (entry.messageIdEnd > 0) flags |= eventFlag.messageId;
    if (entry.anonymousIdEnd > 0) flags |= eventFlag.anonymousId;
    bodies.u8(flags);
    bodies.varint(delta < 0 ? -delta * 2 - 1 : delta * 2);
    if (shape !== undefined) bodies.varint(this.shapeId(shape));
    if (flags & eventFlag.messageId) bodies.stringBytes(entry.bytes, entry.messageIdStart, entry.messageIdEnd);
    if (flags & eventFlag.anonymousId) bodies.stringBytes(entry.bytes, entry.anonymousIdStart, entry.anonymousIdEnd);
    for (let i = 0; i < spanCount; i++) bodies.raw(entry.bytes, spans[i * 2], spans[i * 2 + 1]);
  }

  private shapeId(shape: Shape): number {
    if (shape.block !== this.block) {
      shape.block = this.block;
      shape.id = this.shapes.length;
      this.shapes.push(shape.columns);
    }
    return shape.id;
  }

  private endBody(start: number): number {
    const {bodies} = this;
    const length = bodies.position - start - 1;
    if (length <= 0x7f) {
      bodies.bytes[start] = length;
      return length;
    }
    const body = bodies.bytes.slice(start + 1, bodies.position);
    bodies.position = start;
    bodies.varint(length);
    bodies.raw(body);
    return length;
  }

  /** The block so far. */
  encoded(): Uint8Array<ArrayBuffer> {
    const bodies = this.bodies.bytes.subarray(0, this.bodies.position);
    return encodeBlocks([{receivedBase: this.receivedBase, shapes: this.shapes, bodies}])[0];
  }

  /** Begins the next block. */
  clear(): void {
    this.bodies.position = 0;
    this.shapes = [];
    this.block += 1;
    this.count = 0;
  }
}
