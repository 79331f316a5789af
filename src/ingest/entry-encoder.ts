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
import {type AcceptedIdentify, type EventDraft, noTraits} from './validate.js';
import type {WebContext, WebRequest} from './web-context.js';

/** The entries of an identify call in their order: for each, whether it sets traits once. One that sets nothing has one. */
export const entriesOf = ({traitsJson, traitsOnceJson}: AcceptedIdentify): readonly boolean[] =>
  traitsOnceJson === undefined ? setsAlone : traitsJson === noTraits ? onceAlone : setsAndOnce;
const setsAlone = [false] as const;
const onceAlone = [true] as const;
const setsAndOnce = [false, true] as const;

/** Appends one entry of an identify call. */
export function writeIdentifyEntry(
  writer: ByteWriter,
  identify: AcceptedIdentify,
  receivedMs: number,
  isOnce: boolean,
): void {
  const {userId, traitsJson, traitsOnceJson = noTraits, messageId, sentMs, anonymousId} = identify;
  const json = isOnce ? traitsOnceJson : traitsJson;
  writeIdentify(writer, userId, json, receivedMs, {messageId, sentMs, anonymousId, isOnce});
}

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

  /** Completes the context of the newest event, whose request comes from a page. */
  complete(web: WebContext, request: WebRequest): void {
    this.replace(web.single(this.bytes, this.start, request));
  }

  /** Gives the newest event a later time where `order` says so. */
  keepOrder(order: RequestOrder): void {
    this.replace(order.single(this.bytes, this.start));
  }

  /** Puts `entry` in the place of the newest one; undefined: the newest one stays. */
  private replace(entry: {readonly bytes: Uint8Array; readonly end: number} | undefined): void {
    if (entry === undefined) return;
    this.bytes = entry.bytes;
    this.start = 0;
    this.end = entry.end;
  }

  event(draft: EventDraft): void {
    this.writer.position = 0;
    writeEvent(this.writer, draft);
    this.locate();
  }

  /** Encodes the entries of an identify call, which are of one partition, and marks them. @returns how many there are. */
  identify(identify: AcceptedIdentify, receivedMs: number, mark: number): number {
    const {writer} = this;
    writer.position = 0;
    let count = 0;
    for (const isOnce of entriesOf(identify)) {
      const start = writer.position;
      writeIdentifyEntry(writer, identify, receivedMs, isOnce);
      markEntry(writer.bytes, start, mark);
      count += 1;
    }
    this.locate();
    return count;
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
