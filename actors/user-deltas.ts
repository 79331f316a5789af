// What users gained since the last cut: columns, one slot a touched user (actors/user-records.ts holds the rest).
import {dayMs} from './limits.js';
import type {Traits, UserRecord} from './user-records.js';

const initialSlots = 1_024;
const noDay = 0xffffffff;

export class UserDeltas {
  /** Touched users; slot s belongs to users[s]. */
  count = 0;
  private users = new Uint32Array(initialSlots);
  private created = new Float64Array(initialSlots);
  /** NaN: none. */
  private lastEvent = new Float64Array(initialSlots);
  private lastIdentify = new Float64Array(initialSlots);
  /** Epoch day of the newest event in arrival order. */
  private lastDay = new Uint32Array(initialSlots);
  /** Newest node of the slot's chunk list, + 1; 0: none. Chunks are linked newest first. */
  private chunkHead = new Uint32Array(initialSlots);
  private nodeChunk = new Uint32Array(initialSlots);
  private nodePrevious = new Uint32Array(initialSlots);
  private nodes = 0;
  /** Slot + 1 by user index; 0: untouched. */
  private slotOf = new Uint32Array(initialSlots);

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Returns whether the event's day differs from that of the user's event before: a day comes back at least once. */
  addEvent(user: number, timeMs: number, chunk: number): boolean {
    const slot = this.slot(user, timeMs);
    if (!(this.lastEvent[slot] >= timeMs)) this.lastEvent[slot] = timeMs;
    const head = this.chunkHead[slot];
    if (head === 0 || this.nodeChunk[head - 1] !== chunk) this.addChunk(slot, chunk);
    const day = Math.floor(timeMs / dayMs);
    if (this.lastDay[slot] === day) return false;
    this.lastDay[slot] = day;
    return true;
  }

  addIdentify(user: number, timeMs: number): void {
    const slot = this.slot(user, timeMs);
    if (!(this.lastIdentify[slot] >= timeMs)) this.lastIdentify[slot] = timeMs;
  }

  /** The user's slot, its createdMs lowered to `timeMs`. */
  private slot(user: number, timeMs: number): number {
    if (user >= this.slotOf.length) this.slotOf = grown(this.slotOf, Math.max(user + 1, this.slotOf.length * 1.5));
    const held = this.slotOf[user];
    if (held > 0) {
      if (timeMs < this.created[held - 1]) this.created[held - 1] = timeMs;
      return held - 1;
    }
    const slot = this.count++;
    if (slot === this.users.length) this.growSlots();
    this.slotOf[user] = slot + 1;
    this.users[slot] = user;
    this.created[slot] = timeMs;
    this.lastEvent[slot] = Number.NaN;
    this.lastIdentify[slot] = Number.NaN;
    this.lastDay[slot] = noDay;
    this.chunkHead[slot] = 0;
    return slot;
  }

  private growSlots(): void {
    const capacity = this.users.length * 2;
    this.users = grown(this.users, capacity);
    this.created = grown(this.created, capacity);
    this.lastEvent = grown(this.lastEvent, capacity);
    this.lastIdentify = grown(this.lastIdentify, capacity);
    this.lastDay = grown(this.lastDay, capacity);
    this.chunkHead = grown(this.chunkHead, capacity);
  }

  private addChunk(slot: number, chunk: number): void {
    if (this.nodes === this.nodeChunk.length) {
      this.nodeChunk = grown(this.nodeChunk, this.nodes * 2);
      this.nodePrevious = grown(this.nodePrevious, this.nodes * 2);
    }
    this.nodeChunk[this.nodes] = chunk;
    this.nodePrevious[this.nodes] = this.chunkHead[slot];
    this.nodes += 1;
    this.chunkHead[slot] = this.nodes;
  }

  /** What the deltas say of a user; `traits` are the caller's. */
  record(user: number, traits: Traits | undefined): UserRecord | undefined {
    const slot = user < this.slotOf.length ? this.slotOf[user] - 1 : -1;
    if (slot < 0) return undefined;
    const chunks: number[] = [];
    for (let node = this.chunkHead[slot]; node > 0; node = this.nodePrevious[node - 1])
      chunks.push(this.nodeChunk[node - 1]);
    return {
      user,
      createdMs: this.created[slot],
      lastEventMs: known(this.lastEvent[slot]),
      lastIdentifyMs: known(this.lastIdentify[slot]),
      traits,
      chunks: chunks.reverse(),
    };
  }

  /** Touched users, ascending. */
  usersAscending(): Uint32Array {
    return this.users.slice(0, this.count).sort();
  }
}

const known = (timeMs: number): number | undefined => (Number.isNaN(timeMs) ? undefined : timeMs);

function grown<T extends Uint32Array | Float64Array>(array: T, capacity: number): T {
  const larger = new (array.constructor as new (length: number) => T)(Math.ceil(capacity));
  larger.set(array);
  return larger;
}
