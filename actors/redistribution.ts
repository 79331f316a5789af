// The state of all partitions of a deployment, folded into another number of partitions.
//   Owns:    which of the new partitions gets an event, a user, a message id.
//   Does not own: reading the old partitions and storing the new ones; the shell does that (src/cli/repartition).
//
//   RD1. Every event that counts is folded once, in the order of arrival of its old partition: so a user's events keep their order.
//   RD2. The old partitions are at rest: no user is on its way to another one, and no deletion is under way.
//   RD3. Ordinals begin after all old ones. An event that a join moved keeps the id that it had in its first partition, and no new
//        event may get that id.
//   RD4. A message id goes to the partition of its user. Of an id without an event or a profile (they were erased, or have expired)
//        nobody knows the user: every partition gets it. What an old partition remembered of nobody else suppresses nothing.
//   RD5. Every partition gets every deletion, as any of them may be asked for the user; one of them alone has its events.
//   RD6. The new partitions know no earlier changes: readers of changes begin again, as the cursors of now are of other logs.

import {ByteWriter, wtf8} from './bytes/bytes.js';
import {partitionOf} from './bytes/hash.js';
import {FingerprintSet} from './dedupe/fingerprints.js';
import {leftByte} from './identity/identity.js';
import {must} from './invariant.js';
import {beginEntry, beginMessage, endEntry, entryKind, sealMessage} from './log/entries.js';
import {type EntryView, MessageCursor} from './log/entry-view.js';
import type {DeletionRecord} from './manifest.js';
import type {Partition} from './partition.js';
import {identifyIds, type UserRecord} from './user/user-records.js';

/** Events of one new partition that are folded together: less than its kernel sees at once. */
const messageBytesMax = 128 * 1024;
const nobody = new Uint8Array(8);

export class Redistribution {
  private readonly from: readonly Partition[];
  private readonly to: readonly Partition[];
  /** New partition, + 1, by old partition and user; 0: not known yet. */
  private readonly homes: readonly Uint16Array[];
  /** New partition of the message ids that an event or a profile has, as their content. RD4 */
  private readonly claims = new FingerprintSet(Number.POSITIVE_INFINITY);
  /** Events that are not folded yet, as messages: by new partition. */
  private readonly messages: readonly {readonly writer: ByteWriter; count: number}[];
  /** Users who completed saved funnels, by new partition and funnel. */
  private readonly completed: readonly Map<string, number[]>[];

  /** `to` are new: their logs are empty. */
  constructor(from: readonly Partition[], to: readonly Partition[]) {
    this.from = from;
    this.to = to;
    this.homes = from.map(({users}) => new Uint16Array(users.table.count));
    this.completed = to.map(() => new Map());
    this.messages = to.map(() => ({writer: new ByteWriter(2 * messageBytesMax), count: 0}));
    for (const {writer} of this.messages) beginMessage(writer);
    const ordinal = Math.max(...from.map(({open}) => open.baseOrdinal + open.count)); // RD3
    // Positions, cursors and references of now are of earlier generations.
    const generation = Math.max(...from.map((source) => source.generation)) + 1;
    for (const target of to) {
      this.beginTime(target);
      target.restore(0, '', {nextChunk: 0, nextOrdinal: ordinal}, undefined);
      target.generations = [{generation, ordinal, users: 0}];
    }
    for (const source of from) this.adoptLinks(source);
  }

  /** The earliest of all logical times, so that nothing expires too soon, and the latest day from which on events are kept (SS3). */
  private beginTime({time, retention}: Partition): void {
    time.logicalMs = Math.min(...this.from.map((source) => source.time.logicalMs));
    time.lastTickMs = Math.min(...this.from.map((source) => source.time.lastTickMs));
    const latest = this.from.reduce((a, b) => (b.retention.fromDay > a.retention.fromDay ? b : a));
    for (const {name, block, payload} of latest.retention.freeze())
      retention.restore(name, block, must(payload, 'retention has a state'));
  }

  private adoptLinks({links, identity}: Partition): void {
    for (let device = 0; device < links.devices.count; device++)
      if (links.devices.has(device)) this.targetOf(links.devices.bytesOf(device)).links.adopt(links, device);
    for (const late of identity.lateLinks.values()) this.targetOf(wtf8(`u${late.userId}`)).identity.addLateLink(late);
  }

  private numberOf(key: Uint8Array): number {
    return partitionOf(key, 0, key.length, this.to.length);
  }

  private targetOf(key: Uint8Array): Partition {
    return this.to[this.numberOf(key)];
  }

  /** The new partition of a user. One who stayed under a changed key is at home where its device is (identity.ts ID1). */
  private homeOf(source: number, user: number): number {
    const homes = this.homes[source];
    if (homes[user] === 0) {
      const {identity, users} = this.from[source];
      const isChanged = users.table.bytesOf(user)[0] === leftByte;
      homes[user] = this.numberOf(isChanged ? identity.deviceKeyOf(user) : users.table.bytesOf(user)) + 1;
    }
    return homes[user] - 1;
  }

  /** Whether the user's rows and record count in the old partition. */
  counts(source: number, user: number): boolean {
    const {users, moves} = this.from[source];
    return users.table.has(user) && !moves.leftOut.has(user);
  }

  /** Takes an event of a user who counts. @returns the new partition. RD1 */
  event(source: number, entry: EntryView, user: number): number {
    const home = this.homeOf(source, user);
    const {users} = this.from[source];
    // A body that holds the whole entry has the key that the user had when it came.
    entry.bytes[entry.keyStart] = users.table.bytesOf(user)[0];
    const message = this.messages[home];
    const start = beginEntry(message.writer, entryKind.event);
    message.writer.raw(entry.bytes, entry.payloadStart, entry.payloadEnd);
    endEntry(message.writer, start);
    message.count += 1;
    if (message.writer.position >= messageBytesMax) this.fold(home);
    if (entry.hasMessageId) this.claimIdOf(source, entry, home);
    return home;
  }

  /** Folds the events that a new partition has taken: those that its kernel takes in runs. */
  fold(home: number): void {
    const message = this.messages[home];
    if (message.count === 0) return;
    const {events} = this.to[home];
    const cursor = new MessageCursor(sealMessage(message.writer, nobody, 0, 0, message.count));
    while (events.next(cursor)) events.count(cursor.entry);
    beginMessage(message.writer);
    message.count = 0;
  }

  private claimIdOf(source: number, entry: EntryView, home: number): void {
    const {dedupe} = this.from[source];
    const print = this.from[source].fingerprintOf(entry);
    if (dedupe.messageIds.has(print)) this.claims.add(print, 0, 0, home);
    if (entry.origin() === undefined) return;
    // The device's partition remembers the id as the device's: a late copy comes there.
    const key = wtf8(`a${entry.anonymousId()}`);
    const id = entry.bytes.subarray(entry.messageIdStart, entry.messageIdEnd);
    const bytes = new Uint8Array(key.length + id.length);
    bytes.set(key);
    bytes.set(id, key.length);
    const {kind, timeMs, isSecret} = entry;
    const place = {bytes, keyStart: 0, keyEnd: key.length, messageIdStart: key.length, messageIdEnd: bytes.length};
    const first = this.from[partitionOf(key, 0, key.length, this.from.length)];
    const ofDevice = first.dedupe.fingerprintOf({kind, timeMs, isSecret, ...place});
    if (first.dedupe.messageIds.has(ofDevice)) this.claims.add(ofDevice, 0, 0, this.numberOf(key));
  }

  /** Takes over the record of a user who counts, after all events. @returns the new partition. */
  user(source: number, record: UserRecord): number {
    const {users, dedupe, completions} = this.from[source];
    const home = this.homeOf(source, record.user);
    const key = users.table.bytesOf(record.user);
    const target = this.to[home];
    this.fold(home);
    const user = target.users.intern(key, 0, key.length);
    target.users.adopt({...record, user});
    for (const print of identifyIds(record)) if (dedupe.messageIds.has(print)) this.claims.add(print, 0, 0, home);
    for (const funnel of completions.funnels) {
      if (!completions.has(funnel, record.user)) continue;
      const known = this.completed[home].get(funnel);
      if (known === undefined) this.completed[home].set(funnel, [user]);
      else known.push(user);
    }
    return home;
  }

  /** Takes over what belongs to no single event or user. Call it once, after all of them. */
  finish(): void {
    for (const home of this.to.keys()) this.fold(home);
    this.adoptIds();
    this.adoptDeletions();
    this.adoptCompletions();
  }

  private adoptIds(): void {
    const {from, to, claims} = this;
    const all = [...to.keys()];
    inOrderOfDays(
      from.map(({dedupe}) => dedupe.messageIds),
      (print, day, content) => {
        const homes = claims.has(print) ? [claims.contentOf(print)] : all; // RD4
        for (const home of homes) to[home].dedupe.adopt(print, day, content);
      },
    );
    inOrderOfDays(
      from.map(({dedupe}) => dedupe.tombstones),
      (print, day) => {
        for (const {dedupe} of to) dedupe.adoptErased(print, day);
      },
    );
    const heldFromDay = Math.max(...from.map(({dedupe}) => dedupe.messageIds.heldFromDay));
    for (const {dedupe} of to) dedupe.messageIds.heldFromDay = Math.max(dedupe.messageIds.heldFromDay, heldFromDay);
  }

  /** RD5. The share of old partition p in a deletion goes to new partition p mod their number: receipts are sums over all. */
  private adoptDeletions(): void {
    const {from, to} = this;
    const byId = new Map<string, {readonly record: DeletionRecord; readonly events: number[]}>();
    for (const [p, {deletions}] of from.entries()) {
      for (const record of deletions.values()) {
        must(record.completed, 'RD2: no deletion is under way');
        const known = byId.get(record.id) ?? {record, events: to.map(() => 0)};
        known.events[p % to.length] += record.eventsDeleted;
        byId.set(record.id, known);
      }
      for (const id of deletions.toTell) to[p % to.length].deletions.toTell.add(id);
    }
    for (const {record, events} of byId.values())
      for (const [home, {deletions}] of to.entries())
        deletions.apply({...record, deviceHashes: [], eventsDeleted: events[home]});
  }

  /** A funnel has begun where all old partitions had begun: else its owners begin again, and tell nobody of it. */
  private adoptCompletions(): void {
    const funnels = new Set(this.from.flatMap(({completions}) => completions.funnels));
    for (const funnel of funnels) {
      const hasBegun = this.from.every(({completions}) => completions.hasBegun(funnel));
      for (const [home, {completions}] of this.to.entries()) {
        const users = (this.completed[home].get(funnel) ?? []).sort((a, b) => a - b);
        completions.apply({stage: hasBegun ? 'begin' : 'before', funnel, users});
      }
    }
  }
}

/** Visits the fingerprints of several sets, one day after the other. */
function inOrderOfDays(
  sets: readonly FingerprintSet[],
  visit: (print: Uint32Array, day: number, content: number) => void,
): void {
  const days = new Set<number>();
  for (const set of sets) set.forEach((_, day) => void days.add(day));
  for (const day of [...days].sort((a, b) => a - b)) {
    for (const set of sets)
      set.forEach((print, ofDay, content) => {
        if (ofDay === day) visit(print, day, content);
      });
  }
}
