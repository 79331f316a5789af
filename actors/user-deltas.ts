// What users gained since the last cut: numbers in arrays, one slot a touched user (actors/user-records.ts holds the rest).
import {dayMs} from './limits.js';
import type {Traits, UserRecord} from './user-records.js';

const initialSlots = 1_024;
const noDay = 0xffffffff;
/** A slot is five doubles, two of which are four words. */
const slotBytes = 40;
/** Places of a slot in `times`: epoch ms; NaN: none. */
const timeFields = slotBytes / 8;
const createdAt = 0;
const lastEventAt = 1;
const lastIdentifyAt = 2;
/** Places of a slot in `marks`. */
const markFields = slotBytes / 4;
const userAt = 6;
/** Epoch day of the newest event in arrival order. */
const lastDayAt = 7;
/** Newest node of the slot's chunk list, + 1; 0: none. Chunks are linked newest first. */
const chunkHeadAt = 8;
/** The chunk of that node. */
const lastChunkAt = 9;

export class UserDeltas {
  /** Touched users, a slot each. */
  count = 0;
  // What an event of a user reads and writes stands together, in one memory seen as doubles and as words: users come in no
  // order, and each column of its own would be another line of cache.
  private times = new Float64Array(initialSlots * timeFields);
  private marks = new Uint32Array(this.times.buffer);
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
    const {marks} = this;
    const time = slot * timeFields + lastEventAt;
    if (!(this.times[time] >= timeMs)) this.times[time] = timeMs;
    const mark = slot * markFields;
    if (marks[mark + chunkHeadAt] === 0 || marks[mark + lastChunkAt] !== chunk) this.addChunk(mark, chunk);
    const day = Math.floor(timeMs / dayMs);
    if (marks[mark + lastDayAt] === day) return false;
    marks[mark + lastDayAt] = day;
    return true;
  }

  addIdentify(user: number, timeMs: number): void {
    const time = this.slot(user, timeMs) * timeFields + lastIdentifyAt;
    if (!(this.times[time] >= timeMs)) this.times[time] = timeMs;
  }

  /** The user's slot, its createdMs lowered to `timeMs`. */
  private slot(user: number, timeMs: number): number {
    if (user >= this.slotOf.length) this.slotOf = grown(this.slotOf, Math.max(user + 1, this.slotOf.length * 1.5));
    const held = this.slotOf[user];
    if (held > 0) {
      const created = (held - 1) * timeFields + createdAt;
      if (timeMs < this.times[created]) this.times[created] = timeMs;
      return held - 1;
    }
    const slot = this.count++;
    if (this.count * markFields > this.marks.length) this.growSlots();
    this.slotOf[user] = slot + 1;
    const time = slot * timeFields;
    this.times[time + createdAt] = timeMs;
    this.times[time + lastEventAt] = Number.NaN;
    this.times[time + lastIdentifyAt] = Number.NaN;
    const mark = slot * markFields;
    this.marks[mark + userAt] = user;
    this.marks[mark + lastDayAt] = noDay;
    this.marks[mark + chunkHeadAt] = 0;
    return slot;
  }

  private growSlots(): void {
    this.times = grown(this.times, this.times.length * 2);
    this.marks = new Uint32Array(this.times.buffer);
  }

  private addChunk(mark: number, chunk: number): void {
    if (this.nodes === this.nodeChunk.length) {
      this.nodeChunk = grown(this.nodeChunk, this.nodes * 2);
      this.nodePrevious = grown(this.nodePrevious, this.nodes * 2);
    }
    this.nodeChunk[this.nodes] = chunk;
    this.nodePrevious[this.nodes] = this.marks[mark + chunkHeadAt];
    this.nodes += 1;
    this.marks[mark + chunkHeadAt] = this.nodes;
    this.marks[mark + lastChunkAt] = chunk;
  }

  /** What the deltas say of a user; `traits` are the caller's. */
  record(user: number, traits: Traits | undefined): UserRecord | undefined {
    const slot = user < this.slotOf.length ? this.slotOf[user] - 1 : -1;
    if (slot < 0) return undefined;
    const chunks: number[] = [];
    for (let node = this.marks[slot * markFields + chunkHeadAt]; node > 0; node = this.nodePrevious[node - 1])
      chunks.push(this.nodeChunk[node - 1]);
    return {
      user,
      createdMs: this.times[slot * timeFields + createdAt],
      lastEventMs: known(this.times[slot * timeFields + lastEventAt]),
      lastIdentifyMs: known(this.times[slot * timeFields + lastIdentifyAt]),
      traits,
      chunks: chunks.reverse(),
    };
  }

  /** Touched users, ascending. */
  usersAscending(): Uint32Array {
    const users = new Uint32Array(this.count);
    for (let slot = 0; slot < this.count; slot++) users[slot] = this.marks[slot * markFields + userAt];
    return users.sort();
  }
}

const known = (timeMs: number): number | undefined => (Number.isNaN(timeMs) ? undefined : timeMs);

function grown<T extends Uint32Array | Float64Array>(array: T, capacity: number): T {
  const larger = new (array.constructor as new (length: number) => T)(Math.ceil(capacity));
  larger.set(array);
  return larger;
}
