// Paths whose steps come in order, with any event in between that is not excluded.
//   SQ1. From an entry each step takes the earliest event after the step before. An excluded event between two steps ends the
//        attempt at the step reached; the next step's own event is not between.
//   SQ2. A later entry reaches no step earlier. So the position of each step, and of the next excluded
//        event after it, only moves forward: all entries together cost (entries + events) * steps.
import type {PathRules, PathSearch} from './path-rules.js';

export class SequentialSearch implements PathSearch {
  readonly places: Int32Array;
  private readonly rules: PathRules;
  /** Excluded selectors after each step. */
  private readonly excluded: readonly (readonly number[])[];
  /** Position of each step from the current entry, or a lower bound of it. SQ2 */
  private readonly reach: Int32Array;
  /** Position of the next excluded event after each step, or a lower bound of it. SQ2 */
  private readonly blocks: Int32Array;

  constructor(rules: PathRules) {
    const {stepCount, exclusions} = rules;
    this.rules = rules;
    this.places = new Int32Array(stepCount);
    this.reach = new Int32Array(stepCount);
    this.blocks = new Int32Array(stepCount);
    this.excluded = Array.from({length: stepCount}, (_, step) =>
      exclusions
        .filter(({afterStep, beforeStep}) => afterStep <= step && step < beforeStep)
        .map(({selector}) => selector),
    );
  }

  isEntry(set: number): boolean {
    return this.rules.sets.has(set, 0);
  }

  find(times: Float64Array, sets: Uint32Array, count: number): number {
    const {reach, blocks} = this;
    const {stepCount, windowMs, entryLastMs} = this.rules;
    reach.fill(0);
    blocks.fill(0);
    let depthMax = stepCount;
    let deepest = 0;
    for (let entry = this.nextOf(sets, 0, 0, count); entry < count; entry = this.nextOf(sets, 0, entry + 1, count)) {
      if (times[entry] > entryLastMs) break;
      const lastMs = times[entry] + windowMs;
      reach[0] = entry;
      let depth = 1;
      while (depth < depthMax) {
        const place = this.nextOf(sets, depth, Math.max(reach[depth], reach[depth - 1] + 1), count);
        reach[depth] = place;
        if (place === count)
          depthMax = depth; // SQ2: no later entry gets past this step either.
        else if (times[place] > lastMs || this.isBlocked(sets, depth - 1, place)) break;
        else depth += 1;
      }
      if (depth > deepest) {
        deepest = depth;
        this.places.set(reach.subarray(0, depth));
      }
      if (deepest >= depthMax) break;
    }
    return deepest;
  }

  /** Whether an excluded event is between the event of the step and that of the next one, at `end`. */
  private isBlocked(sets: Uint32Array, step: number, end: number): boolean {
    const excluded = this.excluded[step];
    if (excluded.length === 0) return false;
    let at = Math.max(this.blocks[step], this.reach[step] + 1);
    while (at < end && !excluded.some((selector) => this.rules.sets.has(sets[at], selector))) at += 1;
    this.blocks[step] = at;
    return at < end;
  }

  private nextOf(sets: Uint32Array, step: number, from: number, end: number): number {
    const {sets: chosen} = this.rules;
    let at = from;
    while (at < end && !chosen.has(sets[at], step)) at += 1;
    return Math.min(at, end);
  }
}
