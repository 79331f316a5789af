// Keeps the order of what one client sends, where times do not tell it: events of one person that are sent with an anonymousId, and
// then with a userId. Their entries go to the logs of two partitions and meet later, so that only their times can order them.
//   RO1. Events of one batch that have the time of its receipt keep their order, whoever turns out to be one person, now or by a
//        later request: what follows an event of an anonymousId under another id is later by a millisecond. What follows an event of
//        a userId need not be: of one millisecond, what joins a user comes last.
//   RO2. Events with one id keep the order of its log, whatever their times: nothing is moved.
//   RO3. Where clients sent one time with several events, those of one person keep the order of their batch: each change from one id
//        to the other moves the later ones by a millisecond. So do single requests that follow each other. Events of others are not
//        moved. Ids are of one person where an event or identify call of the request has both, or an earlier one had
//        (acked-links.ts), and where the request has one of each kind: a later one may join them. An anonymousId that came with
//        several userIds is of nobody. A batch with many ids of both kinds looks up each anonymousId with the userIds that are
//        nearest to it.
//   RO4. A time that the client sent is kept in the event's context (`original_timestamp`), as that of a corrected event is.
//   RO5. A batch without anonymousIds alone costs a look at two bytes of each entry, a single request two hashes.

import {ByteWriter} from '../../actors/bytes/bytes.js';
import {hashBytes} from '../../actors/bytes/hash.js';
import {batchEventsMax, entryBytesMax} from '../../actors/limits.js';
import {
  type BothIds,
  entryIsTimed,
  entryJoins,
  findBothIds,
  isAnonymousEntry,
  isEventEntry,
  setEntryTime,
  timeOfEntry,
} from '../../actors/log/entries.js';
import {EntryView} from '../../actors/log/entry-view.js';
import {writeMovedEvent} from '../../actors/log/rewritten-event.js';
import {RecentValues} from '../recent-values.js';
import type {AckedLinks} from './acked-links.js';
import {type BatchEntries, EntryList, findStarts, forEachStart} from './batch-entries.js';

/** Pairs of ids that are looked up in a batch, at 0.15 to 0.4 µs each. RO3 */
const pairsAskedMax = 4_096;
/** Ids whose newest single requests are known. */
const recentIdsMax = 4_096;

/** An event of a request whose person has several ids. */
interface Ordered {
  readonly index: number;
  readonly start: number;
  /** Hash of the id whose log it goes to. */
  readonly key: number;
  readonly timeMs: number;
}

/** Where an id comes first in a batch. */
interface EntryPlace {
  readonly index: number;
  /** Start of its entry. */
  readonly start: number;
}

/** The newest event of a person, as single requests sent it. */
interface Newest {
  /** Hash of the person's userId; undefined: only the anonymousId came so far. */
  user: number | undefined;
  /** Hash of the id whose log it went to. */
  key: number;
  /** Its time as sent, and as stored. */
  timeMs: number;
  storedMs: number;
}

/** The earliest time of an event after `before` that was sent with the time `timeMs`; an older one of another time says nothing. */
function earliestAfter(before: Newest | undefined, key: number, timeMs: number): number {
  if (before === undefined || before.timeMs > timeMs || before.storedMs < timeMs) return timeMs;
  return before.key === key ? before.storedMs : before.storedMs + 1;
}

/** Later times of events, by index: each change from one id to another takes a millisecond. RO2, RO3 */
function* laterTimes(events: readonly Ordered[]): Generator<readonly [index: number, timeMs: number]> {
  if (events.every(({key}) => key === events[0]!.key)) return;
  let before: Ordered | undefined;
  let storedMs = Number.NEGATIVE_INFINITY;
  for (const event of events.toSorted((a, b) => a.timeMs - b.timeMs || a.index - b.index)) {
    const isInOneLog = before !== undefined && before.key === event.key && before.index < event.index;
    storedMs = Math.max(event.timeMs, isInOneLog ? storedMs : storedMs + 1);
    if (storedMs !== event.timeMs) yield [event.index, storedMs];
    before = event;
  }
}

/** The userId of each anonymousId, by their hashes. RO3 */
class Owners {
  /** Undefined: several userIds came with it. */
  private readonly ownerOf = new Map<number, number | undefined>();

  add(device: number, user: number): void {
    const isFirst = !this.ownerOf.has(device);
    this.ownerOf.set(device, isFirst || this.ownerOf.get(device) === user ? user : undefined);
  }

  /** Hash that stands for the person of an id. */
  of(id: number): number {
    return this.ownerOf.get(id) ?? id;
  }
}

/** How many entries have an anonymousId alone. */
function anonymousCount(entries: BatchEntries, partitionCount: number): number {
  let count = 0;
  forEachStart(entries, partitionCount, (start) => {
    if (isAnonymousEntry(entries.bytes, start)) count += 1;
  });
  return count;
}

export class RequestOrder {
  private readonly ids: BothIds = {keyStart: 0, keyEnd: 0, anonymousIdStart: 0, anonymousIdEnd: 0};
  /** See `findStarts`. */
  private readonly startOf = new Int32Array(batchEventsMax);
  /** The newest events of recent persons, by the hashes of their ids. */
  private readonly recent = new RecentValues<number, Newest>(recentIdsMax);
  private lazyList: EntryList | undefined;
  private readonly writer = new ByteWriter(2 * entryBytesMax);

  /** `seed`: keys the hashes of ids, so that no client makes two of them equal. */
  constructor(private readonly seed: number) {}

  // ---- batches ----

  /** The entries of a batch, with later times where RO1 says so. Valid as long as the given ones, and until the next batch. */
  batch(
    entries: BatchEntries,
    eventCount: number,
    partitionCount: number,
    acked: AckedLinks | undefined,
  ): BatchEntries {
    const anonymous = anonymousCount(entries, partitionCount);
    if (anonymous === 0) return entries; // RO5
    findStarts(entries, eventCount, partitionCount, this.startOf);
    const isTimed = this.spreadReceived(entries.bytes, eventCount);
    if (!isTimed || anonymous === entries.firsts[partitionCount]) return entries;
    const moved = new Map<number, number>();
    for (const events of this.persons(entries.bytes, eventCount, acked))
      for (const [index, timeMs] of laterTimes(events)) moved.set(index, timeMs);
    return moved.size === 0 ? entries : this.withTimes(entries, eventCount, partitionCount, moved);
  }

  /** Gives events without a time of their own later ones, in place. RO1 @returns whether other events have times of their own. */
  private spreadReceived(bytes: Uint8Array, eventCount: number): boolean {
    let [isTimed, later] = [false, 0];
    let anonymous: number | undefined; // The key of the event before, if it is an anonymousId.
    for (let index = 0; index < eventCount; index++) {
      const start = this.startOf[index]!;
      if (start < 0 || !isEventEntry(bytes, start)) continue;
      if (entryIsTimed(bytes, start)) {
        isTimed = true;
        continue;
      }
      const key = this.keyOf(bytes, start);
      if (anonymous !== undefined && key !== anonymous) later += 1;
      if (later > 0) setEntryTime(bytes, start, timeOfEntry(bytes, start) + later);
      anonymous = isAnonymousEntry(bytes, start) ? key : undefined;
    }
    return isTimed;
  }

  /** The events of each person who has several ids in this batch, in their order. RO3 */
  private persons(bytes: Uint8Array, eventCount: number, acked: AckedLinks | undefined): Iterable<Ordered[]> {
    const owners = new Owners();
    const events: Ordered[] = [];
    const [users, devices] = [new Map<number, EntryPlace>(), new Map<number, EntryPlace>()];
    for (let index = 0; index < eventCount; index++) {
      const start = this.startOf[index]!;
      if (start < 0) continue;
      const key = this.keyOf(bytes, start);
      if (isEventEntry(bytes, start)) events.push({index, start, key, timeMs: timeOfEntry(bytes, start)});
      const isDevice = isAnonymousEntry(bytes, start);
      const places = isDevice ? devices : users;
      if (!places.has(key)) places.set(key, {index, start});
      if (!isDevice && entryJoins(bytes, start)) owners.add(this.deviceOf(bytes, start), key);
    }
    this.addKnown(bytes, users, devices, owners, acked);
    if (users.size === 1 && devices.size === 1) owners.add([...devices.keys()][0]!, [...users.keys()][0]!);
    const persons = new Map<number, Ordered[]>();
    for (const event of events) {
      const person = owners.of(event.key);
      const held = persons.get(person);
      if (held === undefined) persons.set(person, [event]);
      else held.push(event);
    }
    return persons.values();
  }

  /** Adds owners that are known beside the batch. `users`, `devices`: where each id comes first, in this order. */
  private addKnown(
    bytes: Uint8Array,
    users: ReadonlyMap<number, EntryPlace>,
    devices: ReadonlyMap<number, EntryPlace>,
    owners: Owners,
    acked: AckedLinks | undefined,
  ): void {
    if (acked === undefined || users.size === 0) return;
    const inOrder = [...users];
    const askedMax = Math.ceil(pairsAskedMax / devices.size);
    const pair = {keyStart: 0, keyEnd: 0, anonymousIdStart: 0, anonymousIdEnd: 0};
    let next = 0; // The first user behind the device.
    for (const [device, at] of devices) {
      findBothIds(bytes, at.start, this.ids);
      pair.anonymousIdStart = this.ids.keyStart + 1;
      pair.anonymousIdEnd = this.ids.keyEnd;
      while (next < inOrder.length && inOrder[next]![1].index < at.index) next += 1;
      const from = Math.max(0, Math.min(next - (askedMax >> 1), inOrder.length - askedMax));
      for (const [user, {start}] of inOrder.slice(from, from + askedMax)) {
        findBothIds(bytes, start, this.ids);
        pair.keyStart = this.ids.keyStart;
        pair.keyEnd = this.ids.keyEnd;
        if (acked.missing(bytes, pair) === undefined) owners.add(device, user);
      }
    }
  }

  /** `moved`: later times, by index. */
  private withTimes(
    entries: BatchEntries,
    eventCount: number,
    partitionCount: number,
    moved: ReadonlyMap<number, number>,
  ): BatchEntries {
    this.lazyList ??= new EntryList();
    return this.lazyList.replace(entries.bytes, this.startOf, eventCount, partitionCount, (writer, view, index) => {
      const timeMs = moved.get(index);
      if (timeMs !== undefined) writeMovedEvent(writer, view, timeMs); // RO4
      return timeMs !== undefined;
    });
  }

  // ---- single requests ----

  /**
   * Gives the entry of a single event a later time where RO1 says so, in place. Where the client sent a time, the entry is written
   * anew instead: `bytes` up to `end`, which are valid until the next call. Undefined: it is still where it was.
   */
  single(bytes: Uint8Array, start: number): {readonly bytes: Uint8Array; readonly end: number} | undefined {
    const key = this.keyOf(bytes, start);
    const device = entryJoins(bytes, start) ? this.deviceOf(bytes, start) : undefined;
    const timeMs = timeOfEntry(bytes, start);
    const own = this.recent.get(key);
    const known = device === undefined ? undefined : this.recent.get(device);
    const isShared = known?.user !== undefined && known.user !== key; // RO3
    const ofDevice = isShared ? undefined : known;
    const storedMs = Math.max(timeMs, earliestAfter(own, key, timeMs), earliestAfter(ofDevice, key, timeMs));
    const user = isAnonymousEntry(bytes, start) ? own?.user : key;
    const person = Object.assign(own ?? {}, {user, key, timeMs, storedMs});
    this.recent.set(key, person);
    if (device !== undefined && !isShared) this.recent.set(device, person);
    if (storedMs === timeMs) return undefined;
    if (!entryIsTimed(bytes, start)) {
      setEntryTime(bytes, start, storedMs);
      return undefined;
    }
    const view = new EntryView(bytes);
    view.moveTo(start);
    this.writer.position = 0;
    writeMovedEvent(this.writer, view, storedMs); // RO4
    return {bytes: this.writer.bytes, end: this.writer.position};
  }

  // ---- ids ----

  private keyOf(bytes: Uint8Array, start: number): number {
    findBothIds(bytes, start, this.ids);
    return this.hashOf(bytes, this.ids.keyStart + 1, this.ids.keyEnd, isAnonymousEntry(bytes, start));
  }

  /** The anonymousId of an event that has both ids. */
  private deviceOf(bytes: Uint8Array, start: number): number {
    findBothIds(bytes, start, this.ids);
    return this.hashOf(bytes, this.ids.anonymousIdStart, this.ids.anonymousIdEnd, true);
  }

  private hashOf(bytes: Uint8Array, start: number, end: number, isDevice: boolean): number {
    return hashBytes(bytes, start, end, isDevice ? this.seed : ~this.seed);
  }
}
