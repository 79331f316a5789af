// The plain twin of what kernels/plain-batch.ts does with a batch.

import {batchEventsMax} from '../../actors/limits.js';
import {writeEvent} from '../../actors/log/entries.js';
import {type BatchEntries, EntryList} from '../../src/ingest/batch-entries.js';
import {type OddEvent, oddEventsMax, type PlainReader} from '../../src/ingest/batch-kernel.js';
import {token, valueEnd} from '../../src/ingest/json-scanner.js';
import {PlainEvent} from './plain-event.js';

export class PlainBatch implements PlainReader {
  aheadCount = 0;
  private readonly list = new EntryList();
  private readonly event = new PlainEvent();

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
      event.text === 'events' &&
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
        writeEvent(list.writer, event);
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
