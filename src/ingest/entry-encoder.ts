// From an accepted body to the bytes of its log entry, in a scratch buffer that the next entry overwrites.
import {isUtf8} from 'node:buffer';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {entryBytesMax} from '../../actors/limits.js';
import {partitionOfEntry, writeErase, writeEvent, writeEventText, writeIdentify} from '../../actors/log/entries.js';
import type {BatchKernel} from './batch-kernel.js';
import {PlainEvent} from './plain-event.js';
import type {AcceptedIdentify, EventDraft} from './validate.js';

export class EntryEncoder {
  private readonly writer = new ByteWriter(2 * entryBytesMax);
  private readonly plain = new PlainEvent();
  private readonly partitionCount: number;
  private readonly kernel: BatchKernel | undefined;
  /** Of the newest entry, whose bytes are `bytes[start, end)`. */
  partition = 0;
  bytes: Uint8Array = this.writer.bytes;
  start = 0;
  end = 0;
  /** Whether the time of the newest plain event lies ahead of its receipt by more than `clockAheadMsMin`. */
  isAhead = false;

  /** Where there is no `kernel` its plain twin reads plain events (plain-event.ts). */
  constructor(partitionCount: number, kernel: BatchKernel | undefined) {
    this.partitionCount = partitionCount;
    this.kernel = kernel;
  }

  /**
   * A body of at most `eventBytesMax` that is a plain event as a whole, without parsing it; false: it says nothing of the
   * body (plain-event.ts).
   */
  plainEvent(body: Buffer, receivedMs: number): boolean {
    return this.kernel === undefined ? this.readPlain(body, receivedMs) : this.readOne(this.kernel, body, receivedMs);
  }

  private readOne(kernel: BatchKernel, body: Buffer, receivedMs: number): boolean {
    const partition = kernel.readOne(body, receivedMs, this.partitionCount);
    if (partition < 0) return false;
    this.partition = partition;
    this.bytes = kernel.entryBytes;
    this.start = kernel.entryStart;
    this.end = kernel.entryEnd;
    this.isAhead = kernel.aheadCount > 0;
    return true;
  }

  private readPlain(body: Buffer, receivedMs: number): boolean {
    const {plain, writer} = this;
    plain.bytes = body;
    plain.at = 0;
    if (!isUtf8(body) || !plain.takeEvent(receivedMs) || plain.peek() !== undefined) return false;
    writer.position = 0;
    writeEventText(writer, plain);
    this.isAhead = plain.isAhead;
    this.locate();
    return true;
  }

  event(draft: EventDraft): void {
    this.writer.position = 0;
    writeEvent(this.writer, draft);
    this.locate();
  }

  identify(identify: AcceptedIdentify, receivedMs: number): void {
    this.writer.position = 0;
    writeIdentify(this.writer, identify.userId, identify.traitsJson, receivedMs, identify);
    this.locate();
  }

  erase(kind: 'u' | 'a', id: string, deletionId: string, receivedMs: number): void {
    this.writer.position = 0;
    writeErase(this.writer, kind, id, deletionId, receivedMs);
    this.locate();
  }

  private locate(): void {
    const {bytes, position} = this.writer;
    this.partition = partitionOfEntry(bytes, 0, this.partitionCount);
    this.bytes = bytes;
    this.start = 0;
    this.end = position;
  }
}
