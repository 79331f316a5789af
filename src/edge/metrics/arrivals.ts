// Events as they arrive, for streams that show them: a sample of the events that the log has taken.
//   AR1. Without such a stream nothing is read or stored: `open` begins it, `close` ends it.
//   AR2. At most `sampleMax` events of each second are read as texts, every one of them with the same probability; the others
//        are only counted.
//   AR3. The texts of an event are bounded, whatever its client sent.

import {entryKind} from '../../../actors/log/entries.js';
import {type EntryView, MessageCursor, PropertyCursor} from '../../../actors/log/entry-view.js';
import type {Json} from '../../../actors/log/json.js';
import type {Condition} from '../../../actors/report/rows/condition.js';
import {meetsAll, type SentEvent} from '../../../actors/report/rows/event-conditions.js';
import type {ArrivedEvent, ArrivedSample} from '../dashboard/answers/stream.js';

export const sampleMax = 10;
const propertiesMax = 12;
const textCharsMax = 120;

/** Events that a stream shows: those of this name, of this user or anonymous id, and with such properties. */
export interface ArrivalFilter {
  readonly event?: string | undefined;
  readonly user?: string | undefined;
  /** All must hold. */
  readonly where?: readonly Condition[];
}

/** Sample of one second, for one stream. */
export class ArrivalSample {
  private events: ArrivedEvent[] = [];
  private count = 0;
  private readonly name: Buffer | undefined;
  private readonly keys: readonly Buffer[] | undefined;
  private readonly where: readonly Condition[];

  /** `chooses`: a random number from 0 to below `count`, evenly distributed. */
  constructor(
    {event, user, where = []}: ArrivalFilter,
    private readonly chooses: (count: number) => number,
  ) {
    this.where = where;
    this.name = event === undefined ? undefined : Buffer.from(event);
    this.keys = user === undefined ? undefined : [Buffer.from('u' + user), Buffer.from('a' + user)];
  }

  offer(entry: EntryView, ackMs: number): void {
    const {name, keys} = this;
    if (name !== undefined && !isRange(entry, entry.textStart, entry.textEnd, name)) return;
    if (keys !== undefined && !keys.some((key) => isRange(entry, entry.keyStart, entry.keyEnd, key))) return;
    if (this.where.length > 0 && !meetsAll(this.where, sentIn(entry))) return;
    this.count += 1;
    if (this.events.length < sampleMax) this.events.push(read(entry, ackMs));
    else {
      const place = this.chooses(this.count); // AR2
      if (place < sampleMax) this.events[place] = read(entry, ackMs);
    }
  }

  /** Events since the last call, oldest first. */
  take(): ArrivedSample {
    const taken = {events: this.events.sort((a, b) => a.received - b.received), count: this.count};
    this.events = [];
    this.count = 0;
    return taken;
  }
}

export class ArrivalTap {
  private readonly samples = new Set<ArrivalSample>();

  open(sample: ArrivalSample): void {
    this.samples.add(sample);
  }

  close(sample: ArrivalSample): void {
    this.samples.delete(sample);
  }

  /** Samples a message that the log has. Called for each message, so its first test must be cheap. AR1 */
  stored(bytes: Uint8Array, ackMs: number): void {
    if (this.samples.size === 0) return;
    const cursor = new MessageCursor(bytes);
    while (cursor.next()) {
      if (cursor.entry.kind !== entryKind.event) continue;
      for (const sample of this.samples) sample.offer(cursor.entry, ackMs);
    }
  }
}

/** Properties and context of an entry, whole. */
function sentIn({bytes, propertiesStart}: EntryView): SentEvent {
  const cursor = new PropertyCursor(bytes);
  cursor.open(propertiesStart);
  const context = cursor.takeContext();
  cursor.passOwn();
  const properties: [string, Json][] = [];
  while (cursor.next()) properties.push([cursor.key(), cursor.json()]);
  return {properties: Object.fromEntries(properties), context: context && (JSON.parse(context) as Json)};
}

const isRange = ({bytes}: EntryView, start: number, end: number, wanted: Buffer): boolean =>
  end - start === wanted.length && wanted.equals(bytes.subarray(start, end));

function read(entry: EntryView, ackMs: number): ArrivedEvent {
  const key = entry.userKey();
  const isUser = key.startsWith('u');
  const {properties, more} = readProperties(entry);
  const anonymousId = entry.anonymousIdEnd > 0 ? entry.anonymousId() : null;
  return {
    event: entry.text(),
    user_id: isUser ? key.slice(1) : null,
    anonymous_id: isUser ? anonymousId : key.slice(1),
    message_id: entry.hasMessageId ? entry.messageId() : null,
    at: entry.timeMs,
    received: entry.receivedMs,
    ack_ms: Math.round(ackMs * 10) / 10,
    properties,
    more,
  };
}

function readProperties({bytes, propertiesStart}: EntryView): Pick<ArrivedEvent, 'properties' | 'more'> {
  const cursor = new PropertyCursor(bytes);
  cursor.open(propertiesStart);
  const count = cursor.passOwn();
  const properties: [string, null | boolean | number | string][] = [];
  while (properties.length < propertiesMax && cursor.next()) {
    const value = cursor.value();
    properties.push([cut(cursor.key()), typeof value === 'string' ? cut(value) : value]);
  }
  return {properties, more: count - properties.length};
}

const cut = (text: string): string => (text.length <= textCharsMax ? text : `${text.slice(0, textCharsMax - 1)}…`);
