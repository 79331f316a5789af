// Paths whose steps may come in any order: the level of a path is the number of different steps that its events fulfil.
//   AO1. Each step takes an event of its own. An event may fit several steps, so this is a matching: one more event raises the
//        level if an augmenting path frees a step for it. Taking events in order makes every level as early as possible, and
//        keeps the entry in the path.
//   AO2. The level of a window depends on its number of events of each set, capped at the steps of the set. Windows whose
//        numbers do not exceed those of the last searched window are skipped.
import type {PathRules, PathSearch} from './path-rules.js';

const nobody = -1;

export class AnyOrderSearch implements PathSearch {
  readonly places: Int32Array;
  private readonly rules: PathRules;
  /** Positions of the events that raised the level of the current window, in order. */
  private readonly raised: Int32Array;
  /** Position of the event that each step has taken. */
  private readonly takers: Int32Array;
  private readonly tried: Uint8Array;
  /** Number of events of each set in the window, and in the last searched window. AO2 */
  private held: number[] = [];
  private searched: number[] = [];
  /** Number of sets that exceed the last searched window. AO2 */
  private above = 0;

  constructor(rules: PathRules) {
    this.rules = rules;
    this.places = new Int32Array(rules.stepCount);
    this.raised = new Int32Array(rules.stepCount);
    this.takers = new Int32Array(rules.stepCount);
    this.tried = new Uint8Array(rules.stepCount);
  }

  isEntry(set: number): boolean {
    return set > 0;
  }

  find(times: Float64Array, sets: Uint32Array, count: number): number {
    const {stepCount, windowMs, entryLastMs} = this.rules;
    this.held = [];
    this.searched = [];
    this.above = 0;
    let deepest = 0;
    let end = 0;
    for (let entry = 0; entry < count && times[entry] <= entryLastMs && deepest < stepCount; entry++) {
      const lastMs = times[entry] + windowMs;
      for (; end < count && times[end] <= lastMs; end++) this.enter(sets[end]);
      if (this.above > 0) {
        const level = this.search(sets, entry, end);
        if (level > deepest) {
          deepest = level;
          this.places.set(this.raised.subarray(0, level));
        }
      }
      this.leave(sets[entry]);
    }
    return deepest;
  }

  // -- windows. AO2 --

  private enter(set: number): void {
    const held = (this.held[set] ?? 0) + 1;
    this.held[set] = held;
    if (held <= this.usefulMax(set) && held === (this.searched[set] ?? 0) + 1) this.above += 1;
  }

  private leave(set: number): void {
    const held = this.held[set];
    this.held[set] = held - 1;
    if (held <= this.usefulMax(set) && held === (this.searched[set] ?? 0) + 1) this.above -= 1;
  }

  private usefulMax(set: number): number {
    return this.rules.sets.selectorsOf(set).length;
  }

  // -- one window --

  /** The level of the events [entry, end). AO1 */
  private search(sets: Uint32Array, entry: number, end: number): number {
    this.searched = this.held.map((held, set) => Math.min(held, this.usefulMax(set)));
    this.above = 0;
    this.takers.fill(nobody);
    let level = 0;
    for (let place = entry; place < end && level < this.rules.stepCount; place++) {
      this.tried.fill(0);
      if (this.takesStep(sets, place)) this.raised[level++] = place;
    }
    return level;
  }

  /** Finds a step for the event; other events may change theirs. */
  private takesStep(sets: Uint32Array, place: number): boolean {
    const {takers, tried} = this;
    for (const step of this.rules.sets.selectorsOf(sets[place])) {
      if (tried[step] === 1) continue;
      tried[step] = 1;
      if (takers[step] === nobody || this.takesStep(sets, takers[step])) {
        takers[step] = place;
        return true;
      }
    }
    return false;
  }
}
