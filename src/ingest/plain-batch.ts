// A batch body of plain events, from bytes to entries in one pass; the few others are parsed one by one.
//   B1. Either the whole body is read, or nothing is said of it: then it is parsed as a whole (batch.ts), and that is what
//       finds broken JSON, unknown fields of the body, and batches of any odd kind.

import type {ByteWriter} from '../../actors/bytes/bytes.js';
import {batchEventsMax} from '../../actors/limits.js';
import {writeEventText} from '../../actors/log/entries.js';
import type {BatchEntries, EntryList} from './batch-entries.js';
import {equals, token, valueEnd} from './json-scanner.js';
import {PlainEvent} from './plain-event.js';

/** Parsing so many events one by one still costs little beside the rest; with more of them the parser is faster in one go. */
export const oddEventsMax = 64;
const eventsName = Buffer.from('events');

/** Appends the entry of the odd event in `text`, or notes its refusal; false when it is no JSON. */
export type OddEvent = (text: Buffer, index: number, entries: ByteWriter) => boolean;

/** Reads bodies that are UTF-8. */
export interface PlainReader {
  /** Of the newest body. */
  readonly eventCount: number;
  /** Plain events of the newest body whose time lies ahead of their receipt by more than `clockAheadMsMin`. */
  readonly aheadCount: number;
  /** @returns the entries of the body, or undefined when nothing is said of it (B1). */
  read(bytes: Buffer, receivedMs: number, partitionCount: number, readOdd: OddEvent): BatchEntries | undefined;
}

export class PlainBatch implements PlainReader {
  aheadCount = 0;
  private readonly list: EntryList;
  private readonly event = new PlainEvent();

  /** `list` is cleared with every body. */
  constructor(list: EntryList) {
    this.list = list;
  }

  get eventCount(): number {
    return this.list.eventCount;
  }

  read(bytes: Buffer, receivedMs: number, partitionCount: number, readOdd: OddEvent): BatchEntries | undefined {
    this.event.bytes = bytes;
    this.event.at = 0;
    this.list.clear();
    this.aheadCount = 0;
    const isRead = this.takeHead() && this.takeEvents(receivedMs, readOdd) && this.takeTail();
    return isRead ? this.list.group(partitionCount) : undefined;
  }

  private takeHead(): boolean {
    const {event} = this;
    return (
      event.take(token.openBrace) &&
      event.takeString() &&
      equals(event.bytes, event.stringStart, event.stringEnd, eventsName) &&
      event.take(token.colon) &&
      event.take(token.openBracket)
    );
  }

  private takeEvents(receivedMs: number, readOdd: OddEvent): boolean {
    const {event, list} = this;
    let oddCount = 0;
    do {
      if (list.eventCount === batchEventsMax) return false;
      const start = event.at;
      if (event.takeEvent(receivedMs)) {
        writeEventText(list.writer, event);
        if (event.isAhead) this.aheadCount += 1;
      } else if (++oddCount > oddEventsMax || !this.takeOdd(start, readOdd)) return false;
      list.endEvent();
    } while (event.take(token.comma));
    return true;
  }

  private takeOdd(start: number, readOdd: OddEvent): boolean {
    const {event, list} = this;
    event.at = valueEnd(event.bytes, start);
    return readOdd(event.bytes.subarray(start, event.at), list.eventCount, list.writer);
  }

  private takeTail(): boolean {
    const {event} = this;
    return event.take(token.closeBracket) && event.take(token.closeBrace) && event.peek() === undefined;
  }
}
