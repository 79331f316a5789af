// Paths whose steps come in any order: the level of a path is the number of different steps that its events do.
//   AO1. Each step takes an event of its own. An event may serve several steps, so events are matched to steps: one more event
//       raises the level if a chain of changes frees a step for it. Taking events in their order makes every level as early as it
//       can be, and a path has its entry among its events.
//   AO2. The level of a window depends on how many events of each set it has; more of them than the set has steps do nothing.
//       Windows whose numbers do not exceed those of the window that was searched last are passed over.
import type {PathRules, PathSearch} from './path-search.js';

const nobody = -1;

export class AnyOrderSearch implements PathSearch {
  readonly places: Int32Array;
  private readonly rules: PathRules;
  /** The places that raised the level of the current window, in order. */
  private readonly raised: Int32Array;
  /** Place of the event that each step has taken. */
  private readonly takers: Int32Array;
  private readonly tried: Uint8Array;
  /** Events of each set in the window, and those of the last window that was searched. AO2 */
  private held: number[] = [];
  private searched: number[] = [];
  /** Sets of which the window has more than the one that was searched. */
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

  /** Finds a step for the event, of which others may change theirs. */
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
