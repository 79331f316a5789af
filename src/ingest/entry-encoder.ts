// From an accepted body to the bytes of its log entry, in a scratch buffer that the next entry overwrites.
import {isUtf8} from 'node:buffer';
import {ByteWriter} from '../../actors/codec/bytes.js';
import {partitionOfEntry, writeErase, writeEvent, writeEventText, writeIdentify} from '../../actors/codec/entries.js';
import {entryBytesMax} from '../../actors/limits.js';
import {PlainEvent} from './plain-event.js';
import type {AcceptedIdentify, EventDraft} from './validate.js';

export class EntryEncoder {
  private readonly writer = new ByteWriter(2 * entryBytesMax);
  private readonly plain = new PlainEvent();
  private readonly partitionCount: number;
  /** Of the newest entry, whose bytes are `bytes[0, length)`. */
  partition = 0;

  constructor(partitionCount: number) {
    this.partitionCount = partitionCount;
  }

  get bytes(): Uint8Array {
    return this.writer.bytes;
  }

  get length(): number {
    return this.writer.position;
  }

  /** A body that is a plain event as a whole, without parsing it; false: it says nothing of the body (plain-event.ts). */
  plainEvent(body: Buffer, receivedMs: number): boolean {
    const {plain, writer} = this;
    plain.bytes = body;
    plain.at = 0;
    if (!isUtf8(body) || !plain.takeEvent(receivedMs) || plain.peek() !== undefined) return false;
    writer.position = 0;
    writeEventText(writer, plain);
    this.locate();
    return true;
  }

  event(draft: EventDraft): void {
    this.writer.position = 0;
    writeEvent(this.writer, draft);
    this.locate();
  }

  identify({userId, traitsJson}: AcceptedIdentify, receivedMs: number): void {
    this.writer.position = 0;
    writeIdentify(this.writer, userId, traitsJson, receivedMs);
    this.locate();
  }

  erase(kind: 'u' | 'a', id: string, deletionId: string, receivedMs: number): void {
    this.writer.position = 0;
    writeErase(this.writer, kind, id, deletionId, receivedMs);
    this.locate();
  }

  private locate(): void {
    this.partition = partitionOfEntry(this.writer.bytes, 0, this.partitionCount);
  }
}
