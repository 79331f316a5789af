// Encodes an accepted body as a log entry, in a scratch buffer that the next entry overwrites.
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {entryBytesMax} from '../../actors/limits.js';
import {
  type KeyKind,
  markEntry,
  partitionOfEntry,
  writeErase,
  writeEvent,
  writeIdentify,
} from '../../actors/log/entries.js';
import {threadKernel as kernel} from './batch-kernel.js';
import type {RequestOrder} from './request-order.js';
import type {AcceptedIdentify, EventDraft} from './validate.js';

export class EntryEncoder {
  private readonly writer = new ByteWriter(2 * entryBytesMax);
  private readonly partitionCount: number;
  /** Partition of the newest entry, whose bytes are `bytes[start, end)`. */
  partition = 0;
  bytes: Uint8Array = this.writer.bytes;
  start = 0;
  end = 0;
  /** Whether the time of the newest plain event is ahead of its receipt by more than `clockAheadMsMin`. */
  isAhead = false;

  constructor(partitionCount: number) {
    this.partitionCount = partitionCount;
  }

  /**
   * Encodes a body of at most `eventBytesMax` that is a plain event, without parsing it; false: the body is to be parsed
   * (batch-kernel.ts, P2).
   */
  plainEvent(body: Buffer, receivedMs: number): boolean {
    const partition = kernel.readOne(body, receivedMs, this.partitionCount);
    if (partition < 0) return false;
    this.partition = partition;
    this.bytes = kernel.entryBytes;
    this.start = kernel.entryStart;
    this.end = kernel.entryEnd;
    this.isAhead = kernel.aheadCount > 0;
    return true;
  }

  /** Gives the newest event a later time where `order` says so. */
  keepOrder(order: RequestOrder): void {
    const moved = order.single(this.bytes, this.start);
    if (moved === undefined) return;
    this.bytes = moved.bytes;
    this.start = 0;
    this.end = moved.end;
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

  /** Marks the newest entry with what its key says about it (actors/log/entries.ts). */
  mark(mark: number): void {
    markEntry(this.bytes, this.start, mark);
  }

  /** `onward`: writeErase in actors/log/entries.ts. */
  erase(kind: KeyKind, id: string, deletionId: string, receivedMs: number, onward: readonly number[] = []): void {
    this.writer.position = 0;
    writeErase(this.writer, kind, id, deletionId, receivedMs, onward);
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
