// Links of the anonymous users of a partition (devices) to known users (their owners), who may live in another partition.
//   Owns:    both tables of keys, and each device's owner.
//   Does not own: the events of a device, and when they move (moves.ts).
//
//   LK1. The first link decides, in the order of the log of the device's partition, permanently. A device that a second user names
//        is shared from then on, also when its owner is deleted, and its later events belong to no user. Two known users never
//        become one.
//   LK2. A user that ever named a device here stays in `owners` until it is deleted: the bytes of its link may be in the log.

import {type Actor, bytesIn, chained, type FrozenPart, type Payload} from '../actor.js';
import {InternedTable, internedBlockEntries} from '../table/interned.js';

const devicesName = 'links.devices';
const ownersName = 'links.owners';
const sharedBit = 0x80000000;
const none = 0xffffffff;

/** `known`: nothing changed. `shared`: the device was another user's, and became shared. */
type Linked = 'new' | 'known' | 'shared';

/** A link entry: the keys of a device and of its owner in `bytes`. */
interface LinkedKeys {
  readonly bytes: Uint8Array;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly textStart: number;
  readonly textEnd: number;
}

export class Links implements Actor<LinkedKeys> {
  readonly name = 'links';
  readonly devices = new InternedTable();
  readonly owners = new InternedTable();
  /** Owner by device, + `sharedBit`. `none`: the owner was forgotten; such a device is still here if it is shared. */
  private links = new Uint32Array(64);
  /** Newest device by owner; `none`: it has no device. */
  private newest = new Uint32Array(64);
  /** Next older device of the same owner, by device; `none`: it is the oldest. */
  private before = new Uint32Array(64);
  private readonly dirtyBlocks = new Set<number>();

  get count(): number {
    return this.devices.live;
  }

  /** Links a device to its owner. LK1 */
  apply({bytes, keyStart, keyEnd, textStart, textEnd}: LinkedKeys): Linked {
    const known = this.devices.find(bytes, keyStart, keyEnd);
    if (known >= 0) return this.linkAgain(known, bytes, {start: textStart, end: textEnd});
    const added = this.devices.intern(bytes, keyStart, keyEnd);
    this.chain(added, this.internOwner(bytes, {start: textStart, end: textEnd}));
    this.note(added);
    return 'new';
  }

  /** Takes over the link of a device of another partition, with its owner. */
  adopt(from: Links, device: number): void {
    const key = from.devices.bytesOf(device);
    const added = this.devices.intern(key, 0, key.length);
    const link = from.links[device];
    this.makeRoom(added);
    if (link !== none) {
      const owner = from.owners.bytesOf(from.ownerOf(device));
      this.chain(added, this.internOwner(owner, {start: 0, end: owner.length}));
    }
    this.links[added] = link === none ? none : (this.links[added] | (link & sharedBit)) >>> 0;
    this.note(added);
  }

  /** LK1, LK2 */
  private linkAgain(
    device: number,
    bytes: Uint8Array,
    owner: {readonly start: number; readonly end: number},
  ): 'known' | 'shared' {
    if (this.internOwner(bytes, owner) === this.ownerOf(device) || this.isShared(device)) return 'known';
    this.share(device);
    return 'shared';
  }

  /** The device is shared from now on. */
  share(device: number): void {
    this.links[device] |= sharedBit;
    this.note(device);
  }

  private internOwner(bytes: Uint8Array, {start, end}: {readonly start: number; readonly end: number}): number {
    const {count} = this.owners;
    const owner = this.owners.intern(bytes, start, end);
    if (owner >= this.newest.length) this.newest = grown(this.newest, owner + 1);
    if (owner === count) this.newest[owner] = none;
    return owner;
  }

  private makeRoom(device: number): void {
    if (device < this.links.length) return;
    this.links = grown(this.links, device + 1);
    this.before = grown(this.before, device + 1);
  }

  private chain(device: number, owner: number): void {
    this.makeRoom(device);
    this.links[device] = owner;
    this.before[device] = this.newest[owner];
    this.newest[owner] = device;
  }

  private note(device: number): void {
    this.dirtyBlocks.add(Math.floor(device / internedBlockEntries));
  }

  isShared(device: number): boolean {
    return this.links[device] >= sharedBit;
  }

  /** Owner of a device. After the owner of a shared device was forgotten, the number is no owner's. */
  ownerOf(device: number): number {
    return (this.links[device] & ~sharedBit) >>> 0;
  }

  /** The device with this key, if it is linked; it may be shared. */
  find(bytes: Uint8Array, start: number, end: number): number | undefined {
    const device = this.devices.count === 0 ? -1 : this.devices.find(bytes, start, end);
    return device < 0 ? undefined : device;
  }

  /** Whether the user with this key ever named a device. LK2 */
  knowsOwner(bytes: Uint8Array, start: number, end: number): boolean {
    return this.owners.count > 0 && this.owners.find(bytes, start, end) >= 0;
  }

  /** Devices of the owner with this key, the newest first. */
  devicesOf(bytes: Uint8Array, start: number, end: number): number[] {
    const owner = this.owners.count === 0 ? -1 : this.owners.find(bytes, start, end);
    const devices: number[] = [];
    if (owner < 0) return devices;
    for (let device = this.newest[owner]; device !== none; device = this.before[device]) devices.push(device);
    return devices;
  }

  /**
   * Forgets the link unless its device `hasLeft`, is shared or has another owner. An owner without a device is forgotten as well.
   */
  takeBack(
    bytes: Uint8Array,
    device: {readonly start: number; readonly end: number},
    {start, end}: {readonly start: number; readonly end: number},
    hasLeft: boolean,
  ): void {
    const owner = this.owners.find(bytes, start, end);
    if (owner < 0) return;
    const linked = this.find(bytes, device.start, device.end);
    if (linked !== undefined && this.links[linked] === owner && !hasLeft) this.unchain(linked, owner);
    if (this.newest[owner] === none) this.owners.remove(owner);
  }

  private unchain(device: number, owner: number): void {
    let after = none;
    for (let at = this.newest[owner]; at !== device; at = this.before[at]) after = at;
    if (after === none) this.newest[owner] = this.before[device];
    else this.before[after] = this.before[device];
    this.devices.remove(device);
    this.links[device] = none;
    this.note(device);
  }

  /** Forgets an owner and its devices, with their bytes. Shared devices stay shared, without an owner. LK1 */
  forgetOwner(bytes: Uint8Array, start: number, end: number): void {
    for (const device of this.devicesOf(bytes, start, end)) {
      if (!this.isShared(device)) this.devices.remove(device);
      this.links[device] = none;
      this.note(device);
    }
    const owner = this.owners.find(bytes, start, end);
    if (owner >= 0) this.owners.remove(owner);
  }

  freeze(): Iterable<FrozenPart> {
    const parts = [...this.dirtyBlocks]
      .sort((a, b) => a - b)
      .map((block): FrozenPart => ({name: this.name, block, payload: this.encodeBlock(block)}));
    this.dirtyBlocks.clear();
    return chained(this.devices.freeze(devicesName), this.owners.freeze(ownersName), parts);
  }

  private encodeBlock(block: number): Uint8Array {
    const first = block * internedBlockEntries;
    const end = Math.min(this.devices.count, first + internedBlockEntries);
    return new Uint8Array(this.links.slice(first, end).buffer);
  }

  /** Both tables come first: a device is interned in the snapshot of its link at the latest. */
  restore(name: string, block: number, payload: Payload): void {
    if (name === devicesName) this.devices.restoreBlock(bytesIn(payload));
    else if (name === ownersName) this.owners.restoreBlock(bytesIn(payload));
    else this.restoreLinks(block, bytesIn(payload));
  }

  private restoreLinks(block: number, payload: Uint8Array): void {
    const links = new Uint32Array(new Uint8Array(payload).buffer); // Copied for alignment: `slice` of a Buffer would be a view.
    const {owners} = this;
    if (this.newest.length < owners.count || block === 0)
      this.newest = new Uint32Array(Math.max(64, owners.count)).fill(none);
    for (const [place, link] of links.entries()) {
      const device = block * internedBlockEntries + place;
      if (!this.devices.has(device)) continue;
      this.makeRoom(device);
      if (link !== none) this.chain(device, (link & ~sharedBit) >>> 0);
      this.links[device] = link;
    }
  }
}

function grown(column: Uint32Array, count: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(count, Math.ceil(column.length * 1.5)));
  larger.set(column);
  return larger;
}
