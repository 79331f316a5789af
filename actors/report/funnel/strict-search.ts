// Paths whose steps follow each other directly: no other event of the user is in between. All of a user's events are searched.
//   ST1. An event that is not the next step ends the attempt; if it is step 1, it begins another one.
import type {PathRules, PathSearch} from './path-rules.js';

export class StrictSearch implements PathSearch {
  readonly places: Int32Array;
  private readonly rules: PathRules;

  constructor(rules: PathRules) {
    this.rules = rules;
    this.places = new Int32Array(rules.stepCount);
  }

  isEntry(set: number): boolean {
    return this.rules.sets.has(set, 0);
  }

  find(times: Float64Array, sets: Uint32Array, count: number): number {
    const {stepCount, entryLastMs} = this.rules;
    let deepest = 0;
    for (let entry = 0; entry < count && times[entry] <= entryLastMs && deepest < stepCount; entry++) {
      if (!this.isEntry(sets[entry])) continue;
      const depth = this.depthFrom(times, sets, entry, count);
      if (depth <= deepest) continue;
      deepest = depth;
      for (let step = 0; step < depth; step++) this.places[step] = entry + step;
    }
    return deepest;
  }

  private depthFrom(times: Float64Array, sets: Uint32Array, entry: number, count: number): number {
    const {sets: chosen, stepCount, windowMs} = this.rules;
    const lastMs = times[entry] + windowMs;
    const depthMax = Math.min(stepCount, count - entry);
    let depth = 1;
    while (depth < depthMax && chosen.has(sets[entry + depth], depth) && times[entry + depth] <= lastMs) depth += 1;
    return depth;
  }
}
