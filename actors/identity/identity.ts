// Identity of the users of one partition: which anonymous users are devices of a known one, and which of them leave for its partition.
//   Owns:    links, moves, links that came too late, and the keys of users who leave.
//   Does not own: rows and counts (partition.ts).
//
//   ID1. The key of a user who leaves is changed in its first byte: a later user under the old key is another one.
//   ID2. Events before the second user's link belong to the first user. LK1 (links.ts)
import {type Actor, type FrozenPart, jsonOf, jsonPart, type Payload} from '../actor.js';
import {partitionOf} from '../bytes/hash.js';
import {must} from '../invariant.js';
import {anonymousByte} from '../log/entries.js';
import type {EntryView} from '../log/entry-view.js';
import type {InternedTable} from '../table/interned.js';
import {Links} from './links.js';
import {Moves} from './moves.js';

/** Replaces 'a' in the key of a user who leaves. ID1 */
export const leftByte = 0x6d; // 'm'

/** Link that came with a late copy of an erased event: its user is deleted. */
export interface LateLink {
  readonly userId: string;
  readonly anonymousId: string;
}

/** Small state: links that are to be taken back. */
export type IdentityState = readonly LateLink[];

export class Identity implements Actor<EntryView> {
  readonly name = 'identity';
  readonly links = new Links();
  readonly moves: Moves;
  /** Links of erased entries, by both ids: their owners take them back. */
  readonly lateLinks = new Map<string, LateLink>();
  /** Number of linked devices by outcome, since this process started. */
  readonly tally = {joined: 0, shared: 0, tooLarge: 0};

  /** `users`: keys of the partition's users. `keysChanged`: called when one of them changed. */
  constructor(
    private readonly users: InternedTable,
    private readonly partitions: number,
    private readonly keysChanged: () => void,
  ) {
    this.moves = new Moves(partitions);
  }

  /** Makes a linked device with new events a candidate to move. */
  noteNewUser(user: number): void {
    if (this.links.count === 0) return;
    const key = this.users.bytesOf(user);
    if (key[0] !== anonymousByte) return;
    const device = this.links.find(key, 0, key.length);
    if (device !== undefined && !this.links.isShared(device)) this.moves.candidates.add(user);
  }

  /** Applies a link entry. */
  apply(entry: EntryView): void {
    const linked = this.links.apply(entry);
    if (linked === 'known') return;
    this.tally[linked === 'new' ? 'joined' : 'shared'] += 1;
    const user = this.users.find(entry.bytes, entry.keyStart, entry.keyEnd);
    if (user < 0) return;
    if (linked === 'new') this.moves.candidates.add(user);
    else if (this.moves.candidates.has(user)) this.releaseKeys([user]); // ID2
  }

  /** Notes the link that came with an erased entry, unless the user is known: nothing but the link says that there is such a user. */
  noteLateLink(entry: EntryView): void {
    if (entry.anonymousIdEnd === 0 || entry.isApart || entry.origin() !== undefined) return;
    if (this.users.find(entry.bytes, entry.keyStart, entry.keyEnd) >= 0) return;
    this.addLateLink({userId: entry.userKey().slice(1), anonymousId: entry.anonymousId()});
  }

  addLateLink(link: LateLink): void {
    this.lateLinks.set(JSON.stringify([link.userId, link.anonymousId]), link);
  }

  /** Takes a link back. @returns whether a candidate stays by it. The link stays if the anonymous user has left by it already: the owner is there again, with these events. */
  takeBackLink({bytes, keyStart, keyEnd, textStart, textEnd}: EntryView): boolean {
    const left = Uint8Array.from(bytes.subarray(keyStart, keyEnd));
    left[0] = leftByte;
    const hasLeft = this.users.findAll(left, 0, left.length).length > 0;
    this.links.takeBack(bytes, {start: keyStart, end: keyEnd}, {start: textStart, end: textEnd}, hasLeft);
    const user = this.users.find(bytes, keyStart, keyEnd);
    this.keysChanged();
    return user >= 0 && this.links.find(bytes, keyStart, keyEnd) === undefined && this.moves.candidates.delete(user);
  }

  /** Decides about candidates: they leave, or are too large. `generation`: of the log. @returns whether one of them stays. */
  applyLeave(entry: EntryView, generation: number): boolean {
    const {tooLarge} = this.tally;
    const byDestination = new Map<number, number[]>();
    const released: number[] = [];
    for (const {user, isTooLarge} of entry.leavers()) {
      if (!this.moves.candidates.delete(user)) continue;
      const key = this.deviceKeyOf(user);
      const device = must(this.links.find(key, 0, key.length), 'a candidate has a linked device');
      if (isTooLarge) {
        this.links.share(device);
        this.tally.tooLarge += 1;
        this.giveKeyBack(user);
        continue;
      }
      if (this.users.bytesOf(user)[0] === anonymousByte) released.push(user);
      const to = this.homeOf(this.links.owners.bytesOf(this.links.ownerOf(device)));
      byDestination.set(to, [...(byDestination.get(to) ?? []), user]);
    }
    this.releaseKeys(released);
    for (const [to, users] of byDestination) this.moves.leave(to, users, generation);
    return this.tally.tooLarge > tooLarge;
  }

  /** Changes the keys of these users. ID1 */
  private releaseKeys(users: readonly number[]): void {
    for (const user of users) this.users.changeFirstByte(user, leftByte);
    if (users.length > 0) this.keysChanged();
  }

  /**
   * A user who is too large stays the anonymous user that it was, although a second user named its device before that was known.
   * If another one came under its key meanwhile, the two stay apart, and are erased together.
   */
  private giveKeyBack(user: number): void {
    const key = this.deviceKeyOf(user);
    if (this.users.find(key, 0, key.length) < 0) this.users.changeFirstByte(user, anonymousByte);
    this.keysChanged();
  }

  /** Users with changed keys of a device who are their owner's: they leave or have left. Others were too large, and stay. */
  private isOwners(user: number): boolean {
    const {candidates, leftOut} = this.moves;
    return candidates.has(user) || leftOut.has(user) || this.moves.moveOf(user) !== undefined;
  }

  /** Whether the user is known, and has not left for another partition. */
  isHere(user: number): boolean {
    return this.users.has(user) && this.users.bytesOf(user)[0] !== leftByte;
  }

  /** Whether the user is known, has not left, and is no candidate to leave. */
  stays(user: number): boolean {
    return this.isHere(user) && !this.moves.candidates.has(user);
  }

  /** The partition of the user with this key. */
  homeOf(key: Uint8Array): number {
    return partitionOf(key, 0, key.length, this.partitions);
  }

  /** The key of the user that an anonymous one is. */
  ownerKeyOf(user: number): Uint8Array {
    const key = this.deviceKeyOf(user);
    const device = must(this.links.find(key, 0, key.length), 'a user who left has a linked device');
    return this.links.owners.bytesOf(this.links.ownerOf(device));
  }

  /** The key of an anonymous user as it was before it left. */
  deviceKeyOf(user: number): Uint8Array {
    const key = this.users.bytesOf(user).slice();
    key[0] = anonymousByte;
    return key;
  }

  /** Keys of the devices of the owner with this key, without those that are shared. */
  deviceKeysOf(bytes: Uint8Array, start: number, end: number): Uint8Array[] {
    const devices = this.links.devicesOf(bytes, start, end).filter((device) => !this.links.isShared(device));
    return devices.map((device) => this.links.devices.bytesOf(device));
  }

  freeze(): FrozenPart[] {
    return [jsonPart(this.name, [...this.lateLinks.values()] satisfies IdentityState)];
  }

  restore(_name: string, _block: number, payload: Payload): void {
    for (const link of jsonOf<IdentityState>(payload)) this.addLateLink(link);
  }

  /** The users that an erase entry names: under its key, and on the devices of an owner with this key. */
  usersOf({bytes, keyStart, keyEnd}: EntryView): number[] {
    const users = this.users.findAll(bytes, keyStart, keyEnd);
    if (bytes[keyStart] === anonymousByte) {
      const changed = Uint8Array.from(bytes.subarray(keyStart, keyEnd));
      changed[0] = leftByte;
      users.push(...this.users.findAll(changed, 0, changed.length).filter((user) => !this.isOwners(user)));
    }
    for (const device of this.links.devicesOf(bytes, keyStart, keyEnd)) {
      const key = this.links.devices.bytesOf(device).slice();
      if (!this.links.isShared(device)) users.push(...this.users.findAll(key, 0, key.length));
      key[0] = leftByte;
      users.push(...this.users.findAll(key, 0, key.length).filter((user) => this.isOwners(user)));
    }
    return users;
  }
}
