// Events and identify calls of one request, together and in their order: what a translated request comes to (src/edge/compatible).
//   ME1. Each call is read as the body of a native event or identify call would be: the same bounds, refusals and entries.
//   ME2. A call may become several entries, or none. A refusal names the call, by its index in the request.
//   ME3. A request has at most `batchEventsMax` entries: one that would have more is refused as a whole.

import {batchEventsMax} from '../../actors/limits.js';
import {writeEvent} from '../../actors/log/entries.js';
import type {BatchRead, RefusedItem} from './batch.js';
import {EntryList} from './batch-entries.js';
import {entriesOf, writeIdentifyEntry} from './entry-encoder.js';
import {NoteTaker} from './event-notes.js';
import type {Refusal} from './refusals.js';
import {EventDraft, type EventOrigin, eventName, isMessageId, readEvent, readIdentify} from './validate.js';

/** What a call becomes: the body of a native event or identify call. */
export interface NativeCall {
  readonly kind: 'event' | 'identify';
  readonly value: {readonly [field: string]: unknown};
}

const draft = new EventDraft();
/** Made with the first translated request: many deployments get none. */
let lazyList: EntryList | undefined;

/** One at a time: the entries of the last one are valid until the next one begins. */
export class MixedEntries {
  readonly notes = new NoteTaker();
  private readonly list: EntryList;
  private readonly refused: RefusedItem[] = [];
  private readonly calls = new Uint16Array(batchEventsMax);
  private readonly identifies = new Set<number>();

  constructor() {
    lazyList ??= new EntryList();
    this.list = lazyList;
    this.list.clear();
  }

  /** Takes what call number `index` became, or notes why it is refused. @returns false: there are too many entries. ME3 */
  add({kind, value}: NativeCall, index: number, origin: EventOrigin): boolean {
    return kind === 'event' ? this.addEvent(value, index, origin) : this.addIdentify(value, index, origin);
  }

  refuse(index: number, refusal: Refusal, value?: NativeCall['value'], isIdentify = false): void {
    const messageId = value?.messageId;
    this.refused.push({
      index,
      refusal,
      event: eventName(value),
      ...(isMessageId(messageId) && {messageId}),
      ...(isIdentify && {isIdentify}),
    });
  }

  private addEvent(value: NativeCall['value'], index: number, origin: EventOrigin): boolean {
    const refusal = readEvent(value, origin, draft);
    if (refusal !== undefined) {
      this.refuse(index, refusal, value);
      return true;
    }
    if (!this.begin(index)) return false;
    writeEvent(this.list.writer, draft);
    this.list.endEvent();
    this.notes.take(draft);
    return true;
  }

  private addIdentify(value: NativeCall['value'], index: number, origin: EventOrigin): boolean {
    const read = readIdentify(value, origin);
    if ('code' in read) {
      this.refuse(index, read, value, true);
      return true;
    }
    for (const isOnce of entriesOf(read)) {
      if (!this.begin(index)) return false;
      this.identifies.add(this.list.eventCount);
      writeIdentifyEntry(this.list.writer, read, origin.receivedMs, isOnce);
      this.list.endEvent();
    }
    return true;
  }

  /** Begins the next entry. */
  private begin(call: number): boolean {
    const {eventCount} = this.list;
    if (eventCount === batchEventsMax) return false;
    this.calls[eventCount] = call;
    return true;
  }

  /** All of them, grouped by partition. */
  read(partitionCount: number): BatchRead {
    const {list, refused, calls, identifies} = this;
    return {
      kind: 'read',
      eventCount: list.eventCount,
      refused,
      entries: list.group(partitionCount),
      notes: this.notes.notes(),
      mixed: {calls, identifies},
    };
  }
}
