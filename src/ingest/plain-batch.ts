// A batch body of plain events, from bytes to entries in one pass; the few others are parsed one by one.
//   B1. Either the whole body is read, or nothing is said of it: then it is parsed as a whole (batch.ts), and that is what
//       finds broken JSON, unknown fields of the body, and batches of any odd kind.

import {isUtf8} from 'node:buffer';
import {ByteWriter} from '../../actors/codec/bytes.js';
import {writeEventText} from '../../actors/codec/entries.js';
import {batchEventsMax} from '../../actors/limits.js';
import {equals, token, valueEnd} from './json-scanner.js';
import {PlainEvent} from './plain-event.js';

/** Parsing so many events one by one still costs little beside the rest; with more of them the parser is faster in one go. */
const oddEventsMax = 64;
const eventsName = Buffer.from('events');

/** Appends the entry of the odd event in `text`, or notes its refusal; false when it is no JSON. */
export type OddEvent = (text: Buffer, index: number, entries: ByteWriter) => boolean;

export class PlainBatch {
  readonly entries = new ByteWriter(1024 * 1024);
  eventCount = 0;
  /** Where the entry of each event ends; the one of a refused event is empty. */
  readonly ends = new Uint32Array(batchEventsMax);
  private readonly event = new PlainEvent();

  /** B1 */
  read(bytes: Buffer, receivedMs: number, readOdd: OddEvent): boolean {
    if (!isUtf8(bytes)) return false;
    this.event.bytes = bytes;
    this.event.at = 0;
    this.entries.position = 0;
    this.eventCount = 0;
    return this.takeHead() && this.takeEvents(receivedMs, readOdd) && this.takeTail();
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
    const {event} = this;
    let oddCount = 0;
    do {
      if (this.eventCount === batchEventsMax) return false;
      const start = event.at;
      if (event.takeEvent(receivedMs)) writeEventText(this.entries, event);
      else if (++oddCount > oddEventsMax || !this.takeOdd(start, readOdd)) return false;
      this.ends[this.eventCount++] = this.entries.position;
    } while (event.take(token.comma));
    return true;
  }

  private takeOdd(start: number, readOdd: OddEvent): boolean {
    const {event} = this;
    event.at = valueEnd(event.bytes, start);
    return readOdd(event.bytes.subarray(start, event.at), this.eventCount, this.entries);
  }

  private takeTail(): boolean {
    const {event} = this;
    return event.take(token.closeBracket) && event.take(token.closeBrace) && event.peek() === undefined;
  }
}
