// Events of anonymous users that became their owners', as facts for readers of changes.
import {wtf8} from '../bytes/bytes.js';
import {must} from '../invariant.js';
import {type EntryView, MessageCursor} from '../log/entry-view.js';
import type {InternedTable} from '../table/interned.js';

/** The events of one anonymous user that arrived for one owner. */
export interface Joined {
  readonly anonymousHash: string;
  /** Index of the owner. */
  readonly user: number;
  /** Ids of the first and of the last event. */
  from: string;
  through: string;
}

/** `messages`: the pieces of a move. `users`: keys of the partition's users. `hashOf`: keyed hash of a user key. */
export function joinedIn(
  messages: readonly Uint8Array[],
  users: InternedTable,
  hashOf: (key: Uint8Array) => string,
): Joined[] {
  const found = new Map<string, Joined>();
  for (const bytes of messages) {
    const cursor = new MessageCursor(bytes);
    cursor.next();
    while (cursor.next()) {
      const {entry} = cursor;
      const user = users.find(bytes, entry.keyStart, entry.keyEnd);
      if (user < 0) continue; // None of its events was counted.
      const anonymousHash = hashOf(wtf8(`a${entry.anonymousId()}`));
      const id = originOf(entry);
      const known = found.get(`${anonymousHash} ${user}`);
      if (known === undefined) found.set(`${anonymousHash} ${user}`, {anonymousHash, user, from: id, through: id});
      else if (isLater(id, known.through)) known.through = id;
      else if (isLater(known.from, id)) known.from = id;
    }
  }
  return [...found.values()];
}

/** Id that an arrived event had in the partition that it comes from. */
export const originOf = (entry: EntryView): string =>
  must(entry.origin(), 'log: an arrived event has the id that it had');

/** Compares ids of events of one partition. */
const isLater = (a: string, b: string): boolean => ordinalIn(a) > ordinalIn(b);
const ordinalIn = (id: string): number => Number(id.slice(id.indexOf('-') + 1));
