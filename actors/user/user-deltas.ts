// Changes of users since the last snapshot: numbers in arrays, one slot for each touched user (user-records.ts has the rest).
import {dayMs} from '../limits.js';
import {datedWords, noIds, rememberedIds, type Traits, type UserRecord} from './user-records.js';

const initialSlots = 1_024;
const none = 0xffffffff;
/** Users whose chunk lists are followed side by side: more than the CPU's reads in flight (16 and 64 are as fast). */
const followedAtOnce = 32;
/** Bytes of a slot: four doubles, the last two of which are used as four words. */
const slotBytes = 32;
/** Positions of a slot's fields in `times`: epoch ms; NaN: none. */
const timeFields = slotBytes / 8;
const createdAt = 0;
const lastEventAt = 1;
/** Positions of a slot's fields in `marks`. */
const markFields = slotBytes / 4;
/** Epoch day of the newest event in arrival order, or `none`. */
const lastDayAt = 4;
/** Newest node of the slot's chunk list, + 1; 0: none. Chunks are linked newest first. */
const chunkHeadAt = 5;
/** Chunk of that node, or `none`. */
const lastChunkAt = 6;
/** Position in `identifyTimes`, + 1; 0: none. */
const identifyAt = 7;

export class UserDeltas {
  /** Number of touched users; each has a slot. */
  count = 0;
  // The fields that an event reads and writes are contiguous, in one memory viewed as doubles and as words: users come in
  // random order, and each further column would cost another cache line.
  private times = new Float64Array(initialSlots * timeFields);
  private marks = new Uint32Array(this.times.buffer);
  /** Two words for each node: its chunk, and the previous node of the same user, + 1; 0: none. */
  private nodeFields = new Uint32Array(initialSlots * 2);
  private nodes = 0;
  /** Slot by user index, from 1; 0: untouched. */
  private slotOf = new Uint32Array(initialSlots);
  /** Scratch of `chunksOf`: nodes, + 1, and the position of their user. */
  private readonly followed = new Uint32Array(followedAtOnce);
  private readonly followedFor = new Uint32Array(followedAtOnce);
  /** Epoch ms of the newest identify entry, for users who have one. */
  private readonly identifyTimes: number[] = [];
  /** Epoch ms of the first one, in the same places. */
  private readonly firstIdentifyTimes: number[] = [];
  private readonly identifiedUsers: number[] = [];
  private readonly toldAgain = new Set<number>();
  /** Fingerprints of identifies' message ids by user, in the form of records (user-records.ts). */
  private readonly identifyIds = new Map<number, Uint32Array>();

  /** Returns whether the event's day differs from that of the user's previous event: true for each day at least once. */
  addEvent(user: number, timeMs: number, chunk: number): boolean {
    const slot = this.slot(user, timeMs);
    const {marks} = this;
    const time = slot * timeFields + lastEventAt;
    if (!(this.times[time] >= timeMs)) this.times[time] = timeMs;
    const mark = slot * markFields;
    if (marks[mark + lastChunkAt] !== chunk) this.addChunk(mark, chunk);
    const day = Math.floor(timeMs / dayMs);
    if (marks[mark + lastDayAt] === day) return false;
    marks[mark + lastDayAt] = day;
    return true;
  }

  addIdentify(user: number, timeMs: number): void {
    const mark = this.slot(user, timeMs) * markFields + identifyAt;
    if (this.marks[mark] === 0) {
      this.marks[mark] = this.identifyTimes.push(timeMs);
      this.firstIdentifyTimes.push(timeMs);
      this.identifiedUsers.push(user);
    }
    const place = this.marks[mark] - 1;
    if (timeMs > this.identifyTimes[place]) this.identifyTimes[place] = timeMs;
    if (timeMs < this.firstIdentifyTimes[place]) this.firstIdentifyTimes[place] = timeMs;
  }

  /** Adds the message id of an identify. Days must not decrease. */
  addIdentifyId(user: number, print: Uint32Array, day: number): void {
    const added = new Uint32Array(datedWords);
    added[0] = day;
    added.set(print, 1);
    this.identifyIds.set(user, rememberedIds(this.identifyIds.get(user) ?? noIds, added));
  }

  /** Takes over what another partition knows of a user, beside its traits and its rows. It is no change that readers are told of. */
  adopt({user, createdMs, lastEventMs, lastIdentifyMs, firstIdentifyMs, identifyIds}: UserRecord): void {
    const slot = this.slot(user, createdMs);
    const time = slot * timeFields + lastEventAt;
    if (lastEventMs !== undefined && !(this.times[time] >= lastEventMs)) this.times[time] = lastEventMs;
    if (lastIdentifyMs === undefined) return;
    this.marks[slot * markFields + identifyAt] = this.identifyTimes.push(lastIdentifyMs);
    this.firstIdentifyTimes.push(firstIdentifyMs ?? lastIdentifyMs);
    if (identifyIds.length > 0) this.identifyIds.set(user, identifyIds);
  }

  /** The user's slot, with its createdMs lowered to `timeMs`. */
  private slot(user: number, timeMs: number): number {
    if (user >= this.slotOf.length) this.slotOf = grown(this.slotOf, Math.max(user + 1, this.slotOf.length * 1.5));
    const held = this.slotOf[user];
    if (held > 0) {
      const created = held * timeFields + createdAt;
      if (timeMs < this.times[created]) this.times[created] = timeMs;
      return held;
    }
    if ((this.count + 2) * markFields > this.marks.length) this.growSlots();
    return this.takeSlot(user, timeMs);
  }

  /** Allocates a slot; the arrays must have room. */
  private takeSlot(user: number, timeMs: number): number {
    this.count += 1;
    const slot = this.count;
    this.slotOf[user] = slot;
    const time = slot * timeFields;
    this.times[time + createdAt] = timeMs;
    this.times[time + lastEventAt] = Number.NaN;
    const mark = slot * markFields;
    this.marks[mark + lastDayAt] = none;
    this.marks[mark + lastChunkAt] = none;
    return slot;
  }

  private growSlots(): void {
    this.times = grown(this.times, this.times.length * 2);
    this.marks = new Uint32Array(this.times.buffer);
  }

  private addChunk(mark: number, chunk: number): void {
    const node = this.nodes * 2;
    if (node === this.nodeFields.length) this.nodeFields = grown(this.nodeFields, node * 2);
    this.nodeFields[node] = chunk;
    this.nodeFields[node + 1] = this.marks[mark + chunkHeadAt];
    this.nodes += 1;
    this.marks[mark + chunkHeadAt] = this.nodes;
    this.marks[mark + lastChunkAt] = chunk;
  }

  /**
   * Events of a user were erased: sets the times that it has without them. Its next event is told as the first one of its day
   * again. Changes nothing for a user without a slot.
   */
  correct(user: number, createdMs: number, lastEventMs: number | undefined): void {
    const slot = user < this.slotOf.length ? this.slotOf[user] : 0;
    if (slot === 0) return;
    this.times[slot * timeFields + createdAt] = createdMs;
    this.times[slot * timeFields + lastEventAt] = lastEventMs ?? Number.NaN;
    this.marks[slot * markFields + lastDayAt] = none;
  }

  /** Record of a user's changes; `traits` come from the caller. */
  record(user: number, traits: Traits | undefined): UserRecord | undefined {
    const slot = user < this.slotOf.length ? this.slotOf[user] : 0;
    if (slot === 0) return undefined;
    const chunks: number[] = [];
    let node = this.marks[slot * markFields + chunkHeadAt];
    for (; node > 0; node = this.nodeFields[node * 2 - 1]) chunks.push(this.nodeFields[node * 2 - 2]);
    return this.recordAt(slot, user, traits, chunks.reverse());
  }

  /** Records of all touched users, ascending; traits are looked up one user at a time. */
  *records(traits: Pick<ReadonlyMap<number, Traits>, 'get'>): Generator<UserRecord> {
    const users = this.usersAscending();
    for (let at = 0; at < users.length; at += followedAtOnce) {
      const end = Math.min(at + followedAtOnce, users.length);
      const chunks = this.chunksOf(users, at, end);
      for (let i = at; i < end; i++)
        yield this.recordAt(this.slotOf[users[i]], users[i], traits.get(users[i]), chunks[i - at]);
    }
  }

  /**
   * Chunks of the users [start, end). The nodes of a user are scattered, and each holds the address of the next. The lists are
   * followed side by side, so that no read of memory waits for another one.
   */
  private chunksOf(users: Uint32Array, start: number, end: number): number[][] {
    const {followed, followedFor, slotOf, marks, nodeFields} = this;
    const lists: number[][] = [];
    let open = 0;
    for (let i = start; i < end; i++) {
      lists.push([]);
      followed[open] = marks[slotOf[users[i]] * markFields + chunkHeadAt];
      followedFor[open] = i - start;
      if (followed[open] > 0) open += 1;
    }
    while (open > 0) {
      for (let i = open - 1; i >= 0; i--) {
        const node = (followed[i] - 1) * 2;
        lists[followedFor[i]].push(nodeFields[node]);
        followed[i] = nodeFields[node + 1];
        if (followed[i] > 0) continue;
        open -= 1;
        followed[i] = followed[open];
        followedFor[i] = followedFor[open];
      }
    }
    for (const list of lists) list.reverse();
    return lists;
  }

  private recordAt(slot: number, user: number, traits: Traits | undefined, chunks: number[]): UserRecord {
    const identify = this.marks[slot * markFields + identifyAt];
    return {
      user,
      createdMs: this.times[slot * timeFields + createdAt],
      lastEventMs: known(this.times[slot * timeFields + lastEventAt]),
      lastIdentifyMs: identify === 0 ? undefined : this.identifyTimes[identify - 1],
      firstIdentifyMs: identify === 0 ? undefined : this.firstIdentifyTimes[identify - 1],
      traits,
      identifyIds: identify === 0 ? noIds : (this.identifyIds.get(user) ?? noIds),
      chunks,
    };
  }

  /** Users with an identify entry, and those whose profile changed without one (`tellAgain`), ascending. */
  identified(): number[] {
    const {identifiedUsers, toldAgain} = this;
    const users = toldAgain.size === 0 ? identifiedUsers : [...new Set([...identifiedUsers, ...toldAgain])];
    return users.toSorted((a, b) => a - b);
  }

  /** The profile of an identified user changed: readers of changes get it again. */
  tellAgain(user: number): void {
    this.toldAgain.add(user);
  }

  /** Touched users, ascending. */
  usersAscending(): Uint32Array {
    const users = new Uint32Array(this.count);
    let count = 0;
    for (let user = 0; user < this.slotOf.length; user++) if (this.slotOf[user] > 0) users[count++] = user;
    return users;
  }
}

const known = (timeMs: number): number | undefined => (Number.isNaN(timeMs) ? undefined : timeMs);

function grown<T extends Uint32Array | Float64Array>(array: T, capacity: number): T {
  const larger = new (array.constructor as new (length: number) => T)(Math.ceil(capacity));
  larger.set(array);
  return larger;
}
