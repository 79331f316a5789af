// The funnel of one partition over its postings: what funnel.ts answers by gathering all matching rows, without reading
// those that no user needs. Equal answers (API.md, funnel rules); test/actors/report holds one against the other.
//   Users are taken in blocks, and each block through one step after the other: a user that misses a step is not looked
//   for in the next ones, and what is looked at lies in the order of users.
//   With a conversion window any entry may convert, so each user is walked alone (entry-walk.ts).
import {EntryWalk} from './entry-walk.js';
import type {FunnelResult} from './funnel.js';
import {placeAfter, placeOfUser} from './key-search.js';
import {NumberList} from './median.js';
import type {Stretch} from './selection.js';
import {type NamePostings, ranksPerMs, timeOfKey, type UserPostings} from './user-postings.js';

/** Users [n, n + blockUsers) are taken together: their state stays in the first caches of a core. */
const blockUsers = 4_096;
const never = Number.POSITIVE_INFINITY;

/** One step's postings in one of the segments, and how far users were looked for in them. */
interface StepPostings extends NamePostings {
  at: number;
}

export class PostedFunnel implements FunnelResult {
  readonly reached: Float64Array;
  readonly durations: readonly NumberList[];
  private readonly names: readonly number[];
  private readonly steps: readonly (readonly StepPostings[])[];
  private readonly windowMs: number;
  /** Keys in [startKey, endKey) are inside the stretch. */
  private readonly startKey: number;
  private readonly endKey: number;
  // Of the users in the block that reached the step at hand, in [0, count): who, the key of that step, that of the next.
  private count = 0;
  private readonly users = new Uint32Array(blockUsers);
  private readonly keys = new Float64Array(blockUsers);
  private readonly nextKeys = new Float64Array(blockUsers);
  private readonly gaps = new Float64Array(blockUsers);

  /**
   * `segments`: postings of all chunks, in the order of their ordinals. `stepNames`: the name index of each step's event in
   * this partition, -1 where it has none. `windowMs` is inclusive, infinite without a window.
   */
  constructor(
    segments: readonly UserPostings[],
    stepNames: readonly number[],
    {startMs, lastMs}: Stretch,
    windowMs: number,
  ) {
    this.reached = new Float64Array(stepNames.length);
    this.durations = stepNames.map(() => new NumberList());
    this.names = stepNames;
    this.steps = stepNames.map((name) => stepPostings(segments, name));
    this.windowMs = windowMs;
    this.startKey = startMs * ranksPerMs;
    this.endKey = (lastMs + 1) * ranksPerMs;
  }

  /** Counts all users; yields between blocks of them. */
  *walk(): Generator<void, void, void> {
    if (this.endKey <= this.startKey) return;
    const [entries] = this.steps;
    const walk = this.windowMs === never ? undefined : this.newEntryWalk();
    for (let first = firstUser(entries); first < never; first = firstUser(entries)) {
      this.enter(entries, first);
      if (walk === undefined) this.takeSteps();
      else this.walkEach(walk);
      yield;
    }
  }

  private newEntryWalk(): EntryWalk {
    return new EntryWalk(this.names, this.steps, this.windowMs, this.endKey);
  }

  /** The earliest entry of each user of the block that starts with `firstUser`. */
  private enter(entries: readonly StepPostings[], firstUser: number): void {
    const {nextKeys: slots, startKey} = this;
    slots.fill(never);
    for (const postings of entries) {
      const {users, starts, keys, end} = postings;
      let at = postings.at;
      for (; at < end; at++) {
        const slot = users[at] - firstUser;
        if (slot >= blockUsers) break;
        let place = starts[at];
        if (keys[place] < startKey) {
          const keysEnd = starts[at + 1];
          place = placeAfter(keys, place, keysEnd, startKey - 1);
          if (place === keysEnd) continue;
        }
        if (keys[place] < slots[slot]) slots[slot] = keys[place];
      }
      postings.at = at;
    }
    this.keepEntered(firstUser);
  }

  private keepEntered(firstUser: number): void {
    const {nextKeys: slots, users, keys, endKey} = this;
    let count = 0;
    for (let slot = 0; slot < blockUsers; slot++) {
      if (!(slots[slot] < endKey)) continue;
      users[count] = firstUser + slot;
      keys[count++] = slots[slot];
    }
    this.count = count;
  }

  // -- without a conversion window: each step takes the earliest event after the one before --

  private takeSteps(): void {
    this.reached[0] += this.count;
    for (let step = 1; step < this.steps.length && this.count > 0; step++) {
      this.nextKeys.fill(never, 0, this.count);
      for (const postings of this.steps[step]) this.findNext(postings);
      this.keepReached();
      this.reached[step] += this.count;
      this.durations[step].pushAll(this.gaps, this.count);
    }
  }

  private findNext(postings: StepPostings): void {
    const {users, keys, nextKeys, count} = this;
    const {users: postedUsers, starts, keys: postedKeys, end} = postings;
    let at = postings.at;
    for (let i = 0; i < count; i++) {
      const user = users[i];
      if (at < end && postedUsers[at] < user) at = placeOfUser(postedUsers, at + 1, end, user);
      if (at === end) break;
      if (postedUsers[at] !== user) continue;
      const keysEnd = starts[at + 1];
      const place = placeAfter(postedKeys, starts[at], keysEnd, keys[i]);
      if (place < keysEnd && postedKeys[place] < nextKeys[i]) nextKeys[i] = postedKeys[place];
    }
    postings.at = at;
  }

  private keepReached(): void {
    const {users, keys, nextKeys, gaps, endKey} = this;
    let count = 0;
    for (let i = 0; i < this.count; i++) {
      const next = nextKeys[i];
      if (!(next < endKey)) continue;
      gaps[count] = timeOfKey(next) - timeOfKey(keys[i]);
      users[count] = users[i];
      keys[count++] = next;
    }
    this.count = count;
  }

  // -- with one --

  private walkEach(walk: EntryWalk): void {
    for (let i = 0; i < this.count; i++) {
      const depth = walk.walk(this.users[i], this.keys[i]);
      const {times} = walk;
      for (let step = 0; step < depth; step++) {
        this.reached[step] += 1;
        if (step > 0) this.durations[step].push(times[step] - times[step - 1]);
      }
    }
  }
}

function stepPostings(segments: readonly UserPostings[], name: number): StepPostings[] {
  if (name < 0) return [];
  return segments.flatMap((segment) => {
    const postings = segment.of(name);
    return postings === undefined ? [] : [{...postings, at: postings.start}];
  });
}

/** The first user that was not looked at; infinite when all were. */
function firstUser(entries: readonly StepPostings[]): number {
  let first = never;
  for (const {users, at, end} of entries) if (at < end && users[at] < first) first = users[at];
  return first;
}
